// A figure over time: one line, its axes, and the value under the pointer.

import { fill, h, s, text } from "./dom";
import { brief, duration, largest } from "./format";

const H = 130;
const left = 58;
const bottom = 22;
const top = 8;

export class Curve {
  readonly el: HTMLElement;
  private svg = s("svg", { class: "chart curve", height: H, role: "img" });
  private note = h("p", { class: "chart-note" });
  private at: number[] = [];
  private values: number[] = [];

  constructor(private title: string, private show: (v: number) => string = brief) {
    this.el = h("figure", { class: "figure" }, h("figcaption", {}, h("h3", {}, title)), this.svg, this.note);
    this.svg.addEventListener("pointermove", (e) => this.hover(e));
    this.svg.addEventListener("pointerleave", () => this.say(-1));
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  // name gives it another title.
  name(title: string): void {
    this.title = title;
    text(this.el.querySelector("h3")!, title);
  }

  // set shows values at moments, in seconds.
  set(at: number[], values: number[]): void {
    this.at = at;
    this.values = values;
    this.draw();
    this.say(-1);
  }

  private x(i: number): number {
    const end = this.at.at(-1) || 1;
    return left + ((this.svg.clientWidth || 400) - left - 4) * (this.at[i]! / end);
  }

  private draw(): void {
    const W = this.svg.clientWidth || 400;
    const most = largest(this.values, 0) || 1;
    const y = (v: number) => H - bottom - (H - bottom - top) * (v / most);
    const line = this.values.map((v, i) => `${this.x(i).toFixed(1)},${y(v).toFixed(1)}`);
    const label = (v: number) => s("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, this.show(v));
    fill(this.svg,
      s("g", { class: "axis" }, [0, most / 2, most].map((v) => s("line", { class: "grid", x1: left, x2: W - 4, y1: y(v), y2: y(v) })),
        label(most), label(0), s("text", { x: left, y: H - 6 }, "0"), s("text", { x: W - 4, y: H - 6, "text-anchor": "end" }, duration(this.at.at(-1) ?? 0))),
      s("polyline", { points: line.join(" ") }));
    this.svg.setAttribute("aria-label", `${this.title} over ${duration(this.at.at(-1) ?? 0)}, at most ${this.show(most)}`);
  }

  private hover(e: PointerEvent): void {
    const x = e.clientX - this.svg.getBoundingClientRect().left;
    let best = -1;
    this.at.forEach((_, i) => { if (best < 0 || Math.abs(this.x(i) - x) < Math.abs(this.x(best) - x)) best = i; });
    this.say(best);
  }

  private say(i: number): void {
    const n = this.values.length;
    text(this.note, n === 0 ? "" : i >= 0 ? `after ${duration(this.at[i]!)}: ${this.show(this.values[i]!)}` : `${this.show(this.values[n - 1]!)} at the end, ${this.show(largest(this.values, 0))} at most`);
  }
}
