/* Sliding tiles: tiles-1x5. Cells are counted row by row; b is where the blank is. */

byte t[5] = { 1, 2, 0, 3, 4 };
byte b = 2;

active proctype board() {
	do
	:: d_step { b % 5 != 0 -> t[b] = t[b - 1]; b = b - 1; t[b] = 0 } /* left */
	:: d_step { b % 5 != 4 -> t[b] = t[b + 1]; b = b + 1; t[b] = 0 } /* right */
	od
}
