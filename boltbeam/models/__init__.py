"""What a GGUF file holds, and the token that is made of it: header, parts, tokenizer, work items.

Never touches a device, never imports tinygrad.
"""
