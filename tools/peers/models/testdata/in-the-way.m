-- Rush Hour: in-the-way. A vehicle is at its first column or, if it is upright, row.

var
  atC: 0..2;
  atA: 0..3;
  atB: 0..3;
  atD: 0..3;

startstate begin
  atC := 0;
  atA := 0;
  atB := 1;
  atD := 3;
end;

rule "C-1" atC > 0 ==> begin atC := atC - 1; end;

rule "C+1" atC < 2 & (atC != 0 | atB > 0) ==> begin atC := atC + 1; end;

rule "A-1" atA > 0 & (atA != 3 | atD > 1) ==> begin atA := atA - 1; end;

rule "A+1" atA < 3 & (atA != 0 | atD > 1) & (atA != 1 | atB > 1) ==> begin atA := atA + 1; end;

rule "B-1" atB > 0 & (atB != 1 | atC < 1) & (atB != 2 | atA < 2) ==> begin atB := atB - 1; end;

rule "B+1" atB < 3 ==> begin atB := atB + 1; end;

rule "D-1" atD > 0 & atD != 1 & (atD != 2 | (atA < 1 | atA > 2)) ==> begin atD := atD - 1; end;

rule "D+1" atD < 3 ==> begin atD := atD + 1; end;
