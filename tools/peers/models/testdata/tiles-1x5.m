-- Sliding tiles: tiles-1x5. Cells are counted row by row; b is where the blank is.

var
  t: array [0..4] of 0..4;
  b: 0..4;

startstate begin
  t[0] := 1;
  t[1] := 2;
  t[2] := 0;
  t[3] := 3;
  t[4] := 4;
  b := 2;
end;

rule "left" b % 5 != 0 ==> begin
  t[b] := t[b - 1];
  b := b - 1;
  t[b] := 0;
end;

rule "right" b % 5 != 4 ==> begin
  t[b] := t[b + 1];
  b := b + 1;
  t[b] := 0;
end;
