"""Matches: one game, a plan of many, suites, the ladder, tournaments, and speed."""
