/* Rush Hour: in-the-way. A vehicle is at its first column or, if it is upright, row. */

byte atC = 0;
byte atA = 0;
byte atB = 1;
byte atD = 3;

active proctype board() {
	do
	:: d_step { atC > 0 -> atC = atC - 1 }
	:: d_step { atC < 2 && (atC != 0 || atB > 0) -> atC = atC + 1 }
	:: d_step { atA > 0 && (atA != 3 || atD > 1) -> atA = atA - 1 }
	:: d_step { atA < 3 && (atA != 0 || atD > 1) && (atA != 1 || atB > 1) -> atA = atA + 1 }
	:: d_step { atB > 0 && (atB != 1 || atC < 1) && (atB != 2 || atA < 2) -> atB = atB - 1 }
	:: d_step { atB < 3 -> atB = atB + 1 }
	:: d_step { atD > 0 && atD != 1 && (atD != 2 || (atA < 1 || atA > 2)) -> atD = atD - 1 }
	:: d_step { atD < 3 -> atD = atD + 1 }
	od
}
