// Where the moves can take a piece, known before the server is asked: what dragging, and
// the player's walk between two pushes, need.

import type { Board, Piece, State } from "./api";

// Kinds of pieces: puzzle.PieceKind.
export const kinds = { block: 0, vehicle: 1, player: 4, disc: 6 };

// Shift is a number of columns and rows.
export type Shift = [number, number];

// alike reports whether two pieces look the same, apart from their place. The letters of
// blocks are not drawn, and change with their places.
export function alike(a: Piece, b: Piece): boolean {
  return a.kind === b.kind && (a.label === b.label || a.kind === kinds.block) && a.colour === b.colour && a.cells.length === b.cells.length;
}

// Grid is where the cells of a board are.
export type Grid = Pick<Board, "cols" | "spots">;

export function middle(p: Piece, { cols, spots }: Grid): Shift {
  let c = 0;
  let r = 0;
  for (const cell of p.cells) {
    c += spots?.[cell]![0] ?? cell % cols;
    r += spots?.[cell]![1] ?? Math.floor(cell / cols);
  }
  return [c / p.cells.length, r / p.cells.length];
}

// shift returns how many columns and rows a piece has moved.
export function shift(a: Piece, b: Piece, grid: Grid): Shift {
  const [ac, ar] = middle(a, grid);
  const [bc, br] = middle(b, grid);
  return [bc - ac, br - ar];
}

// after returns how a move has shifted a piece, or null if the move is another piece's.
// Pieces that look alike are not told apart, and labels may name places.
function after(own: Piece, from: Board, to: Board | undefined): Shift | null {
  if (!to || to.cols !== from.cols) return null;
  const same = (a: Piece, b: Piece) => a.kind === b.kind && a.colour === b.colour && a.cells.length === b.cells.length;
  const place = (p: Piece) => p.cells.join();
  if (to.pieces.some((p) => same(p, own) && place(p) === place(own))) return null;
  const before = new Set(from.pieces.filter((p) => same(p, own)).map(place));
  const came = to.pieces.filter((p) => same(p, own) && !before.has(place(p)));
  if (came.length !== 1) return null;
  const far = (p: Piece) => Math.hypot(...shift(p, came[0]!, from));
  // A peg that jumps comes from farther away than the one it removes.
  const left = new Set(to.pieces.filter((p) => same(p, own)).map(place));
  const gone = from.pieces.filter((p) => same(p, own) && !left.has(place(p)));
  return gone.every((p) => far(p) <= far(own)) ? shift(own, came[0]!, from) : null;
}

// movesPieces reports whether some move takes a piece elsewhere, so that it can be dragged.
export function movesPieces(from: Board | undefined, next: State[]): boolean {
  return !!from && next.some((n) => from.pieces.some((p) => after(p, from, n.board)));
}

// Reach is the places that a piece can be dragged to, as shifts from its own, and the
// ways between them.
export class Reach {
  private places: Shift[] = [[0, 0]];
  private before: number[] = [-1];
  private ways: [number, number][] = [];
  private slides: boolean; // over free cells
  readonly lifted: boolean; // from tower to tower
  // The piece goes one move at a time, and the server says where to from there.
  readonly hops: boolean;

  constructor(private board: Board, private solid: number[], private own: Piece, neighbours: State[]) {
    this.slides = own.kind === kinds.vehicle || own.kind === kinds.block;
    this.lifted = own.kind === kinds.disc;
    this.hops = !this.slides && !this.lifted;
    const moves = neighbours.map((n) => after(own, board, n.board)).filter((s): s is Shift => s !== null);
    if (this.slides && moves.length) this.spread(moves);
    for (const to of moves) if (this.find(to) < 0) this.add(to, 0);
  }

  private find(to: Shift): number {
    return this.places.findIndex((p) => Math.hypot(p[0] - to[0], p[1] - to[1]) < 1e-6);
  }

  private add(to: Shift, from: number): void {
    this.ways.push([from, this.places.length]);
    this.places.push(to);
    this.before.push(from);
  }

  // spread adds the places that the piece can slide to, cell by cell. A vehicle keeps to
  // the line in which it moves.
  private spread(moves: Shift[]): void {
    const { rows, cols, pieces } = this.board;
    const full = new Set(this.solid);
    for (const p of pieces) if (p !== this.own) for (const c of p.cells) full.add(c);
    const free = ([dc, dr]: Shift) => this.own.cells.every((cell) => {
      const [c, r] = [(cell % cols) + dc, Math.floor(cell / cols) + dr];
      return c >= 0 && c < cols && r >= 0 && r < rows && !full.has(r * cols + c);
    });
    const axis = (k: 0 | 1) => this.own.kind === kinds.block || moves.some((m) => m[k] !== 0);
    const steps: Shift[] = [...(axis(0) ? [[1, 0], [-1, 0]] as Shift[] : []), ...(axis(1) ? [[0, 1], [0, -1]] as Shift[] : [])];
    for (let i = 0; i < this.places.length; i++) {
      for (const [c, r] of steps) {
        const to: Shift = [this.places[i]![0] + c, this.places[i]![1] + r];
        const known = this.find(to);
        if (known >= 0) this.ways.push([i, known]);
        else if (free(to)) this.add(to, i);
      }
    }
  }

