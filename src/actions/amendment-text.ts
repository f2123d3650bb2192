import {clip} from '../base/clip.ts';
import type {AmendedFile} from './files-port.ts';
import type {DiffHunk} from './preview.ts';

/** Lines, and characters of each, that a model is told of what a user changed in its proposal. */
const mostLines = 150;
const longestLine = 400;

/** What the model reads of what was not written as it proposed. */
export function amendmentText({path, kind, hunks}: AmendedFile): string {
  if (kind === 'not-renamed') return `[edited by the user before it was written: the file was not renamed to ${path}]`;
  if (hunks.length === 0) return `[edited by the user before it was written: ${path}, its change was left out]`;
  const lines = hunks.flatMap(hunkLines);
  const more = lines.length > mostLines ? [`… ${lines.length - mostLines} more lines`] : [];
  const what =
    kind === 'dropped'
      ? `${hunks.length === 1 ? 'this change was' : `these ${hunks.length} changes were`} left out`
      : 'from the proposed text to what is in the file now';
  return [
    `[edited by the user before it was written: ${path}, ${what}:`,
    ...lines.slice(0, mostLines).map(line => clip(line, longestLine)),
    ...more,
    ']',
  ].join('\n');
}

const signs = {context: ' ', added: '+', removed: '-'} as const;

const hunkLines = ({oldStart, newStart, lines}: DiffHunk): readonly string[] => [
  `@@ -${oldStart} +${newStart} @@`,
  ...lines.map(({kind, text}) => `${signs[kind]}${text}`),
];
