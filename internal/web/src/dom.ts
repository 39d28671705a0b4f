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

// text changes an element's text only if it differs, which spares the browser a layout.
export function text(el: Element, value: string): void {
  if (el.textContent !== value) el.textContent = value;
}
