import {messageText} from '../../domain/conversation.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {codeBlocks} from '../text/code-blocks.ts';
import type {CommandDesk, SlashCommand} from './command.ts';

export const copyCommand: SlashCommand = {
  name: 'copy',
  aliases: [],
  usage: '/copy [code | N]',
  summary: 'copy the last answer, its last code block, or the answer N before',
  run: (argument, desk) => void copy(argument.toLowerCase(), desk),
};

async function copy(argument: string, desk: CommandDesk): Promise<void> {
  const wanted = textFor(argument, answersIn(desk.options.outside.records()));
  if ('missing' in wanted) {
    desk.tell('warning', wanted.missing);
    return;
  }
  const copied = await desk.options.outside.clipboard.copy(wanted.text);
  if (copied.tag === 'ok') desk.tell('info', copied.value);
  else desk.tell('warning', copied.error);
}

/** What the agent said, the latest first. */
const answersIn = (records: readonly JournalRecord[]): readonly string[] =>
  records.toReversed().flatMap(record => {
    if (record.kind !== 'answer') return [];
    const text = messageText(record.message).trim();
    return text === '' ? [] : [text];
  });

function textFor(argument: string, answers: readonly string[]): {readonly text: string} | {readonly missing: string} {
  const [last] = answers;
  if (last === undefined) return {missing: 'There is no answer to copy yet.'};
  if (argument === '') return {text: last};
  if (argument === 'code') {
    for (const answer of answers) {
      const block = codeBlocks(answer).at(-1);
      if (block !== undefined) return {text: block};
    }
    return {missing: 'No answer of this session has a code block.'};
  }
  const number = /^[1-9]\d{0,5}$/u.test(argument) ? Number(argument) : undefined;
  if (number === undefined)
    return {
      missing: '/copy copies the last answer, /copy code its last code block, /copy 2 the answer before the last.',
    };
  const text = answers[number - 1];
  return text === undefined
    ? {missing: `There ${answers.length === 1 ? 'is only 1 answer' : `are only ${answers.length} answers`} to copy.`}
    : {text};
}
