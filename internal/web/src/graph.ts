// The space as a picture: every state is a point, every move a line. The server computes
// where the points lie, by moves or by depth; WebGL draws them. This file is loaded on
// demand.

import { type Details, type Seen, type State, call, get, post, runPath } from "./api";
import { type View, failure, go, readdress, runHash } from "./view";
import { BoardView, thumb, valueOf } from "./board";
import { colourOf, css, isDark, onTheme } from "./colours";
import { type Shift, movesOf, movesPieces } from "./drag";
import { fill, h, text } from "./dom";
import { Film, type Scene } from "./film";
import { count, counted } from "./format";
import { caption, stateCard } from "./states";

interface Graph {
  n: number;
  m: number;
  at: Int16Array; // x, y, z of each node; 32767 stands for 1
  depth: Uint16Array;
  distance: Uint16Array; // 65535 for none
  flags: Uint8Array;
  edges: Uint32Array;
}

const none = 0xffff;
const isGoal = 1;
const isStart = 2;
const unit = 32767;

function decode(buffer: ArrayBuffer): Graph {
  const head = new DataView(buffer);
  if (head.getUint32(0) !== 0x45534731) throw new Error("cannot read the graph"); // ESG1
  const n = head.getUint32(4, true);
  const m = head.getUint32(8, true);
  let offset = 12;
  const take = (bytes: number) => {
    const from = offset;
    offset += (bytes + 3) & ~3;
    return from;
  };
  return {
    n, m, at: new Int16Array(buffer, take(6 * n), 3 * n), depth: new Uint16Array(buffer, take(2 * n), n),
    distance: new Uint16Array(buffer, take(2 * n), n), flags: new Uint8Array(buffer, take(n), n), edges: new Uint32Array(buffer, take(8 * m), 2 * m),
  };
}

// How the states are arranged: near the states that they have moves to, or by depth along
// one axis, which serves for spaces of any size.
type Arrangement = "moves" | "depth";

const byMovesMax = 500_000;

// fetchGraph waits for the server to make the graph.
async function fetchGraph(view: View, by: Arrangement, said: HTMLElement, bar: HTMLProgressElement): Promise<Graph> {
  for (;;) {
    const res = await call(`${runPath(view.run)}/graph${by === "depth" ? "?arranged=depth" : ""}`, { signal: view.signal });
    if (res.status === 200) {
      text(said, "Loading …");
      return decode(await res.arrayBuffer());
    }
    const { part } = (await res.json()) as { part: number };
    bar.value = part;
    text(said, `${by === "depth" ? "Reading the states" : "Computing the layout"}: ${Math.floor(100 * part)} %`);
  }
}

export async function showGraph(view: View): Promise<void> {
  const said = h("p", { role: "status" }, "Reading the space …");
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Layout" });
  view.root.append(h("div", { class: "card loading" }, said, bar));
  const details = await get<Details>(runPath(view.run), view.signal);
  const states = details.partitions.reduce((a, n) => a + n, 0);
  const by: Arrangement = states > byMovesMax || view.query.get("arranged") === "depth" ? "depth" : "moves";
  const graph = await fetchGraph(view, by, said, bar);
  if (view.signal.aborted) return;
  view.root.querySelector(".loading")?.remove();
  const shown = new GraphView(view, details, graph, by, states);
  await shown.begin();
}

// Matrices are 3 by 3, in row order.
type Matrix = number[];

function times(a: Matrix, b: Matrix): Matrix {
  const out: Matrix = [];
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) out.push(a[r * 3]! * b[c]! + a[r * 3 + 1]! * b[3 + c]! + a[r * 3 + 2]! * b[6 + c]!);
  return out;
}

function turn(yaw: number, pitch: number): Matrix {
  const [a, b, c, d] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return times([1, 0, 0, 0, c, -d, 0, d, c], [a, 0, b, 0, 1, 0, -b, 0, a]);
}

const vertexShader = `#version 300 es
in vec3 at; in vec4 colour; in float big; in vec2 when;
uniform mat3 turned; uniform vec3 centre; uniform vec2 scale; uniform float size; uniform float alpha; uniform vec3 ground;
uniform float least; uniform bool filmed; uniform vec2 now; uniform vec3 glow;
out vec4 shade; flat out float corners;
void main() {
  corners = colour.a;
  if (big < least || (filmed && when.x > now.x)) { gl_Position = vec4(2., 2., 2., 1.); return; }
  vec3 shown = colour.rgb;
  float fresh = 0.;
  if (filmed) {
    fresh = clamp(1. - (now.x - when.x), 0., 1.);
    if (now.y >= 0.) {
      fresh = when.y > now.y ? 0. : clamp(1. - (now.y - when.y), 0., 1.);
      if (when.y > now.y) shown = mix(ground, shown, .18);
    }
    shown = mix(shown, glow, fresh);
  }
  vec3 p = turned * (at - centre);
  gl_Position = vec4(p.xy * scale, clamp(-p.z * .4, -.99, .99), 1.);
  gl_PointSize = size * (1. + max(1.6 * big, .8 * fresh));
  float near = clamp(.85 + .6 * p.z, .45, 1.);
  shade = vec4(mix(ground, shown, mix(near, 1., max(big, fresh))), alpha);
}`;

