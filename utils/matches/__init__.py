"""Matches: records of games, workers that play them, the ladder, and how fast engines are."""
