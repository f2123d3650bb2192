import {isWordStart, mentionOf} from '../../domain/mention.ts';
import type {Draft} from './draft.ts';
import type {TextBuffer} from './text-buffer.ts';

/** The mention that is being typed: what of it stands before the cursor is looked for. */
export interface MentionQuery {
  /** Where it stands in the buffer, half open. */
  readonly from: number;
  readonly to: number;
  /** The letters to look for. */
  readonly letters: string;
  /** A range of lines behind the path, as it was typed. */
  readonly lines: string;
}

/** Longest mention that is completed. */
const longest = 500;

/** `undefined` where the cursor is in no mention. */
export function mentionQuery({text, cursor}: TextBuffer): MentionQuery | undefined {
  const start = Math.max(0, cursor - longest, text.lastIndexOf('\n', cursor - 1) + 1);
  const before = text.slice(start, cursor);
  const match = /@(?:"([^"\n]*)|((?:\\[^\n]|[^\s@"'`\\])*))$/u.exec(before) ?? lastQuoted.exec(before);
  if (match === null || !isWordStart(text, start + match.index)) return undefined;
  const [, quoted, bare = ''] = match;
  const rest = quoted === undefined ? (/^[^\s@"'`]*/u.exec(text.slice(cursor, cursor + longest))?.[0] ?? '') : '';
  const lines = quoted === undefined ? (/(?::\d*(?:-\d*)?|#L?\d*(?:-L?\d*)?)$/u.exec(bare)?.[0] ?? '') : '';
  const path = quoted ?? bare.slice(0, bare.length - lines.length).replaceAll(/\\([^\n])/gu, '$1');
  return {from: start + match.index, to: cursor + rest.length, letters: path, lines};
}

/** A quoted path in which an `@` stands. */
const lastQuoted = /@"([^"\n]*)$/u;

/** The draft with the mention completed; a folder stays open for what lies in it. */
export function completedMention(draft: Draft, {from, to, lines}: MentionQuery, path: string): Draft {
  const {text} = draft.buffer;
  const isFolder = path.endsWith('/');
  const written = mentionOf(path);
  const mention = isFolder ? written.replace(/"$/u, '') : `${written}${lines} `;
  const rest = text.slice(to);
  const joined = !isFolder && rest.startsWith(' ') ? rest.slice(1) : rest;
  return {...draft, buffer: {text: text.slice(0, from) + mention + joined, cursor: from + mention.length}};
}

/** Whether the mention is written as completing it would write it, but for the blank behind it. */
export const isWhole = ({letters}: MentionQuery, path: string): boolean => letters === path;
