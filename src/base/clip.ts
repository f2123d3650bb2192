/** Cuts `text` to at most `max` UTF-16 units, with `…` at the end if something was cut. Never splits a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = isHighSurrogate(text.charCodeAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, Math.max(0, end))}…`;
}

/** Returns the end of `text`, which begins with `…` if something was cut. */
export function clipStart(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max + 1;
  return `…${text.slice(isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start)}`;
}

/** Returns the first line of `text`, cut to `max` UTF-16 units, for labels and notices. ` …` shows that more lines follow. */
export function firstLine(text: string, max: number): string {
  const trimmed = text.trimStart();
  const end = trimmed.search(/[\r\n]/u);
  if (end < 0) return clip(trimmed, max);
  const line = trimmed.slice(0, end);
  return line.length >= max ? clip(line, max) : `${line} …`;
}

/** True if a UTF-16 unit is the first half of a surrogate pair. */
export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Removes white space at both ends and replaces each run of white space inside by one space. */
export const collapseSpaces = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ');

/** Writes a count with its noun: `1 line`, `3 lines`. */
export const pluralize = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
