"""A game between a person and an engine: in the terminal, in a notebook, on a web page."""
