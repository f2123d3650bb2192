import type {AgentEvent} from '../actions/agent-event.ts';
import {actionOf, type Action} from '../actions/catalogue.ts';
import type {ActionPorts} from '../actions/ports.ts';
import type {Preview} from '../actions/preview.ts';
import {cancelledResult, resultOf, runAction, tellModel} from '../actions/settle-action.ts';
import {firstLine} from '../base/clip.ts';
import {blockTexts, type Message, type UserMessage} from '../domain/conversation.ts';
import {faultText, thrownFault} from '../domain/fault.ts';
import {actionId, type MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {noDetail} from '../domain/risk.ts';
import type {Cancellation} from '../domain/settled.ts';
import {userCommandBlock, userCommandLabel} from '../domain/user-command.ts';
import type {ClockPort, SecretsPort} from './ports.ts';

export interface UserCommandParts {
  readonly ports: ActionPorts;
  readonly secrets: SecretsPort;
  readonly clock: ClockPort;
  readonly messages: Message[];
  readonly keep: (record: JournalRecord) => void;
  readonly publish: (events: readonly AgentEvent[]) => void;
  readonly whyStopped: () => Cancellation;
}

/** Milliseconds: the user watches it, and can stop it. */
const timeoutMs = 3_600_000;

/**
 * Runs a command that the user typed: nobody is asked, since the user has said what to do. It is told as an action of the
 * conversation is, between `command-started` and `command-finished`, and the agent reads it with its next request, output
 * bounded as that of its own commands. Kept before it is told; never throws.
 */
export async function runUserCommand(
  {id, command: given}: {readonly id: MessageId; readonly command: string},
  parts: UserCommandParts,
  signal: AbortSignal,
): Promise<void> {
  const {ports, clock, publish} = parts;
  const command = parts.secrets.conceal(given);
  const action: Action<'request-command-output'> = {
    name: 'request-command-output',
    input: {
      command,
      place: 'foreground',
      timeoutMs,
      claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
      description: '',
      rationale: '',
      citations: [],
    },
  };
  const call = actionId(id);
  const shown: Preview = {kind: 'command', command, directory: ports.shell.directory};
  const label = userCommandLabel(firstLine(command, 200));
  const startedAt = clock.now();
  publish([
    {event: 'command-started', id},
    {event: 'action-queued', id: call, action: actionOf(action.name, action.input), label},
    {event: 'action-started', id: call, action: actionOf(action.name, action.input), preview: shown},
  ]);
  const observe = (chunk: string): void => publish([{event: 'action-output', id: call, chunk}]);
  const settled = await runAction(action, {ports, signal, shown, detail: noDetail, observe}).catch(
    (cause: unknown) => ({state: 'error', fault: thrownFault('The command broke off', cause)}) as const,
  );
  const how =
    settled.state === 'cancelled' ? {...cancelledResult(action, parts.whyStopped()), cut: settled.cut} : settled;
  const result = resultOf(action, how);
  const content = tellModel(result);
  const told = blockTexts(content).join('\n');
  const message: UserMessage = {role: 'user', id, blocks: [userCommandBlock({command, told})]};
  try {
    parts.keep({kind: 'reminder', message});
    parts.messages.push(message);
  } catch (cause) {
    const text = `The agent does not learn of this command: ${faultText(thrownFault('it could not be kept', cause))}`;
    publish([{event: 'notice', level: 'warning', text}]);
  }
  publish([
    {
      event: 'action-settled',
      call: {kind: 'tool-call', id: call, name: 'Bash', input: {command}},
      result: {tag: 'action', result},
      told: {kind: 'tool-result', id: call, content, outcome: how.state},
      durationMs: clock.now() - startedAt,
    },
    {event: 'command-finished', id},
  ]);
}
