// A run, live: its status as it grows.

import { type Details, type Run, type Timeline, type Worker, get, live, pictureURL, runPath } from "./api";
import { type View, runHash } from "./view";
import { Chart } from "./chart";
import { Curve } from "./curve";
import { fill, h, keepFocus, refill, text } from "./dom";
import { brief, bytes, count, counted, duration } from "./format";
import { controls, progress, stateBadge } from "./runs";

export function showRun(view: View): void {
  const name = view.run;
  const head = h("div", { class: "run-title" });
  const actions = h("div", { class: "row-actions" });
  const buttons = h("div", { class: "row-actions" });
  const status = h("p", { class: "status", role: "status" });
  const numbers = new Numbers();
  const forward = new Chart({ title: "States by depth", unit: "depth", kind: "forward", signal: view.signal, href: (d) => `${runHash(name, "states")}?which=depth&layer=${d}` });
  const goal = new Chart({ title: "States by goal distance", unit: "goal distance", kind: "goal", signal: view.signal, href: (d) => `${runHash(name, "states")}?which=distance&layer=${d}` });
  const whole = progress();
  const course = new Course(view);
  const more = h("div", { class: "more" });
  const workers = h("section", { class: "card workers" });
  const partitions = h("section", { class: "card" });
  workers.hidden = partitions.hidden = goal.el.hidden = true;
  view.root.append(head, status, whole.el, actions, numbers.el, h("div", { class: "charts" }, forward.el, goal.el), course.el, workers, partitions, more);
  let detailsFor = "";
  let detailsAt = -Infinity;
  let shownHead = "";
  let details: Details | null = null;

  live.watch(() => {
    const run = live.runs.get(name);
    if (!run) {
      // The run may have been submitted just now.
      view.root.classList.add("missing");
      if (live.heard) fill(head, h("h1", {}, name), h("p", { class: "failure", role: "alert" }, "There is no such run. ", h("a", { href: "#/" }, "All runs")));
      return;
    }
    view.root.classList.remove("missing");
    const now = [run.state, run.title, run.metric, run.can, run.enumerated, run.distances].join();
    if (now !== shownHead) {
      shownHead = now;
      fill(head, h("h1", {}, run.title || run.name), stateBadge(run), h("span", { class: "dim" }, `${run.puzzle}, ${run.metric}`),
        run.directory ? h("span", { class: "dim run-dir", title: run.directory }, `in ${run.directory}`) : null);
      refill(buttons, view.info.read_only ? null : controls(run));
      keepFocus(actions, () => fill(actions,
        run.readable && run.states ? [
          h("a", { class: "button", href: `${runHash(name, "states")}?which=${run.distances ? "hardest" : "deepest"}` }, run.distances ? "The hardest states" : "The deepest states"),
          h("a", { class: "button", href: runHash(name, "s") }, "Play"),
          h("a", { class: "button", href: runHash(name, "graph") }, "The graph"),
          run.states <= 500_000 && run.enumerated && run.distances && run.goal_states
            ? h("a", { class: "button", href: `api/${runPath(name)}/playable`, download: `${name}.html`, title: "One HTML file with all states, to play on without a network" }, "File to play on") : null] : null,
        buttons));
    }
    text(status, describe(run));
    whole.show(run);
    course.show(run);
    numbers.show(run);
    const layers = run.layers ?? [];
    const done = layers.reduce((a, b) => a + b, 0);
    forward.set(layers, run.phase === "forward" ? run.states - done : -1);
    const goals = run.goal_layers ?? [];
    goal.el.hidden = goals.length === 0;
    if (goals.length) goal.set(goals);
    showWorkers(workers, run, details);
    if (details) showPartitions(partitions, run, details);
    const wanted = `${run.readable}/${layers.length}/${goals.length}/${run.state}`;
    // A growing run is not reloaded for every layer.
    if (run.readable && wanted !== detailsFor && (run.state !== "running" || performance.now() - detailsAt > 2000)) {
      detailsFor = wanted;
      detailsAt = performance.now();
      get<Details>(runPath(name), view.signal).then((d) => {
        if (detailsFor !== wanted) return;
        details = d;
        showDetails(more, run, d);
        showWorkers(workers, run, d);
        showPartitions(partitions, run, d);
      }, () => { detailsFor = ""; });
    }
  }, view.signal);
}

