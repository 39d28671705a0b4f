// States of a run: the notable ones, any layer, any pasted board.

import { type Details, Problem, type Seen, type State, get, live, post, runPath } from "./api";
import { type View, failure, go, readdress, runHash } from "./view";
import { thumb } from "./board";
import { fill, h } from "./dom";
import { bounded, count, counted } from "./format";

const page = 60;

// caption describes where a state is in the space.
export function caption(st: State): string {
  if (!st.known) return "not reached";
  return `depth ${count(st.depth)}${st.goal ? ", a goal" : st.goal_distance >= 0 ? `, ${count(st.goal_distance)} to go` : ""}`;
}

export async function showStates(view: View): Promise<void> {
  const which = view.query.get("which") ?? "start";
  const layer = bounded(view.query.get("layer"));
  let offset = bounded(view.query.get("offset"));
  const at = (w: string, l = 0, o = 0) =>
    `${runHash(view.run, "states")}?which=${w}${w === "depth" || w === "distance" ? `&layer=${l}` : ""}${o ? `&offset=${o}` : ""}`;
  const details = await get<Details>(runPath(view.run), view.signal);
  const run = live.runs.get(view.run);
  const choices: [string, string][] = [["start", "Start"], ["goal", "Goals"], ["hardest", "Hardest"], ["deepest", "Deepest"], ["depth", "A depth"], ["distance", "A goal distance"]];
  const chips = h("div", { class: "chips", role: "group", "aria-label": "Which states" }, choices
    .filter(([w]) => w !== "distance" && w !== "hardest" || run?.distances !== false)
    .filter(([w]) => w !== "goal" || details.has_goal)
    .map(([w, label]) => h("a", { class: "chip", href: at(w, w === which ? layer : 0), "aria-current": w === which ? "true" : null }, label)));
  const find = findForm(view);
  const grid = h("div", { class: "states" });
  const about = h("div", { class: "about" });
  view.root.append(h("div", { class: "states-top" }, chips, find), about, grid);
  if (which === "depth" || which === "distance") {
    const layers = (which === "depth" ? run?.layers : run?.goal_layers) ?? [];
    const slider = h("input", { type: "range", min: 0, max: Math.max(0, layers.length - 1), value: layer, "aria-label": which === "depth" ? "Depth" : "Goal distance" });
    slider.addEventListener("change", () => go(at(which, Number(slider.value))));
    about.append(h("div", { class: "layer-pick" },
      h("a", { class: "button", href: layer > 0 ? at(which, layer - 1) : null, "aria-label": "Previous layer" }, "‹"), slider,
      h("a", { class: "button", href: layer < layers.length - 1 ? at(which, layer + 1) : null, "aria-label": "Next layer" }, "›"),
      h("strong", {}, `${which === "depth" ? "depth" : "goal distance"} ${layer}`)));
  }
  const loading = h("p", { class: "dim" }, "Looking …");
  grid.append(loading);
  let answer: { states: State[]; total: number; listed: number };
  try {
    const ask = (): Promise<typeof answer> => get(`${runPath(view.run)}/states?which=${which}&layer=${layer}&offset=${offset}&limit=${page}`, view.signal);
    answer = await ask();
    if (offset && offset >= answer.listed) { // the address says a page after the last
      offset = page * Math.floor(Math.max(0, answer.listed - 1) / page);
      readdress(view, at(which, layer, offset));
      answer = await ask();
    }
  } catch (e) {
    if (!view.signal.aborted) fill(grid, failure(e));
    return;
  }
  const last = offset + answer.states.length;
  const pager = answer.total > page ? h("div", { class: "pager" },
    h("a", { class: "button", href: offset > 0 ? at(which, layer, Math.max(0, offset - page)) : null }, "‹ previous"),
    h("span", {}, `${count(offset + 1)} to ${count(last)} of ${count(answer.total)}`, answer.listed < answer.total ? h("span", { class: "dim" }, ` (the first ${count(answer.listed)} are listed)`) : null),
    h("a", { class: "button", href: last < answer.listed ? at(which, layer, last) : null }, "next ›")) : h("span", { class: "dim" }, counted(answer.total, "state"));
  about.append(pager);
  fill(grid, answer.states.map((st) => stateCard(view.run, st, details)));
}

// stateCard returns a small board that links to its state.
export function stateCard(run: string, st: State, details: Details, note?: Node): HTMLElement {
  return h("a", { class: `state-card${st.goal ? " is-goal" : ""}`, href: runHash(run, "s", st.key), "data-key": st.key },
    thumb(run, st, details), h("span", { class: "caption" }, note ?? caption(st)));
}

function findForm(view: View): HTMLElement {
  const area = h("textarea", { rows: 2, spellcheck: "false", "aria-label": "A board of this puzzle", placeholder: "Paste a board of this puzzle" });
  const said = h("div", { class: "said", role: "status" });
  const form = h("form", { class: "find" }, area, h("button", {}, "Find"), said);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    try {
      const st = await post<Seen>(`${runPath(view.run)}/find`, { text: area.value }, view.signal);
      go(runHash(view.run, "s", st.key));
    } catch (err) {
      const where = err instanceof Problem && err.line ? `line ${err.line}, column ${err.column}: ` : "";
      fill(said, h("span", { class: "failure" }, where, (err as Error).message));
    }
  });
  return form;
}
