

xxyy