// All runs, and how to start one.

import { type Checked, Problem, type Run, get, live, post, runPath, thumbnailURL } from "./api";
import { type View, editHash, failure, go, runHash, starter } from "./view";
import { boardFromText } from "./board";
import { fill, h, keepFocus, refill, text } from "./dom";
import { brief, bytes, count, counted, largest } from "./format";

export function stateBadge(run: Run): HTMLElement {
  return h("span", { class: `badge state-${run.state}`, title: run.problem ?? "" }, run.state);
}

export function showRuns(view: View): void {
  const list = h("div", { class: "runs" });
  const filter = h("input", { type: "search", id: "filter", placeholder: "name or puzzle", autocomplete: "off" });
  const order = h("select", { id: "order" }, Object.keys(orders).map((name) => h("option", { value: name }, name)));
  const choose = h("div", { class: "run-choice" }, h("label", { for: "filter" }, "Show ", filter), h("label", { for: "order" }, "by ", order));
  const pager = h("div", { class: "pager" });
  const sweeps = h("p", {});
  get<string[]>("sweeps", view.signal).then((names) => { if (names.length) fill(sweeps, h("a", { href: "#/sweeps" }, `Look through ${counted(names.length, "sweep")}`)); }, () => {});
  let first = 0;
  const rows = new Map<string, Row>();
  const empty = h("p", { class: "empty" });
  const parts: Node[] = [];
  if (!view.info.read_only) parts.push(startForm(view));
  view.root.append(...parts, h("section", { "aria-labelledby": "runs-title" }, h("h1", { id: "runs-title" }, "Runs"), sweeps, choose, list, pager, empty));
  const show = () => {
    if (!live.heard) return;
    const known = live.list();
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = known.filter((r) => words.every((w) => `${r.name} ${r.title} ${r.puzzle} ${r.metric} ${r.state}`.toLowerCase().includes(w)))
      .sort(orders[order.value]);
    choose.hidden = known.length < 2;
    text(empty, chosen.length ? "" : known.length ? "No run matches." : view.info.read_only ? "No runs." : "No runs yet. Paste a board above.");
    for (const name of rows.keys()) if (!live.runs.has(name)) rows.delete(name);
    first = Math.max(0, Math.min(first, chosen.length - 1));
    first -= first % runsMax;
    const all = chosen.slice(first, first + runsMax);
    const turn = (by: number, label: string) => h("button", { type: "button", disabled: by < 0 ? first === 0 : first + runsMax >= chosen.length, onclick: () => { first += by; show(); } }, label);
    const where = `${first + 1} to ${first + all.length} of ${chosen.length}`;
    if (pager.dataset.shown !== where) {
      pager.dataset.shown = where;
      refill(pager, chosen.length > runsMax ? [turn(-runsMax, "‹ before"), h("span", {}, where), turn(runsMax, "next ›")] : null);
    }
    for (const run of all) {
      let row = rows.get(run.name);
      if (!row) {
        row = new Row(run, view);
        rows.set(run.name, row);
      }
      row.show(run);
    }
    const wanted = all.map((r) => rows.get(r.name)!.el);
    if (wanted.length !== list.children.length || wanted.some((el, i) => list.children[i] !== el)) keepFocus(list, () => list.replaceChildren(...wanted));
  };
  filter.addEventListener("input", show);
  order.addEventListener("change", show);
  live.watch(show, view.signal);
}

// runsMax is how many runs one page of the list shows.
const runsMax = 50;

// orders are the sort orders of the list.
const orders: Record<string, (a: Run, b: Run) => number> = {
  name: (a, b) => (a.name < b.name ? -1 : 1),
  "states, most first": (a, b) => b.states - a.states,
  "hardest first": (a, b) => (b.goal_layers?.length ?? 0) - (a.goal_layers?.length ?? 0),
  "depth, deepest first": (a, b) => (b.layers?.length ?? 0) - (a.layers?.length ?? 0),
  "running first": (a, b) => Number(b.state === "running") - Number(a.state === "running"),
};

// Row is a run in the list.
class Row {
  readonly el: HTMLElement;
  private facts = h("dl", { class: "facts" });
  private badge = h("span", {});
  private spark = h("div", { class: "spark", "aria-hidden": "true" });
  private done = progress();
  private buttons: HTMLElement;
  private shown = "";
  private can = "";

