import {actionOf, cancelledResult, modelContent, resultOf, runAction, userCommandAction} from '../actions/catalogue.ts';
import {callEndOf} from '../actions/outcome.ts';
import type {ScreenSize} from '../actions/ports.ts';
import {firstLine} from '../base/clip.ts';
import {blockTexts, type UserMessage} from '../domain/conversation.ts';
import {faultText, thrownFault} from '../domain/fault.ts';
import {actionId, type BlockId, type MessageId} from '../domain/ids.ts';
import {plainTerms} from '../domain/executor.ts';
import {noDetail} from '../domain/risk.ts';
import {userCommandBlock, userCommandLabel} from '../domain/user-command.ts';
import {beginChange, noteChecks} from './checks.ts';
import {actionPorts, journal, warn, type PromptContext} from './session-context.ts';
import {learnResult} from './outside-text.ts';
import {unstructuredAnswer} from './structured-output.ts';

/** The time limit in milliseconds. It is long, because the user watches the command and can stop it. */
const timeoutMs = 3_600_000;

/**
 * Runs a command that the user typed, without an approval. Publishes it like an action, between `command-started` and
 * `command-finished`. The model reads it with its next request, with bounded output like that of its own commands.
 * Journals it before its end is published. Never throws.
 */
export async function runUserCommand(
  {id, command: typed, size}: {readonly id: MessageId; readonly command: string; readonly size: ScreenSize},
  {session, cancellation}: Pick<PromptContext, 'session' | 'cancellation'>,
  signal: AbortSignal,
): Promise<void> {
  const {publish} = session;
  const {clock, secrets} = session.ports;
  const command = secrets.redact(typed);
  const action = userCommandAction(command, timeoutMs);
  const call = actionId(id);
  const ports = actionPorts(session, call, unstructuredAnswer);
  const shown = {kind: 'command', command, directory: ports.shell.directory} as const;
  const label = userCommandLabel(firstLine(command, 200));
  const startedAt = clock.now();
  publish([
    {event: 'command-started', id},
    {event: 'action-queued', id: call, action: actionOf(action.name, action.input), label},
    {event: 'action-started', id: call, action: actionOf(action.name, action.input), preview: shown},
  ]);
  const observe = (chunk: string): void => publish([{event: 'action-output', id: call, chunk}]);
  const needed = (block: BlockId): void => publish([{event: 'terminal-needed', id: call, block}]);
  const endChange = beginChange(session, 'unknown');
  const run = session.foreground.during(call, background =>
    runAction(action, {
      ports,
      signal,
      approval: 'not-asked',
      shown,
      detail: noDetail,
      terms: plainTerms(shown.directory),
      observe,
      background,
      terminal: {size, needed},
    }),
  );
  const settled = await run.catch(
    (cause: unknown) => ({state: 'error', fault: thrownFault('The command failed', cause)}) as const,
  );
  const ended =
    settled.state === 'cancelled' ? {...cancelledResult(action, cancellation()), partial: settled.partial} : settled;
  const result = resultOf(action, ended);
  const content = modelContent(result);
  const ran = {call, result, directory: shown.directory, confinement: 'chosen', isMixed: endChange()} as const;
  await noteChecks(ran, session, signal);
  const output = blockTexts(content).join('\n');
  await learnResult(result, content, session);
  const message: UserMessage = {role: 'user', id, blocks: [userCommandBlock({command, result: output})]};
  try {
    journal(session, {kind: 'reminder', message});
    session.conversation.messages.push(message);
  } catch (cause) {
    const why = faultText(thrownFault('it could not be saved', cause));
    warn(session, `The agent won't see this command: ${why}`);
  }
  publish([
    {
      event: 'action-settled',
      call: {kind: 'tool-call', id: call, name: 'Bash', input: {command}},
      result: {tag: 'action', result},
      toolResult: {kind: 'tool-result', id: call, content, ...callEndOf(result)},
      durationMs: clock.now() - startedAt,
    },
    {event: 'command-finished', id},
  ]);
}
