"""What `dowse doctor` knows: for each part what is so, why, and how to change it."""
