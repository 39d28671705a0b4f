// The page of a file that was sent by itself: the player, the states and the graph of
// one run, without a server.

import { answerFrom, live } from "./api";
import { fill, h } from "./dom";
import { showGraph } from "./graph";
import { Space, unpack } from "./offline";
import { showPlayer } from "./player";
import { showStates } from "./states";
import { type View, failure, runHash, skipLink, tabsOf, themes } from "./view";

const main = document.getElementById("main") as HTMLElement;
const crumbs = document.getElementById("crumbs") as HTMLElement;
const tabs: [string, string][] = [["s", "Play"], ["states", "States"], ["graph", "Graph"]];
let over = new AbortController();

async function route(space: Space): Promise<void> {
  over.abort();
  over = new AbortController();
  const signal = over.signal;
  const { hash } = location;
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  const { run, title, version, family, metric } = space.head;
  const parts = path.split("/");
  const tab = tabs.some(([id]) => id === parts[2]) ? parts[2]! : "s";
  fill(crumbs, tabsOf(run, tab, tabs));
  document.title = title;
  const root = h("div", { class: `view view-${tab}` });
  fill(main, root, h("p", { class: "dim made" }, `${family}, ${metric}; made by Everystate ${version}. This file needs no network.`));
  const view: View = { root, signal, info: { version, read_only: true, families: [] }, run, rest: parts.slice(3), query: new URLSearchParams(search), hash };
  root.append(h("h1", { class: "unseen" }, `${tabs.find(([id]) => id === tab)![1]}: ${title}`));
  try {
    if (tab === "states") await showStates(view);
    else if (tab === "graph") await showGraph(view);
    else await showPlayer(view);
  } catch (e) {
    if (!signal.aborted) fill(root, failure(e));
  }
}

async function begin(): Promise<void> {
  const packed = document.getElementById("space") as HTMLElement;
  const space = new Space(await unpack(packed.textContent ?? ""));
  packed.remove();
  answerFrom((path, init) => space.answer(path, init), (path) => space.image(path));
  live.know(space.run());
  (document.querySelector(".brand") as HTMLAnchorElement).href = runHash(space.head.run, "s");
  window.addEventListener("hashchange", () => void route(space));
  await route(space);
}

themes();
skipLink(main);
begin().catch((e) => fill(main, failure(e)));
