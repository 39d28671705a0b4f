-- Sliding tiles: tiles-2x3. Cells are counted row by row; b is where the blank is.

var
  t: array [0..5] of 0..5;
  b: 0..5;

startstate begin
  t[0] := 1;
  t[1] := 2;
  t[2] := 3;
  t[3] := 4;
  t[4] := 5;
  t[5] := 0;
  b := 5;
end;

rule "up" b >= 3 ==> begin
  t[b] := t[b - 3];
  b := b - 3;
  t[b] := 0;
end;

rule "down" b < 3 ==> begin
  t[b] := t[b + 3];
  b := b + 3;
  t[b] := 0;
end;

rule "left" b % 3 != 0 ==> begin
  t[b] := t[b - 1];
  b := b - 1;
  t[b] := 0;
end;

rule "right" b % 3 != 2 ==> begin
  t[b] := t[b + 1];
  b := b + 1;
  t[b] := 0;
end;
