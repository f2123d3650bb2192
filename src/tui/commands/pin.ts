import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {groupDigits} from '../../domain/compaction.ts';
import type {PinRow} from '../../domain/pin.ts';
import {commandEffect} from '../state/effect.ts';
import {choicePanel, doing} from '../state/panels/panel.ts';
import {type CommandContext, slashCommand} from './command.ts';

/** Messages that stay word for word when the conversation is compacted. */
export const pinCommand = slashCommand({
  name: 'pin',
  usage: '/pin [last | list | remove [N]]',
  summary: 'pin messages, which /compact then keeps word for word',
  choices: [
    {value: 'last', summary: 'pin the last answer'},
    {value: 'list', summary: 'show what is pinned'},
    {value: 'remove', summary: 'take a pin off'},
  ],
  run: (argument, context) => void runPin(argument, context),
});

async function runPin(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  const rows = await context.answerTo({query: 'pins'});
  if (rows === undefined) return;
  const pinned = rows.filter(({state}) => state === 'pinned');
  switch (word) {
    case '':
      openPicker({title: 'Pin a message', does: 'pin or unpin', rows: rows.toReversed()}, context);
      return;
    case 'last': {
      const last = rows.findLast(({by}) => by === 'agent');
      if (last === undefined) context.notify('warning', 'There is no answer to pin yet.');
      else await change(last, 'pinned', context);
      return;
    }
    case 'list':
      context.notify('info', listText(pinned));
      return;
    case 'remove': {
      const row = pinned[Number(rest) - 1];
      if (rest === '') openPicker({title: 'Take a pin off', does: 'unpin', rows: pinned}, context);
      else if (row === undefined) context.notify('warning', `There is no pin ${rest}. ${listText(pinned)}`);
      else await change(row, 'unpinned', context);
      return;
    }
    // `/pin message ID STATE` is what a row of the picker does.
    case 'message': {
      const [id, state] = rest.split(' ');
      const row = rows.find(one => one.id === id);
      if (row === undefined) context.notify('warning', 'This conversation has no such message.');
      else await change(row, state === 'unpinned' ? state : 'pinned', context);
      return;
    }
    default:
      context.notify('warning', `There is no /pin ${word}. Write last, list or remove, or /pin alone to choose.`);
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
      empty: does === 'unpin' ? nothingPinned : 'No message in this conversation yet',
      rows: rows.map(row => ({
        label: visibleLine(row.title),
        details: [`${row.state === 'pinned' ? 'pinned, ' : ''}${whose(row)}, ${tokensText([row])}`],
        mark: row.state === 'pinned' ? 'current' : 'none',
        choice: doing(commandEffect('pin', `message ${row.id} ${row.state === 'pinned' ? 'unpinned' : 'pinned'}`)),
      })),
    }),
  );
}

async function change(row: PinRow, state: PinRow['state'], context: CommandContext): Promise<void> {
  const rows = await context.answerTo({query: 'change-pin', message: row.id, state});
  if (rows === undefined) return;
  const pinned = rows.filter(one => one.state === 'pinned');
  const now = `${pluralize(pinned.length, 'message')} pinned, ${tokensText(pinned)}`;
  context.notify('info', `${state === 'pinned' ? 'Pinned' : 'No longer pinned'}: ${visibleLine(row.title)}\n${now}`);
}

const nothingPinned = 'Nothing is pinned. /pin chooses a message, /pin last takes the last answer.';

const listText = (pinned: readonly PinRow[]): string =>
  pinned.length === 0
    ? nothingPinned
    : [
        'Pinned:',
        ...pinned.map((row, at) => `${at + 1}  ${visibleLine(row.title)}  (${whose(row)}, ${tokensText([row])})`),
      ].join('\n');

const whose = ({by}: PinRow): string => (by === 'user' ? 'yours' : 'an answer');

const tokensText = (rows: readonly PinRow[]): string =>
  `about ${groupDigits(rows.reduce((sum, {tokens}) => sum + tokens, 0))} tokens`;
