// The colours of goal distances and depths, wherever they are shown: package draw has
// the same scale.

const scale = ["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"].map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));

export function isDark(): boolean {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// colourOf returns the colour at a part of the scale, 0 to 1. The end that would not
// stand out from the page is left out.
export function colourOf(part: number, dark: boolean): number[] {
  const t = (dark ? 0.15 + 0.85 * part : 0.85 * part) * (scale.length - 1);
  const i = Math.min(scale.length - 2, Math.floor(t));
  return [0, 1, 2].map((k) => Math.round(scale[i]![k]! + (t - i) * (scale[i + 1]![k]! - scale[i]![k]!)));
}

export function css(colour: number[]): string {
  return `rgb(${colour.join(" ")})`;
}

// onTheme calls f when the page changes between light and dark.
export function onTheme(f: () => void, signal?: AbortSignal): void {
  const o = signal ? { signal } : {};
  window.addEventListener("themechange", f, o);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", f, o);
}
