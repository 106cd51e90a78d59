"""Tools around the chapters: loader, figures, matches, play, exercise checks and commands."""
