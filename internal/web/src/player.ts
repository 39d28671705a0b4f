// A state, and paths from it: walk, drag, solve, play.

import { type Details, Problem, type Seen, type State, get, live, post, runPath } from "./api";
import { type View, editHash, editable, failure, readdress, runHash } from "./view";
import { BoardView, signs, valueOf } from "./board";
import { type Shift, movesOf, movesPieces } from "./drag";
import { fill, h, keepFocus, refill, s, text } from "./dom";
import { count, counted, largest } from "./format";
import { controls } from "./runs";
import { caption, stateCard } from "./states";
import { describe, isPart, pathOf } from "./trail";

const icons = {
  play: "M5 3l11 7-11 7z", pause: "M4 3h4v14H4zM12 3h4v14h-4z", next: "M6 3l9 7-9 7z", back: "M14 3l-9 7 9 7z",
  last: "M3 3l9 7-9 7zM14 3h3v14h-3z", first: "M17 3l-9 7 9 7zM3 3h3v14H3z", undo: "M8 2L2 7l6 5V9c5 0 7 2 7 7 4-7 0-11-7-11z",
};

function iconOf(name: keyof typeof icons): Node {
  return s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true" }, s("path", { d: icons[name], fill: "currentColor" }));
}

export async function showPlayer(view: View): Promise<void> {
  const details = await get<Details>(runPath(view.run), view.signal);
  const player = new Player(view, details);
  await player.begin(view.rest[0] || details.start);
}

// inputs maps keys to the inputs of a game.
const inputs: Record<string, string> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", x: "action" };

class Player {
  private trail: State[] = [];
  private at = 0;
  private way: "" | "goal" | "start" = ""; // what the trail was requested as, if it still is that
  private seen = new Map<string, Promise<Seen>>();
  private undo: { trail: State[]; at: number; way: "" | "goal" | "start" }[] = [];
  private timer = 0;
  private asked = 0; // for paths; the last answer counts
  private drawn: { trail: State[]; page: number } | null = null; // which moves are listed
  private arriving = false; // a part of the trail is being fetched
  private board: BoardView;

  private where = h("div", { class: "where", role: "status", "aria-live": "polite" });
  private big = h("div", { class: "distance" });
  private moves = h("ol", { class: "moves", "aria-label": "Moves" });
  private scrub = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Position on the path" });
  private profile = s("svg", { class: "profile", preserveAspectRatio: "none", viewBox: "0 0 100 30", "aria-hidden": "true" });
  private playButton = this.button("play", "Play (space)", () => this.toggle());
  private undoButton = this.button("undo", "Undo (u)", () => this.back());
  private speed = h("select", { "aria-label": "Speed" }, ([["1200", "slow"], ["450", "normal"], ["160", "fast"], ["50", "very fast"]] as const)
    .map(([v, l]) => h("option", { value: v, selected: v === "450" }, l)));
  private neighbours = h("div", { class: "states neighbours" });
  private around = h("h2", {}, "Neighbours");
  private values = h("div", { class: "values", role: "group", "aria-label": "Moves from here" });
  private hints = h("input", { type: "checkbox", id: "hints", checked: true });
  private said = h("div", { class: "said", role: "status" });
  private failed = false; // the state that is here could not be shown
  private ready = true; // the server answers, and the run can be read
  private how = h("span", {}); // how to make a move
  private solve: HTMLButtonElement;
  private links = h("div", { class: "row-actions" });

