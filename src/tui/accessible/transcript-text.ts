import {changedFileLines} from '../commands/review.ts';
import {approvalInFull} from '../scrollback/approval-text.ts';
import {pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import {markdownStart, splitMarkdown} from '../scrollback/split-markdown.ts';
import {entryOf, searchedText, transcriptItems, type TranscriptItem} from '../scrollback/transcript-items.ts';
import {PlainMarkdown} from './plain-markdown.ts';
import {plainLabel, plainEntryLines, plainFrame} from './plain-entry.ts';

const maxParts = 10;

/** Returns the lines of `/transcript`: the latest parts of a session, all parts (`all`), or the latest parts that contain `wanted`, ignoring case. */
export function transcriptText(
  wanted: string,
  {records, lexer}: {readonly records: readonly JournalRecord[]; readonly lexer: MarkdownLexer},
): readonly string[] {
  const all = transcriptItems(records);
  if (all.length === 0) return ['This session has no messages yet.'];
  if (wanted === 'all') return all.flatMap(item => itemLines(item, lexer));
  const sought = wanted.toLowerCase();
  const found = sought === '' ? all : all.filter(item => searchedText(item).toLowerCase().includes(sought));
  if (found.length === 0) return [`No match in this session: ${plainLabel(wanted)}`];
  const said = found.slice(-maxParts);
  const what = sought === '' ? pluralize(all.length, 'part') : `${pluralize(found.length, 'part')} with these words`;
  const last = said.length < found.length ? `The last ${said.length} of ` : '';
  return [`${last}${what}. ${usage}`, ...said.flatMap(item => itemLines(item, lexer))];
}

const usage = '/transcript all shows everything, /transcript WORDS the parts with those words.';

function itemLines(item: TranscriptItem, lexer: MarkdownLexer): readonly string[] {
  switch (item.kind) {
    case 'answer':
      return answerText(item.text, lexer);
    case 'thinking':
      return ['', 'Thinking:', ...item.text.trim().split('\n'), 'End of thinking.'];
    case 'approval':
      return approvalInFull(item.approval, inFull);
    case 'file':
      return changedFileLines(item.file);
    case 'prompt':
    case 'note':
    case 'command':
    case 'call':
      return plainEntryLines(entryOf(item), inFull);
    default:
      return unreachable(item);
  }
}

/** Returns the lines of a whole answer in Markdown. */
export function answerText(text: string, lexer: MarkdownLexer): readonly string[] {
  const markdown = new PlainMarkdown(lexer);
  return [...markdown.lines(splitMarkdown(text, markdownStart, 'whole').pieces), ...markdown.close()];
}

const inFull = {...plainFrame, verbosity: 'full'} as const;
