-- Sliding tiles: tiles-4x2. Cells are counted row by row; b is where the blank is.

var
  t: array [0..7] of 0..7;
  b: 0..7;

startstate begin
  t[0] := 0;
  t[1] := 2;
  t[2] := 1;
  t[3] := 3;
  t[4] := 4;
  t[5] := 5;
  t[6] := 7;
  t[7] := 6;
  b := 0;
end;

rule "up" b >= 2 ==> begin
  t[b] := t[b - 2];
  b := b - 2;
  t[b] := 0;
end;

rule "down" b < 6 ==> begin
  t[b] := t[b + 2];
  b := b + 2;
  t[b] := 0;
end;

rule "left" b % 2 != 0 ==> begin
  t[b] := t[b - 1];
  b := b - 1;
  t[b] := 0;
end;

rule "right" b % 2 != 1 ==> begin
  t[b] := t[b + 1];
  b := b + 1;
  t[b] := 0;
end;
