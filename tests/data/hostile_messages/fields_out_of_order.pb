y
x