const fragmentShader = `#version 300 es
precision mediump float;
in vec4 shade; flat in float corners; uniform bool round; out vec4 outColour;
void main() {
  vec2 d = abs(gl_PointCoord - .5);
  if (round && (corners < .5 ? d.x + d.y > .5 : dot(d, d) > .25)) discard;
  outColour = shade;
}`;

// scattered orders n states so that any first few are spread over all of them: each is a
// golden section after the one before.
function scattered(n: number): Uint32Array {
  const common = (a: number, b: number): number => (b ? common(b, a % b) : a);
  let step = Math.max(1, Math.round(n * 0.618));
  while (common(n, step) !== 1) step++;
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = (i * step) % n;
  return order;
}

type Colouring = "depth" | "distance" | "layer";

class GraphView {
  private canvas = h("canvas", { class: "gl", tabindex: "0", role: "application", "aria-label": "Graph of all states. Drag to turn, wheel to zoom, arrow keys and plus and minus do the same. The buttons beside it find states." });
  private over = h("canvas", { class: "over", "aria-hidden": "true" });
  private tip = h("div", { class: "tip", "aria-hidden": "true" });
  private box: HTMLElement;
  private panel = h("div", { class: "graph-side" });
  private selection = h("div", { class: "selection", role: "status", "aria-live": "polite" });
  private said = h("p", { class: "dim" });
  private gl: WebGL2RenderingContext;
  private uniforms = new Map<string, WebGLUniformLocation | null>();
  private colours!: WebGLBuffer;
  private sizes!: WebGLBuffer;
  private layer = 0; // the layer that stands out, with the colouring "layer"
  private turned: Matrix = turn(0.5, 0.35);
  private centre = [0, 0, 0];
  private zoom = 1.05;
  private width = 1;
  private height = 1;
  private dpr = 1;
  private frame = 0;
  private rest = 0;
  private moving = false;
  private budget: number; // edges drawn while moving
  private points: number; // states drawn while moving
  private patience: number; // edges drawn at rest
  private edges = true;
  private colouring: Colouring;
  private selected = -1;
  private asked = 0; // the last answer counts
  private hovered = -1;
  private path: number[] = [];
  private around: number[] = [];
  private states = new Map<number, Promise<State>>();
  private flight = 0;
  private usual: Colouring; // unless the address says otherwise
  private key = ""; // of the selected state
  private seen: Seen | null = null; // the selected state, with its neighbours
  private board: BoardView; // of the selected state
  private film: Film;
  private scene: Scene | null = null; // of the film
  private walk = { from: -1, began: 0 }; // where the mark of the selected state moves from

  constructor(private view: View, private details: Details, private g: Graph, private by: Arrangement, private total: number) {
    this.box = h("div", { class: "graph-box card" }, this.canvas, this.over, this.tip);
    const gl = this.canvas.getContext("webgl2", { antialias: g.n < 100_000, alpha: true, premultipliedAlpha: false });
    if (!gl) throw new Error("the graph needs WebGL 2, which this browser does not have");
    this.gl = gl;
    this.budget = Math.min(g.m, 400_000);
    this.points = g.n;
    this.patience = Math.min(g.m, 1_500_000);
    const distances = g.distance.some((d) => d !== none);
    const colour = view.query.get("colour");
    this.usual = distances ? "distance" : "depth";
    this.colouring = colour === "layer" || colour === "depth" ? colour : this.usual;
    this.board = new BoardView(view.run, details);
    this.board.onDrag = (piece, way) => this.dragTo(piece, way);
    this.board.neighbours = async () => this.seen?.neighbours ?? [];
    this.board.onMark = (next) => void this.step(next);
    shuffle(g.edges);
    this.film = new Film({ canvas: this.canvas, depths: g.depth, distances: distances ? g.distance : null, whole: g.n >= total, show: (scene) => this.showScene(scene) }, view.run, view.signal);
    this.controls(distances);
    view.root.append(this.box, this.panel);
    this.setUp();
    this.listen();
  }

  async begin(): Promise<void> {
    this.resize();
    const turned = this.look(this.view.query.get("view"));
    if (!turned) this.whole(false);
    this.recolour();
    const film = Number(this.view.query.get("film") ?? NaN);
    if (Number.isFinite(film)) this.film.go(film);
    const key = this.view.query.get("at");
    if (!key) return;
    const [i = -1] = await this.nodesOf([key]);
    if (i >= 0) await this.select(i, !turned);
  }

  // look sets the angle, centre and zoom from an address, if it has them.
  private look(text: string | null): boolean {
    const v = (text ?? "").split("_").map(Number);
    const [yaw, pitch] = [v.slice(0, 3), v.slice(3, 6)] as [number[], number[]];
    const dot = (a: number[], b: number[]) => a.reduce((sum, x, k) => sum + x * b[k]!, 0);
    const long = Math.hypot(...yaw);
    if (v.length !== 10 || !v.every((x) => Number.isFinite(x) && Math.abs(x) <= 400) || long < 0.5) return false;
    const x = yaw.map((k) => k / long);
    const upright = pitch.map((k, i) => k - dot(pitch, x) * x[i]!);
    const tall = Math.hypot(...upright);
    if (tall < 0.5) return false;
    const y = upright.map((k) => k / tall);
    this.turned = [...x, ...y, x[1]! * y[2]! - x[2]! * y[1]!, x[2]! * y[0]! - x[0]! * y[2]!, x[0]! * y[1]! - x[1]! * y[0]!];
    this.centre = v.slice(6, 9);
    this.zoom = Math.max(0.3, Math.min(400, v[9]!));
    return true;
  }