  constructor(run: Run, view: View) {
    this.buttons = h("div", { class: "row-actions" });
    this.el = h("article", { class: "card run-row" },
      h("img", { class: "run-thumb", src: thumbnailURL(run.name), alt: "", loading: "lazy", decoding: "async", onerror: (e: Event) => { (e.target as HTMLElement).style.visibility = "hidden"; } }),
      h("div", { class: "run-head" },
        h("a", { class: "run-link", href: runHash(run.name) }, run.title || run.name), this.badge,
        h("span", { class: "dim" }, `${run.puzzle}, ${run.metric}`),
        run.directory ? h("span", { class: "dim run-dir", title: run.directory }, run.directory) : null),
      h("div", { class: "run-layers" }, this.spark, this.done.el), this.facts, this.buttons);
    this.buttons.hidden = view.info.read_only;
  }

  show(run: Run): void {
    const now = JSON.stringify(run);
    if (now === this.shown) return;
    this.shown = now;
    fill(this.badge, stateBadge(run));
    const fact = (name: string, value: string) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    fill(this.facts,
      fact("states", count(run.states)), fact("depth", count(Math.max(0, (run.layers?.length ?? 1) - 1))),
      fact("hardest", run.distances && run.goal_layers?.length ? count(run.goal_layers.length - 1) : "–"),
      fact(run.state === "running" ? "states/s now" : "states/s", run.states_per_second ? brief(run.states_per_second) : "–"),
      fact("disk", bytes(run.disk_bytes)),
      run.workers ? fact("workers", `${run.workers.filter((w) => w.state !== "lost").length} of ${run.workers.length}`) : null);
    const can = JSON.stringify([run.can, run.enumerated]);
    if (can !== this.can) refill(this.buttons, controls(run));
    this.can = can;
    this.done.show(run);
    sparkline(this.spark, run.layers ?? []);
  }
}

function sparkline(el: HTMLElement, layers: number[]): void {
  const bars = 60;
  const most = largest(layers, 1);
  const columns: HTMLElement[] = [];
  const n = Math.min(bars, layers.length);
  for (let i = 0; i < n; i++) {
    const from = Math.floor((i * layers.length) / n);
    const to = Math.max(from + 1, Math.floor(((i + 1) * layers.length) / n));
    const bar = h("i", {});
    bar.style.height = `${Math.max(4, (largest(layers.slice(from, to), 0) / most) * 100)}%`;
    columns.push(bar);
  }
  fill(el, columns);
}

// known returns the part of a run that is done, where the whole is known: the goal phase
// visits the states of the forward phase, and a file may promise their number.
function known(run: Run): { part: number; of: string } | null {
  if (run.state !== "running" && run.state !== "waiting") return null;
  const total = run.phase === "goal" ? run.states : run.expected_states;
  if (!total) return null;
  const done = run.phase === "goal" ? run.goal_phase_states : run.states;
  return { part: Math.min(1, done / total), of: run.phase === "goal" ? `at most ${count(total)} states` : `${count(total)} states that the file promises` };
}

// progress returns a bar for the part of a run that is done, hidden where that is
// unknown.
export function progress(): { el: HTMLElement; show: (run: Run) => void } {
  const bar = h("progress", { max: 1, "aria-label": "Progress" });
  const said = h("span", { class: "dim" });
  const el = h("div", { class: "whole" }, bar, said);
  el.hidden = true;
  return {
    el, show: (run) => {
      const done = known(run);
      el.hidden = !done;
      if (!done) return;
      bar.value = done.part;
      text(said, `${run.phase === "goal" ? "goal distances: " : ""}${Math.floor(100 * done.part)} % of ${done.of}`);
    },
  };
}

const labels: Record<string, string> = { pause: "Pause", resume: "Resume", cancel: "Cancel", delete: "Delete" };

