import {labelOf, userCommandAction} from '../../actions/catalogue.ts';
import {isTodoUpdate} from '../../actions/outcome.ts';
import {decodePastAction} from '../../actions/decode-action.ts';
import {resultText} from '../../actions/past-result.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {compactedHistoryText, isCompactionMessage} from '../../domain/compaction.ts';
import {
  isCallExtras,
  messageText,
  type Message,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../../domain/conversation.ts';
import type {ActionId} from '../../domain/ids.ts';
import {attachedTo} from '../../domain/mention.ts';
import {askedToCheck, doubtsIn, isTextOfWeft} from '../../domain/reminder.ts';
import {parseUserCommand, userCommandLabel} from '../../domain/user-command.ts';
import {withRelativePaths} from '../text/workspace-paths.ts';
import {withEntry} from './exploration.ts';
import {textEntry, type Entry, type PastActionEntry} from './view.ts';

export function pastEntries(history: readonly Message[], directory: string): readonly Entry[] {
  const results = new Map<ActionId, ToolResultBlock>();
  for (const message of history) {
    if (message.role !== 'user') continue;
    for (const block of message.blocks) if (block.kind === 'tool-result') results.set(block.id, block);
  }
  return history
    .flatMap(message => entriesOf(message, results, directory))
    .reduce<readonly Entry[]>((entries, entry) => withEntry(entries, entry, directory), []);
}

function entriesOf(
  message: Message,
  results: ReadonlyMap<ActionId, ToolResultBlock>,
  directory: string,
): readonly Entry[] {
  if (message.role === 'user') {
    const text = messageText(message);
    const own = parseUserCommand(text);
    if (own !== undefined) {
      const {command, result} = own;
      return [pastUserCommand(command, result)];
    }
    if (isCompactionMessage(message)) return [{kind: 'notice', level: 'info', text: compactedHistoryText(message)}];
    if (isTextOfWeft(text)) {
      const doubts = doubtsIn(text);
      return doubts.map((doubt, at) => ({
        kind: 'notice',
        level: 'warning',
        text: at === doubts.length - 1 ? `${doubt} ${askedToCheck}` : doubt,
      }));
    }
    if (text === '') return [];
    return [{kind: 'prompt', text, attached: attachedTo(message)}];
  }
  return message.blocks.flatMap((block, at): readonly Entry[] => {
    switch (block.kind) {
      case 'text':
        return [textEntry(`${message.id}/${at}`, block.text, 'done')];
      case 'tool-call': {
        const past = pastAction(block, results.get(block.id), directory);
        return past.action !== 'unknown' && isTodoUpdate(past.action) ? [] : [past];
      }
      case 'other':
        return isCallExtras(block) ? [] : [otherEntry(block.type)];
      case 'thinking':
      case 'sealed-thinking':
        return [];
      default:
        return unreachable(block);
    }
  });
}

export const otherEntry = (type: string): Entry => ({kind: 'notice', level: 'info', text: `(${visibleLine(type)})`});

export const pastUserCommand = (command: string, result: string): PastActionEntry => ({
  kind: 'past-action',
  by: 'user',
  action: userCommandAction(command, 0),
  label: userCommandLabel(command),
  outcome: 'success',
  resultText: result,
});

/** Returns the entry for a past tool call. A call that no longer decodes is labeled with its tool name. */
export function pastAction(
  call: ToolCallBlock,
  result: ToolResultBlock | undefined,
  directory: string,
): PastActionEntry {
  const decoded = decodePastAction(call.name, call.input);
  const outcome = result?.outcome ?? 'cancelled';
  const label = decoded.tag === 'ok' ? withRelativePaths(labelOf(decoded.value), directory) : call.name;
  const action = decoded.tag === 'ok' ? decoded.value : 'unknown';
  return {kind: 'past-action', by: 'agent', action, label, outcome, resultText: resultText(result)};
}
