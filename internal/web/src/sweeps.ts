// The databases of sweeps: histograms that filter one another, and the records within.

import { call, get } from "./api";
import { boardFromText } from "./board";
import { fill, h, refill, s, text } from "./dom";
import { bounded, brief, count, counted } from "./format";
import { type View, editHash, failure, readdress, starter } from "./view";

interface Swept { text: string; picture: string; moves: number; states: number; pieces: number; walls: number; grade?: number }

interface Sweep {
  kind: string; pieces: string; metric: string; cards: boolean; total: number; records: number;
  histograms: Record<string, [number, number, number][]>; found: Swept[]; daily?: Swept;
}

const pageSize = 24;

export async function showSweeps(view: View): Promise<void> {
  const name = view.rest[0] ?? "";
  if (!name) {
    const names = await get<string[]>("sweeps", view.signal);
    view.root.append(h("h1", {}, "Sweeps"),
      names.length ? h("ul", { class: "card sweeps" }, names.map((n) => h("li", {}, h("a", { class: "run-link", href: sweepHash(n) }, n))))
        : h("p", { class: "empty" }, "No sweeps yet. everystate sweep rushhour --size 5x5 makes one."));
    return;
  }
  const explorer = new Explorer(view, name);
  await explorer.begin();
}

function sweepHash(name: string, query = ""): string {
  return `#/sweeps/${encodeURIComponent(name)}${query ? `?${query}` : ""}`;
}

const titles: Record<string, string> = { moves: "moves", states: "size of the cluster", pieces: "pieces", walls: "walls", grade: "grade" };

class Explorer {
  private offset = 0;
  private start: ReturnType<typeof starter>;
  private ranges = new Map<string, [number, number]>();
  private histograms = new Map<string, Histogram>();
  private asking = false; // a question is under way
  private more = false; // and another one follows
  private total = h("strong", { role: "status", "aria-live": "polite" });
  private bars = h("div", { class: "sweep-bars" });
  private grid = h("div", { class: "states" });
  private pager = h("div", { class: "pager" });
  private daily = h("section", { class: "card daily", "aria-label": "Puzzle of the day", hidden: true });
  private said = h("p", { class: "said" });
  private cards = h("button", { type: "button", onclick: () => void this.print() }, "Cards of this selection");

  constructor(private view: View, private name: string) {
    this.start = starter(view);
    for (const d of Object.keys(titles)) {
      const [least, most] = /^(\d+)-(\d+)$/.exec(view.query.get(d) ?? "")?.slice(1).map((n) => bounded(n)) ?? [];
      if (least !== undefined && most !== undefined) this.ranges.set(d, [least, most]);
    }
    this.offset = bounded(view.query.get("offset") ?? "");
    const all = h("button", { type: "button", onclick: () => { this.ranges.clear(); this.offset = 0; void this.ask(); } }, "All");
    view.root.append(h("h1", {}, name),
      h("section", { class: "card", "aria-label": "Filter" }, this.bars, h("div", { class: "row-actions sweep-total" }, this.total, all, this.cards), this.said),
      this.daily, h("section", { "aria-label": "Puzzles" }, this.grid, this.pager));
  }

  async begin(): Promise<void> {
    fill(this.grid, h("p", { class: "dim" }, "Reading the database …"));
    await this.ask();
  }

  private query(): URLSearchParams {
    const q = new URLSearchParams();
    for (const [d, [least, most]] of this.ranges) q.set(d, `${least}-${most}`);
    return q;
  }

  private readdress(): void {
    const address = this.query();
    if (this.offset) address.set("offset", String(this.offset));
    readdress(this.view, sweepHash(this.name, address.toString()));
  }

