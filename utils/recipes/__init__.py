"""How the files in data/ are made, each by a command of its own."""
