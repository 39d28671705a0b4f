/* Sliding tiles: tiles-4x2. Cells are counted row by row; b is where the blank is. */

byte t[8] = { 0, 2, 1, 3, 4, 5, 7, 6 };
byte b = 0;

active proctype board() {
	do
	:: d_step { b >= 2 -> t[b] = t[b - 2]; b = b - 2; t[b] = 0 } /* up */
	:: d_step { b < 6 -> t[b] = t[b + 2]; b = b + 2; t[b] = 0 } /* down */
	:: d_step { b % 2 != 0 -> t[b] = t[b - 1]; b = b - 1; t[b] = 0 } /* left */
	:: d_step { b % 2 != 1 -> t[b] = t[b + 1]; b = b + 1; t[b] = 0 } /* right */
	od
}
