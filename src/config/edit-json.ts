import type {Json} from '../base/json.ts';

/**
 * Changes to a JSON text that leave all the rest of it as its writer had it: order, spacing, keys that nobody knows. The text
 * given is valid JSON (`JSON.parse` took it) and holds one object; of keys that come twice the last counts, as it does there.
 */

/** The text with `item` at the end of the list at `path`; objects and the list on the way are made where they are missing. */
export function appendToList(text: string, path: KeyPath, item: string): string {
  const found = walk(text, path);
  return found.tag === 'there'
    ? insertLast(text, found.at, {written: JSON.stringify(item), style: styleOf(text)})
    : withMember(text, found, [item]);
}

/** The text with `value` at `path`, in the place of what was there; objects on the way are made where they are missing. */
export function setValue(text: string, path: KeyPath, value: Json): string {
  const found = walk(text, path);
  if (found.tag === 'missing') return withMember(text, found, value);
  const style = styleOf(text);
  const {levels, unit} = placeOf(text, found.at, style);
  return text.slice(0, found.at) + jsonIn({...style, unit, levels}, value) + text.slice(endOfValue(text, found.at));
}

/** The text without the member at `path`; the same text where there is none. */
export function removeMember(text: string, path: KeyPath): string {
  const [key] = path.slice(-1);
  const [first, ...rest] = path.slice(0, -1);
  const found = first === undefined ? ({tag: 'there', at: text.indexOf('{')} as const) : walk(text, [first, ...rest]);
  return found.tag === 'missing' ? text : withoutParts(text, found.at, part => part.key === key);
}

/** The text without those items of the list at `path` that `isGone` names; the same text where there are none. */
export function removeFromList(text: string, path: KeyPath, isGone: (item: string) => boolean): string {
  const found = walk(text, path);
  if (found.tag === 'missing') return text;
  return withoutParts(text, found.at, ({from, to}) => {
    const value: unknown = JSON.parse(text.slice(from, to));
    return typeof value === 'string' && isGone(value);
  });
}

/** Where the value at a path begins; or the object that holds no member of the name `key`, and the names below that. */
type Walk =
  | {readonly tag: 'there'; readonly at: number}
  | {readonly tag: 'missing'; readonly at: number; readonly key: string; readonly below: readonly string[]};

function walk(text: string, path: KeyPath): Walk {
  let at = text.indexOf('{');
  for (const [depth, key] of path.entries()) {
    const member = partsOf(text, at).findLast(part => part.key === key);
    if (member === undefined) return {tag: 'missing', at, key, below: path.slice(depth + 1)};
    at = member.from;
  }
  return {tag: 'there', at};
}

function withMember(text: string, {at, key, below}: Walk & {readonly tag: 'missing'}, value: Json): string {
  const style = styleOf(text);
  const {levels, unit} = placeOf(text, at, style);
  const written = jsonIn(
    {...style, unit, levels: levels + 1},
    below.reduceRight<Json>((inner, name) => ({[name]: inner}), value),
  );
  return insertLast(text, at, {written: `${JSON.stringify(key)}:${style.lines === 'one' ? '' : ' '}${written}`, style});
}

/** What stands between two parts belongs to the second; the first that stays keeps the place of the first. */
function withoutParts(text: string, at: number, isGone: (part: Part) => boolean): string {
  const parts = partsOf(text, at);
  const gone = parts.map(isGone);
  const first = parts[0];
  const last = parts.at(-1);
  if (!gone.includes(true) || first === undefined || last === undefined) return text;
  if (!gone.includes(false)) return `${text.slice(0, at + 1)}${text.slice(closingOf(text, at, parts))}`;
  let kept = text.slice(at + 1, first.start);
  let before: Part | 'none' = 'none';
  for (const [index, part] of parts.entries()) {
    if (gone[index] === false) {
      kept += (before === 'none' ? '' : text.slice(before.to, part.start)) + text.slice(part.start, part.to);
    }
    if (gone[index] === false || before !== 'none') before = part;
  }
  return `${text.slice(0, at + 1)}${kept}${text.slice(last.to)}`;
}

/** The keys from the outermost object down to a value. */
export type KeyPath = readonly [string, ...string[]];

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

/** As the lines around it are set; on one line where they are. */
function jsonIn(style: Style & {readonly levels: number}, value: Json): string {
  if (style.lines === 'one') return JSON.stringify(value);
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
