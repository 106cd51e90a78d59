"""Matches: one game, the tournament that keeps them, suites, ladder, club, and speed."""
