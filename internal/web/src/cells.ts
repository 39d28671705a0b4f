// A board as it is edited: cells with symbols, what can be taken from a cell and put on
// it, and the text that the program reads.

// Held is what has been taken: symbols of cells, from the one that is under the finger.
export interface Held { kind: string; name: string; cells: [number, number, string][] }

// Stamp is something to put on a board.
export interface Stamp { label: string; held: Held }

const one = (kind: string, name: string, symbol: string): Stamp => ({ label: name, held: { kind, name, cells: [[0, 0, symbol]] } });
const box = (name: string, rows: number, cols: number, symbol = "?"): Stamp => ({
  label: name, held: { kind: "piece", name, cells: Array.from({ length: rows * cols }, (_, i): [number, number, string] => [Math.floor(i / cols), i % cols, symbol]) },
});

const letters = "BCDEFGHIJKLMNOPQRSTUVWYZAX";

// A Family says how its boards are edited.
interface Family {
  empty: string; // the symbol of an empty cell
  size: [number, number]; // of a new board
  most: number; // rows and columns
  headers: [string, string][];
  first: (rows: number, cols: number) => string[][];
  stamps: (goal: string) => Stamp[];
}

const grid = (rows: number, cols: number, symbol: string): string[][] => Array.from({ length: rows }, () => Array<string>(cols).fill(symbol));

export const families: Record<string, Family> = {
  "rush-hour": {
    empty: ".", size: [6, 6], most: 16, headers: [["puzzle", "rush-hour"], ["metric", "step"], ["notation", "letters"], ["size", ""], ["goal", "A"], ["exit", "right"]],
    first: (rows, cols) => {
      const g = grid(rows, cols, ".");
      const row = g[Math.max(0, Math.floor((rows - 1) / 2))]!;
      row[0] = "A";
      if (cols > 2) row[1] = "A";
      return g;
    },
    stamps: (goal) => [box("car across", 1, 2), box("car down", 2, 1), box("truck across", 1, 3), box("truck down", 3, 1), box("goal car", 1, 2, goal), one("wall", "wall", "x")],
  },
  blocks: {
    empty: ".", size: [5, 4], most: 16, headers: [["puzzle", "blocks"], ["metric", "step"], ["goal", "A at r4c2"]],
    first: (rows, cols) => {
      const g = grid(rows, cols, ".");
      for (const [r, c] of [[0, 1], [0, 2], [1, 1], [1, 2]] as const) if (g[r]?.[c]) g[r]![c] = "A";
      return g;
    },
    stamps: () => [box("1×1", 1, 1), box("1×2", 1, 2), box("2×1", 2, 1), box("2×2", 2, 2),
      { label: "corner", held: { kind: "piece", name: "corner", cells: [[0, 0, "?"], [1, 0, "?"], [1, 1, "?"]] } }, one("wall", "wall", "#"), one("goal", "goal place", "")],
  },
  sokoban: {
    empty: " ", size: [6, 7], most: 24, headers: [["puzzle", "sokoban"], ["metric", "push"]],
    first: (rows, cols) => {
      const g = grid(rows, cols, " ").map((row, r) => row.map((_, c): string => (r === 0 || c === 0 || r === rows - 1 || c === cols - 1 ? "#" : " ")));
      if (rows > 3 && cols > 4) [g[1]![1], g[2]![2], g[2]![3]] = ["@", "$", "."];
      return g;
    },
    stamps: () => [one("wall", "wall", "#"), one("box", "box", "$"), one("target", "target", "."), one("player", "player", "@")],
  },
  peg: {
    empty: " ", size: [5, 5], most: 12, headers: [["puzzle", "peg-square"], ["metric", "jump"]],
    first: (rows, cols) => {
      const g = grid(rows, cols, "o");
      g[Math.floor(rows / 2)]![Math.floor(cols / 2)] = ".";
      return g;
    },
    stamps: () => [one("peg", "peg", "o"), one("hole", "hole", ".")],
  },
  tiles: {
    empty: "0", size: [3, 3], most: 8, headers: [["puzzle", "tiles"], ["metric", "tile"]],
    first: (rows, cols) => Array.from({ length: rows }, (_, r) => Array.from({ length: cols }, (_, c) => String((r * cols + c + 1) % (rows * cols)))),
    stamps: () => [],
  },
};

export function familyOf(name: string): string {
  return name.startsWith("peg") ? "peg" : name;
}

export class Cells {
  constructor(readonly family: string, public headers: [string, string][], public grid: string[][]) {}

  static empty(family: string, rows = families[family]!.size[0], cols = families[family]!.size[1]): Cells {
    const f = families[family]!;
    return new Cells(family, f.headers.map(([k, v]) => [k, v]), f.first(rows, cols));
  }

