"""What the author's tools find, measured on indexes."""
