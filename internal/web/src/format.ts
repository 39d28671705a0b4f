const whole = new Intl.NumberFormat("en-US");

export function count(n: number): string {
  return whole.format(Math.round(n));
}

// largest returns the largest of some numbers, or least if none is larger. Math.max takes
// only some ten thousands.
export function largest(numbers: readonly number[], least: number): number {
  return numbers.reduce((a, b) => (b > a ? b : a), least);
}

// bounded returns the whole number from 0 that is nearest to what was typed, 0 if that is
// no number.
export function bounded(n: string | number | null): number {
  return Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.round(Number(n)) || 0));
}

export function counted(n: number, thing: string): string {
  return `${count(n)} ${thing}${n === 1 ? "" : "s"}`;
}

// extremes returns the places of the values that a line of so many columns shows, in
// order: the first least and the first greatest of each column, the first and the last.
export function extremes(values: number[], columns: number): number[] {
  const n = values.length;
  if (n <= 4 * columns) return values.map((_, i) => i);
  const shown = [0];
  for (let c = 0; c < columns; c++) {
    const from = Math.floor((c * n) / columns);
    let [low, high] = [from, from];
    for (let i = from; i < Math.floor(((c + 1) * n) / columns); i++) {
      if (values[i]! < values[low]!) low = i;
      if (values[i]! > values[high]!) high = i;
    }
    shown.push(Math.min(low, high), Math.max(low, high));
  }
  shown.push(n - 1);
  return shown;
}

// brief formats a number in at most five characters.
export function brief(n: number): string {
  for (const [size, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (n >= size) return trim(n / size) + unit;
  }
  return trim(n);
}

function trim(n: number): string {
  return n >= 100 || Number.isInteger(n) ? n.toFixed(0) : n.toPrecision(n < 1 ? 2 : 3).replace(/\.?0+$/, "");
}

export function bytes(n: number): string {
  let unit = 0;
  while (n >= 1024 && unit < 4) {
    n /= 1024;
    unit++;
  }
  return `${trim(n)} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
