"""Game values to wire messages and back, pure; the only module that knows both."""
