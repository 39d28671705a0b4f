import { fill, h, s, text } from "./dom";
import { colourOf, css, isDark, onTheme } from "./colours";
import { brief, count, largest } from "./format";

export interface ChartOptions {
  title: string;
  unit: string; // what a bar counts: "depth" or "goal distance"
  kind: string; // a class
  signal: AbortSignal; // ends the view
  href?: (layer: number) => string; // where a bar links to
}

const H = 220;
const left = 46;
const bottom = 24;
const top = 10;

// Chart is a histogram of layers that can grow.
export class Chart {
  readonly el: HTMLElement;
  private svg = s("svg", { class: "chart", height: H, role: "img" });
  private width = 720; // in pixels, so that text keeps its size
  private bars = s("g", { class: "bars" });
  private axis = s("g", { class: "axis" });
  private note = h("p", { class: "chart-note" });
  private values: number[] = [];
  private shown: number[] = []; // the layer of each bar
  private log = false;
  private drawn = "";
  private growing = false;

  constructor(private o: ChartOptions) {
    const scale = h("button", { type: "button", class: "small", "aria-pressed": "false" }, "log scale");
    scale.addEventListener("click", () => {
      this.log = !this.log;
      scale.setAttribute("aria-pressed", String(this.log));
      this.draw();
    });
    this.svg.append(this.axis, this.bars);
    new ResizeObserver(() => this.draw()).observe(this.svg);
    onTheme(() => this.draw(), o.signal);
    this.el = h("figure", { class: `card figure ${o.kind}` }, h("figcaption", {}, h("h2", {}, o.title), scale), this.svg, this.note);
    this.svg.addEventListener("pointermove", (e) => this.hover(e));
    this.svg.addEventListener("pointerleave", () => this.say(-1));
    this.svg.addEventListener("click", (e) => {
      const i = this.at(e);
      if (i >= 0 && this.o.href) location.hash = this.o.href(this.shown[i]!);
    });
    if (o.href) this.svg.classList.add("clickable");
  }

  // set shows layers. If growing is not negative, the last one is still growing, and
  // growing is its size so far.
  set(layers: number[], growing = -1): void {
    const key = `${layers.length}/${layers.at(-1) ?? 0}/${growing}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.values = growing > 0 ? [...layers, growing] : layers;
    this.growing = growing > 0;
    this.draw();
    this.say(-1);
  }

  private draw(): void {
    const W = (this.width = this.svg.clientWidth || this.width);
    const growing = this.growing;
    const n = this.values.length;
    const most = largest(this.values, 1);
    const shown = (this.shown = merged(this.values, Math.max(1, Math.floor(W - left - 4))));
    const size = (v: number) => (this.log ? Math.log10(v + 1) / Math.log10(most + 1) : v / most);
    const wide = (W - left - 4) / Math.max(shown.length, 1);
    const gap = wide > 4 ? 1 : 0;
    while (this.bars.childElementCount > shown.length) this.bars.lastElementChild?.remove();
    for (let i = this.bars.childElementCount; i < shown.length; i++) this.bars.append(s("rect", {}));
    const dark = isDark();
    shown.forEach((layer, i) => {
      const v = this.values[layer] ?? 0;
      const bar = this.bars.children[i] as SVGRectElement;
      const tall = v ? Math.max(1.5, size(v) * (H - top - bottom)) : 0;
      bar.setAttribute("x", (left + i * wide).toFixed(2));
      bar.setAttribute("width", Math.max(0.6, wide - gap).toFixed(2));
      bar.setAttribute("y", (H - bottom - tall).toFixed(2));
      bar.setAttribute("height", tall.toFixed(2));
      bar.setAttribute("rx", wide > 6 ? "1.5" : "0");
      bar.style.fill = css(colourOf(layer / Math.max(1, n - 1), dark));
      bar.classList.toggle("growing", growing && i === shown.length - 1);
    });
    this.ticks(n, most, (W - left - 4) / Math.max(n, 1));
    this.svg.setAttribute("aria-label", `${this.o.title}: ${count(n)} layers, the largest has ${count(most)} states`);
  }

  private ticks(n: number, most: number, wide: number): void {
    const W = this.width;
    const marks: Element[] = [s("line", { x1: left, x2: W - 4, y1: H - bottom + 0.5, y2: H - bottom + 0.5 })];
    const lines = this.log ? powers(most) : [...new Set([Math.ceil(most / 2), most])]; // whole numbers of states
    for (const v of lines) {
      const y = H - bottom - (this.log ? Math.log10(v + 1) / Math.log10(most + 1) : v / most) * (H - top - bottom);
      marks.push(s("line", { class: "grid", x1: left, x2: W - 4, y1: y, y2: y }), s("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, brief(v)));
    }
    const room = Math.max(26, 8 * String(n).length);
    const every = [1, 2, 5].flatMap((k) => [...Array(9).keys()].map((p) => k * 10 ** p)).filter((k) => k * wide >= room).reduce((a, b) => Math.min(a, b), Infinity);
    for (let i = 0; i < n; i += every) {
      marks.push(s("text", { x: Math.min(left + (i + 0.5) * wide, W - 3.5 * String(i).length), y: H - 7, "text-anchor": "middle" }, String(i)));
    }
    fill(this.axis, marks);
  }

  // at returns the bar below the pointer, -1 if there is none.
  private at(e: MouseEvent): number {
    const box = this.svg.getBoundingClientRect();
    const i = Math.floor((e.clientX - box.left - left) / ((this.width - left - 4) / Math.max(this.shown.length, 1)));
    return i >= 0 && i < this.shown.length ? i : -1;
  }

  private hover(e: PointerEvent): void {
    this.say(this.at(e));
  }

  private say(i: number): void {
    this.bars.querySelector(".here")?.classList.remove("here");
    if (i >= 0) this.bars.children[i]?.classList.add("here");
    const most = largest(this.values, 0);
    const layer = this.shown[i] ?? this.values.indexOf(most);
    text(this.note, i >= 0
      ? `${this.o.unit} ${count(layer)}: ${count(this.values[layer] ?? 0)} states`
      : this.values.length ? `${count(this.values.length)} layers; most states at ${this.o.unit} ${count(layer)}: ${count(most)}` : "nothing yet");
  }
}

// merged returns the layers whose bars are drawn: all, or the largest of each group if
// there is room for fewer bars.
function merged(values: number[], room: number): number[] {
  const bars = Math.min(values.length, room);
  return Array.from({ length: bars }, (_, i) => {
    let most = Math.floor((i * values.length) / bars);
    for (let k = most + 1; k < Math.floor(((i + 1) * values.length) / bars); k++) if (values[k]! > values[most]!) most = k;
    return most;
  });
}

function powers(most: number): number[] {
  const out: number[] = [];
  for (let v = 1; v <= most; v *= 10) out.push(v);
  return out.length > 5 ? out.filter((_, i) => i % 2 === 0) : out;
}
