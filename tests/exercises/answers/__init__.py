"""Answers to the exercises, right and wrong, a module for each chapter."""
