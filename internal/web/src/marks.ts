// The value of each move, on the board itself: where the move takes its piece, or, if it
// moves several, beside one that it alone takes there.

import type { Board, Piece, State } from "./api";
import { type Value, signs } from "./board";
import { s } from "./dom";
import { type Shift, kinds, middle, shift } from "./drag";

// Place is where the mark of a move can be: on the way of a piece.
interface Place { piece: number; to: Shift; by: Shift; turns: boolean }

// markOf returns a mark at a point. A tip points the way, two where the move goes twice as
// far as another one.
export function markOf(value: Value, [x, y]: Shift, size: number, way: number | null, tips = 1): SVGElement {
  const tip = (at: number) => s("path", { class: "tip-of", d: `M${(size * at).toFixed(2)} ${(-0.8 * size).toFixed(2)}L${(size * (at + 0.95)).toFixed(2)} 0L${(size * at).toFixed(2)} ${(0.8 * size).toFixed(2)}Z` }) as unknown as Node;
  return s("g", { class: `hint-mark ${value}`, transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` },
    way === null ? null : s("g", { transform: `rotate(${((way * 180) / Math.PI).toFixed(1)})` }, tips > 1 ? tip(1.4) : null, tip(0.85)) as unknown as Node,
    s("circle", { r: size }) as unknown as Node, s("text", { y: 0.36 * 1.6 * size, "font-size": 1.6 * size, "text-anchor": "middle" }, signs[value]) as unknown as Node);
}

// draw adds a mark for each move that has a value and moves pieces.
export function draw(b: Board, pitch: Shift, group: (piece: number) => SVGGraphicsElement | null, next: State[], values: (Value | "")[], press: (n: State) => void): void {
  const size = Math.min(9, 0.3 * Math.max(...pitch));
  const taken: Shift[] = [];
  const put = (n: State, value: Value, { piece, to, by, turns }: Place, part: number, clear: boolean): boolean => {
    const own = group(piece);
    const box = own?.getBBox();
    if (!own || !box) return false;
    const [mc, mr] = middle(b.pieces[piece]!, b);
    const at: Shift = [box.x + box.width / 2 + pitch[0] * (to[0] - part * by[0] - mc), box.y + box.height / 2 + pitch[1] * (to[1] - part * by[1] - mr)];
    if (clear && taken.some((t) => Math.hypot(t[0] - at[0], t[1] - at[1]) < 2.1 * size)) return false;
    taken.push(at);
    const el = markOf(value, at, size, turns && clear ? Math.atan2(by[1] * pitch[1], by[0] * pitch[0]) : null);
    el.dataset.of = String(piece);
    el.dataset.move = n.move ?? "";
    el.addEventListener("click", () => press(n));
    own.parentNode?.append(el);
    return true;
  };
  const marks = next.flatMap((n, k) => (values[k] ? [{ n, value: values[k] as Value, alone: moverOf(b, n.board) }] : []));
  const stacked = b.pieces.length > 0 && b.pieces.every((p, i) => p.kind === kinds.disc && middle(p, b)[0] === middle(b.pieces[0]!, b)[0] && (!i || p.cells[0]! > b.pieces[i - 1]!.cells[0]!));
  const there = new Map<string, number>();
  for (const { alone } of marks) if (alone) there.set(alone.to.join(), (there.get(alone.to.join()) ?? 0) + 1);
  for (const { n, value, alone } of marks) {
    if (alone) put(n, value, alone, there.get(alone.to.join()) === 1 ? 0 : 0.42 / Math.hypot(...alone.by), false);
  }
  for (const { n, value, alone } of marks) {
    if (alone) continue;
    const place = b.spots ? windowOf(b, n) : stacked ? flipOf(b, n) : null;
    if (place) put(n, value, place, 0, false);
    else turnsOf(b, n, next).some((p) => put(n, value, p, 0.5, true));
  }
}

const at = (p: Piece) => p.cells.join();
const alike = (a: Piece, b: Piece) => a.kind === b.kind && a.colour === b.colour && a.cells.length === b.cells.length;

// windowOf returns the middle of the places that a move reverses, if it names the first and
// the last one, as those of TopSpin do.
function windowOf({ spots, pieces }: Board, { move }: State): Place | null {
  const ends = /^(\d+)-(\d+)$/.exec(move ?? "")?.slice(1).map((n) => spots![Number(n) - 1]);
  const [a, z] = ends ?? [];
  return a && z && pieces[0] ? { piece: 0, to: [(a[0] + z[0]) / 2, (a[1] + z[1]) / 2], by: [0, 0], turns: false } : null;
}

// flipOf returns the end of the lowest piece of a stack that a move turns over.
function flipOf(b: Board, { board }: State): Place | null {
  const moved = b.pieces.map((p, i) => (p.label !== board?.pieces[i]?.label || p.colour !== board?.pieces[i]?.colour ? i : -1));
  const piece = Math.max(...moved);
  return piece < 0 ? null : { piece, to: [b.cols - 1, middle(b.pieces[piece]!, b)[1]], by: [0, 0], turns: false };
}

// turnsOf returns where the mark of a move of several pieces can be, the best places
// first: on the way of a piece that no other move takes there. Of pieces that look alike the
// nearest one is taken to have come.
function turnsOf(from: Board, n: State, next: State[]): Place[] {
  const to = n.board;
  if (!to || to.cols !== from.cols) return [];
  const places = to.pieces.flatMap((p) => {
    if (from.pieces.some((q) => alike(p, q) && at(p) === at(q))) return [];
    const own = from.pieces.map((q, piece) => ({ q, piece, by: shift(q, p, from) })).filter(({ q }) => alike(p, q));
    const [first, second] = own.sort((a, b) => Math.hypot(...a.by) - Math.hypot(...b.by));
    if (!first) return [];
    const { piece, by, q } = first;
    const far = Math.hypot(...by);
    const shared = next.some((m) => m !== n && m.board?.pieces.some((r) => alike(r, p) && at(r) === at(p)));
    const doubtful = !!second && Math.hypot(...second.by) < 1.3 * far;
    // A token that changes places with another one has no way round.
    const back = to.pieces.some((r) => at(r) === at(q) && from.pieces.some((o) => alike(o, r) && at(o) === at(p)));
    const place: Place = { piece, to: middle(p, from), by, turns: !back };
    return [{ place, rank: Number(shared) + Number(doubtful), far }];
  });
  return places.sort((a, b) => a.rank - b.rank || a.far - b.far).map((p) => p.place);
}

// moverOf returns which piece a move moves, where its front is afterwards, and by how
// many columns and rows it moved. It is null if the move does not move exactly one
// piece.
function moverOf(from: Board, to: Board | undefined): Place | null {
  if (!to || to.cols !== from.cols) return null;
  // Labels do not matter: pieces of one colour may be named by their places.
  const place = (p: Piece) => `${p.kind}/${p.colour}/${p.cells.join()}`;
  const [before, after] = [from, to].map((b) => new Set(b.pieces.map(place))) as [Set<string>, Set<string>];
  let gone = from.pieces.map((p, i) => ({ p, i })).filter(({ p }) => !after.has(place(p)));
  let came = to.pieces.filter((p) => !before.has(place(p)));
  // A player moves along with what is pushed, and may look different afterwards.
  if (came.some((p) => p.kind !== kinds.player)) {
    gone = gone.filter(({ p }) => p.kind !== kinds.player);
    came = came.filter((p) => p.kind !== kinds.player);
  }
  const [p] = came;
  if (!p || came.length !== 1) return null;
  // A peg that jumps comes from farther away than the one it removes.
  const far = (a: Piece) => Math.hypot(...shift(a, p, from));
  const [own] = gone.filter((g) => alike(g.p, p) || (p.kind === kinds.player && g.p.kind === p.kind)).sort((a, b) => far(b.p) - far(a.p));
  if (!own) return null;
  const by = shift(own.p, p, from);
  const ahead = (cell: number) => (cell % from.cols) * by[0] + Math.floor(cell / from.cols) * by[1];
  const most = Math.max(...p.cells.map(ahead));
  const front = middle({ ...p, cells: p.cells.filter((c) => ahead(c) === most) }, from);
  return { piece: own.i, to: front, by, turns: false };
}
