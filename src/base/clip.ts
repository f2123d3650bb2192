/** Cuts `text` to at most `max` UTF-16 units, ending in `…` when something was cut; never splits a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = isHighSurrogate(text.charCodeAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, Math.max(0, end))}…`;
}

/** The first line of `text`, cut to `max`: for labels and notices. */
export function firstLine(text: string, max: number): string {
  const trimmed = text.trimStart();
  const end = trimmed.search(/[\r\n]/u);
  if (end < 0) return clip(trimmed, max);
  const line = trimmed.slice(0, end);
  return line.length >= max ? clip(line, max) : `${line} …`;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