  // parse reads a text as the server writes it: headers, a blank line, rows.
  static parse(text: string): Cells | null {
    const [head = "", ...rest] = text.split("\n\n");
    const headers = head.split("\n").map((line): [string, string] => {
      const i = line.indexOf(":");
      return [line.slice(0, i).trim(), line.slice(i + 1).trim()];
    });
    const family = familyOf(headers.find(([k]) => k === "puzzle")?.[1] ?? "");
    const f = families[family];
    if (!f || !rest.length) return null;
    const lines = rest.join("\n\n").replace(/\n+$/, "").split("\n");
    const triangle = headers[0]?.[1] === "peg-tri";
    const rows = lines.map((line) => (family === "tiles" ? line.trim().split(/\s+/) : [...(triangle ? line.replace(/\s/g, "") : line)]));
    const cols = Math.max(...rows.map((r) => r.length));
    if (cols < 1 || cols > 64 || rows.length > 64) return null;
    return new Cells(family, headers, rows.map((r) => [...r, ...Array<string>(cols - r.length).fill(f.empty)]));
  }

  get rows(): number { return this.grid.length; }
  get cols(): number { return this.grid[0]!.length; }
  get triangle(): boolean { return this.header("puzzle") === "peg-tri"; }

  header(key: string): string {
    return this.headers.find(([k]) => k === key)?.[1] ?? "";
  }

  // setHeader changes a header, or removes it if the value is empty.
  setHeader(key: string, value: string): void {
    const at = this.headers.findIndex(([k]) => k === key);
    if (at < 0 && value) this.headers.push([key, value]);
    else if (value) this.headers[at]![1] = value;
    else if (at >= 0) this.headers.splice(at, 1);
  }

  copy(): Cells {
    return new Cells(this.family, this.headers.map(([k, v]) => [k, v]), this.grid.map((r) => [...r]));
  }

  // text is what the program reads.
  text(): string {
    const used = new Set(this.grid.flat());
    if (this.family === "rush-hour") {
      this.setHeader("size", `${this.rows}x${this.cols}`);
      this.setHeader("notation", [...used].some((s) => /[0-9a-np-wyz]/.test(s)) ? "letters-extended" : "letters");
      for (const key of ["vertical", "horizontal"]) this.setHeader(key, this.header(key).split(/\s+/).filter((s) => used.has(s)).join(" "));
    }
    const row = (r: string[]) => (this.family === "tiles" ? r.join(" ") : r.join("").trimEnd());
    const rows = this.grid.map(row);
    return `${this.headers.map(([k, v]) => `${k}: ${v}`).join("\n")}\n\n${rows.join("\n")}\n`;
  }

  // cellAt returns the cell of a position in the text.
  cellAt(line: number, column: number): [number, number] | null {
    const r = line - this.headers.length - 2;
    if (r < 0 || r >= this.rows) return null;
    if (this.family !== "tiles") return [r, Math.max(0, Math.min(this.cols - 1, column - 1))];
    return [r, Math.min(this.cols - 1, this.grid[r]!.join(" ").slice(0, Math.max(0, column - 1)).split(" ").length - 1)];
  }

  private at(r: number, c: number): string | undefined {
    return this.grid[r]?.[c];
  }

  // whole reports whether symbols name pieces of several cells.
  get whole(): boolean {
    return this.family === "rush-hour" || this.family === "blocks";
  }

  isPiece(symbol: string | undefined): boolean {
    return this.whole && symbol !== undefined && /[A-Za-z0-9]/.test(symbol) && !(this.family === "rush-hour" && "ox".includes(symbol));
  }

  // exit returns the cell at which the goal vehicle leaves the board, null if it cannot
  // drive there.
  exit(): [number, number] | null {
    if (this.family !== "rush-hour") return null;
    const own = this.grid.flatMap((row, r) => row.flatMap((s, c): [number, number][] => (s === this.header("goal") ? [[r, c]] : [])));
    const [first, second] = own;
    if (!first || !second) return null;
    const across = first[0] === second[0];
    const to = { left: [first[0], 0], right: [first[0], this.cols - 1], top: [0, first[1]], bottom: [this.rows - 1, first[1]] }[this.header("exit")] as [number, number] | undefined;
    return to && across === ["left", "right"].includes(this.header("exit")) ? to : null;
  }

  // name says what is in a cell.
  name(r: number, c: number): string {
    const symbol = this.at(r, c) ?? "";
    if (this.isPiece(symbol)) return `${this.family === "blocks" ? "block" : symbol === this.header("goal") ? "goal vehicle" : "vehicle"} ${symbol}`;
    if (this.family === "tiles") return symbol === "0" ? "the hole" : `tile ${symbol}`;
    const names: Record<string, string> = this.family === "peg" ? { o: "peg", ".": "empty hole" }
      : this.family === "sokoban" ? { "#": "wall", ".": "target", $: "box", "*": "box on a target", "@": "player", "+": "player on a target" } : { x: "wall", "#": "wall" };
    return names[symbol] ?? (this.family === "peg" ? "no hole" : "empty");
  }

