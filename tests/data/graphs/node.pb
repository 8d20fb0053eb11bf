
squareSquareweights/read*
T0