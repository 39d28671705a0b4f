// The page: which view is shown, and what surrounds it.

import { type Info, Problem, get, live, onToken, post } from "./api";
import { fill, h, sameControl, text } from "./dom";
import { type View, failure, runHash, skipLink, tabsOf, themes } from "./view";
import { showRuns } from "./runs";
import { showRun } from "./run";
import { showStates } from "./states";

const main = document.getElementById("main") as HTMLElement;
const crumbs = document.getElementById("crumbs") as HTMLElement;
let over = new AbortController();
let info: Info | null = null;

const tabs: [string, string][] = [["", "Overview"], ["states", "States"], ["s", "Player"], ["graph", "Graph"], ["compare", "Compare"]];

function showCrumbs(run: string, tab: string): void {
  if (!run) {
    fill(crumbs);
    return;
  }
  fill(crumbs, h("a", { class: "run-name", href: runHash(run) }, run), tabsOf(run, tab, tabs));
}

function nowhere(what: string): HTMLElement {
  return h("p", { class: "failure", role: "alert" }, what, " ", h("a", { href: "#/" }, "All runs"));
}

// readable waits until the states of a run can be read, and says so meanwhile. It
// returns false if the view has ended or there is no such run.
function readable(view: View): Promise<boolean> {
  const said = h("div", { class: "status", role: "status" });
  view.root.append(said);
  return new Promise((resolve) => {
    view.signal.addEventListener("abort", () => resolve(false));
    live.watch(() => {
      if (!live.heard || view.signal.aborted || !said.isConnected) return;
      const run = live.runs.get(view.run);
      const empty = !run?.layers?.length; // it was stopped before its first layer
      if (run?.state === "failed" || (run?.readable && !empty)) {
        said.remove();
        resolve(true);
      } else if (run?.readable) {
        fill(said, "There are no states yet: the run was stopped before its first layer. This page shows them once it has been resumed. ", h("a", { href: runHash(view.run) }, "To the run"));
      } else if (run) {
        fill(said, "States can be viewed once the run has stopped: this page then shows them. ", h("a", { href: runHash(view.run) }, "See how far it is"));
      } else {
        fill(said, nowhere(`There is no run ${view.run}.`));
      }
    }, view.signal);
  });
}

let left: Element | null = null; // what had the focus in the view before
let leftIn = main;

// route shows what the address says. The control that had the focus has it again if the new
// view has the same; otherwise the view has it, and not the whole page.
async function route(): Promise<void> {
  const now = document.activeElement;
  if (now && now !== document.body) {
    leftIn = crumbs.contains(now) ? crumbs : main;
    left = leftIn.contains(now) ? now : null;
  }
  const refocus = (last?: HTMLElement) => {
    if (left && document.activeElement === document.body) (sameControl(leftIn, left) ?? last)?.focus({ preventScroll: true });
  };
  const shown = show();
  const { signal } = over;
  refocus(); // a tab is there at once
  await shown;
  if (signal.aborted) return;
  refocus(main);
  left = null;
}

async function show(): Promise<void> {
  over.abort();
  over = new AbortController();
  const signal = over.signal;
  const { hash } = location;
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  let parts: string[];
  try {
    parts = path.split("/").map(decodeURIComponent);
  } catch {
    showCrumbs("", "");
    fill(main, nowhere("There is no such page: the address cannot be read."));
    return;
  }
  const run = parts[0] === "r" ? (parts[1] ?? "") : "";
  const tab = parts[2] ?? "";
  showCrumbs(run, tab);
  const label = tabs.find(([id]) => id === tab)?.[1];
  document.title = [run && tab ? label ?? tab : "", run || { edit: "Edit", sweeps: parts[1] || "Sweeps" }[parts[0] ?? ""], "Everystate"].filter(Boolean).join(" · ");
  if (!info) {
    try {
      info = await get<Info>("info");
    } catch (e) {
      if (!(e instanceof Problem && e.token)) fill(main, failure(e));
      return;
    }
    (document.getElementById("notice") as HTMLElement).hidden = !info.read_only;
    logout.hidden = !info.session;
    live.start();
  }
  if (signal.aborted) return;
  const root = h("div", { class: `view view-${run ? tab || "run" : parts[0] || "runs"}` });
  fill(main, root);
  window.scrollTo(0, 0);
  if (run && tab) root.append(h("h1", { class: "unseen" }, `${label ?? tab} of ${run}`));
  const view: View = { root, signal, info, run, rest: parts.slice(3), query: new URLSearchParams(search), hash };
  try {
    if (run && tab && !(await readable(view))) return;
    if (parts[0] === "edit" && parts.length === 1) await (await import("./edit")).showEditor(view);
    else if (parts[0] === "sweeps" && parts.length <= 2) await (await import("./sweeps")).showSweeps({ ...view, rest: parts.slice(1) });
    else if (!run && parts.join("")) fill(root, nowhere("There is no such page."));
    else if (!run) showRuns(view);
    else if (tab === "states") await showStates(view);
    else if (tab === "s") await (await import("./player")).showPlayer(view);
    else if (tab === "graph") await (await import("./graph")).showGraph(view);
    else if (tab === "compare") await (await import("./compare")).showCompare(view);
    else showRun(view);
  } catch (e) {
    if (!signal.aborted) fill(root, failure(e));
  }
}

function askToken(): void {
  over.abort(); // whatever was shown
  live.stop();
  info = null;
  text(link, "");
  logout.hidden = true;
  showCrumbs("", "");
  const input = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  const said = h("p", { class: "failure", role: "alert" });
  const form = h("form", { class: "card login" },
    h("h1", {}, "Sign in"),
    h("p", {}, "This coordinator requires a token. It keeps the token while you are signed in, for at most 12 hours after your last visit."),
    h("label", { for: "token" }, "Token"), input, said, h("button", { class: "primary" }, "Show runs"));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    text(said, "");
    try {
      await post("login", { token: input.value.trim() });
      await route();
    } catch (err) {
      text(said, (err as Error).message);
      input.select();
    }
  });
  fill(main, form);
  input.focus();
}

const logout = document.getElementById("logout") as HTMLButtonElement;
logout.addEventListener("click", async () => {
  await post("logout").catch(() => {});
  askToken();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) live.stop();
  else if (info) live.start();
});

themes();
skipLink(main);
onToken(askToken);
const link = document.getElementById("link") as HTMLElement;
live.watch(() => text(link, !info ? "" : live.connected ? live.trouble : "connection lost, reconnecting …"), new AbortController().signal);
window.addEventListener("hashchange", () => void route());
void route();
