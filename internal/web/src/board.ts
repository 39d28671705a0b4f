// Boards as pictures: the server draws them, this file animates them.

import { type Board, type Details, type Shape, type State, call, picturePath, pictureURL } from "./api";
import { h } from "./dom";
import { Reach, type Shift, alike, kinds, middle, shift, walk } from "./drag";
import type { Body, SolidView } from "./solid";

type SolidModule = typeof import("./solid");

// bodies holds the shapes that are shown, with the part of the page that draws them. It
// is loaded when it is needed.
const bodies = new WeakMap<Shape, Promise<[SolidModule, Body]>>();

function bodyOf(shape: Shape): Promise<[SolidModule, Body]> {
  let body = bodies.get(shape);
  if (!body) bodies.set(shape, body = import("./solid").then((m) => [m, new m.Body(shape)]));
  return body;
}

// thumb returns a small board.
export function thumb(run: string, st: State, { pictured, shape }: Details): HTMLElement {
  if (shape && st.text) {
    const el = h("span", { class: "thumb", role: "img", "aria-label": st.text });
    void bodyOf(shape).then(([, body]) => el.append(body.still(st.text!)));
    return el;
  }
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

// Drag is a piece under the finger.
interface Drag {
  pointer: number;
  piece: number;
  from: DOMPoint; // where the finger took it, in the picture's units
  reach: Reach | null; // null until the moves are known
  by: Shift; // how far the finger is from there, in cells
  busy: boolean; // a move is being made
}

// BoardView shows a state, moves pieces from one state to the next, and reports what the
// user drags where. A piece follows the finger, within what the moves allow, without
// waiting for the server.
export class BoardView {
  readonly el = h("div", { class: "board stage-board", tabindex: "0", role: "img" });
  private svg: SVGSVGElement | null = null;
  private board: Board | null = null;
  private cache = new Map<string, Promise<string>>();
  private wanted = "";
  private drag: Drag | null = null;
  private dropped = false; // the next state is where the finger has left a piece
  private solid: number[];
  private pictured: boolean;
  private shape: Shape | undefined;
  private body: SolidView | null = null;

  // onDrag is called when a piece is dragged, place by place, and returns whether it was
  // moved.
  onDrag: (piece: number, way: Shift[]) => Promise<boolean> = async () => false;

  // neighbours returns the states one move away.
  neighbours: () => Promise<State[]> = async () => [];

  // onMark is called when a mark is pressed.
  onMark: (next: State) => void = () => {};

  constructor(private run: string, { pictured, solid, shape }: Details) {
    this.pictured = pictured;
    this.solid = solid ?? [];
    this.shape = shape;
    this.el.addEventListener("pointerdown", (e) => this.grab(e));
    this.el.addEventListener("pointermove", (e) => this.pull(e));
    this.el.addEventListener("pointerup", () => void this.release(true));
    this.el.addEventListener("pointercancel", () => void this.release(false));
  }

  // load fetches the picture of a state, once.
  load(st: State): Promise<string> {
    if (this.shape) return Promise.resolve("");
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
    if (this.shape && st.text) return this.showBody(this.shape, st);
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
    const { width, height } = svg.viewBox.baseVal;
    this.el.classList.toggle("wide", width > 1.6 * height);
    this.svg = svg;
    this.board = st.board ?? null;
    if (before && this.board && !this.dropped && !calm.matches) this.animate(before, this.board);
    this.dropped = false;
  }

  // showBody shows a state of a solid body.
  private async showBody(shape: Shape, st: State): Promise<void> {
    const [m, body] = await bodyOf(shape);
    if (this.wanted !== st.key) return;
    if (!this.body) {
      this.body = new m.SolidView(body, () => calm.matches, (name) => this.turn(name));
      this.el.replaceChildren(this.body.svg);
      this.el.addEventListener("keydown", (e) => this.rotate(e));
    }
    this.body.show(st.text!, st.move);
  }

  // turn makes the move with a name, and reports whether there is one.
  private async turn(name: string): Promise<boolean> {
    const next = (await this.neighbours()).find((n) => n.move === name);
    if (next) this.onMark(next);
    return !!next;
  }

  // rotate looks at a body from another side.
  private rotate(e: KeyboardEvent): void {
    const by: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = by[e.key];
    if (!way || !e.shiftKey) return;
    e.preventDefault();
    e.stopPropagation();
    this.body?.rotate(0.3 * way[0], 0.3 * way[1]);
  }

  // animate moves each piece from its previous place.
  private animate(from: Board, to: Board): void {
    if (from.cols !== to.cols || from.pieces.length !== to.pieces.length) return;
    const pitch = this.pitch();
    if (!pitch) return;
    const moves: { i: number; at: Shift[] }[] = []; // from where to where, seen from there
    to.pieces.forEach((piece, i) => {
      const old = from.pieces[i];
      if (!old || !alike(old, piece)) return;
      const [dx, dy] = shift(old, piece, to);
      if (!dx && !dy) return;
      const end = piece.cells[0]!;
      const way = piece.kind === kinds.player ? walk(from, to, this.solid, old, piece) : [];
      const at = (cell: number): Shift => [(cell % to.cols) - (end % to.cols), Math.floor(cell / to.cols) - Math.floor(end / to.cols)];
      moves.push({ i, at: way.length > 2 ? way.map(at) : [[-dx, -dy], [0, 0]] });
    });
    // All that moves ends at the same time: a player walks to the box that it pushes.
    const last = 130;
    const walked = Math.max(...moves.map((m) => m.at.length - 2), 0);
    const before = Math.min(45 * walked, 600);
    for (const { i, at } of moves) {
      const frames = at.map(([x, y]) => ({ transform: `translate(${x * pitch[0]}px, ${y * pitch[1]}px)` }));
      const alone = at.length > 2;
      const step = before / Math.max(1, walked) / (before + last);
      this.group(i)?.animate(alone ? frames.map((f, k) => ({ ...f, offset: k === frames.length - 1 ? 1 : k * step })) : frames,
        { duration: alone ? before + last : last, delay: alone ? 0 : before, fill: "backwards", easing: alone ? "linear" : "ease-out" });
    }
  }

  private group(piece: number): SVGGraphicsElement | null {
    return this.svg?.querySelector<SVGGraphicsElement>(`[data-piece="${piece}"]`) ?? null;
  }

  // mark shows the value of each move on the board.
  async mark(next: State[], values: (Value | "")[]): Promise<void> {
    const st = this.wanted;
    this.svg?.querySelectorAll(".hint-mark").forEach((el) => el.remove());
    if (this.shape) return this.body?.mark(next, values, (n) => this.onMark(n));
    const m = await import("./marks");
    const pitch = this.pitch();
    if (this.wanted !== st || !this.svg || !this.board || !pitch) return;
    this.svg.querySelectorAll(".hint-mark").forEach((el) => el.remove());
    m.draw(this.board, pitch, (piece) => this.group(piece), next, values, (n) => this.onMark(n));
  }

  // pitch measures the distance between cells in the picture: from the places of two
  // pieces, or else from a piece's own size.
  private pitch(): [number, number] | null {
    const b = this.board;
    if (!b) return null;
    const found: [number, number] = [0, 0];
    const centres = b.pieces.map((p, i) => {
      const box = this.group(i)?.getBBox();
      return box ? { p, x: box.x + box.width / 2, y: box.y + box.height / 2, at: middle(p, b), box } : null;
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

  // place returns a point of the screen in the units of the picture's pieces.
  private place(piece: number, e: PointerEvent): DOMPoint | null {
    const matrix = (this.group(piece)?.parentNode as SVGGraphicsElement | undefined)?.getScreenCTM?.();
    return matrix ? new DOMPoint(e.clientX, e.clientY).matrixTransform(matrix.inverse()) : null;
  }

  private grab(e: PointerEvent): void {
    const group = (e.target as Element).closest("[data-piece]");
    if (!group || e.button !== 0 || this.drag) return;
    const piece = Number(group.getAttribute("data-piece"));
    const from = this.place(piece, e);
    if (!from) return;
    const drag: Drag = { pointer: e.pointerId, piece, from, reach: null, by: [0, 0], busy: false };
    this.drag = drag;
    void this.know(drag);
    this.el.setPointerCapture(e.pointerId);
    this.el.classList.add("dragging");
    e.preventDefault();
  }

  // know finds out where a piece can go.
  private async know(d: Drag): Promise<void> {
    const { board } = this;
    const neighbours = await this.neighbours().catch(() => []);
    const own = this.board?.pieces[d.piece];
    if (this.drag !== d || this.board !== board || !board || !own) return;
    d.reach = new Reach(board, this.solid, own, neighbours);
    this.lay(d);
  }

  private pull(e: PointerEvent): void {
    const d = this.drag;
    const pitch = this.pitch();
    if (!d || e.pointerId !== d.pointer || !pitch) return;
    const at = this.place(d.piece, e);
    if (!at) return;
    d.by = [(at.x - d.from.x) / pitch[0], (at.y - d.from.y) / pitch[1]];
    this.lay(d);
    // What does not slide by itself is moved as soon as it is nearer to its next place.
    if (d.reach?.hops && d.reach.drop(...d.reach.clamp(...d.by)).length) void this.move(d);
  }

  // lay puts the dragged piece where the finger is, or as near as it can be.
  private lay(d: Drag): void {
    const pitch = this.pitch();
    const group = this.group(d.piece);
    if (!group || !pitch || d.busy) return;
    const [x, y] = d.reach ? d.reach.clamp(...d.by) : [0, 0];
    group.style.transform = `translate(${x * pitch[0]}px, ${y * pitch[1]}px)`;
    this.svg?.querySelectorAll(`.hint-mark`).forEach((el) => el.toggleAttribute("hidden", x !== 0 || y !== 0));
  }

  private async release(drop: boolean): Promise<void> {
    const d = this.drag;
    if (!d) return;
    if (drop && !d.reach) await this.know(d);
    if (drop && !d.busy) await this.move(d);
    if (this.drag === d) this.drag = null;
    this.el.classList.remove("dragging");
    const group = this.group(d.piece);
    if (group) group.style.transform = "";
    this.svg?.querySelectorAll(`.hint-mark`).forEach((el) => el.removeAttribute("hidden"));
  }

  // move makes the moves that take a piece to where it is dragged. If the finger still
  // has it, it can then be dragged on.
  private async move(d: Drag): Promise<void> {
    const { board } = this;
    const own = board?.pieces[d.piece];
    const way = d.reach ? d.reach.drop(...d.reach.clamp(...d.by)) : [];
    const to = way.at(-1);
    const pitch = this.pitch();
    if (!board || !own || !to || !pitch || d.busy) return;
    d.busy = true;
    try {
      this.dropped = true;
      const group = this.group(d.piece);
      if (group && !d.reach!.lifted) group.style.transform = `translate(${to[0] * pitch[0]}px, ${to[1] * pitch[1]}px)`;
      if (!(await this.onDrag(d.piece, way).catch(() => false)) || !this.board) return;
      const cells = own.cells.map((c) => c + Math.round(to[0]) + Math.round(to[1]) * board.cols).join();
      const now = this.board.pieces.findIndex((p) => p.kind === own.kind && p.colour === own.colour && p.cells.join() === cells);
      if (now < 0) return;
      d.piece = now;
      d.by = [d.by[0] - to[0], d.by[1] - to[1]];
      d.from = new DOMPoint(d.from.x + to[0] * pitch[0], d.from.y + to[1] * pitch[1]);
      d.reach = null;
    } finally {
      d.busy = false;
      this.dropped = false;
    }
    if (this.drag === d) await this.know(d);
  }
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