  // clamp returns the point nearest to where the finger is that the piece can be at.
  clamp(x: number, y: number): Shift {
    if (this.lifted) return [x, y];
    let best: Shift = [0, 0];
    let least = Infinity;
    for (const [a, b] of this.ways) {
      const [ax, ay] = this.places[a]!;
      const [dx, dy] = [this.places[b]![0] - ax, this.places[b]![1] - ay];
      const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
      const at: Shift = [ax + t * dx, ay + t * dy];
      const far = Math.hypot(at[0] - x, at[1] - y);
      if (far < least) [best, least] = [at, far];
    }
    return best;
  }

  // drop returns where the piece goes from a point, place by place; nowhere is an empty
  // list. A disc falls on the nearest tower.
  drop(x: number, y: number): Shift[] {
    const far = (p: Shift) => (this.lifted ? Math.abs(p[0] - x) : Math.hypot(p[0] - x, p[1] - y));
    let at = 0;
    this.places.forEach((p, i) => { if (far(p) < far(this.places[at]!) - 1e-6) at = i; });
    const way: Shift[] = [];
    for (; at > 0; at = this.before[at]!) way.unshift(this.places[at]!);
    return way;
  }
}

// movesOf returns the moves that take a piece along a way: one, if there is one that
// takes it all the way, or else one for each place. It is null if there are none.
export async function movesOf(seen: { board?: Board; neighbours: State[] }, piece: number, way: Shift[], look: (key: string) => Promise<{ board?: Board; neighbours: State[] }>): Promise<State[] | null> {
  let own: Piece | undefined = seen.board?.pieces[piece];
  const last = way.at(-1);
  if (!own || !last) return null;
  const by = (s: Shift) => (n: State) => {
    const moved = after(own!, seen.board!, n.board);
    return moved !== null && Math.hypot(moved[0] - s[0], moved[1] - s[1]) < 1e-6;
  };
  const whole = seen.neighbours.find(by(last));
  if (whole) return [whole];
  const moves: State[] = [];
  let done: Shift = [0, 0];
  for (const to of way) {
    const next = seen.neighbours.find(by([to[0] - done[0], to[1] - done[1]]));
    if (!next || !seen.board) return null;
    moves.push(next);
    const was: Piece = own;
    const cells: number[] = was.cells.map((c) => c + Math.round(to[0] - done[0]) + Math.round(to[1] - done[1]) * seen.board!.cols);
    done = to;
    if (to === last) break;
    seen = await look(next.key);
    own = seen.board?.pieces.find((p) => p.kind === was.kind && p.colour === was.colour && p.cells.join() === cells.join());
    if (!own) return null;
  }
  return moves;
}

// walk returns the cells that a player goes through between two boards: to beside the
// piece that it pushes, and then to its new cell. Without a way it goes straight.
export function walk(from: Board, to: Board, solid: number[], own: Piece, then: Piece): number[] {
  const [start, end] = [own.cells[0]!, then.cells[0]!];
  const others = (b: Board) => b.pieces.filter((p) => p.kind !== kinds.player);
  const places = (b: Board) => new Set(others(b).map((p) => p.cells[0]!));
  const [before, now] = [places(from), places(to)];
  const left = [...before].filter((c) => !now.has(c));
  const came = [...now].filter((c) => !before.has(c));
  const pushed = left.length === 1 && came.length === 1 && left[0] === end;
  const goal = pushed ? end - (came[0]! - end) : end;
  const { cols, rows } = from;
  const seen = new Map<number, number>([[start, -1]]);
  const full = new Set([...solid, ...before]);
  const queue = [start];
  for (const cell of queue) {
    if (cell === goal) break;
    for (const [dc, dr] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) {
      const [c, r] = [(cell % cols) + dc, Math.floor(cell / cols) + dr];
      const next = r * cols + c;
      if (c < 0 || c >= cols || r < 0 || r >= rows || full.has(next) || seen.has(next)) continue;
      seen.set(next, cell);
      queue.push(next);
    }
  }
  if (!seen.has(goal)) return [start, end];
  const way: number[] = pushed ? [end] : [];
  for (let at = goal; at >= 0; at = seen.get(at)!) way.unshift(at);
  return way;
}
