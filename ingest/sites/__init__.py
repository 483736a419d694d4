"""Site generators: where each post and heading is published."""