// Course shows how a run went: states per second, memory and disk over time.
class Course {
  readonly el = h("section", { class: "card" });
  private speed = new Curve("States per second");
  private memory = new Curve("Memory of the process", bytes);
  private disk = new Curve("Disk", bytes);
  private asked = -Infinity;
  private of = "";

  constructor(private view: View) {
    this.el.hidden = true;
    this.el.append(h("h2", {}, "Over time"), h("div", { class: "curves" }, this.speed.el, this.memory.el, this.disk.el));
  }

  show(run: Run): void {
    const every = 5000; // milliseconds between questions while it runs
    const of = `${run.state}/${run.enumerated}/${run.distances}`;
    if (of === this.of && (run.state !== "running" || performance.now() - this.asked < every)) return;
    this.of = of;
    this.asked = performance.now();
    if (run.workers) this.memory.name("Memory of the workers");
    get<Timeline>(`${runPath(run.name)}/timeline`, this.view.signal).then((t) => this.draw(t), () => { this.el.hidden = true; });
  }

  private draw(t: Timeline): void {
    // The pace over at least a sixtieth of the time, as small layers differ much.
    const end = t.seconds.at(-1) ?? 0;
    const at: number[] = [];
    const pace: number[] = [];
    let k = 0; // the moment of the last pace
    t.seconds.forEach((now, i) => {
      const passed = now - t.seconds[k]!;
      if (passed <= 0 || passed < end / 60) return;
      at.push(now);
      pace.push((t.states[i]! - t.states[k]!) / passed);
      k = i;
    });
    this.el.hidden = at.length < 2;
    this.speed.set(at, pace);
    // A table is written at the end.
    this.disk.el.hidden = !t.disk_bytes.some((v) => v > 0);
    this.disk.set(t.seconds, t.disk_bytes);
    const known = t.memory_bytes.some((v) => v > 0);
    this.memory.el.hidden = !known;
    if (known) this.memory.set(t.seconds.filter((_, i) => t.memory_bytes[i]! > 0), t.memory_bytes.filter((v) => v > 0));
  }
}

// Numbers shows the figures of a run.
class Numbers {
  readonly el = h("dl", { class: "numbers card" });
  private shown = 0;

  show(run: Run): void {
    const running = run.state === "running";
    this.shown = 0;
    this.set("States", count(run.states));
    this.set("Depth", count(run.phase === "goal" ? Math.max(0, (run.layers?.length ?? 0) - 1) : run.depth));
    this.set(running ? "States/s" : "States/s on average", run.states_per_second ? brief(run.states_per_second) : "–");
    this.set("Generated", brief(run.generated));
    this.set("Duplicates", run.generated ? `${brief(run.duplicates)} (${((100 * run.duplicates) / run.generated).toFixed(0)} %)` : "–");
    if (run.goal_states || run.enumerated) this.set("Goal states", count(run.goal_states));
    if (run.solution_length !== null) this.set("Shortest solution", count(run.solution_length));
    if (run.distances && run.goal_layers?.length) this.set("Hardest", `${count(run.goal_layers.length - 1)} moves`);
    if (run.unsolvable_states) this.set("Unsolvable", count(run.unsolvable_states));
    // The memory is not that of the run alone: a process explores one run after another, and
    // answers queries.
    if (run.memory_bytes) this.set(run.workers ? "Memory of the workers" : running ? "Memory of the process" : "Peak memory of the process", bytes(run.memory_bytes));
    this.set("Disk", bytes(run.disk_bytes));
    if (run.exchanged_bytes) this.set("Sent between workers", bytes(run.exchanged_bytes));
    if (run.disk_bytes && run.states) this.set("Bytes per state", (run.disk_bytes / run.states).toFixed(1));
    if (run.seconds) this.set("Time", duration(run.seconds));
    while (this.el.children.length > this.shown) this.el.lastElementChild?.remove();
  }

  private set(name: string, value: string): void {
    const place = this.shown++;
    let row = this.el.children[place];
    if (!row) {
      row = h("div", {}, h("dt", {}), h("dd", {}));
      this.el.append(row);
    }
    text(row.children[0] as Element, name);
    text(row.children[1] as Element, value);
  }
}

