// Elements of the page.

type Properties = Record<string, string | number | boolean | undefined>;

/** An element with attributes and children; strings become text, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children);
  return node;
}

const ICONS = {
  play: "M8 5.5v13l11-6.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  loop: "M7 7h9.2l-2-2L15.6 3.6 20 8l-4.4 4.4-1.4-1.4 2-2H8v3H6V8a1 1 0 0 1 1-1zm10 10H7.8l2 2-1.4 1.4L4 16l4.4-4.4 1.4 1.4-2 2H16v-3h2v4a1 1 0 0 1-1 1z",
  start: "M6 5h2.4v14H6zM19 5.5v13L9.6 12z",
  view: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
};

export function icon(name: keyof typeof ICONS): SVGElement {
  const svg = "http://www.w3.org/2000/svg";
  const node = document.createElementNS(svg, "svg");
  node.setAttribute("viewBox", "0 0 24 24");
  node.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg, "path");
  path.setAttribute("d", ICONS[name]);
  node.append(path);
  return node;
}

/** Four significant digits, as in armdyn's tables, and at most four decimals: it changes with time. */
export function number(x: number): string {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size < 5e-5) return "0";
  const digits = Math.max(0, Math.min(4, 3 - Math.floor(Math.log10(size))));
  return x.toFixed(digits).replace(/^-/, "−");
}

/** The same without trailing zeros, for constants. */
export function brief(x: number): string {
  return String(Number(x.toPrecision(4))).replace(/^-/, "−");
}

/** Names in quotation marks instead of the backquotes of messages in a terminal. */
export function quoted(text: string): string {
  return text.replace(/`([^`]*)`/g, "‘$1’");
}
