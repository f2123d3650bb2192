import type {FoundFiles} from '../../actions/file-finder.ts';
import {typed, type Draft} from './draft.ts';
import type {KeyPress} from './keymap.ts';
import {completedMention, isWhole, mentionQuery} from './mention-query.ts';

/** The files that a mention being typed may mean. */
export type MentionList =
  | {readonly kind: 'closed'}
  /** The user does not want it for the mention that begins at `from`. */
  | {readonly kind: 'dismissed'; readonly from: number}
  /** A file was just completed: the cursor is behind the blank that came with it. */
  | {readonly kind: 'completed'; readonly cursor: number}
  | {
      readonly kind: 'open';
      readonly from: number;
      readonly letters: string;
      readonly found: FoundFiles;
      readonly row: number;
    };

export const noMention: MentionList = {kind: 'closed'};

const nothingYet: FoundFiles = {paths: [], state: 'looking'};

/** The list as it belongs to the draft: what was found before stands until there is something new. */
export function listFor(draft: Draft, list: MentionList): MentionList {
  const query = mentionQuery(draft.buffer);
  if (query === undefined) {
    const stands = list.kind === 'closed' || (list.kind === 'completed' && list.cursor === draft.buffer.cursor);
    return stands ? list : noMention;
  }
  const {from, letters} = query;
  if (list.kind === 'closed' || list.kind === 'completed' || list.from !== from)
    return {kind: 'open', from, letters, found: nothingYet, row: 0};
  if (list.kind === 'dismissed' || list.letters === letters) return list;
  return {...list, letters, found: {...list.found, state: 'looking'}, row: 0};
}

/** The list with what was found for `letters`; another one is left as it is. */
export function withFound(list: MentionList, letters: string, found: FoundFiles): MentionList {
  if (list.kind !== 'open' || list.letters !== letters) return list;
  return {...list, found, row: Math.max(0, Math.min(list.row, found.paths.length - 1))};
}

export interface MentionStep {
  readonly draft: Draft;
  readonly list: MentionList;
}

/** A press on an open list, or right after a completion; `undefined` for what is not about it. */
export function pressMentions({draft, list}: MentionStep, key: KeyPress): MentionStep | undefined {
  if (list.kind === 'completed') return linesBegun(draft, list.cursor, key);
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
      return isWhole(query, chosen) ? undefined : completed(completedMention(draft, query, chosen), list);
    case 'complete':
      return completed(completedMention(draft, query, chosen), list);
    default:
      return undefined;
  }
}

const completed = (draft: Draft, list: MentionList): MentionStep => {
  const {text, cursor} = draft.buffer;
  return {draft, list: text[cursor - 1] === ' ' ? {kind: 'completed', cursor} : list};
};

/** A range of lines belongs right behind the file: the blank that came with it goes, or goes behind. */
function linesBegun(draft: Draft, cursor: number, key: KeyPress): MentionStep | undefined {
  const {buffer} = draft;
  if (key.kind !== 'text' || !/^[:#]/u.test(key.text) || buffer.cursor !== cursor) return undefined;
  const rest = buffer.text.slice(cursor);
  const text = buffer.text.slice(0, cursor - 1) + (rest === '' ? '' : ' ') + rest;
  return {draft: typed({...draft, buffer: {...buffer, text, cursor: cursor - 1}}, key.text), list: noMention};
}