  // address writes the view to the address: the selection, the colours, and the
  // viewpoint.
  private address(): void {
    const q = new URLSearchParams();
    if (this.by === "depth" && this.total <= byMovesMax) q.set("arranged", "depth");
    if (this.key) q.set("at", this.key);
    if (this.film.position !== null) q.set("film", String(Math.round(10 * this.film.position) / 10));
    if (this.colouring !== this.usual) q.set("colour", this.colouring);
    if (this.colouring === "layer") q.set("layer", String(this.layer));
    q.set("view", [...this.turned.slice(0, 6), ...this.centre, this.zoom].map((x) => String(Math.round(1000 * x) / 1000)).join("_"));
    readdress(this.view, `${runHash(this.view.run, "graph")}?${q}`);
  }

  private controls(distances: boolean): void {
    const colour = h("select", { id: "colouring" }, distances ? h("option", { value: "distance" }, "goal distance") : null, h("option", { value: "depth" }, "depth"), h("option", { value: "layer" }, "one layer"));
    const deepest = this.g.depth.reduce((a, d) => Math.max(a, d), 0);
    const layer = h("input", { type: "range", min: 0, max: deepest, value: this.layer = Math.max(0, Math.min(deepest, Math.floor(Number(this.view.query.get("layer") ?? deepest >> 1)) || 0)), "aria-label": "Highlighted layer, by depth" });
    const layerSaid = h("span", {});
    const layerPick = h("div", { class: "layer-of-graph" }, layer, layerSaid);
    const pickLayer = () => {
      this.colouring = colour.value as Colouring;
      this.layer = Number(layer.value);
      sayLayer();
      this.recolour();
      this.address();
    };
    const sayLayer = () => {
      layerPick.hidden = this.colouring !== "layer";
      text(layerSaid, `depth ${this.layer}: ${counted(this.g.depth.reduce((a, d) => a + (d === this.layer ? 1 : 0), 0), "state")}`);
    };
    colour.value = this.colouring;
    sayLayer();
    colour.addEventListener("change", pickLayer);
    layer.addEventListener("input", pickLayer);
    const arranged = h("select", { id: "arranged" }, h("option", { value: "moves" }, "moves"), h("option", { value: "depth" }, "depth"));
    arranged.value = this.by;
    arranged.addEventListener("change", () => go(`${runHash(this.view.run, "graph")}${arranged.value === "depth" ? "?arranged=depth" : ""}`));
    // A file that was sent by itself has one arrangement only.
    const choice = this.total > 0 && this.total <= byMovesMax;
    const lines = h("input", { type: "checkbox", id: "lines", checked: true });
    lines.addEventListener("change", () => {
      this.edges = lines.checked;
      this.draw();
    });
    const find = (label: string, which: string) => {
      const b = h("button", { type: "button", class: "small" }, label);
      b.addEventListener("click", () => void this.find(which));
      return b;
    };
    const whole = h("button", { type: "button", class: "small" }, "Show all");
    whole.addEventListener("click", () => this.whole(true));
    this.legendEnds = [h("span", {}), h("span", {})];
    this.legend = h("div", { class: "legend", "aria-hidden": "true" }, this.legendEnds[0], this.ramp, this.legendEnds[1]);
    this.legendLost = h("p", { class: "legend" }, h("b", {}), "grey: no goal can be reached");
    fill(this.panel,
      h("div", { class: "card" },
        h("div", { class: "row-actions" }, find("Start", "start"), this.details.has_goal ? find("First goal", "goal") : null, distances ? find("Hardest", "hardest") : null, find("Deepest", "deepest"), whole),
        choice ? h("label", { for: "arranged" }, "Arranged by ", arranged) : null,
        h("label", { for: "colouring" }, "Coloured by ", colour), layerPick, this.legend, this.legendLost,
        h("p", { class: "dim" }, h("span", { class: "dot goal-dot" }), " goals ", h("span", { class: "dot start-dot" }), " start"),
        this.g.m ? h("label", { for: "lines" }, lines, " moves as lines") : null,
        h("p", { class: "dim" }, this.g.n < this.total ? `${count(this.g.n)} of ${count(this.total)} states: small layers completely, the same number of each larger one` : `${counted(this.g.n, "state")}${this.g.m ? `, ${counted(this.g.m, "move")}` : ""}`), this.said),
      h("div", { class: "card" }, h("h2", {}, "Film"), this.film.el),
      h("div", { class: "card" }, this.selection));
    fill(this.selection, h("p", { class: "dim" }, "Hover over a state to see its board; click to select it."));
  }

  private legendEnds: HTMLElement[] = [];
  private ramp = h("i", {});
  private legend!: HTMLElement;
  private legendLost!: HTMLElement;

