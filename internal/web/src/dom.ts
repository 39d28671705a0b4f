// Elements are made only here: text is always text, never markup.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attrs: Attributes = {}, ...children: (Child | Child[])[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  apply(el, attrs);
  add(el, children);
  return el;
}

const SVG = "http://www.w3.org/2000/svg";

export function s<K extends keyof SVGElementTagNameMap>(tag: K, attrs: Attributes = {}, ...children: (Child | Child[])[]): SVGElementTagNameMap[K] {
  const el = document.createElementNS(SVG, tag);
  apply(el, attrs);
  add(el, children);
  return el;
}

function apply(el: Element, attrs: Attributes): void {
  for (const [name, value] of Object.entries(attrs)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      el.addEventListener(name.slice(2), value as EventListener);
    } else {
      el.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

function add(el: Element, children: (Child | Child[])[]): void {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    el.append(child instanceof Node ? child : String(child));
  }
}

export function fill(el: Element, ...children: (Child | Child[])[]): void {
  el.replaceChildren();
  add(el, children);
}

const controls = "a, button, input, select, textarea, summary, [tabindex]";

function labelOf(el: Element): string {
  return el.id || (el.getAttribute("aria-label") ?? (el.querySelector("b") ?? el).textContent) || "";
}

// usable reports whether a control can have the focus.
function usable(el: Element): boolean {
  return el.isConnected && !el.matches(":disabled, a:not([href])");
}

// sameControl returns the control in an element that another one has become: that with
// its label.
export function sameControl(el: Element, was: Element): HTMLElement | undefined {
  const label = labelOf(was);
  return !label ? undefined : [...el.querySelectorAll<HTMLElement>(controls)].find((c) => usable(c) && c.tagName === was.tagName && labelOf(c) === label);
}

// keepFocus makes a change to an element. If what has the focus there is gone then, or
// disabled, the focus goes to the control with the same label, else near the same place.
export function keepFocus(el: Element, change: () => void): void {
  const was = document.activeElement;
  if (!was || was === el || !el.contains(was)) return change();
  const place = [...el.querySelectorAll(controls)].indexOf(was);
  change();
  if (document.activeElement === was && usable(was)) return;
  const all = [...el.querySelectorAll<HTMLElement>(controls)];
  const next = usable(was) ? was as HTMLElement : sameControl(el, was) ?? all.slice(Math.max(0, place)).find(usable) ?? all.filter(usable).at(-1);
  next?.focus({ preventScroll: true });
}

// refill fills an element again and keeps the focus in it.
export function refill(el: Element, ...children: (Child | Child[])[]): void {
  keepFocus(el, () => fill(el, ...children));
}

// text changes an element's text only if it differs, which spares the browser a layout.
export function text(el: Element, value: string): void {
  if (el.textContent !== value) el.textContent = value;
}
