"""The commands of `course`, a module each, and what they share."""
