"""The tools that clients call."""
