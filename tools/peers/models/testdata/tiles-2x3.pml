/* Sliding tiles: tiles-2x3. Cells are counted row by row; b is where the blank is. */

byte t[6] = { 1, 2, 3, 4, 5, 0 };
byte b = 5;

active proctype board() {
	do
	:: d_step { b >= 3 -> t[b] = t[b - 3]; b = b - 3; t[b] = 0 } /* up */
	:: d_step { b < 3 -> t[b] = t[b + 3]; b = b + 3; t[b] = 0 } /* down */
	:: d_step { b % 3 != 0 -> t[b] = t[b - 1]; b = b - 1; t[b] = 0 } /* left */
	:: d_step { b % 3 != 2 -> t[b] = t[b + 1]; b = b + 1; t[b] = 0 } /* right */
	od
}