// controls returns the buttons for the actions on a run.
export function controls(run: Run): HTMLElement[] {
  return (run.can ?? []).map((action) => {
    const label = action === "resume" && run.enumerated ? "Compute goal distances" : labels[action] ?? action;
    const button = h("button", { type: "button", class: "small" }, label);
    const sure = "Delete for good?";
    button.addEventListener("blur", () => text(button, label));
    button.addEventListener("click", async (e) => {
      if (action === "delete" && button.textContent !== sure) return text(button, sure);
      if (action === "delete" && e.detail > 1) return; // a double click is no answer to the question
      if (button.ariaDisabled) return;
      button.ariaDisabled = "true"; // not disabled, which would take the focus away
      try {
        await post(`${runPath(run.name)}/${action}`);
        const own = runHash(run.name);
        if (action === "delete" && (location.hash === own || location.hash.startsWith(`${own}/`))) go("#/");
      } catch (e) {
        button.after(failure(e));
      } finally {
        button.ariaDisabled = null;
      }
    });
    return button;
  });
}

// draft is the text of the form while another view is shown, and the metric chosen for it.
const draft = { text: "", metric: "" };

// startForm checks a board as it is pasted, shows it, and starts a run.
function startForm(view: View): HTMLElement {
  const area = h("textarea", {
    id: "board", rows: 9, spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-describedby": "board-said",
    placeholder: "Paste a board in any notation, or drop a file here",
  });
  const mark = h("div", { class: "mark", "aria-hidden": "true" });
  const said = h("div", { id: "board-said", class: "said", role: "status", "aria-live": "polite" });
  const preview = h("div", { class: "preview" });
  const metric = h("select", { id: "metric" });
  const metricLabel = h("label", { for: "metric" }, "Metric: ", metric);
  const distances = h("input", { type: "checkbox", id: "distances", checked: true });
  const limit = h("select", { id: "limit" },
    ...([["1000000", "1 million states"], ["10000000", "10 million states"], ["100000000", "100 million states"], ["0", "no limit"]] as const)
      .map(([v, label]) => h("option", { value: v, selected: v === "100000000" }, label)));
  const submit = h("button", { class: "primary", type: "submit", disabled: true }, "Explore");
  const examples = h("select", { "aria-label": "Examples" }, h("option", { value: "" }, "An example …"),
    view.info.families.map((f) => h("option", { value: f.name }, f.name)));
  let chosen = 0;
  let asked = draft.metric; // the metric chosen; "" means the board's own
  let wanted = 0;
  let distancesWanted = true; // the last choice, whether or not the board has a goal
  let read: Checked | null = null;
  const start = starter(view);

  const options = h("div", { class: "options" }, metricLabel,
    h("label", { for: "distances" }, distances, " also compute goal distances"), h("label", { for: "limit" }, "Stop at ", limit), h("div", { class: "row-actions" }, submit, h("button", { type: "button", onclick: () => go(editHash(area.value)) }, "Edit")));
  const form = h("form", { class: "card start" },
    h("div", { class: "start-text" },
      h("div", { class: "start-head" }, h("label", { for: "board" }, h("h1", {}, "Explore a board")), examples),
      h("div", { class: "paper" }, mark, area), said),
    h("div", { class: "start-side" }, preview, options));
  options.hidden = true;
  const hint = () => fill(preview, h("p", { class: "hint" }, "A preview of the board appears here."));
  hint();

  const complain = (e: unknown) => {
    const p = e instanceof Problem ? e : new Problem(String(e), 0);
    options.hidden = true;
    submit.disabled = true;
    hint();
    area.setAttribute("aria-invalid", "true");
    const where = p.line ? `line ${p.line}${p.column ? `, column ${p.column}` : ""}: ` : "";
    const jump = p.line ? h("button", { type: "button", class: "small" }, "go there") : null;
    jump?.addEventListener("click", () => {
      const at = offsetOf(area.value, p.line, p.column);
      area.focus();
      area.setSelectionRange(at, at + 1);
    });
    fill(said, h("span", { class: "failure" }, where, p.message), " ", jump);
    showMark(mark, area, p.line);
  };

  const check = async () => {
    const mine = ++wanted;
    draft.metric = asked;
    draft.text = area.value;
    if (!area.value.trim()) {
      asked = "";
      fill(said);
      hint();
      options.hidden = true;
      submit.disabled = true;
      area.removeAttribute("aria-invalid");
      showMark(mark, area, 0);
      return;
    }
    try {
      const answer = await post<Checked>("check", { text: area.value, metric: asked }, view.signal);
      if (mine !== wanted) return;
      read = answer;
      chosen = Math.min(chosen, answer.boards.length - 1);
      area.removeAttribute("aria-invalid");
      showMark(mark, area, 0);
      options.hidden = false;
      submit.disabled = false;
      showChosen();
    } catch (e) {
      if (mine !== wanted || view.signal.aborted) return;
      if (asked && e instanceof Problem && !e.line) {
        asked = ""; // it belongs to another family
        return void check();
      }
      complain(e);
    }
  };

  const showChosen = () => {
    const b = read?.boards[chosen];
    if (!read || !b) return;
    fill(said, h("strong", {}, b.name || b.family), ` ${b.family}: ${b.note}`);
    fill(preview, boardFromText(b.picture, b.drawing, "board-preview"),
      read.boards.length > 1 ? h("div", { class: "chooser" },
        h("label", { for: "which" }, `${counted(read.total, "board")}; this is `),
        chooser(read, chosen, (i) => { chosen = i; showChosen(); })) : null);
    if (metric.options.length !== b.metrics.length || [...metric.options].some((o, i) => o.value !== b.metrics[i]?.name)) {
      fill(metric, b.metrics.map((m) => h("option", { value: m.name, title: m.summary }, m.name)));
    }
    metric.value = b.metric;
    distances.disabled = !b.goal_distances;
    distances.checked = b.goal_distances && distancesWanted;
  };

  let timer = 0;
  area.addEventListener("input", () => {
    draft.text = area.value;
    clearTimeout(timer);
    timer = window.setTimeout(check, 150);
  });
  area.addEventListener("scroll", () => showMark(mark, area));
  // Another board replaces the whole text.
  area.addEventListener("paste", () => {
    if (area.selectionEnd - area.selectionStart === area.value.length) asked = "";
  });
  metric.addEventListener("change", () => {
    asked = metric.value;
    void check();
  });
  distances.addEventListener("change", () => { distancesWanted = distances.checked; });
  examples.addEventListener("change", () => {
    const f = view.info.families.find((f) => f.name === examples.value);
    if (f) {
      asked = "";
      area.value = f.example;
      void check();
    }
  });
  for (const name of ["dragover", "dragleave", "drop"] as const) {
    form.addEventListener(name, async (e) => {
      e.preventDefault();
      form.classList.toggle("dropping", name === "dragover");
      const file = name === "drop" ? e.dataTransfer?.files[0] : undefined;
      if (!file) return;
      const most = 2 << 20;
      if (file.size > most) return complain(new Problem(`${file.name} has ${bytes(file.size)}: at most ${bytes(most)} are possible`, 0));
      try {
        area.value = await file.text();
      } catch (err) {
        return complain(err);
      }
      asked = "";
      void check();
    });
  }
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    submit.disabled = true;
    try {
      await start({
        text: area.value, metric: metric.value, board: chosen, goal_distance: distances.checked, max_states: Number(limit.value),
      });
      draft.text = draft.metric = "";
    } catch (err) {
      complain(err);
    }
  });
  area.value = draft.text;
  if (draft.text) void check();
  return form;
}

