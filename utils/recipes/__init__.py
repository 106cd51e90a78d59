"""How the files in data/ are made: a command for each, and `teacher`, which asks Stockfish."""
