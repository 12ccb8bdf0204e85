"""What LineUp promises, each promise with a test that kills, starves or disturbs the real relay."""
