import type {Denial, PromptEnd} from '../../actions/agent-event.ts';
import {resolveModelAlias} from '../../domain/model-alias.ts';
import {
  type ActionResult,
  cancellationText,
  modelContent,
  successfulOutput,
  resultOf,
} from '../../actions/catalogue.ts';
import {changesTexts} from '../../actions/changes-port.ts';
import {changesOfCommand} from '../../actions/outcome.ts';
import type {ExpandedPrompt, PromptCommand} from '../../actions/commands-port.ts';
import type {FrontEndAbilities} from '../../actions/front-end.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {ImageBlock, TextBlock, ToolCallBlock} from '../../domain/conversation.ts';
import {blockTexts} from '../../domain/conversation.ts';
import {faultText, rejected, thrownFault, type Fault} from '../../domain/fault.ts';
import {actionId, type MessageId} from '../../domain/ids.ts';
import {
  builtInCommands,
  commandsOfPrograms,
  ownCommand,
  readSlashCommand,
  type SlashCommand,
  withoutAttachedText,
} from '../../domain/slash-command.ts';
import {approve, deniedText, judgeOwnAction, withHookVerdict} from '../approval.ts';
import {droppedChanges} from '../command-changes.ts';
import {learnResult} from '../outside-text.ts';
import {allowForPrompt, decodeCall, type PromptContext, type SessionContext} from '../session-context.ts';
import type {WaitingPrompt} from '../work-queue.ts';
import {approvalRequest, checkpointFor, runApprovedAction} from '../tool-call.ts';

/** A prompt after slash commands were looked up. */
export type PromptReading =
  | {readonly kind: 'text'}
  | {readonly kind: 'command'; readonly command: SlashCommand; readonly expanded: ExpandedPrompt}
  | {readonly kind: 'not-sent'; readonly end: NotSent};

type NotSent = Extract<PromptEnd, {kind: 'not-sent'}>;

/**
 * Reads a prompt as a slash command and expands it without running anything. An unknown command is not sent, because it
 * is likely a typo. Never throws.
 */
export async function readPrompt(text: string, session: SessionContext, signal: AbortSignal): Promise<PromptReading> {
  try {
    const found = await findCommand(text, session, signal);
    if (found.kind === 'text') return found;
    if (found.kind === 'unknown') return notSent('unknown-command', rejected(found.text));
    const {command} = found;
    const expanded = await session.ports.commands.expand(command, signal);
    return expanded.tag === 'ok'
      ? {kind: 'command', command, expanded: expanded.value}
      : notSent('failed', expanded.error);
  } catch (cause) {
    return notSent('failed', thrownFault('The command failed', cause));
  }
}

/** Returns the command of weft that a prompt is, unless a command in a file replaces it. */
export async function commandOfWeft(
  {by, text}: Pick<WaitingPrompt, 'by' | 'text'>,
  {ports: {commands}}: SessionContext,
  signal: AbortSignal,
): Promise<SlashCommand | undefined> {
  const command = by === 'user' ? ownCommand(text) : undefined;
  if (command === undefined) return undefined;
  await commands.ready(signal);
  return commands.list().some(({name}) => name === command.name) ? undefined : command;
}

/** Finds whether a prompt is a slash command that becomes a prompt. `unknown` explains why it can't be sent. */
export async function findCommand(
  text: string,
  {ports, frontEnd}: Pick<SessionContext, 'ports' | 'frontEnd'>,
  signal: AbortSignal,
): Promise<
  | {readonly kind: 'text'}
  | {readonly kind: 'command'; readonly command: SlashCommand}
  | {readonly kind: 'unknown'; readonly text: string}
> {
  // Piped and attached texts go with the prompt, and not into a command line of the command.
  const command = readSlashCommand(withoutAttachedText(text));
  if (command === undefined) return {kind: 'text'};
  await ports.commands.ready(signal);
  if (command.name.startsWith('mcp__')) await ports.machine.mcp.ready(signal);
  const known = ports.commands.list();
  if (known.some(({name}) => name === command.name)) return {kind: 'command', command};
  // Distinguishes a path: `/tmp is full` is about a folder.
  const isPath = async (): Promise<boolean> =>
    (await ports.machine.files.read({path: `/${command.name}`, offset: 1, limit: 1}, signal)).tag === 'ok';
  return !builtInCommands.has(command.name) && (await isPath())
    ? {kind: 'text'}
    : {
        kind: 'unknown',
        text: ports.commands.whyWithheld(command.name) || unknownCommandText(command.name, known, frontEnd),
      };
}

const notSent = (why: NotSent['why'], fault: Fault): Extract<PromptReading, {kind: 'not-sent'}> => ({
  kind: 'not-sent',
  end: {kind: 'not-sent', why, fault},
});

/** Returns why there is nothing to send for `/name`, and what to write instead. */
export function unknownCommandText(
  name: string,
  known: readonly Pick<PromptCommand, 'name'>[],
  frontEnd: FrontEndAbilities,
): string {
  if (builtInCommands.has(name)) return `/${name} works only in the terminal UI. Nothing was sent to the model.`;
  // The terminal UI alone asks about compactions.
  const isTerminal = frontEnd.has('offers-compactions');
  const ofFrontEnd = isTerminal ? [...builtInCommands] : commandsOfPrograms.map(command => command.name);
  const names = [...ofFrontEnd, ...known.map(command => command.name)];
  const near = nearestName(name, names);
  if (near !== undefined) return `Unknown command /${name}. Did you mean /${near}?`;
  const [shown, left] = [names.slice(0, maxListed).map(each => `/${each}`), names.length - maxListed];
  const list = `Available: ${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}.`;
  return `Unknown command /${name}. ${isTerminal ? 'Type /help for the list.' : list}`;
}

