import type {FoundFiles} from '../../actions/file-finder.ts';
import type {Draft} from './draft.ts';
import type {KeyPress} from './keymap.ts';
import {completedMention, isWhole, mentionQuery} from './mention-query.ts';

/** The files that a mention being typed may mean. */
export type MentionList =
  | {readonly kind: 'closed'}
  /** The user does not want it for the mention that begins at `from`. */
  | {readonly kind: 'dismissed'; readonly from: number}
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
  if (query === undefined) return list.kind === 'closed' ? list : noMention;
  const {from, letters} = query;
  if (list.kind === 'closed' || list.from !== from) return {kind: 'open', from, letters, found: nothingYet, row: 0};
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

/** A press on an open list; `undefined` for what is not about it. */
export function pressMentions({draft, list}: MentionStep, key: KeyPress): MentionStep | undefined {
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
      return isWhole(query, chosen) ? undefined : {draft: completedMention(draft, query, chosen), list};
    case 'complete':
      return {draft: completedMention(draft, query, chosen), list};
    default:
      return undefined;
  }
}
