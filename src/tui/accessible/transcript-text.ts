import {approvalInFull} from '../scrollback/approval-text.ts';
import {pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import {markdownStart, splitMarkdown} from '../scrollback/split-markdown.ts';
import {entryOf, searchedText, transcriptItems, type TranscriptItem} from '../scrollback/transcript-items.ts';
import {PlainMarkdown} from './plain-markdown.ts';
import {plainLabel, spokenEntry, spokenFrame} from './spoken-entry.ts';

const partsSaid = 10;

/** The lines of `/transcript`: the latest parts of a session in full, all parts (`all`), or the latest parts that contain some words, in any case. */
export function transcriptText(
  wanted: string,
  {records, lexer}: {readonly records: readonly JournalRecord[]; readonly lexer: MarkdownLexer},
): readonly string[] {
  const all = transcriptItems(records);
  if (all.length === 0) return ['Nothing has been said in this session yet.'];
  if (wanted === 'all') return all.flatMap(item => itemLines(item, lexer));
  const sought = wanted.toLowerCase();
  const found = sought === '' ? all : all.filter(item => searchedText(item).toLowerCase().includes(sought));
  if (found.length === 0) return [`Nothing in this session holds these words: ${plainLabel(wanted)}`];
  const said = found.slice(-partsSaid);
  const what = sought === '' ? pluralize(all.length, 'part') : `${pluralize(found.length, 'part')} with these words`;
  const last = said.length < found.length ? `The last ${said.length} of ` : '';
  return [`${last}${what}. ${how}`, ...said.flatMap(item => itemLines(item, lexer))];
}

const how = '/transcript all says everything, /transcript WORDS the parts with these words.';

function itemLines(item: TranscriptItem, lexer: MarkdownLexer): readonly string[] {
  switch (item.kind) {
    case 'answer': {
      const markdown = new PlainMarkdown(lexer);
      return [...markdown.lines(splitMarkdown(item.text, markdownStart, 'whole').pieces), ...markdown.close()];
    }
    case 'thinking':
      return ['', 'Thinking:', ...item.text.trim().split('\n'), 'End of thinking.'];
    case 'approval':
      return approvalInFull(item.approval, inFull);
    case 'prompt':
    case 'note':
    case 'command':
    case 'call':
      return spokenEntry(entryOf(item), inFull);
    default:
      return unreachable(item);
  }
}

const inFull = {...spokenFrame, verbosity: 'full'} as const;
