// A space held in a file, which answers what the page otherwise asks a server: see
// playable/file.go. A state's key is its number.

import type { Board, Details, Piece, Run, Seen, Shape, State } from "./api";

interface Header {
  run: string; title: string; version: string; family: string; metric: string; note: string; text: string; start: number;
  layers: number[]; goal_layers: number[]; moves: string[];
  grounds: { svg: string; rows: number; cols: number; spots?: [number, number][]; solid?: number[] }[]; parts: (Piece & { svg: string })[]; parts_end: string; shape?: Shape;
  columns: { name: string; bytes: number; count: number }[];
}

// Way is a path that was asked for.
interface Way { of: number; to: string; first: number; moves: number[] }

const none = 0xffff;
const isGoal = 1;

// unpack reads the compressed text in an element of the page.
export async function unpack(packed: string): Promise<Uint8Array> {
  const raw = atob(packed);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Space {
  readonly head: Header;
  private depth: Uint16Array;
  private distance: Uint16Array;
  private flags: Uint8Array;
  private at: Int16Array;
  private first: Uint32Array; // first move of each state
  private target: Uint32Array;
  private move: Uint32Array;
  private staged: Uint32Array | null = null;
  private ground: Uint16Array;
  private parts: Uint16Array;
  private texts: (i: number) => string;
  private parents: Uint32Array | null = null;
  private last: Way | null = null;

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (view.getUint32(0) !== 0x45535031) throw new Error("the file is damaged"); // ESP1
    const headEnd = 8 + view.getUint32(4, true);
    const utf8 = new TextDecoder();
    this.head = JSON.parse(utf8.decode(bytes.subarray(8, headEnd))) as Header;
    let offset = headEnd;
    const columns = new Map<string, { body: Uint8Array; bytes: number; count: number }>();
    for (const c of this.head.columns) {
      columns.set(c.name, { ...c, body: bytes.subarray(offset, offset + c.bytes * c.count) });
      offset += c.bytes * c.count;
    }
    const fill = <T extends Uint8Array | Uint16Array | Uint32Array | Int16Array>(name: string, make: (n: number) => T): T => {
      const c = columns.get(name) ?? { body: new Uint8Array(), bytes: 1, count: 0 };
      const out = make(c.count);
      for (let b = 0, k = 0; b < c.bytes; b++) for (let i = 0; i < c.count; i++, k++) out[i]! |= c.body[k]! << (8 * b);
      return out;
    };
    this.depth = fill("depth", (n) => new Uint16Array(n));
    this.distance = fill("distance", (n) => new Uint16Array(n));
    this.flags = fill("flags", (n) => new Uint8Array(n));
    this.at = fill("at", (n) => new Int16Array(n));
    this.target = fill("target", (n) => new Uint32Array(n));
    this.move = fill("move", (n) => new Uint32Array(n));
    this.ground = fill("ground", (n) => new Uint16Array(n));
    this.parts = fill("parts", (n) => new Uint16Array(n));
    if (columns.has("staged")) this.staged = fill("staged", (n) => new Uint32Array(n));
    const degree = fill("degree", (n) => new Uint32Array(n));
    this.first = new Uint32Array(degree.length + 1);
    for (let i = 0; i < degree.length; i++) this.first[i + 1] = this.first[i]! + degree[i]!;
    for (let i = 0; i < this.n; i++) {
      for (let e = this.first[i]!; e < this.first[i + 1]!; e++) this.target[e] = i + ((this.target[e]! >>> 1) ^ -(this.target[e]! & 1));
    }
    this.texts = this.textsOf(columns.get("text")!, utf8);
  }

  get n(): number {
    return this.depth.length;
  }

  private textsOf(c: { body: Uint8Array; bytes: number; count: number }, utf8: TextDecoder): (i: number) => string {
    if (c.count !== this.n) {
      const all = utf8.decode(c.body).split("\0");
      return (i) => all[i] ?? "";
    }
    return (i) => utf8.decode(Uint8Array.from({ length: c.bytes }, (_, k) => c.body[k * c.count + i]!));
  }

  // picture assembles a board from its parts.
  private picture(look: number): string {
    return this.head.grounds[this.ground[look]!]!.svg + this.partsOf(look).map((p) => p.svg).join("") + this.head.parts_end;
  }

  private partsOf(look: number): (Piece & { svg: string })[] {
    const looks = this.ground.length;
    const out = [];
    for (let k = look; k < this.parts.length && this.parts[k] !== none; k += looks) out.push(this.head.parts[this.parts[k]!]!);
    return out;
  }

  private boardOf(look: number): Board {
    const { rows, cols, spots } = this.head.grounds[this.ground[look]!]!;
    return { rows, cols, spots, pieces: this.partsOf(look) };
  }

  private distanceOf(i: number): number {
    return this.distance[i] === none ? -1 : this.distance[i]!;
  }

  private state(i: number): State {
    const text = this.texts(i);
    return { key: String(i), text, drawing: text, known: true, depth: this.depth[i]!, goal: !!(this.flags[i]! & isGoal), goal_distance: this.distanceOf(i), board: this.boardOf(i) };
  }

  // after returns the state after a move, with the picture that the move leaves.
  private after(e: number): State {
    const st = { ...this.state(this.target[e]!), move: this.nameOf(e) };
    const by = this.staged?.[e];
    return by === undefined ? st : { ...st, by, board: this.boardOf(by) };
  }

  private edges(i: number): number[] {
    return Array.from({ length: this.first[i + 1]! - this.first[i]! }, (_, k) => this.first[i]! + k);
  }

  // way returns a path as the state that it begins at and its moves, and keeps the last one.
  private way(i: number, to: string): Way {
    if (this.last?.of !== i || this.last.to !== to) this.last = { of: i, to, ...(to === "start" ? this.fromStart(i) : this.toGoal(i)) };
    return this.last;
  }

  private toGoal(first: number): { first: number; moves: number[] } {
    if (this.distance[first] === none) throw new Error("no goal can be reached from here");
    const moves: number[] = [];
    for (let i = first; this.distance[i]; i = this.target[moves.at(-1)!]!) {
      const e = this.edges(i).find((k) => this.distance[this.target[k]!] === this.distance[i]! - 1);
      if (e === undefined) throw new Error("the file is damaged");
      moves.push(e);
    }
    return { first, moves };
  }

  private fromStart(i: number): { first: number; moves: number[] } {
    if (!this.parents) {
      this.parents = new Uint32Array(this.n).fill(0xffffffff);
      for (let from = 0; from < this.n; from++) {
        for (let e = this.first[from]!; e < this.first[from + 1]!; e++) {
          const to = this.target[e]!;
          if (this.depth[to] === this.depth[from]! + 1 && this.parents[to] === 0xffffffff) this.parents[to] = e;
        }
      }
    }
    const moves: number[] = [];
    let from = i;
    while (this.depth[from]) {
      const e = this.parents[from]!;
      moves.push(e);
      from = this.stateOf(e);
    }
    return { first: from, moves: moves.reverse() };
  }

  // path describes a path, or a part of it.
  private path({ first, moves }: Way, offset: number, limit: number): { states: State[]; total: number } {
    const states = moves.slice(Math.max(0, offset - 1), offset + limit - 1).map((e) => this.after(e));
    return { states: offset ? states : [this.state(first), ...states], total: moves.length + 1 };
  }

  // movesOf returns the moves of a path, and the goal distances on it.
  private movesOf({ first, moves }: Way): { names: string[]; moves: number[]; distances: number[] } {
    return { names: this.head.moves, moves: moves.map((e) => this.move[e]!), distances: [this.distanceOf(first), ...moves.map((e) => this.distanceOf(this.target[e]!))] };
  }

  // nodesOf returns the nodes of the states of a path.
  private nodesOf({ first, moves }: Way): number[] {
    return [first, ...moves.map((e) => this.target[e]!)];
  }

  // stateOf returns the state that a move begins at: the last one whose moves begin at
  // or before it.
  private stateOf(e: number): number {
    let [low, high] = [0, this.n - 1];
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.first[mid]! <= e) low = mid;
      else high = mid - 1;
    }
    return low;
  }

  private nameOf(e: number): string {
    return this.head.moves[this.move[e]!]!;
  }

  // replay follows moves by their names. The longest name wins, as one may be the prefix
  // of another.
  private replay(i: number, text: string): State[] {
    const way = [this.state(i)];
    const skip = /^[\s,;]+/;
    for (let rest = text.replace(skip, ""); rest; ) {
      const fits = this.edges(i).filter((e) => rest.startsWith(this.nameOf(e)) && /^([\s,;]|$)/.test(rest.slice(this.nameOf(e).length)));
      const e = fits.sort((a, b) => this.nameOf(b).length - this.nameOf(a).length)[0];
      if (e === undefined) throw new Error(`"${rest.split(" ")[0]}" is not a move after ${way.length - 1}: the moves there are ${this.edges(i).map((k) => this.nameOf(k)).join(", ") || "none"}`);
      way.push(this.after(e));
      rest = rest.slice(this.nameOf(e).length).replace(skip, "");
      i = this.target[e]!;
    }
    return way;
  }

  private pick(which: string, layer: number): number[] {
    const all = (of: ArrayLike<number>, value: number) => Array.from({ length: this.n }, (_, i) => i).filter((i) => of[i] === value);
    const hardest = this.head.goal_layers.length - 1;
    switch (which) {
      case "start": return all(this.depth, 0);
      case "goal": return all(this.distance, 0);
      case "deepest": return all(this.depth, this.head.layers.length - 1);
      case "hardest": return all(this.distance, hardest);
      default: return all(which === "depth" ? this.depth : this.distance, layer);
    }
  }

  private find(text: string): State {
    const plain = (s: string) => s.replaceAll(" / ", "\n").trim();
    for (let i = 0; i < this.n; i++) if (plain(this.texts(i)) === plain(text)) return this.state(i);
    throw new Error("this file has no such board: write it the way this page does");
  }

  // graph returns what the server would send: see graph.go.
  private graph(): ArrayBuffer {
    const pairs: number[] = [];
    for (let i = 0; i < this.n; i++) {
      for (const j of new Set(this.target.subarray(this.first[i], this.first[i + 1]))) {
        // Once, even if a move leads back.
        if (j > i || (j < i && !this.leads(j, i))) pairs.push(i, j);
      }
    }
    const pad = (bytes: number) => (bytes + 3) & ~3;
    const sizes = [6 * this.n, 2 * this.n, 2 * this.n, this.n].map(pad);
    const out = new Uint8Array(12 + sizes.reduce((a, b) => a + b, 0) + 4 * pairs.length);
    const head = new DataView(out.buffer);
    head.setUint32(0, 0x45534731);
    head.setUint32(4, this.n, true);
    head.setUint32(8, pairs.length / 2, true);
    let offset = 12;
    [this.at, this.depth, this.distance, this.flags].forEach((column, k) => {
      out.set(new Uint8Array(column.buffer), offset);
      offset += sizes[k]!;
    });
    out.set(new Uint8Array(Uint32Array.from(pairs).buffer), offset);
    return out.buffer;
  }

  private leads(from: number, to: number): boolean {
    return this.target.subarray(this.first[from], this.first[from + 1]).includes(to);
  }

  // run returns the status of the run, as the server would.
  run(): Run {
    const { run: name, title, family: puzzle, metric, layers, goal_layers } = this.head;
    return {
      name, title, puzzle, metric, state: "complete", depth: layers.length - 1, layers, goal_layers, states: this.n, goal_phase_states: this.n,
      generated: this.target.length, duplicates: 0, frontier: 0, expanded: this.n, goal_states: goal_layers[0] ?? 0, states_per_second: 0, seconds: 0,
      memory_bytes: 0, disk_bytes: 0, exchanged_bytes: 0, solution_length: this.distanceOf(this.head.start), unsolvable_states: null,
      enumerated: true, distances: true, readable: true, can: null,
    };
  }

  private details(): Details {
    const { text, note, start, family, shape } = this.head;
    return {
      ...(shape ? { shape } : {}),
      text, note, start: String(start), key_bits: 32, family, pictured: true, has_goal: true, solid: this.head.grounds[0]?.solid ?? [], goals: null, layer_bytes: null, layer_seconds: null,
      layer_generated: null, partitions: [], homes: null,
    };
  }

  private number(key: string | undefined): number {
    const i = Number(key);
    if (!/^\d+$/.test(key ?? "") || i >= this.n) throw new Error(`this file has no state ${key ?? ""}`);
    return i;
  }

  // image returns the address of a picture.
  image(path: string): string {
    const [where = "", query = ""] = path.split("?");
    const by = new URLSearchParams(query).get("by");
    const look = by === null ? this.number(where.split("/")[3]) : Number(by);
    return `data:image/svg+xml,${encodeURIComponent(this.picture(look))}`;
  }

  // answer answers a request in place of the server.
  async answer(path: string, init: RequestInit): Promise<Response> {
    const [where = "", query = ""] = path.split("?");
    const [, , what, key] = where.split("/");
    const q = new URLSearchParams(query);
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    const json = (value: unknown) => new Response(JSON.stringify(value));
    try {
      switch (what) {
        case undefined: return json(this.details());
        case "state": {
          const i = this.number(key);
          return json({ ...this.state(i), predecessor: null, neighbours: this.edges(i).map((e) => this.after(e)) } satisfies Seen);
        }
        case "path": return json(this.path(this.way(this.number(key), q.get("to")!), Number(q.get("offset") ?? 0), Number(q.get("limit") ?? this.n)));
        case "moves": return json(this.movesOf(this.way(this.number(key), q.get("to")!)));
        case "replay": return json({ states: this.replay(this.number(body.from), String(body.moves)) });
        case "find": return json(this.find(String(body.text)));
        case "states": {
          const all = this.pick(q.get("which") ?? "start", Number(q.get("layer")));
          const offset = Number(q.get("offset"));
          return json({ states: all.slice(offset, offset + Number(q.get("limit"))).map((i) => this.state(i)), total: all.length, listed: all.length });
        }
        case "picture": return new Response(this.picture(q.has("by") ? Number(q.get("by")) : this.number(key)));
        case "graph":
          if (key === "node") return json(this.state(this.number(where.split("/")[4])));
          if (key === "path") return json({ nodes: this.nodesOf(this.way(this.number(where.split("/")[4]), q.get("to")!)) });
          if (key === "nodes") return json({ nodes: (body.keys as string[]).map((k) => this.number(k)) });
          return new Response(this.graph());
      }
      throw new Error("a file cannot do that");
    } catch (e) {
      return new Response(JSON.stringify({ error: (e as Error).message }), { status: 422 });
    }
  }
}
