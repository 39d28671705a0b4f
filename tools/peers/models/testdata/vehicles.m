-- Rush Hour: vehicles. A vehicle is at its first column or, if it is upright, row.

var
  atB: 0..2;
  atC: 2..4;
  atD: 0..2;
  atA: 0..4;
  atE: 0..2;

startstate begin
  atB := 0;
  atC := 4;
  atD := 1;
  atA := 2;
  atE := 2;
end;

rule "B-1" atB > 0 & (atB != 1 | atD > 0) ==> begin atB := atB - 1; end;

rule "B+1" atB < 2 & atB + 2 != atC ==> begin atB := atB + 1; end;

rule "C-1" atC > 2 & atB + 2 != atC ==> begin atC := atC - 1; end;

rule "C+1" atC < 4 & (atC != 3 | atE > 0) ==> begin atC := atC + 1; end;

rule "D-1" atD > 0 & (atD != 1 | atB > 0) ==> begin atD := atD - 1; end;

rule "D+1" atD < 2 & (atD != 0 | atA > 0) ==> begin atD := atD + 1; end;

rule "A-1" atA > 0 & (atA != 1 | atD < 1) ==> begin atA := atA - 1; end;

rule "A+1" atA < 4 & (atA != 3 | atE < 1) ==> begin atA := atA + 1; end;

rule "E-1" atE > 0 & (atE != 1 | atC < 4) ==> begin atE := atE - 1; end;

rule "E+1" atE < 2 & (atE != 0 | atA < 4) ==> begin atE := atE + 1; end;
