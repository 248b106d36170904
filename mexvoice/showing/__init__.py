"""What the people at the table see: a full screen, or plain lines."""
