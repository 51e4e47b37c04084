HUB = {}
