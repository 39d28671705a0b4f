-- Rush Hour: one-line. A vehicle is at its first column or, if it is upright, row.

var
  atA: 0..1;
  atC: 4..5;

startstate begin
  atA := 0;
  atC := 5;
end;

rule "A-1" atA > 0 ==> begin atA := atA - 1; end;

rule "A+1" atA < 1 ==> begin atA := atA + 1; end;

rule "C-1" atC > 4 ==> begin atC := atC - 1; end;

rule "C+1" atC < 5 ==> begin atC := atC + 1; end;