/** The maximum number of commands that an error lists. */
const maxListed = 20;

/** The text of a command for the model, besides the user's own words. */
export interface CommandContent {
  readonly blocks: readonly (TextBlock | ImageBlock)[];
  /** The text in which `@file` attaches a file. May be empty. */
  readonly mentionsIn: string;
}

/** The result of a command whose lines have been run. */
export type CommandResult =
  /** `denials`: changes of its lines that were not kept. */
  | {readonly kind: 'content'; readonly content: CommandContent; readonly denials: readonly Denial[]}
  | {readonly kind: 'not-sent'; readonly end: NotSent; readonly denials: readonly Denial[]}
  | {readonly kind: 'aborted'};

/**
 * Runs the command lines of an expanded command in order and inserts their output. weft judges each and asks about it
 * as for a Bash call by the model. If one may not run, the prompt is not sent. Never throws.
 */
export async function runCommandLines(
  {id, command, expanded}: {readonly id: MessageId} & Omit<Extract<PromptReading, {kind: 'command'}>, 'kind'>,
  context: PromptContext,
  signal: AbortSignal,
): Promise<CommandResult> {
  const images: ImageBlock[] = [];
  const denials: Denial[] = [];
  let text = '';
  let mentionsIn = '';
  let line = 0;
  for (const part of expanded.parts) {
    if (part.kind === 'image') images.push(part.image);
    if (part.kind === 'text') {
      text += part.text;
      if (expanded.mentions === 'attach') mentionsIn += part.text;
    }
    if (part.kind !== 'shell') continue;
    line += 1;
    const call: ToolCallBlock = {
      kind: 'tool-call',
      id: actionId(`${id}-line-${line}`),
      name: 'Bash',
      input: {command: part.command, description: `A line of /${command.name}`},
    };
    const printed = await runLine(call, context, signal);
    if (signal.aborted) return {kind: 'aborted'};
    if (printed.tag === 'failed') {
      const {deniedBy, fault} = printed.error;
      const message = `/${command.name} was not sent because its line ${JSON.stringify(part.command)} did not run: ${faultText(fault)}`;
      const why = deniedBy === 'not-denied' ? 'failed' : 'not-permitted';
      if (deniedBy !== 'not-denied') denials.push({call, by: deniedBy, of: {kind: 'call', reasons: []}});
      return {kind: 'not-sent', end: {kind: 'not-sent', why, fault: rejected(message)}, denials};
    }
    const ended = printed.value;
    await learnResult(ended, modelContent(ended), context.session);
    text += [
      successfulOutput(ended) ?? blockTexts(modelContent(ended)).join('\n'),
      ...changesTexts(changesOfCommand(ended)).map(said => `[${said}]`),
    ].join('\n');
    denials.push(...droppedChanges(call, {tag: 'action', result: ended}));
    // Names in the output of a command attach nothing.
    mentionsIn += ' ';
  }
  return {kind: 'content', content: {blocks: [expanded.block(text), ...images], mentionsIn}, denials};
}

interface LineFault {
  readonly fault: Fault;
  readonly deniedBy: Denial['by'] | 'not-denied';
}

async function runLine(
  call: ToolCallBlock,
  context: PromptContext,
  signal: AbortSignal,
): Promise<Outcome<ActionResult, LineFault>> {
  const {session, hooks} = context;
  try {
    const hook = await hooks.beforeCall(call, signal);
    const effectiveCall = hook.input === 'unchanged' ? call : {...call, input: hook.input};
    const decoded = decodeCall(effectiveCall.name, effectiveCall.input, session);
    if (decoded.tag === 'failed') return lineFailure(decoded.error);
    const action = decoded.value;
    const judged = withHookVerdict(await judgeOwnAction(action, session, signal), hook.verdict);
    const {verdict} = judged;
    if (verdict.decision === 'deny') return lineFailure(rejected(deniedText(verdict)), 'rule');
    if (hook.verdict.kind === 'deny') return lineFailure(rejected(hook.verdict.reason), 'hook');
    const approval = await approve(approvalRequest({call, effectiveCall, action, hook, ...judged}), context, signal);
    if (approval.kind === 'refused') {
      const {settled, deniedBy} = approval;
      const fault = settled.state === 'cancelled' ? rejected(cancellationText(settled.why)) : rejected('It failed.');
      return lineFailure(settled.state === 'error' ? settled.fault : fault, deniedBy);
    }
    await checkpointFor({...approval, id: call.id}, context, signal);
    const settled = await runApprovedAction(
      {call: effectiveCall, approved: approval, observe: () => {}},
      context,
      signal,
    );
    if (settled.state === 'error') return lineFailure(settled.fault);
    if (settled.state === 'cancelled') return lineFailure(rejected(cancellationText(settled.why)));
    return ok(resultOf(approval.action, settled));
  } catch (cause) {
    return lineFailure(thrownFault('The command line failed', cause));
  } finally {
    context.checkpoints.afterCall(call.id);
  }
}

const lineFailure = (fault: Fault, deniedBy: LineFault['deniedBy'] = 'not-denied'): Outcome<never, LineFault> =>
  failed({fault, deniedBy});

/** Applies a command's own settings to the running prompt. */
export async function applyCommand({model, allowedTools}: ExpandedPrompt, session: SessionContext): Promise<void> {
  const named = model === undefined ? undefined : resolveModelAlias(model, session.ports.model.provider);
  if (named !== undefined) session.promptModel = named;
  await allowForPrompt(allowedTools, session);
}

/** Ends the settings that commands made for a prompt. */
export async function endCommands(session: SessionContext): Promise<void> {
  session.promptModel = undefined;
  if (session.promptRules.length === 0) return;
  session.promptRules = [];
  await session.ports.judge.changeRules({change: 'prompt', rules: []});
}
