import type {FoundFiles} from '../../actions/files-port.ts';
import {isWordStart, formatMention} from '../../domain/mention.ts';
import {type Draft, typeText} from '../editor/draft.ts';
import type {TextBuffer} from '../editor/text-buffer.ts';
import type {KeyPress} from '../terminal/keymap.ts';

/** The completion list for the `@` mention at the cursor. */
export type MentionList =
  | {readonly kind: 'closed'}
  /** The user has closed the list for the mention that begins at `from`. */
  | {readonly kind: 'dismissed'; readonly from: number}
  /** A file was just completed. The cursor is after the added space. */
  | {readonly kind: 'completed'; readonly cursor: number}
  | {
      readonly kind: 'open';
      readonly from: number;
      readonly letters: string;
      readonly found: FoundFiles;
      readonly row: number;
    };

export const closedMentionList: MentionList = {kind: 'closed'};

const emptyResults: FoundFiles = {paths: [], state: 'looking'};

/** Updates the list for the current draft. Earlier results stay until new ones arrive. */
export function updateMentions(draft: Draft, list: MentionList): MentionList {
  const query = mentionQuery(draft.buffer);
  if (query === undefined) {
    const isCurrent = list.kind === 'closed' || (list.kind === 'completed' && list.cursor === draft.buffer.cursor);
    return isCurrent ? list : closedMentionList;
  }
  const {from, letters} = query;
  if (list.kind === 'closed' || list.kind === 'completed' || list.from !== from)
    return {kind: 'open', from, letters, found: emptyResults, row: 0};
  if (list.kind === 'dismissed' || list.letters === letters) return list;
  return {...list, letters, found: {...list.found, state: 'looking'}, row: 0};
}

export function withFoundFiles(list: MentionList, letters: string, found: FoundFiles): MentionList {
  if (list.kind !== 'open' || list.letters !== letters) return list;
  return {...list, found, row: Math.max(0, Math.min(list.row, found.paths.length - 1))};
}

interface MentionStep {
  readonly draft: Draft;
  readonly list: MentionList;
}

/** Handles a press on an open list or right after a completion. Returns `undefined` for keys that don't concern the list. */
export function pressMentionList({draft, list}: MentionStep, key: KeyPress): MentionStep | undefined {
  if (list.kind === 'completed') return attachLineRange(draft, list.cursor, key);
  if (list.kind !== 'open' || key.kind !== 'key') return undefined;
  if (key.name === 'escape') return {draft, list: {kind: 'dismissed', from: list.from}};
  const {paths} = list.found;
  const chosen = paths[list.row];
  const query = mentionQuery(draft.buffer);
  if (chosen === undefined || query === undefined) return undefined;
  switch (key.name) {
    case 'up':
    case 'down':
      return {draft, list: {...list, row: (list.row + (key.name === 'up' ? paths.length - 1 : 1)) % paths.length}};
    case 'enter':
      return isComplete(query, chosen) ? undefined : stepAfterCompletion(completedMention(draft, query, chosen), list);
    case 'complete':
      return stepAfterCompletion(completedMention(draft, query, chosen), list);
    default:
      return undefined;
  }
}

const stepAfterCompletion = (draft: Draft, list: MentionList): MentionStep => {
  const {text, cursor} = draft.buffer;
  return {draft, list: text[cursor - 1] === ' ' ? {kind: 'completed', cursor} : list};
};

/** Starts a line range after a completion: the range replaces the added space. */
function attachLineRange(draft: Draft, cursor: number, key: KeyPress): MentionStep | undefined {
  const {buffer} = draft;
  if (key.kind !== 'text' || !/^[:#]/u.test(key.text) || buffer.cursor !== cursor) return undefined;
  const rest = buffer.text.slice(cursor);
  const text = buffer.text.slice(0, cursor - 1) + (rest === '' ? '' : ' ') + rest;
  return {
    draft: typeText({...draft, buffer: {...buffer, text, cursor: cursor - 1}}, key.text),
    list: closedMentionList,
  };
}

/** The mention at the cursor. The part before the cursor is the search text. */
interface MentionQuery {
  /** The mention's range in the buffer, half open. */
  readonly from: number;
  readonly to: number;
  readonly letters: string;
  /** The line range after the path, as typed. */
  readonly lines: string;
}

const maxMentionLength = 500;

export function mentionQuery({text, cursor}: TextBuffer): MentionQuery | undefined {
  const start = Math.max(0, cursor - maxMentionLength, text.lastIndexOf('\n', cursor - 1) + 1);
  const before = text.slice(start, cursor);
  const match = /@(?:"([^"\n]*)|((?:\\[^\n]|[^\s@"'`\\])*))$/u.exec(before) ?? quotedMention.exec(before);
  if (match === null || !isWordStart(text, start + match.index)) return undefined;
  const [, quoted, bare = ''] = match;
  const rest =
    quoted === undefined ? (/^[^\s@"'`]*/u.exec(text.slice(cursor, cursor + maxMentionLength))?.[0] ?? '') : '';
  const lines = quoted === undefined ? (/(?::\d*(?:-\d*)?|#L?\d*(?:-L?\d*)?)$/u.exec(bare)?.[0] ?? '') : '';
  const path = quoted ?? bare.slice(0, bare.length - lines.length).replaceAll(/\\([^\n])/gu, '$1');
  return {from: start + match.index, to: cursor + rest.length, letters: path, lines};
}

/** A quoted path that contains an `@`. */
const quotedMention = /@"([^"\n]*)$/u;

/** Completes the mention in the draft. After a folder, completion continues inside it. */
export function completedMention(draft: Draft, {from, to, letters, lines}: MentionQuery, path: string): Draft {
  const {text} = draft.buffer;
  const isFolder = path.endsWith('/');
  const written = formatMention(path);
  // The `:` of a resource looks like the start of a line range.
  const range = path.startsWith(`${letters}${lines}`) ? '' : lines;
  const mention = isFolder ? written.replace(/"$/u, '') : `${written}${range} `;
  const rest = text.slice(to);
  const joined = !isFolder && rest.startsWith(' ') ? rest.slice(1) : rest;
  return {...draft, buffer: {text: text.slice(0, from) + mention + joined, cursor: from + mention.length}};
}

/** True if a completion would only add a space. */
const isComplete = ({letters}: MentionQuery, path: string): boolean => letters === path;
