"""What holds of each step for any input at all."""
