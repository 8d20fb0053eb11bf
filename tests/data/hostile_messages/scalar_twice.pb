
x
y