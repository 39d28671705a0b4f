/* Rush Hour: vehicles. A vehicle is at its first column or, if it is upright, row. */

byte atB = 0;
byte atC = 4;
byte atD = 1;
byte atA = 2;
byte atE = 2;

active proctype board() {
	do
	:: d_step { atB > 0 && (atB != 1 || atD > 0) -> atB = atB - 1 }
	:: d_step { atB < 2 && atB + 2 != atC -> atB = atB + 1 }
	:: d_step { atC > 2 && atB + 2 != atC -> atC = atC - 1 }
	:: d_step { atC < 4 && (atC != 3 || atE > 0) -> atC = atC + 1 }
	:: d_step { atD > 0 && (atD != 1 || atB > 0) -> atD = atD - 1 }
	:: d_step { atD < 2 && (atD != 0 || atA > 0) -> atD = atD + 1 }
	:: d_step { atA > 0 && (atA != 1 || atD < 1) -> atA = atA - 1 }
	:: d_step { atA < 4 && (atA != 3 || atE < 1) -> atA = atA + 1 }
	:: d_step { atE > 0 && (atE != 1 || atC < 4) -> atE = atE - 1 }
	:: d_step { atE < 2 && (atE != 0 || atA < 4) -> atE = atE + 1 }
	od
}
