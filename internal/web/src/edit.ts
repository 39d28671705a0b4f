// The editor: a board whose pieces are dragged in, about and out, and what it has after
// each change.

import { Problem, post } from "./api";
import { Cells, type Held, families, turned } from "./cells";
import { fill, h, text } from "./dom";
import { count, counted } from "./format";
import { type View, editHash, failure, readdress, starter } from "./view";

// Answer is what the server says of a board: edit.go.
interface Answer {
  text: string; family: string; metric: string; metrics: { name: string; summary: string }[]; note: string; warning?: string;
  states: number; complete: boolean; has_goal: boolean; outcome: string; distance: number; optimal: boolean; why?: string; solution: string[];
  unsolvable_states: number; hardest?: { text: string; distance: number }; milliseconds: number;
}

const usual = "puzzle: rush-hour\n\nBB..C.\n....C.\nAA..D.\nE...D.\nE.....\n...FFF\n";

const usage = "Drag pieces onto, around or off the board; or select one, then a cell.";

export async function showEditor(view: View): Promise<void> {
  const editor = new Editor(view);
  await editor.open(view.query.get("board") ?? usual);
}

class Editor {
  private cells: Cells = Cells.empty("rush-hour");
  private undone: Cells[] = [];
  private held: { what: Held; from: Cells | null } | null = null; // from is the board before it was taken
  private focus: [number, number] = [0, 0];
  private asking = new AbortController();
  private start: ReturnType<typeof starter>;
  private ghost: HTMLElement | null = null;

  private board = h("div", { class: "edit-board", role: "group", "aria-label": "Board" });
  private palette = h("div", { class: "palette", role: "group", "aria-label": "Pieces" });
  private form = h("div", { class: "edit-form" });
  private result = h("div", { class: "edit-result", role: "status", "aria-live": "polite" });
  private said = h("p", { class: "said dim", role: "status", "aria-live": "polite" }, usage);
  private solution = h("ol", { class: "moves", "aria-label": "Solution", hidden: true });
  private exported = h("div", { class: "exported" });
  private actions = h("div", { class: "row-actions" });
  private undo = h("button", { type: "button", class: "small", onclick: () => this.back() }, "Undo");

  constructor(private view: View) {
    this.start = starter(view);
    const kinds = h("select", { id: "edit-family" }, Object.keys(families).map((f) => h("option", { value: f }, f)));
    const fresh = h("button", { type: "button", class: "small", onclick: () => this.change(Cells.empty(kinds.value)) }, "New board");
    view.root.append(
      h("h1", {}, "Edit a board"),
      h("div", { class: "stage" },
        h("section", { class: "card stage-main", "aria-label": "Board" },
          h("div", { class: "row-actions edit-top" }, h("label", { for: "edit-family" }, "Puzzle ", kinds), fresh, this.undo),
          this.palette, this.board, this.said, this.form),
        h("section", { class: "card stage-side", "aria-label": "What it has" }, this.result, this.actions, this.solution, this.exported)));
    this.board.addEventListener("keydown", (e) => this.key(e));
    this.board.addEventListener("focusin", (e) => {
      const cell = this.cellOf(e.target);
      if (cell) this.focus = cell;
      this.aim(cell);
    });
    this.board.addEventListener("pointerdown", (e) => this.grab(e));
    view.signal.addEventListener("abort", () => this.asking.abort());
    window.addEventListener("keydown", (e) => {
      if (e.key !== "z" || !(e.ctrlKey || e.metaKey) || e.target instanceof HTMLInputElement) return;
      e.preventDefault();
      this.back();
    }, { signal: view.signal });
  }

  // open reads a board in any notation.
  async open(board: string): Promise<void> {
    let cells = Cells.parse(board);
    const before = this.cells;
    try {
      cells = Cells.parse((await post<Answer>("edit", { text: board }, this.view.signal)).text);
    } catch (e) {
      if (this.view.signal.aborted || this.cells !== before) return;
      if (!cells) return fill(this.result, failure(e));
    }
    if (cells && this.cells === before) this.change(cells, false);
  }

  // change shows another board and asks what it has.
  private change(cells: Cells, keep = true): void {
    if (keep) this.undone.push(this.held?.from ?? this.cells);
    this.held = null;
    this.cells = cells;
    this.focus = [Math.min(this.focus[0], cells.rows - 1), Math.min(this.focus[1], cells.cols - 1)];
    (document.getElementById("edit-family") as HTMLSelectElement).value = cells.family;
    this.show();
    this.showForm();
    void this.ask();
  }

