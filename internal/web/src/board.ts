// Boards as pictures: the server draws them, this file animates them.

import { type Board, type Piece, type State, call, picturePath, pictureURL } from "./api";
import { h, s } from "./dom";

// thumb returns a small board.
export function thumb(run: string, st: State, pictured: boolean): HTMLElement {
  if (!pictured) return h("pre", { class: "drawing small" }, st.drawing ?? st.text ?? "");
  return h("img", { class: "thumb", src: pictureURL(run, st), alt: st.text ?? "board", loading: "lazy", decoding: "async", draggable: "false" });
}

// parsePicture makes an element from an SVG of the server. It has no scripts or styles,
// and the page's policy would not run them.
export function parsePicture(svg: string): SVGSVGElement | null {
  const doc = new DOMParser().parseFromString(svg, "image/svg+xml");
  const root = doc.documentElement;
  if (root.nodeName !== "svg" || doc.querySelector("parsererror")) return null;
  return document.importNode(root, true) as unknown as SVGSVGElement;
}

export function boardFromText(svg: string, drawing: string, kind: string): HTMLElement {
  const picture = svg ? parsePicture(svg) : null;
  if (!picture) return h("pre", { class: `drawing ${kind}` }, drawing);
  return h("div", { class: `board ${kind}` }, picture as unknown as Node);
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");

// BoardView shows a state, moves pieces from one state to the next, and reports what the
// user drags where.
export class BoardView {
  readonly el = h("div", { class: "board stage-board", tabindex: "0", role: "img" });
  private svg: SVGSVGElement | null = null;
  private board: Board | null = null;
  private cache = new Map<string, Promise<string>>();
  private wanted = "";
  private drag: { piece: number; cell: number; pointer: number; busy: boolean; aim: number } | null = null;

  // onDrag is called when a piece is dragged from a cell to another, and returns whether
  // it was moved.
  onDrag: (piece: number, from: number, to: number) => Promise<boolean> = async () => false;

  // onMark is called when a mark is pressed.
  onMark: (next: State) => void = () => {};

  constructor(private run: string, private pictured: boolean) {
    this.el.addEventListener("pointerdown", (e) => this.grab(e));
    this.el.addEventListener("pointermove", (e) => void this.pull(e));
    for (const name of ["pointerup", "pointercancel"] as const) {
      this.el.addEventListener(name, () => {
        this.drag = null;
        this.el.classList.remove("dragging");
      });
    }
  }

  // load fetches the picture of a state, once.
  load(st: State): Promise<string> {
    const key = picturePath(this.run, st, true);
    let p = this.cache.get(key);
    if (!p) {
      p = call(key).then((r) => r.text());
      p.catch(() => this.cache.delete(key));
      this.cache.set(key, p);
      const most = 600;
      if (this.cache.size > most) this.cache.delete(this.cache.keys().next().value as string);
    }
    return p;
  }

  async show(st: State): Promise<void> {
    this.wanted = st.key;
    this.el.setAttribute("aria-label", st.text ?? "board");
    if (!this.pictured) {
      this.el.replaceChildren(h("pre", { class: "drawing" }, st.drawing ?? st.text ?? ""));
      return;
    }
    const svg = parsePicture(await this.load(st));
    if (!svg || this.wanted !== st.key) return;
    const before = this.board;
    svg.querySelector("title")?.remove(); // it would be a tooltip over the whole board
    svg.setAttribute("aria-hidden", "true");
    svg.removeAttribute("role");
    this.el.replaceChildren(svg as unknown as Node);
    this.svg = svg;
    this.board = st.board ?? null;
    if (before && this.board && !calm.matches) this.animate(before, this.board);
  }

  // animate moves each piece from its previous place.
  private animate(from: Board, to: Board): void {
    if (from.cols !== to.cols || from.pieces.length !== to.pieces.length) return;
    const pitch = this.pitch();
    if (!pitch) return;
    to.pieces.forEach((piece, i) => {
      const old = from.pieces[i];
      if (!old || !alike(old, piece)) return;
      const [dx, dy] = shift(old, piece, to.cols);
      if (!dx && !dy) return;
      this.group(i)?.animate([{ transform: `translate(${-dx * pitch[0]}px, ${-dy * pitch[1]}px)` }, { transform: "none" }],
        { duration: 130, easing: "ease-out" });
    });
  }

  private group(piece: number): SVGGraphicsElement | null {
    return this.svg?.querySelector<SVGGraphicsElement>(`[data-piece="${piece}"]`) ?? null;
  }

  // mark shows the value of each move where it takes its piece or, if several lead
  // there, next to that place on the piece's side.
  mark(next: State[], values: (Value | "")[]): void {
    const b = this.board;
    const pitch = this.pitch();
    this.svg?.querySelectorAll(".hint-mark").forEach((el) => el.remove());
    if (!b || !pitch) return;
    const marks = next.flatMap((n, k) => {
      const value = values[k];
      const move = value ? moverOf(b, n.board) : null;
      return value && move ? [{ n, value, ...move }] : [];
    });
    const there = new Map<string, number>();
    for (const m of marks) there.set(m.to.join(), (there.get(m.to.join()) ?? 0) + 1);
    for (const m of marks) {
      const own = this.group(m.piece);
      const box = own?.getBBox();
      if (!own || !box) continue;
      const [mc, mr] = middle(b.pieces[m.piece]!, b.cols);
      const long = Math.hypot(m.by[0], m.by[1]);
      const back = there.get(m.to.join()) === 1 ? 0 : 0.42 / long;
      const x = box.x + box.width / 2 + pitch[0] * (m.to[0] - back * m.by[0] - mc);
      const y = box.y + box.height / 2 + pitch[1] * (m.to[1] - back * m.by[1] - mr);
      const size = Math.min(9, 0.3 * Math.max(pitch[0], pitch[1]));
      const el = s("g", { class: `hint-mark ${m.value}`, "data-of": m.piece, transform: `translate(${x} ${y})` },
        s("circle", { r: size }) as unknown as Node, s("text", { y: 0.36 * 1.6 * size, "font-size": 1.6 * size, "text-anchor": "middle" }, signs[m.value]) as unknown as Node);
      el.addEventListener("click", () => this.onMark(m.n));
      own.parentNode?.append(el);
    }
  }

  // pitch measures the distance between cells in the picture: from the places of two
  // pieces, or else from a piece's own size.
  private pitch(): [number, number] | null {
    const b = this.board;
    if (!b) return null;
    const found: [number, number] = [0, 0];
    const centres = b.pieces.map((p, i) => {
      const box = this.group(i)?.getBBox();
      return box ? { p, x: box.x + box.width / 2, y: box.y + box.height / 2, at: middle(p, b.cols), box } : null;
    });
    for (const a of centres) {
      for (const c of centres) {
        if (!a || !c) continue;
        const dc = c.at[0] - a.at[0];
        const dr = c.at[1] - a.at[1];
        if (dc >= 1 && !found[0]) found[0] = (c.x - a.x) / dc;
        if (dr >= 1 && !found[1]) found[1] = (c.y - a.y) / dr;
      }
    }
    // If all pieces are above one another, the longest one gives the width of a cell.
    for (const c of centres) {
      if (!c || found[0]) continue;
      const columns = c.p.cells.map((cell) => cell % b.cols);
      const long = Math.max(...columns) - Math.min(...columns) + 1;
      if (long > 1 && c.p.cells.length >= Math.max(...b.pieces.map((p) => p.cells.length))) found[0] = c.box.width / long;
    }
    const usual = 40;
    return [found[0] || found[1] || usual, found[1] || found[0] || usual];
  }

  // cellAt returns the cell at a point of the screen.
  private cellAt(x: number, y: number): number {
    const b = this.board;
    const pitch = this.pitch();
    const some = b?.pieces.findIndex((_, i) => this.group(i)) ?? -1;
    if (!b || !pitch || some < 0 || !this.svg) return -1;
    const matrix = this.svg.getScreenCTM()?.inverse();
    const own = this.group(some);
    const piece = b.pieces[some];
    if (!matrix || !own || !piece) return -1;
    const box = own.getBBox();
    const outer = own.getCTM();
    const root = this.svg.getCTM();
    if (!outer || !root) return -1;
    // The picture's own units, as of the piece's box.
    const p = new DOMPoint(x, y).matrixTransform(own.getScreenCTM()!.inverse());
    const [mc, mr] = middle(piece, b.cols);
    const col = Math.floor((p.x - (box.x + box.width / 2)) / pitch[0] + mc + 0.5);
    const row = Math.floor((p.y - (box.y + box.height / 2)) / pitch[1] + mr + 0.5);
    return row >= 0 && row < b.rows && col >= 0 && col < b.cols ? row * b.cols + col : -1;
  }

  private grab(e: PointerEvent): void {
    const group = (e.target as Element).closest("[data-piece]");
    if (!group || e.button !== 0) return;
    const cell = this.cellAt(e.clientX, e.clientY);
    if (cell < 0) return;
    this.drag = { piece: Number(group.getAttribute("data-piece")), cell, pointer: e.pointerId, busy: false, aim: cell };
    this.el.setPointerCapture(e.pointerId);
    this.el.classList.add("dragging");
    e.preventDefault();
  }

  private async pull(e: PointerEvent): Promise<void> {
    const d = this.drag;
    if (!d || e.pointerId !== d.pointer) return;
    d.aim = this.cellAt(e.clientX, e.clientY);
    if (d.busy) return;
    d.busy = true;
    try {
      // The pointer may move on while a move is made.
      while (d.aim >= 0 && d.aim !== d.cell && this.drag === d) {
        const aim = d.aim;
        if (!(await this.onDrag(d.piece, d.cell, aim))) break;
        d.cell = this.follow(d.piece, d.cell, aim);
      }
    } finally {
      d.busy = false;
    }
  }

  // moved is where the dragged piece's cell went, set by the code that made the move.
  moved = -1;

  private follow(_piece: number, cell: number, aim: number): number {
    const now = this.moved >= 0 ? this.moved : aim;
    this.moved = -1;
    return now === cell ? aim : now;
  }
}

// alike reports whether two pieces look the same, apart from their place.
export function alike(a: Piece, b: Piece): boolean {
  return a.kind === b.kind && a.label === b.label && a.colour === b.colour && a.cells.length === b.cells.length;
}

function middle(p: Piece, cols: number): [number, number] {
  let c = 0;
  let r = 0;
  for (const cell of p.cells) {
    c += cell % cols;
    r += Math.floor(cell / cols);
  }
  return [c / p.cells.length, r / p.cells.length];
}

// Value rates a move.
export type Value = "nearer" | "same" | "farther" | "lost";

// signs show values where colours cannot.
export const signs: Record<Value, string> = { nearer: "−", same: "=", farther: "+", lost: "×" };

// valueOf rates the move to a neighbour; "" if unknown.
export function valueOf(st: State, n: State): Value | "" {
  if (!n.known || st.goal_distance < 0) return "";
  if (n.goal_distance < 0) return "lost";
  const by = n.goal_distance - st.goal_distance;
  return by < 0 ? "nearer" : by > 0 ? "farther" : "same";
}

// moverOf returns which piece a move moves, where its front is afterwards, and by how
// many columns and rows it moved. It is null if the move does not move exactly one
// piece.
function moverOf(from: Board, to: Board | undefined): { piece: number; to: [number, number]; by: [number, number] } | null {
  if (!to || to.cols !== from.cols) return null;
  // Labels do not matter: pieces of one colour may be named by their places.
  const place = (p: Piece) => `${p.kind}/${p.colour}/${p.cells.join()}`;
  const [before, after] = [from, to].map((b) => new Set(b.pieces.map(place))) as [Set<string>, Set<string>];
  let gone = from.pieces.map((p, i) => ({ p, i })).filter(({ p }) => !after.has(place(p)));
  let came = to.pieces.filter((p) => !before.has(place(p)));
  const player = 4; // moves along with what is pushed
  if (gone.some(({ p }) => p.kind !== player)) {
    gone = gone.filter(({ p }) => p.kind !== player);
    came = came.filter((p) => p.kind !== player);
  }
  const [p] = came;
  if (!p || came.length !== 1) return null;
  // A peg that jumps comes from farther away than the one it removes.
  const far = (a: Piece) => Math.hypot(...shift(a, p, from.cols));
  const [own] = gone.filter((g) => g.p.kind === p.kind && g.p.colour === p.colour && g.p.cells.length === p.cells.length).sort((a, b) => far(b.p) - far(a.p));
  if (!own) return null;
  const by = shift(own.p, p, from.cols);
  const ahead = (cell: number) => (cell % from.cols) * by[0] + Math.floor(cell / from.cols) * by[1];
  const most = Math.max(...p.cells.map(ahead));
  const front = middle({ ...p, cells: p.cells.filter((c) => ahead(c) === most) }, from.cols);
  return { piece: own.i, to: front, by };
}

// shift returns how many columns and rows a piece has moved.
export function shift(a: Piece, b: Piece, cols: number): [number, number] {
  const [ac, ar] = middle(a, cols);
  const [bc, br] = middle(b, cols);
  return [bc - ac, br - ar];
}

// dragged returns the neighbour that results from dragging a piece from one cell to
// another, and where the cell is then: the move that takes the piece all the way, or
// else the one that takes it closest, straight ahead.
export function dragged(st: { board?: Board }, neighbours: State[], piece: number, from: number, to: number): { next: State; cell: number } | null {
  const b = st.board;
  const own = b?.pieces[piece];
  if (!b || !own) return null;
  const wantC = (to % b.cols) - (from % b.cols);
  const wantR = Math.floor(to / b.cols) - Math.floor(from / b.cols);
  let best: { next: State; cell: number } | null = null;
  let least = Math.hypot(wantC, wantR);
  for (const next of neighbours) {
    const other = next.board;
    if (!other || other.cols !== b.cols) continue;
    const gone = own.cells.join();
    if (other.pieces.some((p) => alike(p, own) && p.cells.join() === gone)) continue; // it does not move
    const same = new Set(b.pieces.map((p) => signature(p)));
    for (const p of other.pieces) {
      if (!alike(p, own) || same.has(signature(p))) continue;
      const [dc, dr] = shift(own, p, b.cols);
      const rest = Math.hypot(wantC - dc, wantR - dr);
      if (rest < least - 1e-6) {
        least = rest;
        best = { next, cell: from + Math.round(dc) + Math.round(dr) * b.cols };
      }
    }
  }
  return best;
}

function signature(p: Piece): string {
  return `${p.kind}/${p.label}/${p.colour}/${p.cells.join()}`;
}
