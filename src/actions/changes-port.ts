import {pluralize} from '../base/clip.ts';
import {visibleExactLine} from '../base/visible.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Change, DroppedChange, NotApplied, ProtectedBecause} from '../domain/change-set.ts';
import type {FileDiff} from './preview.ts';

export interface WorkspaceChanges {
  /** In the order of their paths; of very many the first ones. */
  readonly files: readonly FileDiff[];
  readonly more: number;
}

/** The changes that a confined command has left in its view of the workspace. Whatever is not applied is gone once `DecideChanges` settles. */
export interface HeldChanges {
  readonly changes: readonly Change[];
  /** The changes of these paths line by line, in the same order; a file that cannot be shown has no hunks and a note. */
  diffs(paths: readonly string[], signal: AbortSignal): Promise<readonly FileDiff[]>;
  /**
   * Applies these paths and no others. Each file is old or new at every moment; one that changed outside since the command began stays
   * as it is and is a conflict. May be called several times. `all-or-nothing` applies nothing if there is a conflict.
   */
  apply(paths: readonly string[], how: 'each' | 'all-or-nothing', signal: AbortSignal): Promise<AppliedChanges>;
  /**
   * Keeps them for `weft sandbox apply`, under the ID that it answers with, and applies nothing. They can be neither applied nor shown by
   * this afterwards. A failure says why they could not be kept.
   */
  keep(signal: AbortSignal): Promise<Outcome<string, string>>;
}

export interface AppliedChanges {
  readonly applied: readonly Change[];
  readonly dropped: readonly (DroppedChange & {readonly why: 'conflict' | 'failed' | 'interrupted' | 'protected'})[];
}

/** What became of the changes of a command. */
export interface ChangesOutcome {
  /** Output is left out: nobody looks at it. */
  readonly applied: readonly Change[];
  readonly dropped: readonly DroppedChange[];
  /** How many more changes the two lists would hold: of very many, and of each reason to drop them, they hold the first ones. */
  readonly more: {readonly applied: number; readonly dropped: MoreDropped};
  /** The applied changes of the class `file`, line by line, in the order of their paths; of very many the first ones. */
  readonly diffs: readonly FileDiff[];
  /** Why a person, program or hook refused changes, for the model; mostly empty. */
  readonly said: string;
}

export type MoreDropped = Readonly<Partial<Record<NotApplied, number>>>;

export const noHeldChanges: ChangesOutcome = {
  applied: [],
  dropped: [],
  more: {applied: 0, dropped: {}},
  diffs: [],
  said: '',
};

/**
 * Decides about the changes of one command, asks a person if necessary, and applies what may be applied. Never throws. If the signal has
 * aborted before, nobody is asked: output is applied as always, and the rest is dropped as `interrupted`.
 */
export type DecideChanges = (held: HeldChanges, signal: AbortSignal) => Promise<ChangesOutcome>;

/** The same for one that also has to know what the sandbox seems to have kept the command from, as in `ShellReport`. */
export type DecideEnded = (held: HeldChanges, signal: AbortSignal, blocked: string) => Promise<ChangesOutcome>;

/** How many files a line names. */
const maxInLine = 10;

/** What became of the changes of a command, one line for what was kept and one for each reason why something was not. */
export function changesTexts(outcome: ChangesOutcome): readonly string[] {
  const {applied, more, diffs} = outcome;
  const counts = new Map(diffs.map(({path, added, removed}) => [path, ` (+${added} -${removed})`]));
  return [
    ...(applied.length === 0
      ? []
      : [
          `${changedLead}${namedFiles(
            applied.map(({path}) => path + (counts.get(path) ?? '')),
            more.applied,
          )}`,
        ]),
    ...droppedTexts(outcome, more.dropped),
  ];
}

/** The same of a command that a person moved to the background: nobody interrupted it. */
export function inBackground(outcome: ChangesOutcome): ChangesOutcome {
  const {interrupted: background = 0, ...others} = outcome.more.dropped;
  return {
    ...outcome,
    dropped: outcome.dropped.map(each => (each.why === 'interrupted' ? {...each, why: 'background'} : each)),
    more: {...outcome.more, dropped: {...others, ...(background === 0 ? {} : {background})}},
  };
}

/** What was not kept, one line for each reason; `more` counts what the list leaves out. */
export const droppedTexts = (
  {dropped, said}: Pick<ChangesOutcome, 'dropped' | 'said'>,
  more: MoreDropped = {},
): readonly string[] =>
  [...new Set(dropped.map(({why}) => why))].map(why =>
    droppedText(
      dropped.filter(each => each.why === why),
      {said, more: more[why] ?? 0},
    ),
  );

function droppedText(
  group: readonly DroppedChange[],
  {said, more}: {readonly said: string; readonly more: number},
): string {
  const [first] = group;
  if (first === undefined) return '';
  const files = namedFiles([...new Set(group.map(({change}) => protectedName(change)))], more);
  const text = `${dropTexts[first.why]}: ${files}`;
  return first.why === 'refused' && said !== '' ? `${text}; they said: ${said.replaceAll(/\s+/gu, ' ')}` : text;
}

/** Names a dropped change, and why no command may make it. The files of a repository's `.git` count as one. */
function protectedName(change: Change): string {
  if (change.class !== 'protected') return change.path;
  const path = change.why === 'repository' ? change.path.replace(/(?<=(?:^|\/)\.git)\/.*$/su, '') : change.path;
  return path + protectedTexts[change.why];
}

/** Whether a remark in the result of a command says what became of its changes. */
export const isChangesText = (remark: string): boolean =>
  remark.startsWith(changedLead) || Object.values(dropTexts).some(words => remark.startsWith(`${words}: `));

const changedLead = 'it changed ';

/** The first of the names, and how many more there are, with `more` that have no name here. */
export function namedFiles(names: readonly string[], more = 0): string {
  const left = Math.max(0, names.length - maxInLine) + more;
  return (
    names.slice(0, maxInLine).map(visibleExactLine).join(', ') +
    (left > 0 ? ` and ${pluralize(left, 'more file')}` : '')
  );
}

/** How a run in which nobody can be asked keeps changes, for people and for the model. */
export const keepsChanges = "to keep such changes: --permission-mode acceptEdits, or --allowed-tools 'Edit(PATH)'";

const dropTexts: Readonly<Record<NotApplied, string>> = {
  protected: 'never kept, as no command in the sandbox may change them',
  conflict: 'not kept, since something else changed them meanwhile (read them again)',
  refused: 'refused and not kept',
  nobody: `not kept, since nobody can be asked here (${keepsChanges})`,
  unwanted: "not kept, since the user doesn't want to be asked (the mode dontAsk)",
  rule: 'not kept, since a rule denies these edits',
  plan: 'not kept, since plan mode changes nothing',
  interrupted: 'not kept, since the command was interrupted',
  background: 'not kept, since the command went on in the background, where nobody is asked',
  failed: 'not kept, since they could not be written',
};

const protectedTexts: Readonly<Record<ProtectedBecause, string>> = {
  name: '',
  repository: ' (the data of a git repository)',
  'leads-out': ' (leads out of the workspace)',
  device: ' (a device, pipe or socket)',
  setuid: ' (runs with the rights of its owner)',
};
