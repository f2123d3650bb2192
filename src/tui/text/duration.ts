/** Formats milliseconds as `2.7 s`, `41 s`, `1 m 12 s` or `2 h 05 m`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (milliseconds < 9950 && milliseconds % 1000 !== 0) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} m`;
}

/** Formats a running time in whole seconds, because tenths would flicker. */
export const wholeSeconds = (milliseconds: number): string => durationText(Math.floor(milliseconds / 1000) * 1000);

const twoDigits = (count: number): string => String(count).padStart(2, '0');
