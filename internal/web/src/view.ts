// What a view receives, and the addresses of views.

import { type Info, post } from "./api";
import { h } from "./dom";

// View is what a view receives. It ends when signal is aborted.
export interface View {
  root: HTMLElement;
  signal: AbortSignal;
  info: Info;
  run: string;
  rest: string[];
  query: URLSearchParams;
  hash: string; // of the address that shows it
}

// readdress writes to the address what a view shows, unless the address has changed: then
// the page is about to show another view.
export function readdress(view: View, hash: string): void {
  if (view.signal.aborted || location.hash !== view.hash) return;
  history.replaceState(null, "", hash);
  view.hash = location.hash;
}

export function go(hash: string): void {
  location.hash = hash;
}

// starter returns what starts a run and goes there, unless the user has left the view
// meanwhile. Asked again before a run has started, it does nothing.
export function starter(view: View): (board: object, ...to: string[]) => Promise<void> {
  let starting = false;
  return async (board, ...to) => {
    if (starting) return;
    starting = true;
    try {
      const { name } = await post<{ name: string }>("runs", board);
      if (!view.signal.aborted) go(runHash(name, ...to));
    } finally {
      starting = false;
    }
  };
}

export function runHash(run: string, ...rest: string[]): string {
  return `#/r/${[run, ...rest].map(encodeURIComponent).join("/")}`;
}

// editHash returns the address where a board is edited.
export function editHash(board: string): string {
  return `#/edit?board=${encodeURIComponent(board)}`;
}

// editable reports whether boards of a family can be edited: edit.Families.
export function editable(family: string): boolean {
  return ["rush-hour", "blocks", "sokoban", "peg", "tiles"].includes(family);
}

// failure returns what is shown in place of a part that failed.
export function failure(e: unknown): HTMLElement {
  return h("p", { class: "failure", role: "alert" }, e instanceof Error ? e.message : String(e));
}

// tabsOf returns links to the views of a run, with the open one marked.
export function tabsOf(run: string, open: string, tabs: [string, string][]): HTMLElement {
  return h("div", { class: "tabs" }, tabs.map(([id, label]) =>
    h("a", { href: runHash(run, ...(id ? [id] : [])), "aria-current": id === open ? "page" : null }, label)));
}

// themes makes the button switch between dark and light.
export function themes(): void {
  const root = document.documentElement;
  const kept = localStorage.getItem("theme");
  if (kept) root.dataset.theme = kept;
  document.getElementById("theme")?.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
    window.dispatchEvent(new Event("themechange"));
  });
}

// skipLink makes the link go to the content: the address selects the view.
export function skipLink(main: HTMLElement): void {
  (document.getElementById("skip") as HTMLElement).addEventListener("click", (e) => {
    e.preventDefault();
    main.focus();
  });
}
