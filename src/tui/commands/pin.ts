import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {groupDigits} from '../../domain/compaction.ts';
import type {PinRow} from '../../domain/pin.ts';
import {commandEffect} from '../state/effect.ts';
import {choicePanel, choiceOfEffects} from '../state/panels/panel.ts';
import {type CommandContext, slashCommand} from './command.ts';

/** Pins messages. Compaction keeps pinned messages word for word. */
export const pinCommand = slashCommand({
  name: 'pin',
  usage: '/pin [last | list | remove [N]]',
  summary: 'Pin messages so that /compact keeps them',
  choices: [
    {value: 'last', summary: 'Pin the last answer'},
    {value: 'list', summary: 'List pinned messages'},
    {value: 'remove', summary: 'Unpin a message'},
  ],
  run: (argument, context) => void runPin(argument, context),
});

async function runPin(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  const rows = await context.runQuery({query: 'pins'});
  if (rows === undefined) return;
  const pinned = rows.filter(({state}) => state === 'pinned');
  switch (word) {
    case '':
      openPicker({title: 'Pin a message', does: 'pin or unpin', rows: rows.toReversed()}, context);
      return;
    case 'last': {
      const last = rows.findLast(({by}) => by === 'agent');
      if (last === undefined) context.notify('warning', 'No answer to pin yet');
      else await changePin(last, 'pinned', context);
      return;
    }
    case 'list':
      context.notify('info', listText(pinned));
      return;
    case 'remove': {
      const row = pinned[Number(rest) - 1];
      if (rest === '') openPicker({title: 'Unpin a message', does: 'unpin', rows: pinned}, context);
      else if (row === undefined) context.notify('warning', `No pin ${rest}. ${listText(pinned)}`);
      else await changePin(row, 'unpinned', context);
      return;
    }
    // The rows of the picker run `/pin message ID STATE`.
    case 'message': {
      const [id, state] = rest.split(' ');
      const row = rows.find(one => one.id === id);
      if (row === undefined) context.notify('warning', 'No such message in this conversation');
      else await changePin(row, state === 'unpinned' ? state : 'pinned', context);
      return;
    }
    default:
      context.notify(
        'warning',
        `Unknown command /pin ${word}. Choose from last, list, remove, or type /pin to pick a message.`,
      );
  }
}

function openPicker(
  {title, does, rows}: {readonly title: string; readonly does: string; readonly rows: readonly PinRow[]},
  context: CommandContext,
): void {
  const pinned = rows.filter(({state}) => state === 'pinned');
  context.open(
    choicePanel({
      title,
      note: `${pluralize(pinned.length, 'pin')}, ${tokensText(pinned)}`,
      does,
      empty: does === 'unpin' ? nothingPinned : 'No messages yet',
      rows: rows.map(row => ({
        label: visibleLine(row.title),
        details: [`${row.state === 'pinned' ? 'pinned, ' : ''}${authorOf(row)}, ${tokensText([row])}`],
        mark: row.state === 'pinned' ? 'current' : 'none',
        choice: choiceOfEffects(
          commandEffect('pin', `message ${row.id} ${row.state === 'pinned' ? 'unpinned' : 'pinned'}`),
        ),
      })),
    }),
  );
}

async function changePin(row: PinRow, state: PinRow['state'], context: CommandContext): Promise<void> {
  const rows = await context.runQuery({query: 'change-pin', message: row.id, state});
  if (rows === undefined) return;
  const pinned = rows.filter(one => one.state === 'pinned');
  const now = `${pluralize(pinned.length, 'message')} pinned, ${tokensText(pinned)}`;
  context.notify('info', `${state === 'pinned' ? 'Pinned' : 'Unpinned'}: ${visibleLine(row.title)}\n${now}`);
}

const nothingPinned = 'No pins. Pin a message with /pin, or the last answer with /pin last.';

const listText = (pinned: readonly PinRow[]): string =>
  pinned.length === 0
    ? nothingPinned
    : [
        'Pinned:',
        ...pinned.map((row, at) => `${at + 1}  ${visibleLine(row.title)}  (${authorOf(row)}, ${tokensText([row])})`),
      ].join('\n');

const authorOf = ({by}: PinRow): string => (by === 'user' ? 'you' : 'agent');

const tokensText = (rows: readonly PinRow[]): string =>
  `about ${groupDigits(rows.reduce((sum, {tokens}) => sum + tokens, 0))} tokens`;
