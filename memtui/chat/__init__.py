"""One turn, headless: recall, prompt, reply, extract, append. And what else a person does to memory: sleep, warp, edit."""
