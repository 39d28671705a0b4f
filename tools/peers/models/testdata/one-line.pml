/* Rush Hour: one-line. A vehicle is at its first column or, if it is upright, row. */

byte atA = 0;
byte atC = 5;

active proctype board() {
	do
	:: d_step { atA > 0 -> atA = atA - 1 }
	:: d_step { atA < 1 -> atA = atA + 1 }
	:: d_step { atC > 4 -> atC = atC - 1 }
	:: d_step { atC < 5 -> atC = atC + 1 }
	od
}
