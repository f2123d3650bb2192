/** Describes how long ago something was, in the largest unit that fits: `3 h ago`. */
export function timeAgo(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  for (const [unit, length] of units)
    if (seconds >= length) return `${String(Math.floor(seconds / length))} ${unit} ago`;
  return 'just now';
}

const units = [
  ['y', 31_536_000],
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;