  private setUp(): void {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]] as const) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error("WebGL is not available");
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
      gl.attachShader(program, shader);
    }
    ["at", "colour", "big", "when"].forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "program");
    gl.useProgram(program);
    for (const name of ["turned", "centre", "scale", "size", "alpha", "round", "ground", "least", "filmed", "now", "glow"]) this.uniforms.set(name, gl.getUniformLocation(program, name));
    const buffer = (index: number, data: ArrayBufferView | null, size: number, type: number, normal: boolean) => {
      const b = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, b);
      if (data) gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, size, type, normal, 0, 0);
      return b;
    };
    // Padded to four components, since three shorts are not a multiple of four bytes.
    const at = new Int16Array(4 * this.g.n);
    for (let i = 0; i < this.g.n; i++) for (let k = 0; k < 3; k++) at[4 * i + k] = this.g.at[3 * i + k]!;
    const b = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, b);
    gl.bufferData(gl.ARRAY_BUFFER, at, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.SHORT, true, 8, 0);
    this.colours = buffer(1, null, 4, gl.UNSIGNED_BYTE, true);
    this.sizes = buffer(2, null, 1, gl.UNSIGNED_BYTE, true);
    const when = new Uint16Array(2 * this.g.n);
    for (let i = 0; i < this.g.n; i++) [when[2 * i], when[2 * i + 1]] = [this.g.depth[i]!, this.g.distance[i]!];
    buffer(3, when, 2, gl.UNSIGNED_SHORT, false);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    // All states follow the edges, in scattered order.
    const edges = this.g.edges.byteLength;
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, edges + 4 * this.g.n, gl.STATIC_DRAW);
    gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, 0, this.g.edges);
    gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, edges, scattered(this.g.n));
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.canvas.addEventListener("webglcontextlost", (e) => {
      e.preventDefault();
      text(this.said, "The graphics context was lost: reload the page.");
    });
  }

  // showScene shows a scene of the film. While layers appear, they are coloured by depth.
  private showScene(scene: Scene | null): void {
    const before = this.shade();
    this.scene = scene;
    if (this.shade() !== before) this.recolour();
    this.stir();
  }

  // shade returns what the colours show now.
  private shade(): Colouring {
    if (!this.scene) return this.colouring;
    return this.scene.distance < 0 ? "depth" : "distance";
  }

  // resizeStates makes special states larger than the others.
  private resizeStates(): void {
    const { g, gl } = this;
    const big = new Uint8Array(g.n);
    let special = isGoal | isStart;
    // If many states are goals, large ones would hide the others.
    const shade = this.shade();
    if (shade === "layer" || g.flags.reduce((a, v) => a + (v ? 1 : 0), 0) > g.n / 100) special = isStart;
    for (let i = 0; i < g.n; i++) {
      if (g.flags[i]! & special) big[i] = 255;
      else if (shade === "layer" && g.depth[i] === this.layer) big[i] = 90;
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.sizes);
    gl.bufferData(gl.ARRAY_BUFFER, big, gl.STATIC_DRAW);
  }

  private recolour(): void {
    const { g, gl } = this;
    const dark = isDark();
    const shade = this.shade();
    this.resizeStates();
    this.legend.hidden = shade === "layer";
    this.legendLost.hidden = shade !== "distance" || !g.distance.includes(none);
    const values = shade === "distance" ? g.distance : g.depth;
    let most = 1;
    for (const v of values) if (v !== none && v > most) most = v;
    const table: number[][] = [];
    for (let v = 0; v <= most; v++) table.push(shade === "layer" ? (v === this.layer ? [247, 103, 7] : dark ? [58, 64, 76] : [206, 212, 222]) : colourOf(v / most, dark));
    const out = new Uint8Array(4 * g.n);
    const special: Record<string, number[]> = { goal: [240, 62, 62], start: dark ? [255, 255, 255] : [10, 10, 20], none: [134, 142, 150] };
    for (let i = 0; i < g.n; i++) {
      const v = values[i]!;
      const c = g.flags[i]! & isStart ? special.start! : g.flags[i]! & isGoal ? special.goal! : v === none ? special.none! : table[v]!;
      out[4 * i] = c[0]!;
      out[4 * i + 1] = c[1]!;
      out[4 * i + 2] = c[2]!;
      out[4 * i + 3] = g.flags[i]! & isGoal ? 0 : 255; // goals are diamonds
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colours);
    gl.bufferData(gl.ARRAY_BUFFER, out, gl.STATIC_DRAW);
    this.ramp.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((part) => css(colourOf(part, dark))).join()})`;
    this.legendEnds.forEach((el, i) => text(el, String([0, most][i])));
    this.draw();
  }

  private resize(): void {
    const box = this.box.getBoundingClientRect();
    this.dpr = Math.min(devicePixelRatio || 1, this.g.n > 100_000 ? 1 : 2);
    this.width = Math.max(1, box.width);
    this.height = Math.max(1, box.height);
    for (const c of [this.canvas, this.over]) {
      c.width = Math.round(this.width * this.dpr);
      c.height = Math.round(this.height * this.dpr);
    }
    this.draw();
  }

  private draw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  // stir draws while something moves: as many lines as time allows, and all of them once
  // it has come to rest.
  private stir(): void {
    this.moving = true;
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => {
      this.moving = false;
      this.draw();
      this.address();
    }, 180);
    this.draw();
  }

  private scale(): number {
    return (Math.min(this.width, this.height) / 2) * this.zoom;
  }

  private paint(): void {
    this.frame = 0;
    if (this.view.signal.aborted) return;
    const { gl, g } = this;
    const began = performance.now();
    const u = (name: string) => this.uniforms.get(name) ?? null;
    const size = this.scale();
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    const ground = isDark() ? [0.1, 0.11, 0.13] : [1, 1, 1];
    const { scene } = this;
    if (scene) gl.clearColor(ground[0]!, ground[1]!, ground[2]!, 1); // a recording has a ground
    else gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix3fv(u("turned"), true, this.turned);
    gl.uniform3fv(u("centre"), this.centre);
    gl.uniform2f(u("scale"), (2 * size) / this.width, (2 * size) / this.height);
    gl.uniform3fv(u("ground"), ground);
    gl.uniform1i(u("filmed"), scene ? 1 : 0);
    if (scene) gl.uniform2f(u("now"), scene.depth, scene.distance);
    gl.uniform3fv(u("glow"), isDark() ? [1, 0.85, 0.45] : [0.97, 0.4, 0.03]);
    const far = Math.sqrt((Math.min(this.width, this.height) ** 2) / g.n);
    const point = Math.max(1.4, Math.min(8, 0.62 * far * Math.sqrt(this.zoom) * this.zoom ** 0.3)) * this.dpr;
    const lines = this.moving ? Math.min(g.m, this.budget) : this.patience;
    if (this.edges && !scene && g.m) {
      const dense = g.m / (this.width * this.height);
      gl.enable(gl.BLEND);
      gl.depthMask(false);
      gl.uniform1f(u("size"), 1);
      gl.uniform1f(u("alpha"), Math.max(0.05, Math.min(0.5, (0.06 / Math.max(dense, 0.02)) * Math.sqrt(this.zoom))));
      gl.uniform1i(u("round"), 0);
      gl.drawElements(gl.LINES, 2 * lines, gl.UNSIGNED_INT, 0);
      gl.depthMask(true);
      gl.disable(gl.BLEND);
    }
    gl.uniform1f(u("size"), point);
    gl.uniform1f(u("alpha"), 1);
    gl.uniform1i(u("round"), point > 2.5 || scene ? 1 : 0);
    gl.drawElements(gl.POINTS, this.moving ? this.points : g.n, gl.UNSIGNED_INT, g.edges.byteLength);
    if (this.shade() === "layer") {
      // Once more, in front of all others.
      gl.disable(gl.DEPTH_TEST);
      gl.uniform1f(u("least"), 0.2);
      gl.drawArrays(gl.POINTS, 0, g.n);
      gl.uniform1f(u("least"), 0);
      gl.enable(gl.DEPTH_TEST);
    }
    // Reading a pixel waits until everything is drawn, so that the time is right.
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, this.pixel);
    this.adapt(performance.now() - began);
    this.mark();
  }

  // adapt draws less if drawing took long: while something moves, first fewer edges and
  // then fewer states; at rest fewer edges, but more than can be distinguished.
  private adapt(took: number): void {
    const { g } = this;
    const least = 2000;
    if (!this.moving) {
      if (took > 700) this.patience = Math.max(Math.min(g.m, 50_000), Math.floor((this.patience * 500) / took));
    } else if (took > 30) {
      if (this.edges && this.budget > least) this.budget = Math.max(least, Math.floor(this.budget * 0.5));
      else this.points = Math.max(Math.min(g.n, 30_000), Math.floor(this.points * 0.6));
    } else if (took < 12) {
      if (this.points < g.n) this.points = Math.min(g.n, Math.floor(this.points * 1.4));
      else this.budget = Math.min(g.m, Math.floor(this.budget * 1.4) + 100);
    }
  }

  private pixel = new Uint8Array(4);

  // project returns the position of a node on the screen, in CSS pixels.
  private project(i: number): [number, number, number] {
    const t = this.turned;
    const x = this.g.at[3 * i]! / unit - this.centre[0]!;
    const y = this.g.at[3 * i + 1]! / unit - this.centre[1]!;
    const z = this.g.at[3 * i + 2]! / unit - this.centre[2]!;
    const size = this.scale();
    return [
      this.width / 2 + size * (t[0]! * x + t[1]! * y + t[2]! * z),
      this.height / 2 - size * (t[3]! * x + t[4]! * y + t[5]! * z),
      t[6]! * x + t[7]! * y + t[8]! * z,
    ];
  }

  // mark draws the selection over the picture.
  private mark(): void {
    const c = this.over.getContext("2d");
    if (!c) return;
    const style = getComputedStyle(document.documentElement);
    c.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    c.lineJoin = "round";
    const ink = style.getPropertyValue("--ink").trim() || "#000";
    const mark = style.getPropertyValue("--mark").trim() || "#fa5252";
    if (this.path.length > 1) {
      for (const [width, colour] of [[6, style.getPropertyValue("--paper").trim() || "#fff"], [3, mark]] as const) {
        c.beginPath();
        for (const i of this.path) {
          const [x, y] = this.project(i);
          c.lineTo(x, y);
        }
        c.lineWidth = width;
        c.strokeStyle = colour;
        c.stroke();
      }
    }
    const ring = (i: number, radius: number, width: number, colour: string) => {
      const [x, y] = i === this.selected ? this.walked() : this.project(i);
      c.beginPath();
      c.arc(x, y, radius, 0, 2 * Math.PI);
      c.lineWidth = width;
      c.strokeStyle = colour;
      c.stroke();
    };
    for (const i of this.around) ring(i, 6, 1.5, ink);
    if (this.selected >= 0) {
      ring(this.selected, 9, 5, style.getPropertyValue("--paper").trim());
      ring(this.selected, 9, 3, mark);
    }
    if (this.hovered >= 0) ring(this.hovered, 7, 2, ink);
    this.canvas.dataset.selected = String(this.selected);
    this.canvas.dataset.around = this.around.map((i) => this.project(i).slice(0, 2).map(Math.round).join()).join(" ");
  }

  // walked returns the position of the selection's mark on its way from the previous
  // state.
  private walked(): [number, number] {
    const [x, y] = this.project(this.selected);
    const time = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : 350;
    const t = Math.min(1, (performance.now() - this.walk.began) / time);
    if (this.walk.from < 0 || t >= 1) return [x, y];
    this.draw(); // until it has arrived
    const [fx, fy] = this.project(this.walk.from);
    const e = t * t * (3 - 2 * t);
    return [fx + e * (x - fx), fy + e * (y - fy)];
  }

  // pick returns the node at a point of the screen, the frontmost of several.
  private pick(px: number, py: number): number {
    const { g, turned: t } = this;
    const size = this.scale();
    const reach = 9;
    let best = -1;
    let score = Infinity;
    const [cx, cy, cz] = this.centre as [number, number, number];
    const deepest = this.scene?.depth ?? Infinity;
    for (let i = 0, k = 0; i < g.n; i++, k += 3) {
      if (g.depth[i]! > deepest) continue; // not there yet
      const x = g.at[k]! / unit - cx;
      const y = g.at[k + 1]! / unit - cy;
      const z = g.at[k + 2]! / unit - cz;
      const dx = this.width / 2 + size * (t[0]! * x + t[1]! * y + t[2]! * z) - px;
      if (dx > reach || dx < -reach) continue;
      const dy = this.height / 2 - size * (t[3]! * x + t[4]! * y + t[5]! * z) - py;
      const d = dx * dx + dy * dy;
      if (d > reach * reach) continue;
      const near = Math.sqrt(d) - 3 * (t[6]! * x + t[7]! * y + t[8]! * z) - (g.flags[i]! ? 2 : 0);
      if (near < score) {
        score = near;
        best = i;
      }
    }
    return best;
  }

  private listen(): void {
    const signal = this.view.signal;
    const c = this.canvas;
    const pointers = new Map<number, [number, number]>();
    let travelled = 0;
    let hover = 0;
    const place = (e: PointerEvent | WheelEvent): [number, number] => {
      const box = c.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    c.addEventListener("pointerdown", (e) => {
      pointers.set(e.pointerId, place(e));
      c.setPointerCapture(e.pointerId);
      travelled = 0;
      cancelAnimationFrame(this.flight);
    });
    c.addEventListener("pointermove", (e) => {
      const now = place(e);
      const before = pointers.get(e.pointerId);
      if (!before) {
        cancelAnimationFrame(hover);
        hover = requestAnimationFrame(() => this.hover(now[0], now[1]));
        return;
      }
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      travelled += Math.hypot(dx, dy);
      pointers.set(e.pointerId, now);
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== e.pointerId).map(([, at]) => at);
        if (!other) return;
        const factor = Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1]));
        this.zoomAt(factor, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
        this.pan(dx / 2, dy / 2);
      } else if (e.shiftKey || e.buttons & 6) {
        this.pan(dx, dy);
      } else if (travelled > 3) {
        this.turned = times(turn(dx * 0.008, dy * 0.008), this.turned);
        this.stir();
      }
    });
    c.addEventListener("pointerup", (e) => {
      const alone = pointers.size === 1;
      pointers.delete(e.pointerId);
      if (alone && travelled <= 3) {
        const [x, y] = place(e);
        const i = this.pick(x, y);
        if (i >= 0) void this.select(i, false);
      }
    });
    c.addEventListener("pointercancel", (e) => pointers.delete(e.pointerId));
    c.addEventListener("pointerleave", () => this.hover(-100, -100));
    c.addEventListener("contextmenu", (e) => e.preventDefault());
    c.addEventListener("wheel", (e) => {
      e.preventDefault();
      const [x, y] = place(e);
      this.zoomAt(Math.exp(-Math.max(-200, Math.min(200, e.deltaY)) * 0.0018), x, y);
    }, { passive: false });
    c.addEventListener("dblclick", (e) => {
      const box = c.getBoundingClientRect();
      const i = this.pick(e.clientX - box.left, e.clientY - box.top);
      if (i >= 0) this.flyTo(i);
    });
    c.addEventListener("keydown", (e) => {
      const step = 0.12;
      const turns: Record<string, [number, number]> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      const by = turns[e.key];
      if (by) this.turned = times(turn(by[0], by[1]), this.turned);
      else if (e.key === "+" || e.key === "=") this.zoom *= 1.2;
      else if (e.key === "-") this.zoom = Math.max(0.3, this.zoom / 1.2);
      else if (e.key === "0") this.whole(true);
      else return;
      e.preventDefault();
      this.stir();
    });
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(this.box);
    onTheme(() => this.recolour(), signal);
    signal.addEventListener("abort", () => {
      watch.disconnect();
      cancelAnimationFrame(this.frame);
      cancelAnimationFrame(this.flight);
      clearTimeout(this.rest);
      this.gl.getExtension("WEBGL_lose_context")?.loseContext();
    });
  }

  private pan(dx: number, dy: number): void {
    const t = this.turned;
    const size = this.scale();
    // Along the screen's axes, which are rows of the matrix.
    for (let k = 0; k < 3; k++) this.centre[k]! += (-dx * t[k]! + dy * t[3 + k]!) / size;
    this.stir();
  }

  private zoomAt(factor: number, x: number, y: number): void {
    const before = this.zoom;
    this.zoom = Math.max(0.3, Math.min(400, before * factor));
    const real = this.zoom / before;
    const [ox, oy] = [x - this.width / 2, y - this.height / 2];
    this.pan(ox * (1 - real), oy * (1 - real));
  }

  private flyTo(i: number): void {
    const at = [0, 1, 2].map((k) => this.g.at[3 * i + k]! / unit);
    this.fly(at, Math.max(this.zoom, Math.min(40, Math.cbrt(this.g.n) / 3)));
  }

  // whole shows the whole graph, as large as it fits.
  private whole(fly: boolean): void {
    const { g, turned: t } = this;
    const least = [Infinity, Infinity, Infinity];
    const most = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < 3 * g.n; i += 3) {
      for (let r = 0; r < 3; r++) {
        const v = (t[3 * r]! * g.at[i]! + t[3 * r + 1]! * g.at[i + 1]! + t[3 * r + 2]! * g.at[i + 2]!) / unit;
        if (v < least[r]!) least[r] = v;
        if (v > most[r]!) most[r] = v;
      }
    }
    const mid = least.map((v, r) => (v + most[r]!) / 2);
    const centre = [0, 1, 2].map((k) => t[k]! * mid[0]! + t[3 + k]! * mid[1]! + t[6 + k]! * mid[2]!);
    const side = Math.min(this.width, this.height) / 2;
    const room = 0.9;
    const zoom = Math.min(40, room * Math.min(this.width / 2 / side / Math.max(1e-3, (most[0]! - least[0]!) / 2), this.height / 2 / side / Math.max(1e-3, (most[1]! - least[1]!) / 2)));
    if (fly) return this.fly(centre, zoom);
    this.centre = centre;
    this.zoom = zoom;
  }

  private fly(centre: number[], zoom: number): void {
    cancelAnimationFrame(this.flight);
    const from = [...this.centre];
    const was = this.zoom;
    const began = performance.now();
    const time = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : 450;
    const step = () => {
      const t = Math.min(1, (performance.now() - began) / time);
      const e = t * t * (3 - 2 * t);
      this.centre = from.map((c, k) => c + e * (centre[k]! - c));
      this.zoom = was * (zoom / was) ** e;
      this.stir();
      if (t < 1) this.flight = requestAnimationFrame(step);
    };
    step();
  }

  private hover(x: number, y: number): void {
    const i = this.pick(x, y);
    this.canvas.classList.toggle("pointing", i >= 0);
    if (i === this.hovered) return;
    this.hovered = i;
    this.mark();
    if (i < 0) {
      this.tip.classList.remove("shown");
      return;
    }
    window.setTimeout(async () => {
      if (this.hovered !== i) return; // the pointer only passed by
      const st = await this.state(i).catch(() => null);
      if (!st || this.hovered !== i) return;
      fill(this.tip, thumb(this.view.run, st, this.details), h("span", {}, caption(st)));
      const [px, py] = this.project(i);
      this.tip.style.left = `${Math.min(this.width - 150, px + 14)}px`;
      this.tip.style.top = `${Math.max(4, Math.min(this.height - 170, py + 14))}px`;
      this.tip.classList.add("shown");
    }, 50);
  }

  private arrangedBy(): string {
    return this.by === "depth" ? "?arranged=depth" : "";
  }

  private state(i: number): Promise<State> {
    let p = this.states.get(i);
    if (!p) {
      p = get<State>(`${runPath(this.view.run)}/graph/node/${i}${this.arrangedBy()}`, this.view.signal);
      p.catch(() => this.states.delete(i));
      this.states.set(i, p);
    }
    return p;
  }

  private async nodesOf(keys: string[]): Promise<number[]> {
    return (await post<{ nodes: number[] }>(`${runPath(this.view.run)}/graph/nodes${this.arrangedBy()}`, { keys }, this.view.signal)).nodes;
  }

  // ask begins a question for states or a path, and returns what tells whether its answer
  // comes too late: after a later question, or another selection.
  private ask(): () => boolean {
    const mine = ++this.asked;
    const { selected } = this;
    return () => mine !== this.asked || this.selected !== selected;
  }

  private async find(which: string): Promise<void> {
    const late = this.ask();
    try {
      const { states } = await get<{ states: State[] }>(`${runPath(this.view.run)}/states?which=${which}&offset=0&limit=1`, this.view.signal);
      const first = states[0];
      if (!first) return;
      let [i = -1] = await this.nodesOf([first.key]);
      if (late()) return;
      if (i < 0) i = this.like(first); // not in the sample
      if (i >= 0) await this.select(i, true);
    } catch (e) {
      if (!this.view.signal.aborted) fill(this.selection, failure(e));
    }
  }

  // like returns a node with the depth of a state, and its goal distance if there is one.
  private like(st: State): number {
    const { g } = this;
    const distance = st.goal_distance < 0 ? none : st.goal_distance;
    let found = -1;
    for (let i = 0; i < g.n; i++) {
      if (g.depth[i] !== st.depth) continue;
      if (g.distance[i] === distance) return i;
      found = i;
    }
    return found;
  }

  // select shows a state beside the graph, with its neighbours. by is set if it was
  // reached by a move on the board.
  private async select(i: number, approach: boolean, by?: State): Promise<void> {
    this.walk = { from: by ? this.selected : -1, began: performance.now() };
    this.path = by ? [...(this.path.at(-1) === this.selected ? this.path : [this.selected]), i] : [];
    text(this.said, "");
    this.selected = i;
    this.around = [];
    this.draw();
    if (approach) this.flyTo(i);
    try {
      const key = by?.key ?? (await this.state(i)).key;
      const seen = await get<Seen>(`${runPath(this.view.run)}/state/${key}`, this.view.signal);
      const known = seen.neighbours.filter((n) => n.known);
      const nodes = await this.nodesOf(known.map((n) => n.key));
      if (this.selected !== i) return;
      this.around = nodes.filter((n) => n >= 0);
      this.key = seen.key;
      this.seen = seen;
      this.address();
      this.showSelection(seen, known, nodes);
      this.draw();
      await this.board.show(by ? { ...seen, ...by } : seen);
      void this.board.mark(known, known.map((n) => valueOf(seen, n)));
    } catch (e) {
      if (!this.view.signal.aborted && this.selected === i) fill(this.selection, failure(e));
    }
  }

  // step goes to the state that a move on the board leads to.
  private async step(next: State): Promise<void> {
    const [i = -1] = await this.nodesOf([next.key]).catch((e: Error): number[] => {
      if (!this.view.signal.aborted) text(this.said, e.message);
      return [];
    });
    if (i < 0) return;
    const [x, y] = this.project(i);
    await this.select(i, x < 20 || y < 20 || x > this.width - 20 || y > this.height - 20, next);
  }

  private async dragTo(piece: number, way: Shift[]): Promise<boolean> {
    const { seen } = this;
    const moves = seen && await movesOf(seen, piece, way, (key) => get<Seen>(`${runPath(this.view.run)}/state/${key}`, this.view.signal));
    if (!moves || this.seen !== seen) return false;
    for (const next of moves) await this.step(next);
    return true;
  }

  private showSelection(st: Seen, known: State[], nodes: number[]): void {
    const way = (label: string, to: string) => {
      const b = h("button", { type: "button", class: "small" }, label);
      b.addEventListener("click", () => void this.showWay(st.key, to));
      return b;
    };
    fill(this.selection,
      this.board.el, h("p", {}, h("strong", {}, caption(st)), this.details.shape ? " Drag a layer: the state moves in the graph." : movesPieces(st.board, known) ? " Drag a piece, or press a mark: the state moves in the graph." : ""),
      h("div", { class: "row-actions" }, h("a", { class: "button small", href: runHash(this.view.run, "s", st.key) }, "Open"),
        st.goal_distance > 0 ? way("Path to the goal", "goal") : null, st.depth > 0 ? way("Path from the start", "start") : null),
      h("h2", {}, counted(known.length, "neighbour")),
      h("div", { class: "states tiny" }, known.map((n, k) => {
        const card = stateCard(this.view.run, n, this.details, h("span", {}, h("b", {}, n.move ?? ""), ` ${n.goal ? "goal" : n.goal_distance >= 0 ? count(n.goal_distance) : ""}`));
        card.addEventListener("click", (e) => {
          if (nodes[k]! < 0) return; // not in the sample: its page opens
          e.preventDefault();
          void this.select(nodes[k]!, false);
        });
        card.addEventListener("pointerenter", () => {
          this.hovered = nodes[k]!;
          this.mark();
        });
        return card;
      })));
  }

  private async showWay(key: string, to: string): Promise<void> {
    const late = this.ask();
    try {
      const { nodes } = await get<{ nodes: number[] }>(`${runPath(this.view.run)}/graph/path/${key}?to=${to}${this.by === "depth" ? "&arranged=depth" : ""}`, this.view.signal);
      if (late()) return;
      this.path = nodes.filter((i) => i >= 0);
      text(this.said, `${counted(nodes.length - 1, "move")} ${to === "goal" ? "to the goal" : "from the start"}`);
      this.whole(true);
    } catch (e) {
      if (!this.view.signal.aborted) text(this.said, (e as Error).message);
    }
  }
}

// shuffle mixes the edges, always in the same way, so that the first few are a fair
// sample.
function shuffle(edges: Uint32Array): void {
  let seed = 0x2545f491;
  for (let i = edges.length / 2 - 1; i > 0; i--) {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    const j = (seed >>> 0) % (i + 1);
    for (const k of [0, 1]) {
      const kept = edges[2 * i + k]!;
      edges[2 * i + k] = edges[2 * j + k]!;
      edges[2 * j + k] = kept;
    }
  }
}