// describe describes the state of a run in a sentence, with an estimate if there is a
// basis for one.
function describe(run: Run): string {
  switch (run.state) {
    case "waiting": return run.problem ? `Waiting ${run.problem}.` : "Waiting.";
    case "failed": return run.problem ?? "";
    case "queued": return "Queued.";
    case "paused": return `Paused; saved everything to depth ${run.depth}.`;
    case "stopped": return run.enumerated ? "" : `Stopped at depth ${run.depth}; it can be resumed.`;
    case "complete": return run.distances ? "Complete: every reachable state and its goal distance." : "Complete: every reachable state.";
    case "running": break;
    default: return "";
  }
  if (run.phase === "goal") {
    const left = run.states - run.goal_phase_states;
    const time = run.states_per_second > 0 ? `, at most ${duration(left / run.states_per_second)}` : "";
    return `Computing goal distances: distance ${run.depth}, at most ${count(left)} states left${time}.`;
  }
  const part = run.frontier ? ` (${Math.floor((100 * run.expanded) / run.frontier)} % of the frontier expanded)` : "";
  return `Depth ${run.depth}${part}. ${estimate(run)}`;
}

// estimate estimates how many states are left if the layers keep shrinking at the
// present rate. While they grow, there is no estimate.
function estimate(run: Run): string {
  const layers = run.layers ?? [];
  const last = layers.slice(-6);
  if (last.length < 6 || last.some((n, i) => i > 0 && n >= (last[i - 1] ?? 0))) return "No estimate while layers are growing.";
  const ratio = ((last[5] ?? 0) / (last[0] ?? 1)) ** (1 / 5);
  const left = ((last[5] ?? 0) * ratio) / (1 - ratio);
  if (ratio > 0.97 || run.states_per_second <= 0) return "Layers are shrinking too slowly for an estimate.";
  return `If layers keep shrinking at this rate, about ${brief(left)} states and ${duration(left / run.states_per_second)} are left.`;
}

function showWorkers(el: HTMLElement, run: Run, details: Details | null): void {
  if (!run.workers) return;
  el.hidden = false;
  const slow = stragglers(run);
  const states = new Map<string, number>();
  details?.homes?.forEach((w, i) => states.set(w, (states.get(w) ?? 0) + (details.partitions[i] ?? 0)));
  const columns = ["worker", "state", "stage", "expanded", "partitions", "states", "memory", "sent", "weight", "last heard"];
  fill(el, h("h2", {}, "Workers"), h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, columns.map((t, i) => h("th", { scope: "col", class: i > 2 ? "n" : null }, t)))),
    h("tbody", {}, run.workers.map((w) => h("tr", { class: `worker-${w.state}` },
      h("td", { title: w.address }, w.name),
      h("td", {}, h("span", { class: `badge state-${w.state === "lost" ? "failed" : slow.has(w.name) ? "waiting" : "running"}` }, w.state === "present" && slow.has(w.name) ? "straggler" : w.state)),
      h("td", {}, w.stage || "idle"), h("td", { class: "n" }, count(w.expanded)), h("td", { class: "n" }, count(w.partitions)),
      h("td", { class: "n" }, states.has(w.name) ? count(states.get(w.name) ?? 0) : "–"),
      h("td", { class: "n" }, bytes(w.memory_bytes)), h("td", { class: "n" }, bytes(w.sent_bytes)), h("td", { class: "n" }, count(w.weight)),
      h("td", { class: "n" }, w.silent_seconds < 1 ? "now" : duration(w.silent_seconds))))))));
}

const stages = ["begun", "expanded", "written"];

// stragglers returns the workers that the others wait for. Progress is the stage plus
// the part of a worker's share that is expanded; stragglers, at most half of the
// workers, have less than half of the median, by more than 0.3.
function stragglers(run: Run): Set<string> {
  const busy = (run.workers ?? []).filter((w) => w.state !== "lost" && stages.includes(w.stage) && w.partitions > 0);
  if (run.state !== "running" || busy.length < 2) return new Set();
  const share = run.frontier / busy.reduce((sum, w) => sum + w.partitions, 0);
  const done = (w: Worker) => stages.indexOf(w.stage) + Math.min(1, w.expanded / Math.max(1, share * w.partitions));
  const sorted = busy.map(done).sort((a, b) => a - b);
  const usual = sorted[sorted.length >> 1] ?? 0;
  const behind = busy.filter((w) => done(w) < usual / 2 && usual - done(w) > 0.3);
  return behind.length * 2 <= busy.length ? new Set(behind.map((w) => w.name)) : new Set();
}

