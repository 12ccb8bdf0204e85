"""The page in Chromium, served by a real relay, on a phone and on a PC."""