function chooser(read: Checked, chosen: number, choose: (i: number) => void): HTMLElement {
  const select = h("select", { id: "which" },
    read.boards.map((b, i) => h("option", { value: i, selected: i === chosen }, `${i + 1}${b.name ? `: ${b.name}` : ""}`)));
  select.addEventListener("change", () => choose(Number(select.value)));
  return select;
}

// offsetOf converts a line and a column, which counts bytes, to an offset in a text.
function offsetOf(value: string, line: number, column: number): number {
  const lines = value.split("\n");
  let at = 0;
  for (let i = 0; i < line - 1 && i < lines.length; i++) at += (lines[i]?.length ?? 0) + 1;
  const bytesOf = new TextEncoder();
  const own = lines[line - 1] ?? "";
  let i = 0;
  while (i < own.length && bytesOf.encode(own.slice(0, i + 1)).length < column) i++;
  return at + i;
}

// showMark puts a bar behind a line of the text, 0 for none; without a line the bar
// moves with the text.
function showMark(mark: HTMLElement, area: HTMLTextAreaElement, line?: number): void {
  if (line !== undefined) {
    mark.dataset.line = String(line);
    mark.hidden = line === 0;
  }
  const tall = parseFloat(getComputedStyle(area).lineHeight);
  mark.style.height = `${tall}px`;
  mark.style.top = `${parseFloat(getComputedStyle(area).paddingTop) + (Number(mark.dataset.line) - 1) * tall - area.scrollTop}px`;
}