// showPartitions draws the partitions as squares, darker the fuller they are: one row
// per worker where workers keep them.
function showPartitions(el: HTMLElement, run: Run, d: Details): void {
  const state = new Map((run.workers ?? []).map((w) => [w.name, w.state]));
  const now = JSON.stringify([d.partitions, d.homes, [...state]]);
  if (el.dataset.shown === now) return;
  el.dataset.shown = now;
  el.hidden = false;
  const most = Math.max(1, ...d.partitions);
  const least = Math.min(...d.partitions);
  const rows = new Map<string, HTMLElement[]>();
  d.partitions.forEach((n, i) => {
    const home = d.homes?.[i] ?? "";
    const cell = h("i", { title: `partition ${i}: ${count(n)} states${home ? `, ${home}` : ""}` });
    cell.style.opacity = String(0.15 + 0.85 * (n / most));
    rows.set(home, [...(rows.get(home) ?? []), cell]);
  });
  const spread = `${counted(d.partitions.length, "partition")} with ${count(least)} to ${count(most)} states`;
  fill(el, h("h2", {}, "Partitions"), h("p", { class: "dim" }, `${spread}${d.homes ? ", by the worker that owns them" : ""}.`),
    [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([home, cells]) => {
      const kept = home && run.workers ? state.get(home) ?? "gone" : "";
      const lost = kept === "lost" || kept === "gone";
      return h("div", { class: `homes${lost ? " lost" : ""}` },
        home ? h("span", { class: "home" }, home, lost ? h("b", {}, ` ${kept}`) : null) : null,
        h("div", { class: "partitions", role: "img", "aria-label": home ? `${counted(cells.length, "partition")} of ${home}${lost ? `, which is ${kept}` : ""}` : spread }, cells));
    }));
}

function showDetails(el: HTMLElement, run: Run, d: Details): void {
  const table = layerTable(run, d);
  table.open = el.querySelector("details")?.open ?? false;
  fill(el,
    h("section", { class: "card" }, h("h2", {}, "Board"), h("p", { class: "dim" }, `${d.note}. ${d.key_bits} bits per state.`),
      h("div", { class: "start-board" }, d.pictured ? h("img", { class: "thumb", src: pictureURL(run.name, { key: d.start }), alt: "The start" }) : null, h("pre", { class: "drawing", tabindex: "0", role: "group", "aria-label": "The board as a text" }, d.text))),
    h("section", { class: "card" }, table));
}

// layerTable is made when it is opened, a piece at a time: there may be very many layers.
function layerTable(run: Run, d: Details): HTMLDetailsElement {
  const layers = run.layers ?? [];
  const piece = 1000;
  const body = h("tbody", {});
  const more = h("button", { type: "button", class: "small", onclick: () => add() }, "More layers");
  const add = () => {
    const from = body.childElementCount;
    body.append(...layers.slice(from, from + piece).map((n, k) => {
      const i = from + k;
      return h("tr", {},
        h("td", { class: "n" }, h("a", { href: `${runHash(run.name, "states")}?which=depth&layer=${i}` }, String(i))), h("td", { class: "n" }, count(n)),
        h("td", { class: "n" }, count(d.goals?.[i] ?? 0)), h("td", { class: "n" }, count(d.layer_generated?.[i] ?? 0)),
        h("td", { class: "n" }, bytes(d.layer_bytes?.[i] ?? 0)), h("td", { class: "n" }, duration(d.layer_seconds?.[i] ?? 0)));
    }));
    more.hidden = body.childElementCount === layers.length;
  };
  const el = h("details", {}, h("summary", {}, `All ${count(layers.length)} layers as a table`),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["depth", "states", "goals", "generated", "bytes", "time"].map((t) => h("th", { scope: "col", class: "n" }, t)))), body)), more);
  el.addEventListener("toggle", () => { if (el.open && !body.childElementCount) add(); });
  return el;
}
