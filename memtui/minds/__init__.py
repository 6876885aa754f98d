"""What thinks: minds behind one protocol."""
