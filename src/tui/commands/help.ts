import {blockHelp, cardHelp, keyHelp, questionHelp, signHelp} from '../input/key-help.ts';
import {cellWidth} from '../text/cell-width.ts';
import {wrapSpans, wrapText, type Frame} from '../text/wrap.ts';
import type {CommandInfo} from './command-info.ts';
import type {SlashCommand} from './command.ts';

export const helpCommand: SlashCommand = {
  name: 'help',
  aliases: [],
  usage: '/help',
  summary: 'commands and keys',
  run: (_, desk) => desk.print(helpLines(desk.commands, desk.frame)),
};

/** Commands, signs and keys in groups; where there is little room what each does stands below it. */
export function helpLines(commands: readonly CommandInfo[], frame: Frame): readonly string[] {
  const groups = [
    {title: 'Commands', rows: commands.map(({usage, summary}) => ({term: usage, does: summary}))},
    {title: 'At the start of a prompt', rows: signHelp.map(({sign, does}) => ({term: sign, does}))},
    ...keyHelp.map(({title, rows}) => ({title, rows: rows.map(({keys, does}) => ({term: keys.join(', '), does}))})),
    {title: 'When the agent asks whether it may', rows: cardHelp.map(rowOf)},
    {title: 'When the agent asks a question', rows: questionHelp.map(rowOf)},
    {title: 'In the list of running commands (/ps)', rows: blockHelp.map(rowOf)},
  ];
  return groups.flatMap(({title, rows}) => [
    '',
    ...wrapText(title, ['bold'], frame),
    ...rows.flatMap(row => helpRow(row, frame)),
  ]);
}

const rowOf = ({keys, does}: (typeof cardHelp)[number]) => ({term: keys, does});

/** Cells of the column of terms. */
const termWidth = 24;

function helpRow({term, does}: {readonly term: string; readonly does: string}, frame: Frame): readonly string[] {
  const isNarrow = frame.width < 2 * termWidth;
  const room = Math.max(1, termWidth - cellWidth(term));
  if (!isNarrow && room > 1) {
    const first = `${term}${' '.repeat(room)}`;
    return wrapSpans([{text: does, roles: ['dim']}], frame, {first, rest: ' '.repeat(termWidth), roles: []});
  }
  const margin = isNarrow ? '    ' : ' '.repeat(termWidth);
  return [
    ...wrapSpans([{text: term, roles: []}], frame, {first: '', rest: '  ', roles: []}),
    ...wrapSpans([{text: does, roles: ['dim']}], frame, {first: margin, rest: margin, roles: []}),
  ];
}
