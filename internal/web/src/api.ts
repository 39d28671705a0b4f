// Types of the server's answers: see runs.go, source.go and states.go.

export interface Run {
  name: string; title: string; puzzle: string; metric: string; state: string; problem?: string; directory?: string; expected_states?: number;
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
  text: string; note: string; start: string; key_bits: number; family: string; pictured: boolean; has_goal: boolean;
  solid?: number[]; // cells of boards that nothing enters
  shape?: Shape; // of a solid body
  goals: number[] | null; layer_bytes: number[] | null; layer_seconds: number[] | null; layer_generated: number[] | null;
  partitions: number[]; homes: string[] | null;
}

// Shape is a solid body: see internal/solid/shape.go.
export interface Shape {
  name: string; colours: string[]; facelets: number[][]; base: string; yaw: number; pitch: number; stacked?: boolean;
  places: { facelets: number[]; seen: Record<string, string>; with?: number }[];
  axes: { along: [number, number, number]; cuts: number[]; sections: number[][] }[];
  moves: { name: string; axis: number; first: number; last: number; angle: number }[];
}

// Timeline is how a run went: a row per moment.
export interface Timeline { seconds: number[]; states: number[]; memory_bytes: number[]; disk_bytes: number[] }

export interface Piece { kind: number; label?: string; colour: number; cells: number[] }
// The cells are a grid, unless spots has their middles.
export interface Board { rows: number; cols: number; pieces: Piece[]; spots?: Shift[] }

type Shift = [number, number];

export interface State {
  key: string; text?: string; drawing?: string; known: boolean; depth: number; goal: boolean; goal_distance: number;
  move?: string; by?: number; board?: Board;
}

export interface Seen extends State { predecessor: State | null; neighbours: State[] }

export interface Metric { name: string; summary: string }

export interface Info {
  version: string; read_only: boolean; session?: boolean;
  families: { name: string; summary: string; metrics: Metric[]; example: string }[];
}

export interface Checked {
  boards: { name: string; family: string; metric: string; note: string; picture: string; drawing: string; goal_distances: boolean; metrics: Metric[] }[];
  total: number;
}

// Problem is an error that the server reports.
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
    return new Problem(`the server answered with status ${res.status}`, res.status);
  }
}

let needToken: () => void = () => {};
let ask = (path: string, init: RequestInit): Promise<Response> => fetch(`api/${path}`, init);
let imageURL = (path: string): string => `api/${path}`;

// answerFrom makes something other than the server answer: a file that was sent by
// itself.
export function answerFrom(answer: typeof ask, image: typeof imageURL): void {
  ask = answer;
  imageURL = image;
}

export function onToken(f: () => void): void {
  needToken = f;
}

export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  let res: Response;
  try {
    res = await ask(path, init);
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw new Problem("the server does not answer", 0);
  }
  if (res.ok) return res;
  const p = await problemOf(res);
  if (p.token && path !== "login") needToken();
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

// picturePath returns the address of a state's picture, after the move that led to it.
export function picturePath(run: string, st: { key: string; by?: number }, labels = false): string {
  const query = [labels ? "labels=1" : "", st.by === undefined ? "" : `by=${st.by}`].filter(Boolean).join("&");
  return `${runPath(run)}/picture/${st.key}${query ? `?${query}` : ""}`;
}

export function thumbnailURL(run: string): string {
  return imageURL(`${runPath(run)}/thumbnail`);
}

export function pictureURL(run: string, st: { key: string; by?: number }, labels = false): string {
  return imageURL(picturePath(run, st, labels));
}

// News is what tabs send one another: an event from the server, or that a tab has
// opened.
type News = { run: Run } | { runs: string[]; trouble: string } | { connected: boolean } | "came";

// Live holds the status of all runs, updated by the server's events. All tabs of a
// browser share six connections to a server, so one visible tab listens for all.
export class Live {
  readonly runs = new Map<string, Run>();
  trouble = "";
  connected = false;
  heard = false;
  private watchers = new Set<() => void>();
  private frame = 0;
  private over = new AbortController();
  private order: string[] = [];

  start(): void {
    this.stop();
    if (document.hidden) return;
    const signal = (this.over = new AbortController()).signal;
    if (!navigator.locks) return this.listen(signal, () => {}); // not available over HTTP from another machine
    const others = new BroadcastChannel("events");
    let listening = false;
    others.onmessage = (e) => {
      const news = e.data as News;
      if (news !== "came") this.take(news);
      else if (listening) for (const known of this.known()) others.postMessage(known);
    };
    others.postMessage("came");
    signal.addEventListener("abort", () => others.close());
    navigator.locks.request("events", { signal }, () => new Promise<void>((resolve) => {
      listening = true;
      signal.addEventListener("abort", () => resolve());
      this.listen(signal, (news) => others.postMessage(news));
    })).catch(() => {}); // it was stopped before its turn
  }

  stop(): void {
    this.over.abort();
  }

  private listen(signal: AbortSignal, tell: (news: News) => void): void {
    const source = new EventSource("api/events");
    signal.addEventListener("abort", () => source.close());
    const take = (news: News) => {
      this.take(news);
      tell(news);
    };
    source.addEventListener("open", () => take({ connected: true }));
    source.addEventListener("error", () => {
      take({ connected: false });
      // The browser retries by itself unless it was refused.
      if (source.readyState !== EventSource.CLOSED) return;
      // If the session has ended, this asks for the token.
      void call("info", { signal }).catch(() => undefined);
      setTimeout(() => signal.aborted || this.start(), 3000);
    });
    for (const kind of ["run", "runs"] as const) {
      source.addEventListener(kind, (e) => {
        const said = JSON.parse((e as MessageEvent).data);
        take(kind === "run" ? { run: said as Run } : said as News);
      });
    }
  }

  private known(): News[] {
    return [{ connected: this.connected }, ...[...this.runs.values()].map((run) => ({ run })), { runs: this.order, trouble: this.trouble }];
  }

  private take(news: News): void {
    if (news === "came") return;
    if ("run" in news) {
      this.runs.set(news.run.name, news.run);
    } else if ("connected" in news) {
      this.connected = news.connected;
    } else {
      this.order = news.runs;
      this.trouble = news.trouble;
      this.connected = this.heard = true;
      for (const name of [...this.runs.keys()]) if (!news.runs.includes(name)) this.runs.delete(name);
    }
    this.changed();
  }

  // know adds runs without a server.
  know(...runs: Run[]): void {
    for (const run of runs) this.take({ run });
    this.take({ runs: runs.map((r) => r.name), trouble: "" });
  }

  list(): Run[] {
    return this.order.flatMap((name) => this.runs.get(name) ?? []);
  }

  // watch calls f now and whenever something has changed, at most once per frame.
  watch(f: () => void, signal: AbortSignal): void {
    this.watchers.add(f);
    signal.addEventListener("abort", () => this.watchers.delete(f));
    f();
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
