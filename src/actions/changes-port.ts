import {pluralize} from '../base/clip.ts';
import {visibleExactLine} from '../base/visible.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Change, DroppedChange, NotApplied, ProtectedBecause} from '../domain/change-set.ts';
import type {Decider} from '../domain/risk.ts';
import type {FileDiff} from './preview.ts';

export interface WorkspaceChanges {
  /** The files, sorted by path. A very long list is cut. */
  /** The number of files that were cut from the list. */
  readonly files: readonly FileDiff[];
  readonly more: number;
}

/**
 * The changes that a confined command left in its view of the workspace. Changes that are not applied are lost once `DecideChanges`
 * settles.
 */
export interface PendingChanges {
  readonly changes: readonly Change[];
  /** Returns the changes of these paths as diffs, in the same order. A file that can't be shown has no hunks and a note. */
  diffs(paths: readonly string[], signal: AbortSignal): Promise<readonly FileDiff[]>;
  /**
   * Applies these paths and no others. At every moment a file is either old or new. A file that changed outside since
   * the command began is left unchanged and is a conflict. `all-or-nothing` applies nothing if there is a conflict. May
   * be called several times.
   */
  apply(paths: readonly string[], how: 'each' | 'all-or-nothing', signal: AbortSignal): Promise<AppliedChanges>;
  /**
   * Keeps the changes for `weft sandbox apply` under the returned ID, and applies nothing. Afterwards this object can
   * neither apply nor show the changes. A failure says why they could not be kept.
   */
  keep(signal: AbortSignal): Promise<Outcome<string, string>>;
}

export interface AppliedChanges {
  readonly applied: readonly Change[];
  readonly dropped: readonly (DroppedChange & {readonly why: 'conflict' | 'failed' | 'interrupted' | 'protected'})[];
}

export interface ChangesOutcome {
  /** The applied changes, without build output, which people don't look at. */
  readonly applied: readonly Change[];
  readonly dropped: readonly DroppedChange[];
  /** How many changes the two lists leave out. A very long list is cut, and dropped changes are cut per reason. */
  readonly more: {readonly applied: number; readonly dropped: MoreDropped};
  /** Diffs of the applied changes of class `file`, in the order of their paths. A very long list is cut. */
  readonly diffs: readonly FileDiff[];
  /** Why a person, program or hook refused changes, for the model. Usually empty. */
  readonly said: string;
}

export type MoreDropped = Readonly<Partial<Record<NotApplied, number>>>;

export const emptyChangesOutcome: ChangesOutcome = {
  applied: [],
  dropped: [],
  more: {applied: 0, dropped: {}},
  diffs: [],
  said: '',
};

/**
 * Decides about the changes of one command, asks a person if necessary, and applies what is allowed. Never throws.
 * If the signal has already aborted, no one is asked: build output is applied as always, and the rest is dropped as `interrupted`.
 */
export type DecideChanges = (held: PendingChanges, signal: AbortSignal) => Promise<ChangesOutcome>;

/** Like `DecideChanges`. `blocked` is what the sandbox seems to have kept the command from, as in `ShellReport`. */
export type DecideChangesAfterRun = (
  held: PendingChanges,
  signal: AbortSignal,
  blocked: string,
) => Promise<ChangesOutcome>;

/** The maximum number of file names in one line. */
const maxInLine = 10;

/** Returns one line about the applied changes of a command and one for each reason why changes were dropped. */
export function changesTexts(outcome: ChangesOutcome): readonly string[] {
  const {applied, more, diffs} = outcome;
  const counts = new Map(diffs.map(({path, added, removed}) => [path, ` (+${added} -${removed})`]));
  return [
    ...(applied.length === 0
      ? []
      : [
          `${changedPrefix}${listFiles(
            applied.map(({path}) => path + (counts.get(path) ?? '')),
            more.applied,
          )}`,
        ]),
    ...droppedTexts(outcome, more.dropped),
  ];
}

/** Marks interrupted changes as dropped because a person moved the command to the background. */
export function markAsBackground(outcome: ChangesOutcome): ChangesOutcome {
  const {interrupted: background = 0, ...others} = outcome.more.dropped;
  return {
    ...outcome,
    dropped: outcome.dropped.map(each => (each.why === 'interrupted' ? {...each, why: 'background'} : each)),
    more: {...outcome.more, dropped: {...others, ...(background === 0 ? {} : {background})}},
  };
}

/** Returns one line for each reason why changes were dropped. `more` counts changes that are not in the list. */
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
  const files = listFiles([...new Set(group.map(({change}) => protectedName(change)))], more);
  const text = `${dropTexts[first.why]}: ${files}`;
  return first.why === 'refused' && said !== '' ? `${text}; they said: ${said.replaceAll(/\s+/gu, ' ')}` : text;
}

/** Returns the path of a dropped change, with the reason why no command may make it. The files inside a `.git` folder count as one. */
function protectedName(change: Change): string {
  if (change.class !== 'protected') return change.path;
  const path = change.why === 'repository' ? change.path.replace(/(?<=(?:^|\/)\.git)\/.*$/su, '') : change.path;
  return path + protectedTexts[change.why];
}

/** True if a remark in a command's result is about its changes. */
export const isChangesText = (remark: string): boolean =>
  remark.startsWith(changedPrefix) || Object.values(dropTexts).some(words => remark.startsWith(`${words}: `));

const changedPrefix = 'it changed ';

/** Lists the first names and the number of further ones, including `more` without a name. */
export function listFiles(names: readonly string[], more = 0): string {
  const left = Math.max(0, names.length - maxInLine) + more;
  return (
    names.slice(0, maxInLine).map(visibleExactLine).join(', ') +
    (left > 0 ? ` and ${pluralize(left, 'more file')}` : '')
  );
}

/** How to keep changes in a run that can't ask, for people and for the model. */
export const keepChangesAdvice = "to keep such changes: --permission-mode acceptEdits, or --allowed-tools 'Edit(PATH)'";

const dropTexts: Readonly<Record<NotApplied, string>> = {
  protected: 'never kept, as no command in the sandbox may change them',
  conflict: 'not kept, because something else changed them in the meantime (read them again)',
  refused: 'refused and not kept',
  nobody: `not kept, because there is no one to ask (${keepChangesAdvice})`,
  unwanted: "not kept, because the user doesn't want to be asked (the mode dontAsk)",
  rule: 'not kept, because a rule denies these edits',
  plan: 'not kept, because plan mode changes nothing',
  interrupted: 'not kept, because the command was interrupted',
  background: "not kept, because the command moved to the background, where weft can't ask you",
  failed: 'not kept, because they could not be written',
};

const protectedTexts: Readonly<Record<ProtectedBecause, string>> = {
  name: '',
  repository: ' (the data of a git repository)',
  'leads-out': ' (leads out of the workspace)',
  device: ' (a device, pipe or socket)',
  setuid: ' (runs with the rights of its owner)',
};

/** The one who denied a change that was not applied. */
export const deniedBy: Readonly<Record<NotApplied, Decider | 'not-denied'>> = {
  nobody: 'nobody',
  unwanted: 'nobody',
  refused: 'user',
  rule: 'rule',
  plan: 'rule',
  protected: 'rule',
  conflict: 'not-denied',
  interrupted: 'not-denied',
  background: 'not-denied',
  failed: 'not-denied',
};