  // take removes what is in a cell, null if there is nothing.
  take(r: number, c: number): Held | null {
    const symbol = this.at(r, c);
    const name = this.name(r, c);
    const f = families[this.family]!;
    if (symbol === undefined || symbol === f.empty) return null;
    const set = (to: string) => { this.grid[r]![c] = to; };
    if (this.isPiece(symbol)) {
      const cells: [number, number, string][] = [];
      this.grid.forEach((row, i) => row.forEach((s, j) => {
        if (s !== symbol) return;
        cells.push([i - r, j - c, s]);
        row[j] = f.empty;
      }));
      return { kind: "piece", name, cells };
    }
    if (this.family === "tiles") {
      set("0");
      return { kind: `from ${r},${c}`, name, cells: [[0, 0, symbol]] };
    }
    if (this.family === "sokoban" && "$*@+".includes(symbol)) {
      set("*+".includes(symbol) ? "." : " ");
      return { kind: "$*".includes(symbol) ? "box" : "player", name, cells: [[0, 0, "$*".includes(symbol) ? "$" : "@"]] };
    }
    set(symbol === "o" ? "." : f.empty);
    return { kind: symbol === "o" ? "peg" : this.family === "peg" ? "hole" : symbol === "." ? "target" : "wall", name, cells: [[0, 0, symbol]] };
  }

  // put puts something on the board, and returns whether there was room.
  put(held: Held, r: number, c: number): boolean {
    const f = families[this.family]!;
    const here = this.at(r, c);
    if (held.kind === "goal") {
      if (here === undefined) return false;
      this.setHeader("goal", `${/^\w/.exec(this.header("goal"))?.[0] ?? "A"} at r${r + 1}c${c + 1}`);
      return true;
    }
    if (held.kind.startsWith("from ")) { // tiles change places
      const [fr, fc] = held.kind.slice(5).split(",").map(Number) as [number, number];
      if (here === undefined) return false;
      this.grid[fr]![fc] = here;
      this.grid[r]![c] = held.cells[0]![2];
      return true;
    }
    if (held.kind === "piece") {
      if (!held.cells.every(([dr, dc]) => this.at(r + dr, c + dc) === f.empty)) return false;
      const used = new Set(this.grid.flat());
      let symbol = held.cells[0]![2];
      if (symbol === "?" || used.has(symbol)) {
        const more = this.family === "rush-hour" ? "0123456789abcdefghijklmnpqrstuvwyz" : "0123456789abcdefghijklmnopqrstuvwxyz";
        if (symbol !== "?") return false; // the goal vehicle is there
        symbol = [...letters, ...more].find((s) => !used.has(s) && s !== this.header("goal") && !(this.family === "blocks" && s === "A")) ?? "";
        if (!symbol) return false;
      }
      for (const [dr, dc] of held.cells) this.grid[r + dr]![c + dc] = symbol;
      return true;
    }
    const [, , symbol] = held.cells[0]!;
    const becomes: Record<string, string> = {
      wall: here === f.empty ? symbol : "", hole: here === " " || here === "o" ? "." : "", peg: here === "." || here === " " ? "o" : "",
      target: { " ": ".", $: "*", "@": "+" }[here ?? ""] ?? "", box: { " ": "$", ".": "*" }[here ?? ""] ?? "", player: { " ": "@", ".": "+" }[here ?? ""] ?? "",
    };
    const to = becomes[held.kind];
    if (!to) return false;
    if (held.kind === "player") this.grid.forEach((row) => row.forEach((s, j) => { if (s === "@" || s === "+") row[j] = s === "+" ? "." : " "; }));
    this.grid[r]![c] = to;
    return true;
  }

  // resize returns the board in another size. Pieces that do not fit are left out.
  resize(rows: number, cols: number): Cells {
    if (this.family === "tiles") return Cells.empty("tiles", rows, cols);
    const next = this.copy();
    const { empty } = families[this.family]!;
    next.grid = grid(rows, cols, empty).map((row, r) => row.map((_, c) => this.at(r, c) ?? empty));
    if (!this.whole) return next;
    const count = (g: string[][], s: string) => g.flat().filter((x) => x === s).length;
    next.grid = next.grid.map((row) => row.map((s) => (this.isPiece(s) && count(next.grid, s) < count(this.grid, s) ? empty : s)));
    return next;
  }
}

// turned returns something turned by a quarter, around the cell that is held.
export function turned(held: Held): Held {
  return { ...held, cells: held.cells.map(([r, c, s]) => [c, -r, s]) };
}
