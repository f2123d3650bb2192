import type {Approval} from '../../../actions/agent-event.ts';
import type {Preview} from '../../../actions/preview.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {changeParts, type ChangePart} from './change-parts.ts';
import {approvalKeys} from '../keymap.ts';

/** The answers that an approval offers, by its risk. */
export interface ApprovalChoices {
  readonly accept: Acceptance;
  /** `with-key`: asked again, with the key that accepts. */
  readonly session: 'at-once' | 'with-key' | 'none';
  /** Rules that "always" may store, narrowest first; without any it is not offered. */
  readonly rules: readonly string[];
  /** What may be edited before it runs; empty for what is no command. */
  readonly command: string;
  /** What can be left out of a change, where it is as it was proposed. */
  readonly parts: readonly ChangePart[];
  /** Whether what is proposed can be taken to an editor. */
  readonly editable: 'yes' | 'no';
}

export type Acceptance =
  | {readonly by: 'key'; readonly key: typeof approvalKeys.allowMild | typeof approvalKeys.allowRisky}
  | {readonly by: 'word'; readonly word: string};

/** The stricter of the host's judgement and the model's own warning counts. What destroys is accepted once at a time. */
export function choicesOf({action, preview, verdict, sessionGrant}: Approval): ApprovalChoices {
  const input = action.name === 'request-command-output' ? action.input : undefined;
  const command = input?.command ?? '';
  const edit = action.name === 'request-file-edits' && preview.kind === 'diff' ? action.input : undefined;
  const parts = edit?.amendment.kind === 'none' && preview.kind === 'diff' ? partsOf(preview) : [];
  const editable = edit === undefined ? 'no' : 'yes';
  const mild = {accept: {by: 'key', key: approvalKeys.allowMild}, session: 'at-once'} as const;
  const risky = {accept: {by: 'key', key: approvalKeys.allowRisky}, session: 'with-key'} as const;
  const offered = (level: typeof mild | typeof risky): ApprovalChoices => ({
    accept: level.accept,
    session: sessionGrant === '' ? 'none' : level.session,
    rules: verdict.detail.rules,
    command,
    parts,
    editable,
  });
  switch (verdict.risk) {
    case 'read-only':
    case 'local-change':
      return offered(input?.claims.risky === 'yes' ? risky : mild);
    case 'external':
    case 'unknown':
      return offered(risky);
    case 'destructive':
      return {
        accept: {by: 'word', word: wordOf(verdict.detail.confirmWord)},
        session: 'none',
        rules: [],
        command,
        parts,
        editable,
      };
    default:
      return unreachable(verdict.risk);
  }
}

const kept = new WeakMap<DiffPreview, readonly ChangePart[]>();

/** A preview does not change; its parts are counted with every key and every frame. */
function partsOf(preview: DiffPreview): readonly ChangePart[] {
  const known = kept.get(preview);
  if (known !== undefined) return known;
  const parts = changeParts(preview.files);
  kept.set(preview, parts);
  return parts;
}

type DiffPreview = Extract<Preview, {readonly kind: 'diff'}>;

const longestWord = 30;

/** The word as it can be typed; where it could not be, another one. */
const wordOf = (word: string): string =>
  word === '' || word.length > longestWord || /\s/u.test(word) || visibleExactLine(word) !== word ? 'yes' : word;
