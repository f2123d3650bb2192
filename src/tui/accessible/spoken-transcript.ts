import {unreachable} from '../../base/unreachable.ts';
import {visibleOutput} from '../../base/visible.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {userCommandLabel} from '../../domain/user-command.ts';
import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import {markdownStart, splitBlocks} from '../markdown/split-blocks.ts';
import {pastAction} from '../state/past-entries.ts';
import {searchedText, transcriptItems, type TranscriptItem} from '../transcript/transcript-items.ts';
import {countOf, pastWords, spokenLabel} from './action-words.ts';
import {PlainMarkdown, spokenPrompt} from './plain-markdown.ts';

/** Parts of the session that are said where not all are asked for, the latest ones. */
const partsSaid = 10;

/** Parts of a session in full: the latest, `all`, or the latest of those that hold some words, in any case. */
export function spokenTranscript(
  wanted: string,
  {records, lexer}: {readonly records: readonly JournalRecord[]; readonly lexer: MarkdownLexer},
): readonly string[] {
  const all = transcriptItems(records);
  if (all.length === 0) return ['Nothing has been said in this session yet.'];
  if (wanted === 'all') return all.flatMap(item => itemLines(item, lexer));
  const sought = wanted.toLowerCase();
  const found = sought === '' ? all : all.filter(item => searchedText(item).toLowerCase().includes(sought));
  if (found.length === 0) return [`Nothing in this session holds these words: ${spokenLabel(wanted)}`];
  const said = found.slice(-partsSaid);
  const what = sought === '' ? countOf(all.length, 'part') : `${countOf(found.length, 'part')} with these words`;
  const last = said.length < found.length ? `The last ${said.length} of ` : '';
  return [`${last}${what}. ${how}`, ...said.flatMap(item => itemLines(item, lexer))];
}

const how = '/transcript all says everything, /transcript WORDS the parts with these words.';

function itemLines(item: TranscriptItem, lexer: MarkdownLexer): readonly string[] {
  switch (item.kind) {
    case 'prompt':
      return spokenPrompt(item.text);
    case 'answer': {
      const markdown = new PlainMarkdown(lexer);
      return [...markdown.lines(splitBlocks(item.text, markdownStart, 'whole').pieces), ...markdown.close()];
    }
    case 'thinking':
      return ['', 'Thinking:', ...item.text.trim().split('\n'), 'End of thinking.'];
    case 'note':
      return item.text.split('\n');
    case 'command':
      return [`Your command: ${spokenLabel(userCommandLabel(item.command))}`, ...outputLines(item.told)];
    case 'call': {
      const {outcome, label, told} = pastAction(item.call, item.result);
      return [`${pastWords[outcome]}: ${spokenLabel(label)}`, ...outputLines(told)];
    }
    default:
      return unreachable(item);
  }
}

const outputLines = (told: string): readonly string[] => {
  const text = visibleOutput(told).trimEnd();
  return text === '' ? [] : text.split('\n');
};
