"""What can be built on the blog's index and its server; outside the wheel."""
