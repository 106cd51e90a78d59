"""What every chapter uses and no chapter teaches."""
