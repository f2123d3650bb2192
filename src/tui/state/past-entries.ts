import type {Action} from '../../actions/catalogue.ts';
import {decodePastAction} from '../../actions/decode-action.ts';
import {labelOf} from '../../actions/settle-action.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {compactedPastText} from '../../domain/compaction-text.ts';
import {isCompacted} from '../../domain/compaction.ts';
import {messageText, type Message, type ToolCallBlock, type ToolResultBlock} from '../../domain/conversation.ts';
import type {ActionId} from '../../domain/ids.ts';
import {isReminder} from '../../domain/reminder.ts';
import {readUserCommand, userCommandLabel} from '../../domain/user-command.ts';
import {textEntry, type Entry, type PastActionEntry} from './view.ts';

/** The messages of a resumed session as they stood on screen: each call with its result, wherever that was told. */
export function pastEntries(history: readonly Message[]): readonly Entry[] {
  const results = new Map<ActionId, ToolResultBlock>();
  for (const message of history) {
    if (message.role !== 'user') continue;
    for (const block of message.blocks) if (block.kind === 'tool-result') results.set(block.id, block);
  }
  return history.flatMap(message => entriesOf(message, results));
}

function entriesOf(message: Message, results: ReadonlyMap<ActionId, ToolResultBlock>): readonly Entry[] {
  if (message.role === 'user') {
    const text = messageText(message);
    const own = readUserCommand(text);
    if (own !== undefined) {
      const {command, told} = own;
      return [{kind: 'past-action', label: userCommandLabel(command), outcome: 'success', told, part: 'last-lines'}];
    }
    if (isCompacted(message)) return [{kind: 'notice', level: 'info', text: compactedPastText(message)}];
    if (text === '' || isReminder({kind: 'text', text})) return [];
    return [{kind: 'prompt', text}];
  }
  return message.blocks.flatMap((block, at): readonly Entry[] => {
    switch (block.kind) {
      case 'text':
        return [textEntry(`${message.id}/${at}`, block.text, 'done')];
      case 'tool-call':
        return [pastAction(block, results.get(block.id))];
      case 'other':
        return [otherEntry(block.type)];
      case 'thinking':
      case 'sealed-thinking':
        return [];
      default:
        return unreachable(block);
    }
  });
}

/** Of a block that weft has no word for: that it is there. */
export const otherEntry = (type: string): Entry => ({kind: 'notice', level: 'info', text: `(${visibleLine(type)})`});

/** A call that no longer decodes goes by its tool's name. */
export function pastAction(call: ToolCallBlock, result: ToolResultBlock | undefined): PastActionEntry {
  const decoded = decodePastAction(call.name, call.input);
  const told = textOf(result);
  const outcome = result?.outcome ?? 'cancelled';
  const label = decoded.tag === 'ok' ? labelOf(decoded.value) : call.name;
  if (decoded.tag === 'failed' || outcome !== 'success') {
    return {kind: 'past-action', label, outcome, told, part: 'first-line'};
  }
  const {value: action} = decoded;
  const changed = action.name === 'request-file-edits' ? changeToldAs.exec(told) : null;
  if (changed !== null) {
    const [, change = '', rest = ''] = changed;
    return {kind: 'past-action', label: `${verbs[change] ?? 'Edit'} ${rest}`, outcome, told, part: 'none'};
  }
  return {kind: 'past-action', label, outcome, told, part: partOf(action)};
}

/** How the model is told of the change of one file: said as on the card of an edit that has just been made. */
const changeToldAs = /^(Created|Changed|Deleted|Renamed) (.+ \(\+\d+ -\d+\))$/u;
const verbs: Readonly<Record<string, string>> = {Created: 'Create', Deleted: 'Delete', Renamed: 'Rename'};

function partOf(action: Action): PastActionEntry['part'] {
  if (action.name === 'request-command-output') return 'last-lines';
  return action.name === 'read-files' && action.input.requests.length === 1 ? 'line-count' : 'first-line';
}

const textOf = (result: ToolResultBlock | undefined): string =>
  (result?.content ?? [])
    .filter(block => !isReminder(block))
    .filter(block => block.kind === 'text')
    .map(({text}) => text)
    .join('\n');
