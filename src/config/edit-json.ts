import {createScanner, parseTree, type Node} from 'jsonc-parser';
import type {Json} from '../base/json.ts';

/**
 * Edits the text of a JSON file and leaves everything else in it unchanged: order, spacing, line ends, comments,
 * trailing commas, and unknown keys. (`modify` of jsonc-parser reformats the neighbors of a change, and drops comments
 * beside what it removes.) The text holds one object. If a key occurs several times, the last one counts, as for
 * `JSON.parse`.
 */

/** The keys from the outermost object down to a value. */
export type KeyPath = readonly [string, ...string[]];

/** Returns the text with `item` at the end of the list at `path`. Adds the list and the objects around it if they are missing. */
export function appendToList(text: string, path: KeyPath, item: string): string {
  const found = findValue(text, path);
  return found.tag === 'found' ? insertLast(text, found.node, JSON.stringify(item)) : withMember(text, found, [item]);
}

/** Returns the text with `value` at `path`, instead of the earlier value. Adds the objects around it if they are missing. */
export function setValue(text: string, path: KeyPath, value: Json): string {
  const found = findValue(text, path);
  if (found.tag === 'missing') return withMember(text, found, value);
  const {offset, length} = found.node;
  return text.slice(0, offset) + layOut(text, offset, value) + text.slice(offset + length);
}

/** Returns the text without the member at `path`, or the same text if there is none. */
export function removeMember(text: string, path: KeyPath): string {
  const [first, ...below] = path.slice(0, -1);
  const found = first === undefined ? rootOf(text) : findValue(text, [first, ...below]);
  return found.tag === 'missing' ? text : withoutParts(text, found.node, part => keyOf(part) === path.at(-1));
}

/** Returns the text without the items of the list at `path` that `isGone` selects, or the same text if there are none. */
export function removeFromList(text: string, path: KeyPath, isGone: (item: string) => boolean): string {
  const found = findValue(text, path);
  if (found.tag === 'missing') return text;
  return withoutParts(text, found.node, ({value}) => typeof value === 'string' && isGone(value));
}

/** A value, or the innermost existing object on the way to it, with its missing key and the keys below. */
type Search =
  | {readonly tag: 'found'; readonly node: Node}
  | {readonly tag: 'missing'; readonly node: Node; readonly key: string; readonly below: readonly string[]};

function rootOf(text: string): Search & {readonly tag: 'found'} {
  const node = parseTree(text, [], {allowTrailingComma: true});
  if (node === undefined) throw new Error('the text holds no JSON');
  return {tag: 'found', node};
}

function findValue(text: string, path: KeyPath): Search {
  let {node} = rootOf(text);
  for (const [depth, key] of path.entries()) {
    const value = node.children?.findLast(member => keyOf(member) === key)?.children?.[1];
    if (value === undefined) return {tag: 'missing', node, key, below: path.slice(depth + 1)};
    node = value;
  }
  return {tag: 'found', node};
}

/** Returns the key of a member; `undefined` for an item of a list. */
const keyOf = ({type, children}: Node): unknown => (type === 'property' ? children?.[0]?.value : undefined);

const endOf = ({offset, length}: Node): number => offset + length;

function withMember(text: string, {node, key, below}: Search & {readonly tag: 'missing'}, value: Json): string {
  const whole = below.reduceRight<Json>((inner, name) => ({[name]: inner}), value);
  const {lines} = styleOf(text);
  const written = layOut(text, node.offset, whole, 1);
  return insertLast(text, node, `${JSON.stringify(key)}:${lines === 'one' ? '' : ' '}${written}`);
}