  // ask shows what is chosen. One question is asked at a time, and then the newest: a server
  // that is slower than the finger answers on the way, too.
  private async ask(): Promise<void> {
    this.readdress();
    this.more = this.asking;
    if (this.asking) return;
    this.asking = true;
    this.grid.setAttribute("aria-busy", "true");
    const { signal } = this.view;
    do {
      this.more = false;
      const q = this.query();
      q.set("offset", String(this.offset));
      q.set("limit", String(pageSize));
      const now = new Date();
      q.set("day", [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, "0")).join("-"));
      try {
        const answer = await get<Sweep>(`sweeps/${encodeURIComponent(this.name)}?${q}`, signal);
        if (this.offset && this.offset >= answer.total && !this.more) { // the address says a page after the last
          this.offset = pageSize * Math.floor(Math.max(0, answer.total - 1) / pageSize);
          this.readdress();
          this.more = true;
        } else this.show(answer);
      } catch (e) {
        if (!signal.aborted && !this.more) fill(this.grid, failure(e));
      }
    } while (this.more && !signal.aborted);
    this.asking = false;
    this.grid.removeAttribute("aria-busy");
  }

  private show(a: Sweep): void {
    text(this.total, `${count(a.total)} of ${counted(a.records, "puzzle")}`);
    this.cards.hidden = !a.cards;
    this.cards.disabled = !a.total;
    for (const [d, bars] of Object.entries(a.histograms)) {
      let shown = this.histograms.get(d);
      if (!shown) {
        shown = new Histogram(d === "pieces" ? a.pieces : titles[d] ?? d, d, (range) => {
          if (range) this.ranges.set(d, range);
          else this.ranges.delete(d);
          this.offset = 0;
          void this.ask();
        });
        this.histograms.set(d, shown);
      }
      shown.set(bars, this.ranges.get(d) ?? null);
    }
    const order = Object.keys(titles).filter((d) => this.histograms.has(d)).map((d) => this.histograms.get(d)!.el);
    if (this.bars.childElementCount !== order.length) this.bars.replaceChildren(...order);
    fill(this.grid, a.found.map((r) => this.card(r, a)), a.found.length ? null : h("p", { class: "empty" }, "No puzzle matches."));
    const shown = this.offset;
    const turn = (by: number, label: string) => h("button", { type: "button", disabled: by < 0 ? this.offset === 0 : this.offset + pageSize >= a.total, onclick: () => { this.offset = Math.max(0, shown + by); void this.ask(); } }, label);
    refill(this.pager, a.total > pageSize ? [turn(-pageSize, "‹ previous"), h("span", {}, `${count(this.offset + 1)} to ${count(this.offset + a.found.length)} of ${count(a.total)}`), turn(pageSize, "next ›")] : null);
    this.daily.hidden = !a.daily;
    if (a.daily) fill(this.daily, h("h2", {}, "Puzzle of the day"), this.card(a.daily, a));
  }

  private card(r: Swept, a: Sweep): HTMLElement {
    const explore = async (to: string[]) => {
      try {
        await this.start({ text: r.text, metric: a.metric, board: 0, goal_distance: true, max_states: 100_000_000 }, ...to);
      } catch (e) {
        fill(this.said, failure(e));
      }
    };
    const button = (label: string, to: string[]) => h("button", { type: "button", class: "small", onclick: () => void explore(to) }, label);
    return h("article", { class: "state-card" }, boardFromText(r.picture, r.text, "sweep-board"),
      h("span", { class: "caption" }, h("b", {}, counted(r.moves, "move")), `, ${counted(r.states, "state")}`, r.grade ? `, grade ${r.grade}` : null),
      h("div", { class: "row-actions" }, this.view.info.read_only ? null : [button("Play", ["s"]), button("Explore", [])], h("a", { class: "button small", href: editHash(r.text) }, "Edit")));
  }

  // print downloads cards of the first puzzles of the choice.
  private async print(): Promise<void> {
    this.cards.disabled = true;
    text(this.said, "Solving the puzzles …");
    try {
      const body = await (await call(`sweeps/${encodeURIComponent(this.name)}/cards?${this.query()}`, { signal: this.view.signal })).blob();
      const url = URL.createObjectURL(body);
      h("a", { href: url, download: `${this.name}-cards.pdf` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      text(this.said, "The cards show the first 24 puzzles of the selection, with solutions on the back.");
    } catch (e) {
      if (!this.view.signal.aborted) fill(this.said, failure(e));
    } finally {
      this.cards.disabled = false;
    }
  }
}

const W = 280;
const H = 90;

// Histogram counts records by a number, and lets a range of it be chosen.
class Histogram {
  readonly el: HTMLElement;
  private svg = s("svg", { class: "sweep-histogram", viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  private bars: [number, number, number][] = [];
  private range: [number, number] | null = null;
  private held = false; // the range is being dragged
  private least: HTMLInputElement;
  private most: HTMLInputElement;

  constructor(title: string, id: string, private choose: (range: [number, number] | null) => void) {
    const input = (which: string) => {
      const el = h("input", { type: "number", min: 0, id: `${which}-${id}`, "aria-label": `${title}, ${which}`, placeholder: which });
      el.addEventListener("change", () => this.typed());
      return el;
    };
    this.least = input("least");
    this.most = input("most");
    this.el = h("fieldset", { class: "sweep-filter" }, h("legend", {}, title), this.svg as unknown as Node, h("div", { class: "row-actions" }, this.least, "to", this.most));
    let from = -1;
    let to = -1;
    let waiting = 0; // the others follow while the range is dragged, a little later
    const at = (e: PointerEvent) => {
      const box = this.svg.getBoundingClientRect();
      return Math.max(0, Math.min(this.bars.length - 1, Math.floor(((e.clientX - box.left) / box.width) * this.bars.length)));
    };
    const mark = (a: number, b: number) => {
      const [first, last] = [this.bars[Math.min(a, b)], this.bars[Math.max(a, b)]];
      if (first && last) this.range = [first[0], last[1]];
      this.draw();
    };
    this.svg.addEventListener("pointerdown", (e) => {
      if (!this.bars.length || e.button !== 0) return;
      from = to = at(e);
      this.svg.setPointerCapture(e.pointerId);
      this.held = true;
      mark(from, from);
    });
    this.svg.addEventListener("pointermove", (e) => {
      if (from < 0 || at(e) === to) return;
      to = at(e);
      mark(from, to);
      clearTimeout(waiting);
      waiting = setTimeout(() => this.choose(this.range), 80);
    });
    this.svg.addEventListener("pointerup", (e) => {
      clearTimeout(waiting);
      if (from < 0) return;
      this.held = false;
      mark(from, at(e));
      from = -1;
      this.choose(this.range);
    });
    this.svg.addEventListener("pointercancel", () => {
      clearTimeout(waiting);
      this.held = false;
      from = -1;
    });
  }

  private typed(): void {
    const [a, b] = [this.least.value, this.most.value];
    if (!a && !b) return this.choose(null);
    this.choose([bounded(a || "0"), bounded(b || Infinity)]);
  }

  set(bars: [number, number, number][], range: [number, number] | null): void {
    this.bars = bars;
    if (!this.held) this.range = range;
    this.draw();
  }

  private draw(): void {
    const { bars, range } = this;
    const high = Math.max(1, ...bars.map(([, , n]) => n));
    const wide = W / Math.max(1, bars.length);
    fill(this.svg, bars.map(([least, most, n], i) => {
      const tall = n ? Math.max(2, (n / high) * (H - 4)) : 0;
      const into = !range || (least <= range[1] && most >= range[0]);
      return s("rect", { class: into ? "in" : "out", x: i * wide, width: Math.max(1, wide - 1), y: H - tall, height: tall },
        s("title", {}, `${least === most ? count(least) : `${count(least)} to ${count(most)}`}: ${counted(n, "puzzle")}`) as unknown as Node) as unknown as Node;
    }));
    this.least.value = range ? String(range[0]) : "";
    this.most.value = range && range[1] < Number.MAX_SAFE_INTEGER ? String(range[1]) : "";
    this.least.placeholder = bars.length ? brief(bars[0]![0]) : "";
    this.most.placeholder = bars.length ? brief(bars.at(-1)![1]) : "";
  }
}
