"""How the book is built: `python -m book.builder.build`."""
