"""What thirteen faults did before a part of the work, and what they do now."""
