"""What is played with real clients: each module has some rounds, and each round says what it shows."""
