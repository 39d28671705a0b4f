package net

// Corners are the names of the places and of the pieces that belong there: the faces
// clockwise, up or down first. If a corner is fixed, it is the last one.
var Corners = [...]string{"URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB", "DBL"}

// CornerTurns is the number of orientations of a corner: clockwise turns by thirds.
const CornerTurns = 3

// Faces are the faces in the order of their colours. Each has its clockwise quarter
// turn, as the names seen at the places of the solved cube after it. Faces that leave
// the last corner in place come first.
var Faces = [...]struct {
	Letter byte
	Seen   string
}{
	{'U', "UBR URF UFL ULB DFR DLF DRB DBL"},
	{'R', "FRD UFL ULB FUR BDR DLF BRU DBL"},
	{'F', "LUF LFD ULB UBR RFU RDF DRB DBL"},
	{'D', "URF UFL ULB UBR DLF DBL DFR DRB"},
	{'L', "URF BUL BLD UBR DFR FLU DRB FDL"},
	{'B', "URF UFL RUB RBD DFR DLF LDB LBU"},
}

// Corner returns the corner that shows the given faces, and its turn.
func Corner(seen string) (piece, by uint8, ok bool) {
	for piece, name := range Corners {
		for by := range CornerTurns {
			if seen == name[CornerTurns-by:]+name[:CornerTurns-by] {
				return uint8(piece), uint8(by), true
			}
		}
	}
	return 0, 0, false
}

// ColourOf returns the index of a face, or how many there are if it is none.
func ColourOf(letter byte) int {
	for i, face := range Faces {
		if face.Letter == letter {
			return i
		}
	}
	return len(Faces)
}