  private back(): void {
    const before = this.undone.pop();
    if (before) this.change(before, false);
  }

  private async ask(): Promise<void> {
    this.asking.abort();
    const { signal } = (this.asking = new AbortController());
    const board = this.cells.text();
    readdress(this.view, editHash(board));
    this.result.classList.add("stale");
    fill(this.exported);
    this.solution.hidden = true;
    try {
      const answer = await post<Answer>("edit", { text: board }, signal);
      if (signal.aborted) return;
      this.showAnswer(answer);
    } catch (e) {
      if (signal.aborted || this.view.signal.aborted) return;
      const p = e instanceof Problem ? e : null;
      const at = p?.line ? this.cells.cellAt(p.line, p.column) : null;
      if (at) this.button(...at)?.classList.add("wrong");
      fill(this.result, h("p", { class: "failure", role: "alert" }, at ? `row ${at[0] + 1}, column ${at[1] + 1}: ` : "", (e as Error).message));
      fill(this.actions);
    }
    this.result.classList.remove("stale");
    this.undo.disabled = !this.undone.length;
  }

  private showAnswer(a: Answer): void {
    const fact = (name: string, ...value: (string | Node | null)[]) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value));
    const best = a.outcome === "solved" ? `${counted(a.distance, "move")}${a.optimal ? "" : ", perhaps not the fewest"}`
      : a.outcome === "unsolvable" ? "cannot be solved" : "no solution found within the limits";
    const use = a.hardest && a.hardest.distance !== a.distance ? h("button", { type: "button", class: "small", onclick: () => this.take(a.hardest!.text) }, "Take it") : null;
    fill(this.result,
      h("p", { class: `verdict ${a.outcome}` }, !a.has_goal ? "no goal" : a.outcome === "solved" ? `solved in ${a.distance}` : best),
      a.why ? h("p", {}, a.why) : null,
      h("dl", { class: "numbers" },
        fact("states", a.complete ? count(a.states) : `more than ${count(a.states)}`),
        a.has_goal ? fact("solution", best) : null,
        a.hardest ? fact("hardest start of these pieces", counted(a.hardest.distance, "move"), " ", use) : null,
        a.complete && a.has_goal && a.unsolvable_states ? fact("states that cannot be solved", count(a.unsolvable_states)) : null,
        fact("found in", `${a.milliseconds} ms`)),
      a.complete ? null : h("p", { class: "dim" }, `The space has more than ${count(a.states)} states: ${a.outcome === "solved" ? "a bounded search found one solution" : "a bounded search was made"}. Explore it to find out everything.`),
      h("p", { class: "dim" }, a.note), a.warning ? h("p", { class: "warning" }, a.warning) : null);
    const solve = h("button", { type: "button", class: "small", disabled: !a.solution.length, onclick: () => {
      this.solution.hidden = !this.solution.hidden;
      fill(this.solution, a.solution.map((m) => h("li", {}, m)));
    } }, "Solve");
    const explore = h("button", { type: "button", class: "primary", onclick: () => void this.explore(a) }, "Explore this");
    fill(this.actions, this.view.info.read_only ? null : explore, solve, h("button", { type: "button", class: "small", onclick: () => void this.export() }, "Export …"));
    this.metrics(a);
  }

  private take(board: string): void {
    const cells = Cells.parse(board);
    if (cells) this.change(cells);
  }

  private async explore(a: Answer): Promise<void> {
    try {
      await this.start({ text: this.cells.text(), metric: a.metric, board: 0, goal_distance: a.has_goal, max_states: 100_000_000 });
    } catch (e) {
      fill(this.exported, failure(e));
    }
  }

  // export shows the board in every notation.
  private async export(): Promise<void> {
    const board = this.cells.text();
    try {
      const { notations } = await post<{ notations: { name: string; text: string }[] }>("notations", { text: board }, this.view.signal);
      if (this.cells.text() !== board) return;
      const area = h("textarea", { readonly: true, rows: 9, "aria-label": "The board as text", spellcheck: "false" });
      const pick = h("select", { id: "notation" }, notations.map((n, i) => h("option", { value: i }, n.name)));
      const show = () => { area.value = notations[Number(pick.value)]?.text ?? ""; };
      pick.addEventListener("change", show);
      show();
      const save = () => {
        const url = URL.createObjectURL(new Blob([area.value], { type: "text/plain" }));
        h("a", { href: url, download: "board.txt" }).click();
        setTimeout(() => URL.revokeObjectURL(url), 60_000);
      };
      fill(this.exported, h("label", { for: "notation" }, "Notation ", pick), area, h("div", { class: "row-actions" },
        h("button", { type: "button", class: "small", onclick: () => void navigator.clipboard?.writeText(area.value).then(() => text(this.said, "copied"), (e: unknown) => fill(this.said, failure(e))) }, "Copy"),
        h("button", { type: "button", class: "small", onclick: save }, "Save")));
      pick.focus();
    } catch (e) {
      fill(this.exported, failure(e));
    }
  }

  // showForm shows sizes and headers.
  private showForm(): void {
    const { cells } = this;
    const f = families[cells.family]!;
    const size = (id: string, label: string, value: number, set: (n: number) => Cells) => {
      const input = h("input", { type: "number", id, min: 1, max: f.most, value, inputmode: "numeric" });
      input.addEventListener("change", () => {
        const n = Math.round(Number(input.value));
        if (n >= 1 && n <= f.most) this.change(set(n));
        else input.value = String(value);
      });
      return h("label", { for: id }, label, " ", input);
    };
    const field = (key: string, hint: string) => {
      const input = h("input", { type: "search", id: `edit-${key}`, value: cells.header(key), placeholder: hint, autocomplete: "off" });
      input.addEventListener("change", () => this.set(key, input.value.trim()));
      return h("label", { for: `edit-${key}` }, key, " ", input);
    };
    const exit = h("select", { id: "edit-exit" }, ["right", "left", "top", "bottom"].map((v) => h("option", { value: v, selected: v === cells.header("exit") }, v)));
    exit.addEventListener("change", () => this.set("exit", exit.value));
    fill(this.form, cells.triangle ? null : [size("edit-rows", "rows", cells.rows, (n) => cells.resize(n, cells.cols)), size("edit-cols", "columns", cells.cols, (n) => cells.resize(cells.rows, n))],
      cells.family === "sokoban" ? null : field("goal", { "rush-hour": "the goal vehicle", blocks: "A at r4c2", peg: "one peg anywhere", tiles: "1 2 3 / 4 5 0" }[cells.family] ?? ""),
      cells.family === "rush-hour" ? h("label", { for: "edit-exit" }, "exit ", exit) : null, h("label", { for: "edit-metric" }, "metric ", h("select", { id: "edit-metric" }, h("option", {}, cells.header("metric")))));
  }

  private metrics(a: Answer): void {
    const select = h("select", { id: "edit-metric" }, a.metrics.map((m) => h("option", { value: m.name, title: m.summary, selected: m.name === a.metric }, m.name)));
    select.addEventListener("change", () => this.set("metric", select.value));
    if (document.activeElement?.id !== "edit-metric") document.getElementById("edit-metric")?.replaceWith(select);
  }

  private set(key: string, value: string): void {
    const next = this.cells.copy();
    next.setHeader(key, value);
    this.change(next);
  }

  // show draws the board and the pieces beside it.
  private show(): void {
    const { cells } = this;
    const focused = this.board.contains(document.activeElement);
    this.board.style.setProperty("--cols", String(cells.cols));
    this.board.dataset.family = cells.family;
    const goal = /^(\w) at (?:r(\d+)c(\d+)|(\d+),(\d+))/.exec(cells.family === "blocks" ? cells.header("goal") : "");
    const target: [number, number] = goal ? [goal[2] ? Number(goal[2]) - 1 : Number(goal[4]), goal[2] ? Number(goal[3]) - 1 : Number(goal[5])] : [-1, -1];
    const exit = cells.exit();
    const order: string[] = [];
    for (const s of cells.grid.flat()) if (cells.isPiece(s) && !order.includes(s)) order.push(s);
    fill(this.board, cells.grid.flatMap((row, r) => row.map((symbol, c) => {
      const name = cells.name(r, c);
      const isTarget = r === target[0] && c === target[1];
      const b = h("button", { type: "button", class: "cell", tabindex: r === this.focus[0] && c === this.focus[1] ? "0" : "-1", "data-at": `${r},${c}`,
        "aria-label": `row ${r + 1}, column ${c + 1}: ${name}${isTarget ? `, the goal place of ${goal![1]}` : ""}${exit?.join() === `${r},${c}` ? ", the exit" : ""}` });
      if (exit?.join() === `${r},${c}`) b.dataset.exit = cells.header("exit");
      if (name === "no hole" && cells.triangle && c > r) b.classList.add("off");
      if (isTarget) b.classList.add("goal-place");
      b.dataset.what = cells.isPiece(symbol) ? "piece" : name.replace("empty hole", "hole").split(" ").join("-").replace(/^tile-.*/, "tile");
      if (cells.isPiece(symbol)) b.append(this.part(r, c, symbol, order.indexOf(symbol)));
      else if (name !== "empty" && name !== "no hole" && name !== "the hole") b.append(h("span", { class: "mark-of" }, cells.family === "tiles" ? symbol : ""));
      if (cells.triangle) b.style.transform = `translateX(${(cells.rows - 1 - r) * 50}%)`;
      return b;
    })));
    if (focused) this.button(...this.focus)?.focus({ preventScroll: true });
    const stamps = families[cells.family]!.stamps(cells.header("goal") || "A");
    fill(this.palette, stamps.map((stamp) => {
      const b = h("button", { type: "button", class: "small stamp", "aria-pressed": "false" }, this.picture(stamp.held), stamp.label);
      b.addEventListener("click", () => this.hold(stamp.held, null));
      b.addEventListener("pointerdown", (e) => this.follow(e, () => ({ what: stamp.held, from: null })));
      return b;
    }), stamps.length ? null : h("span", { class: "dim" }, "Drag a tile onto another to swap them."));
  }

  // part draws one cell of a piece, open towards the cells that it is joined to.
  private part(r: number, c: number, symbol: string, colour: number): HTMLElement {
    const { cells } = this;
    const joined = ([dr, dc]: [number, number]) => cells.grid[r + dr]?.[c + dc] === symbol;
    const [up, right, down, left] = ([[-1, 0], [0, 1], [1, 0], [0, -1]] as [number, number][]).map(joined);
    const first = cells.grid.findIndex((row) => row.includes(symbol));
    const goal = symbol === (cells.family === "blocks" ? cells.header("goal").charAt(0) : cells.header("goal"));
    const el = h("span", { class: `part${goal ? " part-goal" : ""}`, "data-colour": String(colour % 16) }, r === first && cells.grid[first]!.indexOf(symbol) === c ? symbol : "");
    el.style.inset = [up, right, down, left].map((j) => (j ? "-1px" : "3px")).join(" ");
    el.style.borderRadius = [[up, left], [up, right], [down, right], [down, left]].map(([a, b]) => (a || b ? "0" : "9px")).join(" ");
    return el;
  }

  private picture(held: Held): HTMLElement {
    const rows = held.cells.map(([r]) => r);
    const cols = held.cells.map(([, c]) => c);
    const el = h("span", { class: "stamp-picture", "data-kind": held.kind, "aria-hidden": "true" }, held.cells.map(([r, c]) => {
      const i = h("i", {});
      i.style.gridArea = `${r - Math.min(...rows) + 1} / ${c - Math.min(...cols) + 1}`;
      return i;
    }));
    return el;
  }

  private cellOf(target: EventTarget | null): [number, number] | null {
    const at = target instanceof Element ? target.closest<HTMLElement>("[data-at]")?.dataset.at : undefined;
    return at ? (at.split(",").map(Number) as [number, number]) : null;
  }

  private button(r: number, c: number): HTMLElement | null {
    return this.board.querySelector(`[data-at="${r},${c}"]`);
  }

  // hold takes something in hand: a piece of the board, or a new one.
  private hold(what: Held, from: Cells | null): void {
    if (this.held) this.release(false);
    this.held = { what, from };
    if (from) this.show();
    this.board.classList.add("holding");
    text(this.said, `${what.name} in hand: choose a cell, or use the arrows and Enter. R turns it, Delete takes it away, Escape puts it back.`);
    this.button(...this.focus)?.focus({ preventScroll: true });
    this.aim(this.focus);
  }

  // release puts what is in hand back, or away.
  private release(away: boolean): void {
    const held = this.held;
    if (!held) return;
    this.held = null;
    this.board.classList.remove("holding");
    const tile = held.what.kind.startsWith("from ");
    if (away && held.from && !tile) {
      this.undone.push(held.from);
      this.change(this.cells, false);
      text(this.said, `${held.what.name} removed`);
      return;
    }
    if (held.from) this.cells = held.from;
    this.show();
    text(this.said, usage);
  }

  // drop puts what is in hand on a cell.
  private drop(r: number, c: number): void {
    const held = this.held;
    if (!held) return;
    const next = this.cells.copy();
    if (!next.put(held.what, r, c)) {
      text(this.said, `no room for ${held.what.name} at row ${r + 1}, column ${c + 1}`);
      return;
    }
    const before = held.from ?? this.cells;
    this.held = null;
    this.board.classList.remove("holding");
    this.focus = [r, c];
    this.undone.push(before);
    this.change(next, false);
    text(this.said, `${held.what.name} placed at row ${r + 1}, column ${c + 1}`);
  }

  // aim shows where what is in hand would be.
  private aim(cell: [number, number] | null): void {
    this.board.querySelectorAll(".aim, .no-room").forEach((el) => el.classList.remove("aim", "no-room"));
    if (!this.held || !cell) return;
    const fits = this.cells.copy().put(this.held.what, ...cell);
    for (const [dr, dc] of this.held.what.cells) this.button(cell[0] + dr, cell[1] + dc)?.classList.add(fits ? "aim" : "no-room");
  }

  // press takes what is in a cell, or puts there what is in hand.
  private press(r: number, c: number): void {
    if (this.held) return this.drop(r, c);
    const before = this.cells.copy();
    const what = this.cells.take(r, c);
    if (what) this.hold(what, before);
  }

  private key(e: KeyboardEvent): void {
    const [r, c] = this.focus;
    const arrows: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const by = arrows[e.key];
    if (by) {
      const to: [number, number] = [Math.max(0, Math.min(this.cells.rows - 1, r + by[0])), Math.max(0, Math.min(this.cells.cols - 1, c + by[1]))];
      this.button(r, c)?.setAttribute("tabindex", "-1");
      this.button(...to)?.setAttribute("tabindex", "0");
      this.button(...to)?.focus();
    } else if (e.key === "Enter" || e.key === " ") this.press(r, c);
    else if (e.key === "Escape") this.release(false);
    else if (e.key === "Delete" || e.key === "Backspace") {
      if (!this.held) this.press(r, c);
      this.release(true);
    } else if ((e.key === "r" || e.key === "R") && this.held && !e.ctrlKey && !e.metaKey) {
      this.held.what = turned(this.held.what);
      this.aim(this.focus);
    } else return;
    e.preventDefault();
  }

  private grab(e: PointerEvent): void {
    const cell = this.cellOf(e.target);
    if (!cell || e.button !== 0) return;
    this.focus = cell;
    if (this.held) {
      e.preventDefault();
      return this.drop(...cell);
    }
    this.follow(e, () => {
      const from = this.cells.copy();
      const what = this.cells.take(...cell);
      return what ? { what, from } : null;
    }, () => this.press(...cell));
  }

  // follow drags something with the finger once that has moved; a finger that has not
  // moved has pressed.
  private follow(e: PointerEvent, take: () => { what: Held; from: Cells | null } | null, pressed: () => void = () => {}): void {
    const over = new AbortController();
    const o = { signal: over.signal };
    const begin = [e.clientX, e.clientY] as const;
    let dragging = false;
    e.preventDefault();
    const cellUnder = (x: number, y: number) => this.cellOf(document.elementFromPoint(x, y)?.closest(".edit-board [data-at]") ?? null);
    window.addEventListener("pointermove", (m) => {
      if (m.pointerId !== e.pointerId) return;
      if (!dragging) {
        const far = 5; // pixels
        if (Math.hypot(m.clientX - begin[0], m.clientY - begin[1]) < far) return;
        const held = take();
        if (!held) return over.abort();
        dragging = true;
        this.held = held;
        if (held.from) this.show();
        this.ghost = h("div", { class: "edit-ghost", "aria-hidden": "true" }, this.picture(held.what));
        document.body.append(this.ghost);
      }
      if (this.ghost) this.ghost.style.transform = `translate(${m.clientX}px, ${m.clientY}px)`;
      this.aim(cellUnder(m.clientX, m.clientY));
    }, o);
    const end = (u: PointerEvent) => {
      if (u.pointerId !== e.pointerId) return;
      over.abort();
      this.ghost?.remove();
      this.ghost = null;
      if (!dragging) return u.type === "pointerup" ? pressed() : undefined;
      const cell = u.type === "pointerup" ? cellUnder(u.clientX, u.clientY) : null;
      if (cell) this.drop(...cell);
      const inside = this.board.getBoundingClientRect();
      const out = u.clientX < inside.left || u.clientX > inside.right || u.clientY < inside.top || u.clientY > inside.bottom;
      if (this.held) this.release(u.type === "pointerup" && out);
    };
    window.addEventListener("pointerup", end, o);
    window.addEventListener("pointercancel", end, o);
    this.view.signal.addEventListener("abort", () => {
      over.abort();
      this.ghost?.remove();
    }, o);
  }
}
