// Counts, bytes and durations, for people.

/** `1 row`, `1,234,567 rows`. */
export function countText(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `999 B`, `1.5 MB`: powers of 1000. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 9.95 ? 1 : 0)} ${units[unit]}`;
}

/** `1 s`, `2 min 5 s`: no finer than what is worth waiting for. */
export function remainingText(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `0.4 ms`, `12 ms`, `3.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${ms.toFixed(0)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
