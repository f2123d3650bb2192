/**
 * Changes to a JSON text that leave all the rest of it as its writer had it: order, spacing, keys that nobody knows. The text
 * given is valid JSON (`JSON.parse` took it) and holds one object; of keys that come twice the last counts, as it does there.
 */

/** The text with `item` at the end of the list at `path`; objects and the list on the way are made where they are missing. */
export function appendToList(text: string, path: ListPath, item: string): string {
  const style = styleOf(text);
  let at = text.indexOf('{');
  for (const [depth, key] of path.entries()) {
    const member = partsOf(text, at).findLast(part => part.key === key);
    if (member === undefined) {
      const rest = path.slice(depth + 1).reduceRight<NewValue>((value, name) => ({[name]: value}), [item]);
      const {levels, unit} = placeOf(text, at, style);
      const written =
        style.lines === 'one' ? JSON.stringify(rest) : indented(rest, {...style, unit, levels: levels + 1});
      return insertLast(text, at, {
        written: `${JSON.stringify(key)}:${style.lines === 'one' ? '' : ' '}${written}`,
        style,
      });
    }
    at = member.from;
  }
  return insertLast(text, at, {written: JSON.stringify(item), style});
}

/** The text without those items of the list at `path` that `isGone` names; the same text where there are none. */
export function removeFromList(text: string, path: ListPath, isGone: (item: string) => boolean): string {
  let at = text.indexOf('{');
  for (const key of path) {
    const member = partsOf(text, at).findLast(part => part.key === key);
    if (member === undefined) return text;
    at = member.from;
  }
  const items = partsOf(text, at);
  const end = closingOf(text, at, items);
  const gone = items.map(({from, to}) => {
    const value: unknown = JSON.parse(text.slice(from, to));
    return typeof value === 'string' && isGone(value);
  });
  if (!gone.includes(true)) return text;
  const first = items[0];
  const last = items.at(-1);
  if (first === undefined || last === undefined) return text;
  if (!gone.includes(false)) return `${text.slice(0, at + 1)}${text.slice(end)}`;
  // What stands between two items belongs to the second; the first that stays keeps the place of the first.
  let list = text.slice(at + 1, first.from);
  let kept: 'none' | 'some' = 'none';
  for (const [index, item] of items.entries()) {
    if (gone[index] === true) continue;
    const before = items[index - 1];
    if (kept === 'some' && before !== undefined) list += text.slice(before.to, item.from);
    list += text.slice(item.from, item.to);
    kept = 'some';
  }
  return `${text.slice(0, at + 1)}${list}${text.slice(last.to)}`;
}

/** The keys from the outermost object down to a list. */
export type ListPath = readonly [string, ...string[]];

type NewValue = readonly string[] | {readonly [key: string]: NewValue};

/** A value inside an object or list; `key` is empty in a list. `start` is where its key begins, or itself. Half open. */
interface Part {
  readonly key: string;
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

/** The members or items of the object or list that opens at `open`; what they hold in turn is passed over. */
function partsOf(text: string, open: number): readonly Part[] {
  const parts: Part[] = [];
  let at = skipSpace(text, open + 1);
  while (at < text.length && text.charAt(at) !== '}' && text.charAt(at) !== ']') {
    const start = at;
    let key = '';
    if (text.charAt(open) === '{') {
      const keyEnd = endOfString(text, at);
      const read: unknown = JSON.parse(text.slice(at, keyEnd));
      key = String(read);
      at = skipSpace(text, skipSpace(text, keyEnd) + 1);
    }
    const to = endOfValue(text, at);
    parts.push({key, start, from: at, to});
    at = skipSpace(text, to);
    if (text.charAt(at) === ',') at = skipSpace(text, at + 1);
  }
  return parts;
}

const skipSpace = (text: string, from: number): number => {
  let at = from;
  while (/[ \t\r\n]/u.test(text.charAt(at))) at += 1;
  return at;
};

function endOfString(text: string, quote: number): number {
  let at = quote + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const char = text.charAt(at);
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') {
      depth += 1;
      at += 1;
    } else if (char === '}' || char === ']') {
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
    } else if (depth === 0 && /[,\s]/u.test(char)) return at;
    else at += 1;
    if (depth === 0 && /["}\]]/u.test(char)) return at;
  }
  return text.length;
}

const closingOf = (text: string, open: number, parts: readonly Part[]): number =>
  skipSpace(text, parts.at(-1)?.to ?? open + 1);

interface Style {
  readonly unit: string;
  readonly newline: string;
  readonly lines: 'one' | 'several';
}

function styleOf(text: string): Style {
  const [, newline = '\n', unit = '  '] = /(\r?\n)([ \t]+)/u.exec(text) ?? [];
  return {unit, newline, lines: text.trim().includes('\n') || text.replaceAll(/\s/gu, '') === '{}' ? 'several' : 'one'};
}

/** How deep the line on which `open` stands is indented, in units. */
function placeOf(text: string, open: number, {unit}: Style): {readonly levels: number; readonly unit: string} {
  const line = text.slice(text.lastIndexOf('\n', open) + 1, open);
  const indent = /^[ \t]*/u.exec(line)?.[0] ?? '';
  return {levels: Math.round(indent.length / unit.length), unit};
}

function indented(value: NewValue, style: Style & {readonly levels: number}): string {
  const lines = JSON.stringify(value, undefined, style.unit).split('\n');
  return lines.join(style.newline + style.unit.repeat(style.levels));
}

function insertLast(
  text: string,
  open: number,
  {written, style}: {readonly written: string; readonly style: Style},
): string {
  const parts = partsOf(text, open);
  const last = parts.at(-1);
  if (last === undefined) {
    const end = closingOf(text, open, parts);
    const {levels, unit} = placeOf(text, open, style);
    const inner =
      style.lines === 'one'
        ? written
        : `${style.newline}${unit.repeat(levels + 1)}${written}${style.newline}${unit.repeat(levels)}`;
    return `${text.slice(0, open + 1)}${inner}${text.slice(end)}`;
  }
  const before = parts.at(-2);
  // As the last one was set apart from what stands before it.
  const gap = text.slice(before === undefined ? open + 1 : text.indexOf(',', before.to) + 1, last.start);
  const apart = before === undefined && !gap.includes('\n') ? (style.lines === 'one' && gap === '' ? '' : ' ') : gap;
  return `${text.slice(0, last.to)},${apart}${written}${text.slice(last.to)}`;
}
