package draw

// capHeight is the height of capitals and digits, as a share of the font's size.
const capHeight = 0.72
