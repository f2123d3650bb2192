import {firstLine} from '../base/clip.ts';
import {visibleLine} from '../base/visible.ts';
import type {RevertedFile} from './checkpoint.ts';
import type {RewindReport} from './rewind.ts';

/** Files and conflicts that are named; the rest is counted. */
const mostNamed = 12;

/** What going back would do, or has done, several lines. Paths below `directory` are named from there. */
export function rewindText(
  report: RewindReport,
  {directory, when}: {readonly directory: string; readonly when: 'preview' | 'done'},
): string {
  const name = (path: string): string =>
    visibleLine(path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path);
  const {files, conflicts, leftOut} = report.files;
  return [
    headText(report, when),
    ...(report.what === 'talk' || report.what === 'compaction' ? [] : [filesText(files)]),
    ...files.slice(0, mostNamed).map(({path, effect}) => `  ${effectMarks[effect]} ${name(path)}`),
    ...moreText(files.length - mostNamed, 'files'),
    ...conflicts.slice(0, mostNamed).map(({path, reason}) => `  ! ${name(path)} is left as it is: ${reason}`),
    ...moreText(conflicts.length - mostNamed, 'conflicts'),
    ...(leftOut.length === 0 || report.what === 'talk'
      ? []
      : [
          `Not kept in checkpoints, so not touched: ${leftOut.slice(0, 5).map(name).join(', ')}${leftOut.length > 5 ? ` and ${leftOut.length - 5} more` : ''}`,
        ]),
  ].join('\n');
}

const effectMarks = {restored: '+', deleted: '-', changed: '~', merged: '±'} as const satisfies Record<
  RevertedFile['effect'],
  string
>;

function headText({kind, what, prompt, prompts}: RewindReport, when: 'preview' | 'done'): string {
  const from = prompt === '' ? '' : ` “${visibleLine(firstLine(prompt, 60))}”`;
  const count = prompts === 1 ? '1 prompt' : `${prompts} prompts`;
  if (what === 'compaction') {
    if (kind === 'redo') return when === 'preview' ? 'This compacts the conversation again.' : 'Compacted again.';
    return when === 'preview'
      ? 'This takes the compaction back: the whole conversation counts again.'
      : 'The compaction was taken back: the whole conversation counts again.';
  }
  if (kind === 'redo') {
    const back = prompts === 0 ? '' : ` ${count} of the conversation from${from} on`;
    return when === 'preview'
      ? `This takes the last undo back.${prompts === 0 ? '' : ` It brings back${back}.`}`
      : `Redone.${prompts === 0 ? '' : ` Back again:${back}.`}`;
  }
  const parts = {files: 'the files', talk: 'the conversation', both: 'conversation and files'} as const;
  const taken = `${parts[what]} to before${from}`;
  const forgets = prompts === 0 ? '' : ` (${count} of the conversation)`;
  return when === 'preview' ? `This takes back ${taken}${forgets}.` : `Went back: ${taken}${forgets}.`;
}

function filesText(files: readonly RevertedFile[]): string {
  if (files.length === 0) return 'No file changes.';
  const count = (effect: RevertedFile['effect']): number => files.filter(file => file.effect === effect).length;
  const words = [
    ['changed', 'changed back'],
    ['restored', 'restored'],
    ['deleted', 'deleted'],
    ['merged', 'merged with later changes'],
  ] as const;
  const parts = words.flatMap(([effect, word]) => (count(effect) === 0 ? [] : [`${count(effect)} ${word}`]));
  return `${files.length === 1 ? '1 file' : `${files.length} files`}: ${parts.join(', ')}`;
}

const moreText = (more: number, what: string): readonly string[] => (more > 0 ? [`  … and ${more} more ${what}`] : []);