/** Inserts a member or item after the last one, with the same spacing that the last one has before it. */
function insertLast(text: string, {offset, length, children = []}: Node, written: string): string {
  const last = children.at(-1);
  const {lines, newline, unit} = styleOf(text);
  const indent = indentAt(text, offset);
  if (last === undefined) {
    const end = offset + length - 1;
    const kept = text.slice(offset + 1, end).trimEnd();
    const inner = lines === 'one' ? written : `${newline}${indent}${unit}${written}${newline}${indent}`;
    return `${text.slice(0, offset + 1)}${kept}${inner}${text.slice(end)}`;
  }
  const end = endOf(last);
  const comma = commaAfter(text, end);
  const comments = /^(?:[ \t]*(?:\/\*(?:(?!\*\/).)*\*\/|\/\/[^\r\n]*))*/u;
  const line = (comma ?? end - 1) + 1;
  // A comment on the same line belongs to the last part and stays beside it.
  const at = line + (comments.exec(text.slice(line))?.[0].length ?? 0);
  const before = children.at(-2);
  const between = text.slice(before === undefined ? offset + 1 : endOf(before), last.offset);
  const gap = /\s*$/u.exec(between)?.[0] ?? '';
  const single = before === undefined && !gap.includes('\n') && !(gap === '' && lines === 'one') ? ' ' : gap;
  const apart = text.slice(line, at).includes('//') && !gap.includes('\n') ? `${newline}${indent}${unit}` : single;
  return [
    text.slice(0, end),
    comma === undefined ? ',' : '',
    text.slice(end, at),
    apart,
    written,
    comma === undefined ? '' : ',',
    text.slice(at),
  ].join('');
}

/** Removes members or items, and the commas that are no longer needed. Keeps comments. */
function withoutParts(text: string, {offset, length, children = []}: Node, isGone: (part: Node) => boolean): string {
  const lastKept = children.findLastIndex(part => !isGone(part));
  if (lastKept === children.length - 1 && children.every(part => !isGone(part))) return text;
  // Ignore strings: rules such as `Edit(src/**)` contain characters that begin a comment elsewhere.
  const unquoted = text.slice(offset + 1, offset + length - 1).replaceAll(/"(?:\\.|[^"\\])*"/gu, '');
  if (lastKept < 0 && !/\/[/*]/u.test(unquoted)) return text.slice(0, offset + 1) + text.slice(offset + length - 1);
  const lastComma = commaAfter(text, endOf(children.at(-1) ?? children[0] ?? {offset, length: 1, type: 'null'}));
  let kept = '';
  let from = 0;
  const cut = (start: number, end: number): void => {
    if (start > from) kept += text.slice(from, start);
    from = Math.max(from, end);
  };
  for (const [index, part] of children.entries()) {
    const end = endOf(part);
    const comma = commaAfter(text, end);
    if (isGone(part)) cut(...span(text, part.offset, (comma ?? end - 1) + 1, index > lastKept ? 'last' : 'followed'));
    else if (index === lastKept && lastKept < children.length - 1 && lastComma === undefined && comma !== undefined) {
      cut(comma, comma + 1);
    }
  }
  return kept + text.slice(from);
}

/**
 * Returns the range to remove with a part: its whole lines if they contain nothing else, otherwise the blanks between
 * the part and its neighbor.
 */
function span(text: string, start: number, end: number, place: 'followed' | 'last'): readonly [number, number] {
  const before = /[ \t]*$/u.exec(text.slice(0, start))?.[0].length ?? 0;
  const after = /^[ \t]*/u.exec(text.slice(end))?.[0].length ?? 0;
  const newline = /^\r?\n/u.exec(text.slice(end + after))?.[0].length ?? 0;
  const beginsLine = text.charAt(start - before - 1) === '\n';
  if (beginsLine && newline > 0) return [start - before, end + after + newline];
  return place === 'last' && !beginsLine ? [start - before, end] : [start, end + after];
}

/** Returns the position of the comma after a value, skipping comments. `undefined` if there is none. */
function commaAfter(text: string, end: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text.charAt(at) === ',' ? at : undefined;
}

interface Style {
  readonly unit: string;
  readonly newline: string;
  readonly lines: 'one' | 'several';
}

function styleOf(text: string): Style {
  const [, newline = '\n', unit = '  '] = /(\r?\n)([ \t]+)/u.exec(text) ?? [];
  return {unit, newline, lines: text.trim().includes('\n') || text.replaceAll(/\s/gu, '') === '{}' ? 'several' : 'one'};
}

/** Returns the blanks at the start of the line that contains `at`. */
const indentAt = (text: string, at: number): string =>
  /^[ \t]*/u.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? '';

/**
 * Formats a value on one line or several, like the rest of the text, indented `deeper` levels more than the line of
 * `at`.
 */
function layOut(text: string, at: number, value: Json, deeper = 0): string {
  const {lines, unit, newline} = styleOf(text);
  if (lines === 'one') return JSON.stringify(value);
  const margin = newline + indentAt(text, at) + unit.repeat(deeper);
  return JSON.stringify(value, undefined, unit).split('\n').join(margin);
}
