// Paths of states. Of a long path the moves are fetched at once, and the states part by
// part, when they are looked at.

import { type State, get, runPath } from "./api";

interface Way { states: State[]; total: number }
interface Moves { names: string[]; moves: number[]; distances: number[] | null }

const first = 500; // states that are described at once
const part = 64;

// parts maps each state that is not described yet to the function that fetches its part.
const parts = new WeakMap<State, () => Promise<void>>();

// isPart reports whether a state of a path has yet to be described.
export function isPart(st: State): boolean {
  return parts.has(st);
}

// describe describes a state and those around it on its path.
export async function describe(st: State): Promise<void> {
  await parts.get(st)?.();
}

// pathOf returns a path from a state to its nearest goal, or from the start to it. The
// state itself is described.
export async function pathOf(run: string, key: string, to: "goal" | "start", signal: AbortSignal): Promise<State[]> {
  const path = `${runPath(run)}/path/${key}?to=${to}`;
  const window = (offset: number, limit: number) => get<Way>(`${path}&offset=${offset}&limit=${limit}`, signal);
  const way = await window(0, first);
  if (way.states.length === way.total) return way.states;
  const { names, moves, distances } = await get<Moves>(`${runPath(run)}/moves/${key}?to=${to}`, signal);
  const rest: State[] = [];
  for (let offset = way.states.length; offset < way.total; offset += part) {
    const here: State[] = [];
    for (let i = offset; i < Math.min(offset + part, way.total); i++) {
      here.push({ key: "", known: true, depth: to === "start" ? i : -1, goal: false, goal_distance: distances?.[i] ?? -1, move: names[moves[i - 1]!]! });
    }
    let asked: Promise<void> | null = null;
    const load = () => (asked ??= window(offset, part).then(({ states }) => {
      here.forEach((st, k) => {
        Object.assign(st, states[k]);
        parts.delete(st);
      });
    }, (e: unknown) => {
      asked = null;
      throw e;
    }));
    for (const st of here) parts.set(st, load);
    rest.push(...here);
  }
  const all = way.states.concat(rest);
  if (to === "start") await describe(all.at(-1)!);
  return all;
}
