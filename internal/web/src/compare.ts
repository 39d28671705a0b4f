// Two runs side by side: what they have found, and a board of each with the value of
// every move. If both have a state with the same text, as two metrics of one board do,
// the second board follows the first.

import { type Details, type Run, type Seen, type State, get, live, post, runPath } from "./api";
import { BoardView, signs, valueOf } from "./board";
import { fill, h, refill, s } from "./dom";
import { type Shift, movesOf } from "./drag";
import { count, extremes, largest } from "./format";
import { caption } from "./states";
import { type View, failure, go, readdress, runHash } from "./view";

export async function showCompare(view: View): Promise<void> {
  const other = view.rest[0] ?? "";
  const own = live.runs.get(view.run)!;
  const others = live.list().filter((r) => r.readable && r.name !== view.run);
  // Runs of the same puzzle first.
  others.sort((a, b) => Number(b.puzzle === own.puzzle) - Number(a.puzzle === own.puzzle));
  const pick = h("select", { id: "other" }, h("option", { value: "" }, "choose a run"),
    others.map((r) => h("option", { value: r.name, selected: r.name === other }, `${r.name} (${r.puzzle}, ${r.metric})`)));
  pick.addEventListener("change", () => go(runHash(view.run, "compare", ...(pick.value ? [pick.value] : []))));
  view.root.append(h("section", { class: "card" }, h("label", { for: "other" }, `Compare ${view.run} with `), pick));
  const two = live.runs.get(other);
  if (!two?.readable) {
    if (other) view.root.append(failure(new Error(`There is no run ${other} whose states can be read.`)));
    return;
  }
  const runs: [Run, Run] = [own, two];
  view.root.append(h("section", { class: "card pair-facts" }, factsOf(runs)),
    h("section", { class: "pair" }, curves("States by depth", "depth", runs, (r) => r.layers), curves("States by goal distance", "goal distance", runs, (r) => r.goal_layers)));
  const sides = await Promise.all(runs.map(async (r, i) => new Side(r.name, await get<Details>(runPath(r.name), view.signal), i === 1, view.signal))) as [Side, Side];
  view.root.append(h("section", { class: "pair" }, sides.map((side) => side.el)));
  for (const [i, side] of sides.entries()) {
    side.onMove = async (st) => {
      const to = sides[1 - i]!;
      await to.follow(st);
      readdress(view, `${runHash(view.run, "compare", other)}?a=${sides[0].key}&b=${sides[1].key}`);
    };
  }
  const [a, b] = [view.query.get("a"), view.query.get("b")];
  await sides[0].go(a ?? sides[0].start, false);
  await sides[1].go(b ?? sides[1].start, false);
}

// factsOf is a table of what the runs have found.
function factsOf(runs: [Run, Run]): HTMLElement {
  const most = (layers: number[] | null) => (layers?.length ? count(layers.length - 1) : "unknown");
  const rows: [string, (r: Run) => string][] = [
    ["Puzzle", (r) => r.title || r.puzzle], ["Counted as a move", (r) => r.metric], ["States", (r) => count(r.states)],
    ["Greatest depth", (r) => most(r.layers)], ["First goal", (r) => (r.solution_length !== null ? count(r.solution_length) : r.enumerated ? "none" : "none yet")],
    ["Hardest", (r) => (r.distances ? most(r.goal_layers) : "unknown")],
    ["Goal states", (r) => count(r.goal_states)], ["No goal can be reached", (r) => (r.unsolvable_states === null ? "unknown" : count(r.unsolvable_states))],
  ];
  return h("table", { class: "pair-table" }, h("thead", {}, h("tr", {}, h("td", {}), runs.map((r, i) => h("th", { scope: "col" }, key(i), r.name)))),
    h("tbody", {}, rows.map(([name, of]) => h("tr", {}, h("th", { scope: "row" }, name), runs.map((r) => h("td", {}, of(r)))))));
}

// key is the mark of a run in the curves.
function key(i: number): Node {
  return s("svg", { class: `pair-key of-${i}`, viewBox: "0 0 24 8", "aria-hidden": "true" }, s("path", { d: "M0 4H24" }));
}

