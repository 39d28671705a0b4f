// A solid body that turns: see internal/solid. It is drawn as polygons. All layers of an
// axis are convex, so the ones behind are drawn first, and of each only what faces the
// viewer.

import type { Shape, State } from "./api";
import type { Value } from "./board";
import { s } from "./dom";
import { markOf } from "./marks";

type Vector = [number, number, number];
type Move = Shape["moves"][number];

const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scaled = (a: Vector, f: number): Vector => [a[0] * f, a[1] * f, a[2] * f];
const sum = (...all: Vector[]): Vector => all.reduce((a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);

// turned returns a rotated about an axis.
function turned(a: Vector, axis: Vector, angle: number): Vector {
  const cos = Math.cos(angle);
  return sum(scaled(a, cos), scaled(cross(axis, a), Math.sin(angle)), scaled(axis, dot(axis, a) * (1 - cos)));
}

function corners(flat: number[]): Vector[] {
  return Array.from({ length: flat.length / 3 }, (_, i) => [flat[3 * i]!, flat[3 * i + 1]!, flat[3 * i + 2]!]);
}

const normalOf = ([a, b, c]: Vector[]): Vector => cross(sum(b!, scaled(a!, -1)), sum(c!, scaled(a!, -1)));

const middle = (polygon: Vector[]): Vector => scaled(sum(...polygon), 1 / polygon.length);

// Turn is a turn that is under way: its layers have come so far.
interface Turn { move: Move; angle: number }

// Part is some neighbouring layers of an axis, and what lies open of them.
interface Part { from: number; to: number; turned: number; polygons: Polygon[] }

// Polygon has the layer of the first axis that it belongs to, -1 if a turn lays it open.
interface Polygon { points: Vector[]; colour: string; facelet: number; layer: number; cap: boolean }

const absent = "-";

const bodyColour = "#1b1e23";
const unknownColour = "#858d97";
const camera = 7; // its distance from the middle
const view = 100; // half of the picture's width and height

// Body is a shape with what can be computed of it once.
export class Body {
  readonly facelets: Vector[][];
  readonly middles: Vector[];
  private layers: number[]; // of the first axis
  private caps: boolean[]; // ends of layers that are no convex solids
  private images = new Map<Move, number[]>();
  readonly first: (p: Vector) => Vector; // how it is looked at to begin with
  private scale: number;

  constructor(readonly shape: Shape) {
    this.first = rotation([[[0, 1, 0], shape.yaw], [[1, 0, 0], shape.pitch]]);
    this.facelets = shape.facelets.map(corners);
    this.middles = this.facelets.map(middle);
    this.layers = this.middles.map((p) => this.layer(0, p));
    const up = shape.axes[0]!.along;
    this.caps = this.facelets.map((points) => !!shape.stacked && Math.abs(dot(normalOf(points), up)) > 0.99 * Math.hypot(...normalOf(points)));
    const radius = Math.max(...this.facelets.flat().map((p) => Math.hypot(...p)));
    this.scale = (0.96 * view * (camera - 1)) / camera / radius;
  }

  // paint returns the colours of the facelets in a state: a letter each.
  paint(text: string): string {
    const out = [...this.shape.base];
    const words = text.split(/[\s/]+/).filter(Boolean);
    this.shape.places.forEach((place, i) => {
      const word = words[i] ?? "";
      const seen = place.seen[word] ?? place.seen[`${word} ${words[(place.with ?? 0) - 1] ?? ""}`] ?? "";
      place.facelets.forEach((f, k) => (out[f] = seen[k] ?? "."));
    });
    return out.join("");
  }

  layer(axis: number, p: Vector): number {
    const { along, cuts } = this.shape.axes[axis]!;
    return cuts.filter((at) => dot(along, p) > at).length;
  }

  moves(m: Move, p: Vector): boolean {
    const layer = this.layer(m.axis, p);
    return layer >= m.first && layer <= m.last;
  }

  // after returns the colours after a move.
  after(m: Move, painted: string): string {
    let to = this.images.get(m);
    if (!to) {
      const { along } = this.shape.axes[m.axis]!;
      to = this.middles.map((p, i) => {
        if (!this.moves(m, p)) return i;
        const at = turned(p, along, m.angle);
        const far = this.middles.map((q) => Math.hypot(...sum(q, scaled(at, -1))));
        return far.indexOf(Math.min(...far));
      });
      this.images.set(m, to);
    }
    const out: string[] = [];
    to.forEach((f, i) => (out[f] = painted[i]!));
    return out.join("");
  }

  // between returns the turn that leads from one state to another, if it is one.
  between(from: string, to: string, name = ""): Turn | null {
    const all = [...this.shape.moves].sort((a, b) => Number(b.name === name) - Number(a.name === name));
    for (const move of all) if (this.after(move, from) === to) return { move, angle: move.angle };
    for (const move of all) if (this.after(move, to) === from) return { move, angle: -move.angle };
    return null;
  }

  // parts divides the body into layers that turn and layers that do not.
  private parts(painted: string, turn: Turn | null): Part[] {
    const parts: Part[] = [{ from: -Infinity, to: Infinity, polygons: [], turned: 0 }];
    const axis = turn && this.shape.axes[turn.move.axis]!;
    if (turn && axis) {
      for (const cut of [turn.move.first - 1, turn.move.last]) {
        const at = axis.cuts[cut];
        if (at === undefined) continue;
        const open = corners(axis.sections[cut]!);
        const below = parts.at(-1)!;
        below.to = at;
        const above: Part = { from: at, to: Infinity, polygons: [], turned: 0 };
        if (open.length) {
          below.polygons.push({ points: open, colour: "", facelet: -1, layer: -1, cap: false });
          above.polygons.push({ points: [...open].reverse(), colour: "", facelet: -1, layer: -1, cap: false });
        }
        parts.push(above);
      }
    }
    this.facelets.forEach((points, facelet) => {
      if (painted[facelet] === absent) return;
      const part = axis ? parts.find((p) => dot(axis.along, this.middles[facelet]!) < p.to)! : parts[0]!;
      part.polygons.push({ points, colour: painted[facelet]!, facelet, layer: this.layers[facelet]!, cap: this.caps[facelet]! });
    });
    if (turn && axis) {
      const own = parts.find((p) => this.layer(turn.move.axis, middle(p.polygons.find((q) => q.facelet >= 0)!.points)) === turn.move.first);
      for (const p of own?.polygons ?? []) p.points = p.points.map((a) => turned(a, axis.along, turn.angle));
      if (own) own.turned = turn.angle;
    }
    return parts;
  }

  // project returns where a point is seen.
  project(p: Vector): [number, number] {
    const far = (this.scale * camera) / (camera - p[2]);
    return [p[0] * far, -p[1] * far];
  }

  // places returns where the mark of a move can be, the best first: on facelets that it
  // turns, those where it leads to before those where it comes from.
  places(move: Move, look: (p: Vector) => Vector, painted: string): { at: [number, number]; way: number; room: number }[] {
    const { along } = this.shape.axes[move.axis]!;
    const places: { at: [number, number]; way: number; room: number; score: number }[] = [];
    this.facelets.forEach((points, f) => {
      const p = this.middles[f]!;
      const seen = points.map(look);
      const normal = normalOf(seen);
      if (painted[f] === absent || !this.moves(move, p) || dot(normal, sum([0, 0, camera], scaled(seen[0]!, -1))) <= 0) return;
      // Along the face, as stickers go, and not off it.
      const off = cross(scaled(along, Math.sign(move.angle)), p);
      const flat = normalOf(points);
      const step = sum(off, scaled(flat, -dot(off, flat) / dot(flat, flat)));
      const [at, then] = [p, sum(p, scaled(step, 0.01))].map((q) => this.project(look(q))) as [[number, number], [number, number]];
      const by: [number, number] = [then[0] - at[0], then[1] - at[1]];
      const fast = Math.hypot(...by);
      const corners = seen.map((q) => this.project(q));
      const room = Math.min(...corners.map((a, i) => {
        const b = corners[(i + 1) % corners.length]!;
        return Math.abs((b[0] - a[0]) * (a[1] - at[1]) - (a[0] - at[0]) * (b[1] - a[1])) / Math.hypot(b[0] - a[0], b[1] - a[1]);
      }));
      // A face that turns around itself shows less clearly what turns.
      const across = Math.abs(dot(normal, look(along))) / Math.hypot(...normal) > 0.99;
      for (const part of [0.4, -0.4]) {
        const spot: [number, number] = [at[0] + (part * room * by[0]) / fast, at[1] + (part * room * by[1]) / fast];
        places.push({ at: spot, way: Math.atan2(by[1], by[0]), room, score: (spot[0] * by[0] + spot[1] * by[1]) / fast - (across ? view : 0) });
      }
    });
    return places.sort((a, b) => b.score - a.score);
  }

  // draw writes the polygons that can be seen, those behind first.
  draw(svg: SVGElement, look: (p: Vector) => Vector, painted: string, turn: Turn | null): void {
    const parts = this.parts(painted, turn);
    if (turn) {
      // How far along the axis the viewer is: parts farther from there are behind.
      const at = camera * look(this.shape.axes[turn.move.axis]!.along)[2];
      const far = (p: Part) => Math.max(p.from - at, at - p.to, 0);
      parts.sort((a, b) => far(b) - far(a));
    }
    let n = 0;
    for (const part of parts) {
      const polygons = part.polygons.map((p) => ({ ...p, seen: p.points.map(look) }));
      if (this.shape.stacked) this.stack(polygons, look, part, turn);
      for (const { seen, colour, facelet } of polygons) {
        const normal = normalOf(seen);
        if (dot(normal, sum([0, 0, camera], scaled(seen[0]!, -1))) <= 0) continue;
        const el = (svg.children[n++] ?? svg.appendChild(s("path", { "stroke-width": 3.2, "stroke-linejoin": "round", stroke: bodyColour }))) as SVGElement;
        el.setAttribute("d", `M${seen.map((p) => this.project(p).map((v) => v.toFixed(2)).join(" ")).join("L")}Z`);
        el.setAttribute("fill", facelet < 0 ? bodyColour : this.lit(colour, normal));
        if (facelet < 0) el.removeAttribute("data-facelet");
        else el.setAttribute("data-facelet", String(facelet));
        el.setAttribute("data-colour", colour);
      }
    }
    while (svg.children.length > n) svg.lastChild!.remove();
  }

  // stack orders polygons layer by layer as they are seen: what is farther away first, then
  // the ends of the layer.
  private stack(polygons: (Polygon & { seen: Vector[] })[], look: (p: Vector) => Vector, { turned: angle }: Part, turn: Turn | null): void {
    const { along, cuts } = this.shape.axes[0]!;
    const at = camera * look(turn ? turned(along, this.shape.axes[turn.move.axis]!.along, angle) : along)[2];
    const far = ({ layer }: Polygon) => (layer < 0 ? -1 : Math.max((cuts[layer - 1] ?? -Infinity) - at, at - (cuts[layer] ?? Infinity), 0));
    polygons.sort((a, b) => far(b) - far(a) || Number(a.cap) - Number(b.cap) || middle(a.seen)[2] - middle(b.seen)[2]);
  }

  // lit returns a colour as the light falls on it.
  private lit(letter: string, normal: Vector): string {
    const colour = this.shape.colours[letter.charCodeAt(0) - 97] ?? unknownColour;
    const light: Vector = [-0.27, 0.8, 0.53];
    const part = 0.84 + 0.16 * Math.max(0, dot(scaled(normal, 1 / Math.hypot(...normal)), light));
    return `#${[1, 3, 5].map((i) => Math.round(part * parseInt(colour.slice(i, i + 2), 16)).toString(16).padStart(2, "0")).join("")}`;
  }

  // still returns a picture that does not move.
  still(text: string): SVGElement {
    const svg = canvas();
    svg.setAttribute("class", "thumb");
    this.draw(svg, this.first, this.paint(text), null);
    return svg;
  }
}

function canvas(): SVGElement {
  return s("svg", { viewBox: `${-view} ${-view} ${2 * view} ${2 * view}`, "aria-hidden": "true" });
}

function rotation(steps: [Vector, number][]): (p: Vector) => Vector {
  return matrix((p) => steps.reduce((at, [axis, angle]) => turned(at, axis, angle), p));
}

// matrix returns a linear map as one, so that rotations do not pile up.
function matrix(f: (p: Vector) => Vector): (p: Vector) => Vector {
  const [x, y, z] = [f([1, 0, 0]), f([0, 1, 0]), f([0, 0, 1])];
  return (p) => sum(scaled(x, p[0]), scaled(y, p[1]), scaled(z, p[2]));
}

// Held is what a finger drags: the whole body, or some layers.
interface Held {
  pointer: number;
  facelet: number; // -1: the whole body
  x: number;
  y: number;
  moves: Move[]; // of the same layers, once it is clear which
  pull: [number, number]; // how far the finger goes per radian
}

// SolidView shows the states of a body, and lets it be turned.
export class SolidView {
  readonly svg = canvas();
  private faces = s("g", {});
  private values = s("g", {});
  private marks: { n: State; value: Value; move: Move; tips: number }[] = [];
  private press: (n: State) => void = () => {};
  private look: (p: Vector) => Vector;
  private text = "";
  private painted = "";
  private turn: Turn | null = null;
  private frame = 0;
  private held: Held | null = null;

  // onTurn is called when layers have been turned, and returns whether that is a move
  // here.
  constructor(readonly body: Body, private calm: () => boolean, private onTurn: (name: string) => Promise<boolean>) {
    this.look = body.first;
    this.svg.setAttribute("class", "solid");
    this.svg.append(this.faces, this.values);
    this.svg.addEventListener("pointerdown", (e) => this.grab(e));
    this.svg.addEventListener("pointermove", (e) => this.pull(e));
    this.svg.addEventListener("pointerup", () => void this.release());
    this.svg.addEventListener("pointercancel", () => void this.release());
    this.svg.addEventListener("dblclick", (e) => (e.target === this.svg ? this.reset() : null));
  }

  show(text: string, move = ""): void {
    if (text !== this.text) this.marks = [];
    const to = this.body.paint(text);
    const from = this.painted;
    cancelAnimationFrame(this.frame);
    this.painted = to;
    const turn = from && from !== to && !this.calm() ? this.body.between(from, to, move) : null;
    const begun = this.turn && turn && same(this.turn.move, turn.move) ? this.turn.angle : 0;
    this.turn = null;
    this.text = text;
    if (turn) this.run(turn.move, begun, turn.angle, from);
    else this.draw();
  }

  // run animates a turn from one angle to another.
  private run(move: Move, from: number, to: number, painted: string): void {
    const begin = performance.now();
    const long = 200 * Math.min(1, 0.3 + Math.abs(to - from) / 1.6);
    const step = (now: number) => {
      const part = Math.min(1, Math.max(0, (now - begin) / long));
      if (part === 1) return this.draw();
      this.draw({ move, angle: from + (to - from) * (1 - (1 - part) ** 2) }, painted);
      this.frame = requestAnimationFrame(step);
    };
    step(begin);
  }

  private draw(turn: Turn | null = null, painted = this.painted): void {
    this.body.draw(this.faces, this.look, painted, turn);
    this.values.replaceChildren();
    if (!turn && !this.held) this.drawMarks();
    if (turn) this.svg.removeAttribute("data-shows");
    else this.svg.setAttribute("data-shows", this.text);
  }

  // mark shows the value of each move on the layers that it turns.
  mark(next: State[], values: (Value | "")[], press: (n: State) => void): void {
    const { moves } = this.body.shape;
    this.press = press;
    this.marks = next.flatMap((n, k) => {
      const move = moves.find((m) => m.name === n.move);
      const value = values[k];
      if (!move || !value) return [];
      const least = Math.min(...moves.filter((m) => same(m, move)).map((m) => Math.abs(m.angle)));
      return [{ n, value, move, tips: Math.round(Math.abs(move.angle) / least) }];
    }).sort((a, b) => a.tips - b.tips);
    if (!this.turn && !this.held && this.svg.dataset.shows) {
      this.values.replaceChildren();
      this.drawMarks();
    }
  }

  private drawMarks(): void {
    const taken: [number, number][] = [];
    for (const { n, value, move, tips } of this.marks) {
      const places = this.body.places(move, this.look, this.painted);
      const size = Math.max(4.2, Math.min(6, 0.42 * Math.max(0, ...places.map((p) => p.room))));
      const place = places.find(({ at, room }) => room > 0.35 * size && taken.every((t) => Math.hypot(t[0] - at[0], t[1] - at[1]) > 2.6 * size));
      if (!place) continue;
      taken.push(place.at);
      const el = markOf(value, place.at, size, place.way, tips);
      el.dataset.move = move.name;
      el.addEventListener("click", () => this.press(n));
      this.values.append(el);
    }
  }

  // rotate turns the whole body about the axes of the screen.
  rotate(right: number, down: number): void {
    const before = this.look;
    const by = rotation([[[0, 1, 0], right], [[1, 0, 0], down]]);
    this.look = matrix((p) => by(before(p)));
    cancelAnimationFrame(this.frame);
    this.draw(this.turn);
  }

  reset(): void {
    this.look = this.body.first;
    this.draw();
  }

  private grab(e: PointerEvent): void {
    if (e.button !== 0 || this.held || (e.target as Element).closest(".hint-mark")) return;
    const facelet = (e.target as Element).getAttribute("data-facelet");
    this.held = { pointer: e.pointerId, facelet: facelet === null ? -1 : Number(facelet), x: e.clientX, y: e.clientY, moves: [], pull: [0, 0] };
    cancelAnimationFrame(this.frame);
    this.draw();
    this.svg.setPointerCapture(e.pointerId);
    e.preventDefault();
    (this.svg.parentElement as HTMLElement | null)?.focus({ preventScroll: true });
  }

  private pull(e: PointerEvent): void {
    const held = this.held;
    if (!held || e.pointerId !== held.pointer) return;
    const [dx, dy] = [e.clientX - held.x, e.clientY - held.y];
    if (held.facelet < 0) {
      this.rotate(dx / 110, dy / 110);
      [held.x, held.y] = [e.clientX, e.clientY];
      return;
    }
    const enough = 7;
    if (!held.moves.length && Math.hypot(dx, dy) > enough) this.choose(held, dx, dy);
    const [move] = held.moves;
    if (!move) return;
    const [px, py] = held.pull;
    const angles = held.moves.map((m) => m.angle);
    const angle = Math.max(Math.min(0, ...angles), Math.min(Math.max(0, ...angles.map((a) => (a < -3.1 ? -a : a))), (dx * px + dy * py) / (px * px + py * py)));
    this.turn = { move, angle };
    this.draw(this.turn);
  }

  // choose finds the layers that follow the finger best.
  private choose(held: Held, dx: number, dy: number): void {
    const p = this.body.middles[held.facelet]!;
    const pixels = this.svg.getBoundingClientRect().width / (2 * view);
    let best = 0;
    for (const m of this.body.shape.moves) {
      if (!this.body.moves(m, p)) continue;
      const { along } = this.body.shape.axes[m.axis]!;
      const small = 0.01;
      const [a, b] = [p, turned(p, along, small)].map((q) => this.body.project(this.look(q))) as [[number, number], [number, number]];
      const pull: [number, number] = [((b[0] - a[0]) * pixels) / small, ((b[1] - a[1]) * pixels) / small];
      const strength = Math.hypot(...pull);
      const along2 = (dx * pull[0] + dy * pull[1]) / (strength || 1) / Math.hypot(dx, dy);
      // Many layers, and those that hardly move there, come last.
      const score = (Math.abs(along2) * (along2 * m.angle > 0 ? 1 : 0.99) * Math.min(1, strength / (60 * pixels))) / (1 + 0.02 * (m.last - m.first));
      if (score <= best) continue;
      best = score;
      held.pull = pull;
      held.moves = this.body.shape.moves.filter((n) => same(n, m));
    }
  }

  private async release(): Promise<void> {
    const { held, turn } = this;
    this.held = null;
    if (held && !turn) this.draw();
    if (!held || !turn) return;
    // The angles that moves make, and no turn at all; a half turn goes both ways.
    const full = 2 * Math.PI;
    const ends = held.moves.map((m) => ({ m, far: Math.abs(Math.abs(turn.angle - m.angle + full + Math.PI) % full - Math.PI) }));
    const nearest = ends.sort((a, b) => a.far - b.far)[0]!;
    const enough = 0.35; // of a turn
    if (Math.abs(turn.angle) > enough * Math.abs(nearest.m.angle) && (await this.onTurn(nearest.m.name).catch(() => false))) return;
    if (this.turn !== turn) return;
    this.turn = null;
    if (this.calm()) this.draw();
    else this.run(turn.move, turn.angle, 0, this.painted);
  }
}

function same(a: Move, b: Move): boolean {
  return a.axis === b.axis && a.first === b.first && a.last === b.last;
}