  constructor(private view: View, private details: Details) {
    this.board = new BoardView(view.run, details);
    this.board.onDrag = (piece, way) => this.dragTo(piece, way);
    this.board.neighbours = async () => (await this.look(this.here.key)).neighbours;
    this.board.onMark = (next) => void this.step(next);
    this.hints.addEventListener("change", () => void this.showValues(this.here).catch(() => undefined));
    this.solve = h("button", { type: "button", class: "primary" }, "Solve from here");
    this.solve.addEventListener("click", () => void this.follow("goal"));
    const fromStart = h("button", { type: "button" }, "From the start");
    fromStart.addEventListener("click", () => void this.follow("start"));
    this.scrub.addEventListener("input", () => void this.to(Number(this.scrub.value)));
    const transport = h("div", { class: "transport", role: "group", "aria-label": "Play" },
      this.button("first", "First (P)", () => void this.to(0)), this.button("back", "Previous (p)", () => void this.to(this.at - 1)), this.playButton,
      this.button("next", "Next (n)", () => void this.to(this.at + 1)), this.button("last", "Last (N)", () => void this.to(this.trail.length - 1)), this.speed, this.undoButton);
    view.root.append(
      h("div", { class: "stage" },
        h("section", { class: "card stage-main", "aria-label": "Board" },
          this.board.el, h("div", { class: "row-actions solve" }, this.solve, fromStart), this.values,
          h("p", { class: "dim hints-pick" }, h("label", { for: "hints" }, this.hints, " what each move is worth: ",
            (["nearer", "same", "farther", "lost"] as const).map((v) => h("span", { class: `value ${v}` }, `${signs[v]} ${v}`)))),
          transport, h("div", { class: "scrubber" }, this.profile as unknown as Node, this.scrub),
          h("p", { class: "dim keys" }, this.how,
            h("span", { class: "keyboard" }, details.family === "puzzlescript" ? " Keys: the arrows and x play, n and p" : " Keys: n and p or the arrows", " step forward and back, N and P jump to the end and the start, space plays, u undoes a move.", details.shape ? " With the board in focus, shift and the arrows turn it around." : ""))),
        h("section", { class: "card stage-side", "aria-label": "Position" },
          this.big, this.where, this.links, this.said, this.moves, this.pasteForm())),
      h("section", { class: "card" }, this.around, this.neighbours));
    window.addEventListener("keydown", (e) => this.key(e), { signal: view.signal });
    live.watch(() => {
      const was = this.ready;
      this.ready = live.connected && !!live.runs.get(view.run)?.readable;
      if (this.failed && this.ready && !was) void this.show();
    }, view.signal);
    view.signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      this.timer = 0;
    });
  }

  // begin shows what the address says: a state, or a path with a position on it.
  async begin(key: string): Promise<void> {
    const q = this.view.query;
    const first = await this.look(q.get("from") ?? key);
    this.trail = [first];
    const to = q.get("to");
    const moves = q.get("moves");
    if (to === "goal" || to === "start") await this.follow(to, false);
    else if (moves) await this.walk(moves);
    const at = Number(q.get("place") ?? this.at);
    this.at = Math.max(0, Math.min(this.trail.length - 1, Number.isInteger(at) ? at : 0));
    this.undo = [];
    await this.show();
  }

  // ask begins a question for a path, and returns what tells whether its answer comes too
    // late: after a later question, or a move.
  private ask(): () => boolean {
    const mine = ++this.asked;
    const { trail, at } = this;
    return () => mine !== this.asked || this.trail !== trail || this.at !== at;
  }

  // walk makes a path of moves from here, and returns its length, or -1 if something else
  // was asked for meanwhile.
  private async walk(moves: string): Promise<number> {
    const late = this.ask();
    const way = await post<{ states: State[] }>(`${runPath(this.view.run)}/replay`, { from: this.here.key, moves }, this.view.signal);
    if (late()) return -1;
    this.remember();
    this.trail = this.as(way.states, 0);
    this.at = 0;
    return way.states.length - 1;
  }

  // as returns a path with the present state in its place as it is shown now: what the
  // move before has left, such as where a player stands, is not part of a state.
  private as(way: State[], place: number): State[] {
    const { by, board } = this.here;
    return way.map((st, i) => (i === place && st.key === this.here.key && board ? { ...st, ...(by === undefined ? {} : { by }), board } : st));
  }

  // address returns the address that restores the view.
  private address(): string {
    const n = this.trail.length;
    const here = runHash(this.view.run, "s", this.here.key);
    if (n < 2) return here;
    const q = new URLSearchParams();
    const most = 500; // moves in an address
    if (this.way) {
      q.set("from", this.trail[this.way === "goal" ? 0 : n - 1]!.key);
      q.set("to", this.way);
    } else if (n <= most) {
      q.set("from", this.trail[0]!.key);
      q.set("moves", this.trail.slice(1).map((st) => st.move).join(" "));
    } else return here;
    q.set("place", String(this.at));
    return `${here}?${q}`;
  }

  private button(icon: keyof typeof icons, name: string, f: () => void): HTMLButtonElement {
    const b = h("button", { type: "button", class: "icon", "aria-label": name, title: name }, iconOf(icon));
    b.addEventListener("click", f);
    return b;
  }

  private look(key: string): Promise<Seen> {
    let p = this.seen.get(key);
    if (!p) {
      // Who looks at a state is at it or next to it, which is where it is looked for first.
      const near = this.trail[this.at];
      p = get<Seen>(`${runPath(this.view.run)}/state/${key}${near?.known && near.depth >= 0 ? `?depth=${near.depth}&distance=${near.goal_distance}` : ""}`, this.view.signal);
      p.catch(() => this.seen.delete(key));
      this.seen.set(key, p);
    }
    return p;
  }

  private get here(): State {
    return this.trail[this.at] as State;
  }

  // to shows another state of the trail.
  private async to(i: number): Promise<void> {
    i = Math.max(0, Math.min(this.trail.length - 1, i));
    if (i === this.at) return;
    this.at = i;
    await this.show();
  }

  private async show(): Promise<void> {
    if (this.view.signal.aborted || !(await this.arrive())) return;
    const st = this.here;
    readdress(this.view, this.address());
    if (this.said.dataset.of !== st.key) fill(this.said); // it was about another state
    const graph = runHash(this.view.run, "graph");
    for (const a of document.querySelectorAll("#crumbs .tabs a")) {
      if (a.getAttribute("href")?.split("?")[0] === graph) a.setAttribute("href", `${graph}?at=${st.key}`);
    }
    this.showFacts(st);
    this.showTrail();
    for (const el of [this.neighbours, this.values]) el.classList.toggle("stale", this.neighbours.dataset.of !== st.key);
    for (let i = 1; i <= 4; i++) {
      const next = this.trail[this.at + i];
      if (next && isPart(next)) describe(next).catch(() => undefined);
      else if (next && this.details.pictured) this.board.load(next).catch(() => undefined);
    }
    try {
      await this.board.show(st);
      if (this.timer) return;
      await this.showNeighbours(st);
      await this.showValues(st);
      if (this.failed && this.here === st) fill(this.said);
      this.failed = false;
    } catch (e) {
      this.complain(e);
      this.failed = true;
    }
  }

  // arrive fetches the part of the trail that is here, and returns false if it cannot, or if
  // another call does it: that one goes on from where the position is then.
  private async arrive(): Promise<boolean> {
    if (!isPart(this.here)) return true;
    this.showTrail();
    if (this.arriving) return false;
    this.arriving = true;
    try {
      while (isPart(this.here)) await describe(this.here);
      return !this.view.signal.aborted;
    } catch (e) {
      this.complain(e);
      this.failed = true;
      return false;
    } finally {
      this.arriving = false;
    }
  }

  private complain(e: unknown): void {
    if (this.view.signal.aborted) return;
    fill(this.said, failure(e));
    this.said.dataset.of = this.here.key;
  }

  private showFacts(st: State): void {
    const before = this.trail[this.at - 1];
    const d = st.goal_distance;
    const change = before && before.goal_distance >= 0 && d >= 0 ? d - before.goal_distance : 0;
    fill(this.big, st.goal ? h("span", { class: "goal-mark" }, "★ goal")
      : d >= 0 ? [h("span", { class: "number" }, count(d)), ` ${d === 1 ? "move" : "moves"} to the goal`]
        : st.known ? this.withoutDistance() : "not reached by this run",
    change ? h("span", { class: `delta ${change < 0 ? "nearer" : "farther"}` }, change < 0 ? `${count(-change)} nearer` : `${count(change)} farther`) : null);
    text(this.where, `${st.known ? `depth ${count(st.depth)}` : "not yet reached"}${this.trail.length > 1 ? `, ${count(this.at)} of ${counted(this.trail.length - 1, "move")}` : ""}${st.move ? `, by ${st.move}` : ""}`);
    keepFocus(this.solve.parentElement!, () => { this.solve.disabled = !(d > 0); });
    if (!this.undo.length && document.activeElement === this.undoButton) this.playButton.focus({ preventScroll: true });
    this.undoButton.disabled = this.undo.length === 0;
    refill(this.links, h("a", { class: "button small", href: `${runHash(this.view.run, "graph")}?at=${st.key}` }, "In the graph"),
      editable(this.details.family) && st.text ? h("a", { class: "button small", href: editHash(`${this.details.text.split("\n\n", 1)[0]!.replace(/^notation: .*$/m, "notation: letters-extended")}\n\n${st.text}\n`) }, "Edit") : null,
      h("button", { type: "button", class: "small", onclick: () => void navigator.clipboard?.writeText(st.text ?? "").then(() => text(this.said, "copied"), (e: unknown) => fill(this.said, failure(e))) }, "Copy the board"));
  }

  // withoutDistance explains why a state has no goal distance, and what can be done.
  private withoutDistance(): (string | Node)[] {
    const run = live.runs.get(this.view.run);
    if (run?.distances) return ["no goal can be reached from here"];
    if (!run?.enumerated || !this.details.has_goal) return ["goal distance not known"];
    return ["goal distances have not been computed ", ...controls(run)];
  }

  private showTrail(): void {
    const n = this.trail.length;
    this.scrub.max = String(n - 1);
    this.scrub.value = String(this.at);
    this.scrub.disabled = n < 2;
    const most = 300; // moves that are listed at a time
    const page = n > 2 * most ? Math.floor(Math.max(0, this.at - 1) / most) : 0;
    const from = page * most;
    const to = n > 2 * most ? Math.min(n - 1, from + most) : n - 1;
    const before = from ? 1 : 0; // elements before the first move
    if (this.drawn?.trail !== this.trail) this.showProfile();
    if (this.drawn?.trail !== this.trail || this.drawn.page !== page) {
      refill(this.moves,
        before ? this.far(from, `… ${count(from)} before`) : null,
        this.trail.slice(from + 1, to + 1).map((st, i) => {
          const b = h("button", { type: "button" }, st.move ?? "?");
          b.addEventListener("click", () => void this.to(from + i + 1));
          return h("li", {}, b);
        }),
        to < n - 1 ? this.far(to + 1, `${count(n - 1 - to)} after …`) : null);
      this.drawn = { trail: this.trail, page };
    }
    const x = String((100 * this.at) / Math.max(1, n - 1));
    this.profile.querySelector(".at")?.setAttribute("x1", x);
    this.profile.querySelector(".at")?.setAttribute("x2", x);
    this.moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const li = this.at ? this.moves.children[this.at - 1 - from + before] : null;
    if (li instanceof HTMLElement) {
      li.setAttribute("aria-current", "step");
      this.moves.scrollTop = li.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
    }
  }

  // far returns an element of the list of moves that stands for those of other pages.
  private far(to: number, label: string): HTMLElement {
    const b = h("button", { type: "button" }, label);
    b.addEventListener("click", () => void this.to(to));
    return h("li", {}, b);
  }

  // showProfile draws the goal distances of the trail, if they are known: as many as can be
  // seen.
  private showProfile(): void {
    const n = this.trail.length;
    const step = Math.ceil(n / 1000);
    const at = Array.from({ length: Math.ceil(n / step) }, (_, i) => i * step);
    if (at.at(-1) !== n - 1) at.push(n - 1);
    const distances = at.map((i) => this.trail[i]!.goal_distance);
    const most = largest(distances, 1);
    const points = at.map((i, k) => `${((100 * i) / Math.max(1, n - 1)).toFixed(2)},${(28 - 26 * Math.max(0, distances[k]!) / most).toFixed(2)}`);
    const known = at.every((i) => !isPart(this.trail[i]!) || this.trail[i]!.goal_distance >= 0);
    fill(this.profile, n > 1 ? [known ? s("polygon", { points: `0,30 ${points.join(" ")} 100,30` }) as unknown as Node : null, s("line", { class: "at", y1: 0, y2: 30 }) as unknown as Node] : null);
  }

  private async showNeighbours(st: State): Promise<void> {
    const seen = await this.look(st.key);
    if (this.here.key !== st.key || this.neighbours.dataset.of === st.key) return;
    this.neighbours.dataset.of = st.key;
    this.neighbours.classList.remove("stale");
    text(this.around, counted(seen.neighbours.length, "neighbour"));
    if (seen.neighbours.length) text(this.how, this.details.shape ? "Drag a layer to turn it, or the space beside the puzzle to look at it from another side; or press a move." : movesPieces(seen.board, seen.neighbours) ? "Drag pieces, or press a mark or a move." : "Press a move, or a neighbour below.");
    refill(this.neighbours, seen.neighbours.map((n) => {
      const change = n.goal_distance >= 0 && st.goal_distance >= 0 ? n.goal_distance - st.goal_distance : 0;
      const note = h("span", {}, h("b", {}, n.move ?? ""), ` ${caption(n)} `,
        change ? h("span", { class: `delta ${change < 0 ? "nearer" : "farther"}` }, change < 0 ? "nearer" : "farther") : null);
      const card = stateCard(this.view.run, n, this.details, note);
      card.addEventListener("click", (e) => {
        if (e.ctrlKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        void this.step(n);
      });
      return card;
    }));
  }

  // showValues shows the moves as buttons, with the value of each there and on the
  // board.
  private async showValues(st: State): Promise<void> {
    const seen = await this.look(st.key);
    if (this.here !== st) return;
    const values = seen.neighbours.map((n) => (this.hints.checked ? valueOf(st, n) : ""));
    const most = 60; // buttons; the list below has all neighbours
    const rest = seen.neighbours.length - most;
    this.values.classList.remove("stale");
    refill(this.values, seen.neighbours.slice(0, most).map((n, k) => {
      const value = values[k];
      const by = n.goal_distance - st.goal_distance;
      const b = h("button", { type: "button", class: "small", "data-value": value || null, title: value ? `${value}${value === "lost" ? ": no goal can be reached" : `, ${count(n.goal_distance)} to go`}` : null },
        h("b", {}, n.move ?? "?"), value ? h("span", { class: `value ${value}` }, by && value !== "lost" ? `${signs[value]}${Math.abs(by)}` : signs[value]) : null);
      b.addEventListener("click", () => void this.step(n));
      return b;
    }), rest > 0 ? h("span", { class: "dim" }, `and ${rest} more below`) : null);
    void this.board.mark(seen.neighbours, values);
  }

  // step goes to a neighbour, along the trail if it is next there.
  private async step(next: State): Promise<void> {
    this.stop();
    // What is pressed twice, or on a board that lags behind, is no move from here.
    const { key } = this.here;
    const seen = await this.look(key).catch(() => null);
    if (this.here.key !== key || !seen?.neighbours.includes(next)) return;
    if (this.trail[this.at + 1]?.key === next.key) return this.to(this.at + 1);
    this.remember();
    this.trail = [...this.trail.slice(0, this.at + 1), { ...next }];
    this.at++;
    await this.complete(next.key);
    await this.show();
  }

  // input goes where an input of the game leads, if it changes anything.
  private async input(name: string): Promise<void> {
    const next = (await this.look(this.here.key)).neighbours.find((n) => n.move === name);
    if (next) await this.step(next);
  }

  // complete adds what a neighbour lacks.
  private async complete(key: string): Promise<void> {
    const seen = await this.look(key).catch(() => null); // show says what is wrong
    const st = this.here;
    if (seen && st.key === key) this.trail[this.at] = { ...st, text: seen.text, drawing: seen.drawing, board: st.board ?? seen.board } as State;
  }

  private remember(was = { trail: this.trail, at: this.at, way: this.way }): void {
    this.undo.push(was);
    this.way = "";
    const most = this.trail.length > 10_000 ? 20 : 1000; // each may be another array
    while (this.undo.length > most) this.undo.shift();
  }

  private back(): void {
    const last = this.undo.pop();
    if (!last) return;
    this.stop();
    this.trail = last.trail;
    this.at = last.at;
    this.way = last.way;
    void this.show();
  }

  // dragTo makes the moves that take a piece along a way. Undo takes them back together.
  private async dragTo(piece: number, way: Shift[]): Promise<boolean> {
    const st = this.here;
    const moves = await movesOf(await this.look(st.key), piece, way, (key) => this.look(key));
    // What the server does not answer is not begun.
    for (const next of moves ?? []) await this.look(next.key);
    if (!moves || this.here !== st) return false;
    this.stop();
    const was = { trail: this.trail, at: this.at, way: this.way };
    for (const next of moves) {
      if (this.trail[this.at + 1]?.key !== next.key) {
        if (this.trail === was.trail) this.remember(was);
        this.trail = [...this.trail.slice(0, this.at + 1), { ...next }];
      }
      this.at++;
      await this.complete(next.key);
    }
    await this.show();
    return true;
  }

  private async follow(to: "goal" | "start", show = true): Promise<void> {
    this.stop();
    const late = this.ask();
    try {
      const way = await pathOf(this.view.run, this.here.key, to, this.view.signal);
      if (late()) return;
      this.remember();
      const at = to === "goal" ? 0 : way.length - 1;
      this.trail = this.as(way, at); // what is here now belongs to the old place
      this.at = at;
      this.way = to;
      fill(this.said);
      if (show) await this.show();
    } catch (e) {
      this.complain(e);
    }
  }

  private toggle(): void {
    if (this.timer) return this.stop();
    if (this.at === this.trail.length - 1) {
      if (this.trail.length < 2) return;
      this.at = 0;
    }
    const tick = async () => {
      const mine = this.timer;
      await this.to(this.at + 1);
      if (this.timer !== mine) return; // stopped meanwhile, or begun again
      if (this.at >= this.trail.length - 1) return this.stop();
      this.timer = window.setTimeout(() => void tick(), Number(this.speed.value));
    };
    this.timer = window.setTimeout(() => void tick(), 0);
    fill(this.playButton, iconOf("pause"));
    this.playButton.setAttribute("aria-label", "Pause (space)");
  }

  private stop(): void {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = 0;
    fill(this.playButton, iconOf("play"));
    this.playButton.setAttribute("aria-label", "Play (space)");
    const st = this.here;
    void this.showNeighbours(st).then(() => this.showValues(st)).catch(() => undefined);
  }

  private key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || target.closest("input[type=text], textarea, select")) return;
    if (e.key === " " && target.closest("button, main a, summary, input[type=checkbox]")) return; // it is theirs
    const range = target.matches("input[type=range]");
    const input = inputs[e.key];
    if (input && !range && this.details.family === "puzzlescript") {
      e.preventDefault();
      void this.input(input).catch(() => undefined);
      return;
    }
    const actions: Record<string, () => void> = {
      n: () => void this.to(this.at + 1), p: () => void this.to(this.at - 1),
      N: () => void this.to(this.trail.length - 1), P: () => void this.to(0),
      ArrowRight: () => void (range || this.to(this.at + 1)), ArrowLeft: () => void (range || this.to(this.at - 1)),
      " ": () => this.toggle(), u: () => this.back(),
    };
    const act = actions[e.key];
    if (!act) return;
    if (!range) e.preventDefault();
    if (e.key !== " ") this.stop();
    act();
  }

  private pasteForm(): HTMLElement {
    const area = h("textarea", { rows: 2, spellcheck: "false", "aria-label": "Moves to replay from here", placeholder: "Paste a solution: moves from here" });
    const said = h("div", { class: "said", role: "status" });
    const form = h("form", { class: "find" }, area, h("button", {}, "Replay"), said);
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      try {
        const n = await this.walk(area.value);
        if (n < 0) return;
        fill(said, counted(n, "move"));
        await this.show();
      } catch (err) {
        const where = err instanceof Problem && err.line ? `line ${err.line}, column ${err.column}: ` : "";
        fill(said, h("span", { class: "failure" }, where, (err as Error).message));
      }
    });
    return h("details", {}, h("summary", {}, "Replay a solution"), form);
  }
}
