import {pluralize} from '../base/clip.ts';
import {parseJson} from '../base/json.ts';
import type {TextBlock, UserMessage} from './conversation.ts';

/**
 * A mention in a prompt of a file, folder, document or resource: `@src/a.ts`, `@src/a.ts:10-20`, `@"my file.txt"`,
 * `@my\ file.txt`.
 */
interface Mention {
  /** The position in the prompt, from the `@` on: half open, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /**
   * The paths that the mention may mean, likeliest first. A path can end in text that looks like a range of lines, and
   * the sentence's punctuation can follow without a space.
   */
  readonly candidates: readonly MentionCandidate[];
}

export interface MentionCandidate {
  readonly path: string;
  readonly lines: MentionLines;
}

/** The lines of the file: 1-based, both ends included; `end` is the last line. */
export type MentionLines = 'all' | {readonly first: number; readonly last: number | 'end'};

/** Returns the mention of a resource of an MCP server: `@github:issue://7`. */
export const resourceMention = ({server, uri}: {readonly server: string; readonly uri: string}): string =>
  `${server}:${uri}`;

/** The longest text, in UTF-16 units, that is read as a path. */
const longestPath = 1000;

/**
 * Finds the mentions in a prompt, in order. A mention begins only with an `@` at the start of a word, so email
 * addresses are not mentions.
 */
export function parseMentions(text: string): readonly Mention[] {
  const mentions: Mention[] = [];
  for (const match of text.matchAll(written)) {
    const [whole, quoted, quotedLines = '', bare = ''] = match;
    const from = match.index;
    if (!isWordStart(text, from) || whole.length > longestPath) continue;
    const candidates = quoted === undefined ? readingsOf(bare) : [{path: quoted, lines: linesOf(quotedLines) ?? 'all'}];
    if (candidates.length > 0) mentions.push({from, to: from + whole.length, candidates});
  }
  return mentions;
}

const written =
  /@(?:"([^"\n]+)"((?::\d+(?:-\d*)?|#L\d+(?:-L?\d+)?)?)|((?:\\[^\n]|[^\s@"'`\\])(?:\\[^\n]|[^\s"'`\\])*))/gu;

/** True if a mention can begin at this position: at the start, or after white space, an opening bracket or a quote. */
export const isWordStart = (text: string, at: number): boolean =>
  at === 0 || /[\s([{<"'`,;=:]/u.test(text[at - 1] ?? '');

function readingsOf(bare: string): readonly MentionCandidate[] {
  const candidates: MentionCandidate[] = [];
  const ended = bare.replace(/(?:[.,;:!?)\]}>…]|\*\*)+$/u, '');
  for (const text of ended === bare || ended === '' ? [bare] : [bare, ended]) {
    const range = lineEnding.exec(text);
    const lines = range === null ? undefined : linesOf(range[0]);
    if (lines !== undefined) candidates.push({path: unescaped(text.slice(0, -(range?.[0].length ?? 0))), lines});
    candidates.push({path: unescaped(text), lines: 'all'});
  }
  return candidates.filter(({path}) => path !== '');
}

const lineEnding = /(?::\d+(?:-\d*)?|#L\d+(?:-L?\d+)?)$/u;

const unescaped = (text: string): string => text.replaceAll(/\\([ \t()[\]{}'"&;@#\\])/gu, '$1');

/** Reads a range of lines: `:10`, `:10-`, `:10-20`, `#L10`, `#L10-L20`; `undefined` for any other text. */
function linesOf(text: string): MentionLines | undefined {
  const match = /^(?::|#L)(\d{1,9})(?:(-)L?(\d{0,9}))?$/u.exec(text);
  if (match === null) return undefined;
  const first = Math.max(1, Number(match[1]));
  if (match[2] === undefined) return {first, last: first};
  return match[3] === undefined || match[3] === ''
    ? {first, last: 'end'}
    : {first: Math.min(first, Math.max(1, Number(match[3]))), last: Math.max(first, Number(match[3]))};
}

/** Writes a path as a mention, in quotes if the path contains spaces or other characters that would end the mention. */
export const formatMention = (path: string): string =>
  /[\s"'`\\]|[.,;:!?)\]}>…]$|^@|:\d+(?:-\d*)?$|#L/u.test(path) && !path.includes('"')
    ? `@"${path}"`
    : `@${path.replaceAll(/([ \t"'\\])/gu, '\\$1')}`;

/**
 * Returns the block with the content of a mentioned file. weft appends the block to the prompt and stores it there, so
 * that the history contains what the model has read.
 */
export const attachmentBlock = ({name, text}: {readonly name: string; readonly text: string}): TextBlock => ({
  kind: 'text',
  text: `<attached name=${JSON.stringify(name)}>\n${text}\n</attached>`,
});

/** Returns the name of the file whose content a block of `attachmentBlock` holds; empty for any other block. */
export function attachmentName({text}: TextBlock): string {
  const name = parseJson(/^<attached name=("(?:[^"\\]|\\.)*")>\n/u.exec(text)?.[1] ?? '');
  return name.tag === 'ok' && typeof name.value === 'string' ? name.value : '';
}

/** Describes what is attached to a prompt: `src/a.ts (12 lines)`, `image`. */
export const attachedTo = ({blocks}: UserMessage): readonly string[] =>
  blocks.flatMap(block => {
    if (block.kind === 'image') return ['image'];
    if (block.kind === 'document') return [block.name];
    const name = block.kind === 'text' ? attachmentName(block) : '';
    if (block.kind !== 'text' || name === '') return [];
    const lines = block.text.split('\n').slice(1, -1);
    // A file has numbered lines, and notes between them.
    const numbered = lines.filter(line => /^\d+\t/u.test(line));
    return [`${name} (${pluralize(numbered.length > 0 ? numbered.length : lines.length, 'line')})`];
  });