// curves draws the layers of both runs over one axis, each relative to its largest.
function curves(title: string, unit: string, runs: [Run, Run], of: (r: Run) => number[] | null): HTMLElement {
  const all = runs.map((r) => of(r) ?? []);
  const longest = Math.max(2, ...all.map((l) => l.length)) - 1;
  const [w, tall] = [480, 150];
  const lines = all.map((layers, i) => {
    const most = largest(layers, 1);
    const points = extremes(layers, w).map((k) => `${((w * k) / longest).toFixed(1)} ${(tall * (1 - layers[k]! / most)).toFixed(1)}`);
    return s("path", { class: `pair-line of-${i}`, d: points.length ? `M${points.join("L")}` : "" });
  });
  const said = all.map((layers, i) => `${runs[i]!.name}: ${layers.length ? `${layers.length - 1} at most` : "unknown"}`).join("; ");
  return h("figure", { class: "card" }, h("h2", {}, title),
    s("svg", { class: "pair-curves", viewBox: `0 -4 ${w} ${tall + 8}`, preserveAspectRatio: "none", role: "img", "aria-label": `${title}. ${said}` }, ...lines) as unknown as Node,
    h("figcaption", { class: "dim" }, `${unit} 0 to ${longest}; each run relative to its largest layer`));
}

// Side is a run's board.
class Side {
  readonly el = h("section", { class: "card stage-main" });
  onMove: (st: State) => Promise<void> = async () => {};
  private board: BoardView;
  private seen: Seen | null = null;
  private asked = 0; // for states, here and on the other side; the last answer counts
  private followed = 0;
  private where = h("p", { role: "status" });
  private values = h("div", { class: "values", role: "group" });

  constructor(private run: string, private details: Details, second: boolean, private signal: AbortSignal) {
    this.board = new BoardView(run, details);
    this.board.neighbours = async () => this.seen?.neighbours ?? [];
    this.board.onMark = (next) => void this.go(next.key);
    this.board.onDrag = (piece, way) => this.drag(piece, way);
    this.values.setAttribute("aria-label", `Moves in ${run}`);
    this.el.append(h("h2", {}, key(second ? 1 : 0), h("a", { href: runHash(run) }, run)), this.board.el, this.where, this.values);
  }

  get start(): string {
    return this.details.start;
  }

  get key(): string {
    return this.seen?.key ?? "";
  }

  private look(key: string): Promise<Seen> {
    return get<Seen>(`${runPath(this.run)}/state/${key}`, this.signal);
  }

  async go(key: string, tell = true): Promise<void> {
    const mine = ++this.asked;
    try {
      const st = await this.look(key);
      if (mine !== this.asked) return;
      await this.show(st);
      if (tell && this.seen === st) await this.onMove(st);
    } catch (e) {
      if (!this.signal.aborted && mine === this.asked) fill(this.where, failure(e));
    }
  }

  // follow shows the state with the same text, if there is one.
  async follow(st: State): Promise<void> {
    const mine = ++this.followed;
    const { asked } = this;
    try {
      const own = await post<Seen>(`${runPath(this.run)}/find`, { text: st.text }, this.signal);
      if (!own.known || mine !== this.followed || asked !== this.asked) return;
      this.asked++;
      await this.show(own);
    } catch { /* it is a board of another kind: each goes its own way */ }
  }

  private async drag(piece: number, way: Shift[]): Promise<boolean> {
    const { seen } = this;
    const moves = seen && await movesOf(seen, piece, way, (key) => this.look(key));
    if (!moves || this.seen !== seen) return false;
    await this.go(moves.at(-1)!.key);
    return true;
  }

  private async show(st: Seen): Promise<void> {
    this.seen = st;
    await this.board.show(st);
    if (this.seen !== st) return;
    const values = st.neighbours.map((n) => valueOf(st, n));
    fill(this.where, h("strong", {}, caption(st)));
    const most = 40;
    refill(this.values, st.neighbours.slice(0, most).map((n, k) => {
      const value = values[k];
      const b = h("button", { type: "button", class: "small", "data-value": value || null }, h("b", {}, n.move ?? "?"), value ? h("span", { class: `value ${value}` }, signs[value]) : null);
      b.addEventListener("click", () => void this.go(n.key));
      return b;
    }), st.neighbours.length > most ? h("span", { class: "dim" }, `and ${st.neighbours.length - most} more`) : null);
    void this.board.mark(st.neighbours, values);
  }
}
