import {answerOutcome} from '../../agent/client.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {faultText} from '../../domain/fault.ts';
import {type CommandContext, slashCommand} from './command.ts';
import {commandEffect} from '../state/effect.ts';
import {type ConfirmPanel, confirmPanel} from '../state/panels/panel.ts';
import {pluralize} from '../../base/clip.ts';
import {messageText} from '../../domain/conversation.ts';
import type {JournalRecord} from '../../domain/journal.ts';

export const exportCommand = slashCommand({
  name: 'export',
  usage: '/export [file]',
  summary: 'Export the session as Markdown, or as JSON records to a .jsonl file',
  run: (argument, context) => void write(argument, context),
});

/** Prefixes the argument when the confirmation panel runs `/export` again to replace an existing file. */
const overwrite = '--overwrite ';

async function write(argument: string, context: CommandContext): Promise<void> {
  const {session} = context.view;
  if (session.tag === 'opening') {
    context.notify('info', 'The session is still opening');
    return;
  }
  const replaces = argument.startsWith(overwrite);
  const name = replaces ? argument.slice(overwrite.length).trim() : argument;
  const {signal, options} = context;
  const present = replaces ? 'replaced' : 'kept';
  const request = {query: 'export-session', name, session: session.info, present} as const;
  const end = answerOutcome(await options.engine.query(request, signal));
  if (end.tag === 'failed') {
    context.notify('warning', visibleExactLine(faultText(end.error)));
    return;
  }
  const {kind, path} = end.value;
  if (kind === 'written') context.notify('info', `Exported to ${visibleExactLine(path)}`);
  else context.open(overwritePanel(path, `${overwrite}${path}`));
}

/** Asks whether `/export` may replace a file. If so, the command runs again with `argument`. */
export const overwritePanel = (path: string, argument: string): ConfirmPanel =>
  confirmPanel({
    title: 'Overwrite this file?',
    subject: path,
    does: 'overwrite',
    yes: commandEffect('export', argument),
    no: [{do: 'notify', text: 'Nothing exported'}],
  });

export const copyCommand = slashCommand({
  name: 'copy',
  usage: '/copy [code | N]',
  summary: 'Copy the last answer, its last code block, or an earlier answer',
  run: (argument, context) => void copy(argument.toLowerCase(), context),
});

async function copy(argument: string, context: CommandContext): Promise<void> {
  const records = await context.runQuery({query: 'records', from: 0});
  if (records === undefined) return;
  const wanted = textFor(argument, answersIn(records));
  if ('missing' in wanted) {
    context.notify('warning', wanted.missing);
    return;
  }
  const copied = await context.options.clipboard.copy(wanted.text);
  if (copied.tag === 'ok') context.notify('info', copied.value);
  else context.notify('warning', copied.error);
}

const answersIn = (records: readonly JournalRecord[]): readonly string[] =>
  records.toReversed().flatMap(record => {
    if (record.kind !== 'answer') return [];
    const text = messageText(record.message).trim();
    return text === '' ? [] : [text];
  });

function textFor(argument: string, answers: readonly string[]): {readonly text: string} | {readonly missing: string} {
  const [last] = answers;
  if (last === undefined) return {missing: 'No answer to copy yet'};
  if (argument === '') return {text: last};
  if (argument === 'code') {
    for (const answer of answers) {
      const block = codeBlocks(answer).at(-1);
      if (block !== undefined) return {text: block};
    }
    return {missing: 'No code block in this session'};
  }
  const number = /^[1-9]\d{0,5}$/u.test(argument) ? Number(argument) : undefined;
  if (number === undefined)
    return {
      missing: '/copy: last answer · /copy code: last code block · /copy 2: the answer before',
    };
  const text = answers[number - 1];
  return text === undefined ? {missing: `Only ${pluralize(answers.length, 'answer')} so far`} : {text};
}

/** Returns the code blocks of a Markdown text, in order. A fence that is never closed extends to the end. */
function codeBlocks(markdown: string): readonly string[] {
  const blocks: string[] = [];
  let open: {readonly fence: string; readonly margin: number; readonly lines: string[]} | undefined;
  for (const line of markdown.split('\n')) {
    if (open === undefined) {
      const [, margin = '', fence] = /^(\s*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}(?!.*`)|~{3,})/u.exec(line) ?? [];
      if (fence !== undefined) open = {fence, margin: margin.length, lines: []};
      continue;
    }
    const end = /^\s*(`{3,}|~{3,})\s*$/u.exec(line)?.[1];
    if (end !== undefined && end.startsWith(open.fence)) {
      blocks.push(open.lines.join('\n'));
      open = undefined;
    } else {
      open.lines.push(stripMargin(line, open.margin));
    }
  }
  if (open !== undefined && open.lines.length > 0) blocks.push(open.lines.join('\n'));
  return blocks;
}

const stripMargin = (line: string, margin: number): string =>
  line.slice(Math.min(margin, line.length - line.trimStart().length));
