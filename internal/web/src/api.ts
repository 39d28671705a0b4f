// What the server says: see runs.go, source.go and states.go.

export interface Run {
  name: string; title: string; puzzle: string; metric: string; state: string; problem?: string;
  phase?: string; depth: number; layers: number[] | null; goal_layers: number[] | null;
  states: number; goal_phase_states: number; generated: number; duplicates: number;
  frontier: number; expanded: number; goal_states: number;
  states_per_second: number; seconds: number; memory_bytes: number; disk_bytes: number; exchanged_bytes: number;
  solution_length: number | null; unsolvable_states: number | null;
  enumerated: boolean; distances: boolean; readable: boolean; can: string[] | null; workers?: Worker[];
}

export interface Worker {
  name: string; address: string; state: string; silent_seconds: number; stage: string; partitions: number; weight: number;
  memory_bytes: number; sent_bytes: number; expanded: number; written: number;
}

export interface Details {
  text: string; note: string; start: string; key_bits: number; pictured: boolean; has_goal: boolean;
  goals: number[] | null; layer_bytes: number[] | null; layer_seconds: number[] | null; layer_generated: number[] | null;
  partitions: number[]; homes: string[] | null;
}

export interface Piece { kind: number; label?: string; colour: number; cells: number[] }
export interface Board { rows: number; cols: number; pieces: Piece[] }

export interface State {
  key: string; text?: string; drawing?: string; known: boolean; depth: number; goal: boolean; goal_distance: number;
  move?: string; board?: Board;
}

export interface Seen extends State { predecessor: State | null; neighbours: State[] }

export interface Metric { name: string; summary: string }

export interface Info {
  version: string; read_only: boolean;
  families: { name: string; summary: string; metrics: Metric[]; example: string }[];
}

export interface Checked {
  boards: { name: string; family: string; metric: string; note: string; picture: string; drawing: string; goal_distances: boolean; metrics: Metric[] }[];
  total: number;
}

// Problem is an answer that says what did not work.
export class Problem extends Error {
  constructor(message: string, readonly status: number, readonly line = 0, readonly column = 0, readonly token = false) {
    super(message);
  }
}

async function problemOf(res: Response): Promise<Problem> {
  try {
    const p = await res.json();
    return new Problem(String(p.error), res.status, p.line ?? 0, p.column ?? 0, p.token ?? false);
  } catch {
    return new Problem(`the server answers ${res.status}`, res.status);
  }
}

let needToken: () => void = () => {};

export function onToken(f: () => void): void {
  needToken = f;
}

export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  let res: Response;
  try {
    res = await fetch(`api/${path}`, init);
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw new Problem("the server does not answer", 0);
  }
  if (res.ok) return res;
  const p = await problemOf(res);
  if (p.token) needToken();
  throw p;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await call(path, signal ? { signal } : {})).json()) as T;
}

export async function post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  if (signal) init.signal = signal;
  return (await (await call(path, init)).json()) as T;
}

export function runPath(run: string): string {
  return `runs/${encodeURIComponent(run)}`;
}

export function pictureURL(run: string, key: string, labels = false): string {
  return `api/${runPath(run)}/picture/${key}${labels ? "?labels=1" : ""}`;
}

// Live is what is known of all runs, kept up by the server's events.
export class Live {
  readonly runs = new Map<string, Run>();
  trouble = "";
  connected = false;
  heard = false;
  private watchers = new Set<() => void>();
  private frame = 0;
  private source: EventSource | null = null;
  private order: string[] = [];

  start(): void {
    this.source?.close();
    const source = (this.source = new EventSource("api/events"));
    source.addEventListener("open", () => this.set(true));
    source.addEventListener("error", () => {
      this.set(false);
      // The browser tries again by itself unless it was refused.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.source === source && this.start(), 3000);
    });
    source.addEventListener("run", (e) => {
      const run = JSON.parse((e as MessageEvent).data) as Run;
      this.runs.set(run.name, run);
      this.changed();
    });
    source.addEventListener("runs", (e) => {
      const all = JSON.parse((e as MessageEvent).data) as { runs: string[]; trouble: string };
      this.order = all.runs;
      this.trouble = all.trouble;
      this.heard = true;
      for (const name of [...this.runs.keys()]) if (!all.runs.includes(name)) this.runs.delete(name);
      this.changed();
    });
  }

  list(): Run[] {
    return this.order.flatMap((name) => this.runs.get(name) ?? []);
  }

  // watch calls f now and whenever something has changed, at most once a frame.
  watch(f: () => void, signal: AbortSignal): void {
    this.watchers.add(f);
    signal.addEventListener("abort", () => this.watchers.delete(f));
    f();
  }

  private set(connected: boolean): void {
    this.connected = connected;
    this.changed();
  }

  private changed(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      for (const f of [...this.watchers]) f();
    });
  }
}

export const live = new Live();
