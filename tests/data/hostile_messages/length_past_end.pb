
xy