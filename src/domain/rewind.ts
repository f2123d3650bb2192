import {pluralize} from '../base/clip.ts';
import {relativeTo} from '../base/shown-path.ts';
import {firstLine} from '../base/clip.ts';
import {visibleLine} from '../base/visible.ts';
import type {RevertedFile, RevertReport} from './checkpoint.ts';
import type {MessageId} from './ids.ts';
import type {RewindScope} from './journal.ts';
import {sessionTitle} from './session-list.ts';

/** The target of a rewind, or `redo` to undo the latest rewind. */
export type RewindTarget =
  /** Before the last prompt, both files and conversation. If a compaction came last: before the compaction. */
  | {readonly kind: 'last'}
  | {readonly kind: 'prompt'; readonly to: MessageId; readonly what: RewindScope}
  /** Takes back the files of one call, by its id, or of one prompt, by its number: exactly, or not at all. */
  | {readonly kind: 'step'; readonly step: string}
  | {readonly kind: 'redo'};

/** The effect of a rewind or a redo, before or after it. */
export interface RewindReport {
  readonly kind: 'rewind' | 'redo';
  /** `compaction`: only a compaction is undone or redone, and no prompt is removed. */
  readonly what: RewindScope | 'compaction';
  /** The text of the first prompt that is removed or restored. */
  readonly prompt: string;
  /** The line of a single step that is undone, if it is only that. */
  readonly step?: string | undefined;
  /** The number of prompts that are removed or restored; 0 if the rewind only affects files or a compaction. */
  readonly prompts: number;
  readonly files: RevertReport;
  /** The titles of other sessions that may have changed files while the prompts ran. The report includes their changes to these files. */
  readonly alongside: readonly string[];
}

/** A prompt that the session can be rewound to. */
export interface RewindPoint {
  readonly to: MessageId;
  /** The number of the prompt, counted from 1 over the whole conversation. */
  readonly number: number;
  readonly prompt: string;
  readonly files: 'changed' | 'untouched';
}

/** The maximum number of files that are listed by name. The rest is only counted. */
const maxNamed = 12;
/** The same for conflicts, each of which leaves something to do. */
const maxConflicts = 200;

/** Describes in several lines what a rewind would do, or did. Paths below `directory` are shown relative to it. */
export const rewindReportText = (
  report: RewindReport,
  {directory, when}: {readonly directory: string; readonly when: 'preview' | 'done'},
): string => [rewindTitle(report, when), ...rewindDetails(report, directory)].join('\n');

/** Returns the files that a rewind changes and those that it leaves alone, one line each. */
export function rewindDetails(report: RewindReport, directory: string): readonly string[] {
  const name = (path: string): string => visibleLine(relativeTo(path, directory));
  const {files, conflicts, excluded} = report.files;
  return [
    ...(files.length === 0 ? [] : [filesText(files)]),
    ...files
      .slice(0, maxNamed)
      .map(({path, effect, otherNames = 0}) => `  ${effectMarks[effect]} ${name(path)}${otherNamesText(otherNames)}`),
    ...moreText(files.length - maxNamed, 'files'),
    ...(files.length === 0 ? [] : alongsideText(report.alongside)),
    ...conflicts.slice(0, maxConflicts).map(({path, reason}) => `  ! ${name(path)} stays as it is: ${reason}`),
    ...moreText(conflicts.length - maxConflicts, 'conflicts'),
    ...failuresText(report),
    ...(excluded.length === 0 || report.what === 'talk'
      ? []
      : [
          `Not in checkpoints, so not touched: ${excluded.slice(0, 5).map(name).join(', ')}${excluded.length > 5 ? ` and ${excluded.length - 5} more` : ''}`,
        ]),
  ];
}

const failuresText = ({kind, files: {failures = 0}}: RewindReport): readonly string[] =>
  failures === 0
    ? []
    : [
        `${pluralize(failures, 'path')} failed, so the conversation stays as it is. Solve the cause, then ${kind === 'redo' ? 'redo' : 'undo'} again.`,
      ];

const otherNamesText = (count: number): string =>
  count === 0 ? '' : ` (also under ${pluralize(count, 'other name')}: hard link)`;

/** Warns about other sessions: if commands of two sessions ran at once, checkpoints do not tell them apart. */
const alongsideText = (titles: readonly string[]): readonly string[] => [
  ...titles
    .slice(0, 3)
    .map(
      title =>
        `  ! May include what session "${visibleLine(firstLine(sessionTitle({title}), 40))}" changed in the meantime`,
    ),
  ...moreText(titles.length - 3, 'sessions'),
];

const effectMarks = {restored: '+', deleted: '-', changed: '~', merged: '±'} as const satisfies Record<
  RevertedFile['effect'],
  string
>;

/** Describes in one line what a rewind would do, or did. */
function rewindTitle(report: RewindReport, when: 'preview' | 'done'): string {
  const effect = rewindEffect(report, when);
  return `${rewindSubject(report, {when, promptLength: 60})}${effect === '' ? '' : `: ${effect}`}`;
}

/** Names the changes that are undone or redone. `promptLength` is the maximum number of characters of the prompt in the text. */
export function rewindSubject(
  {kind, what, prompt, prompts, step}: RewindReport,
  {when, promptLength}: {readonly when: 'preview' | 'done'; readonly promptLength: number},
): string {
  const isDone = when === 'done';
  const verb = kind === 'redo' ? (isDone ? 'Redid' : 'Redo') : isDone ? 'Undid' : 'Undo';
  if (what === 'compaction') return `${verb} the compaction`;
  if (step !== undefined) return `${verb} only "${visibleLine(firstLine(step, Math.max(1, promptLength)))}"`;
  const quoted = prompt === '' ? '' : ` "${visibleLine(firstLine(prompt, Math.max(1, promptLength)))}"`;
  const subject =
    what === 'files' || prompts === 0
      ? kind === 'redo'
        ? ' the last undo'
        : ` file changes since${quoted}`
      : prompts === 1
        ? quoted
        : ` ${prompts} prompts from${quoted} on`;
  return `${verb}${subject}`;
}

/** Describes the effect of a rewind or redo. May be empty. */
export function rewindEffect({kind, what, prompts, files}: RewindReport, when: 'preview' | 'done'): string {
  if (what === 'compaction') return kind === 'redo' ? '' : 'the whole conversation counts again';
  const count = files.files.length;
  const changed = count === 0 ? '' : pluralize(count, 'file');
  const parts = [...(what === 'talk' ? [] : [changed]), ...(prompts === 0 ? [] : ['the conversation'])];
  const restored = parts.filter(part => part !== '').join(' and ');
  return restored === '' ? 'no file changes' : `${when === 'done' ? 'restored' : 'restores'} ${restored}`;
}

function filesText(files: readonly RevertedFile[]): string {
  const count = (effect: RevertedFile['effect']): number => files.filter(file => file.effect === effect).length;
  const words = [
    ['changed', 'changed back'],
    ['restored', 'restored'],
    ['deleted', 'deleted'],
    ['merged', 'merged with later changes'],
  ] as const;
  const parts = words.flatMap(([effect, word]) => (count(effect) === 0 ? [] : [`${count(effect)} ${word}`]));
  return `${pluralize(files.length, 'file')}: ${parts.join(', ')}`;
}

const moreText = (more: number, what: string): readonly string[] => (more > 0 ? [`  … and ${more} more ${what}`] : []);
