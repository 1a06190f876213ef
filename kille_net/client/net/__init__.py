"""The way to servers: found, met, trusted, talked to, and come back to. Refuses to know what is played there."""
