import {firstLine} from '../base/clip.ts';
import {byKind, type ByKind, unreachable} from '../base/unreachable.ts';
import {type CallOutcome, callOutcome} from '../domain/conversation.ts';
import {faultText} from '../domain/fault.ts';
import type {BlockId} from '../domain/ids.ts';
import type {CheckEnd} from '../domain/receipt.ts';
import type {CancelReason} from '../domain/settled.ts';
import type {SettledCall} from './agent-event.ts';
import {isRunning} from './block-text.ts';
import {
  cancellationText,
  definitions,
  toolNamesOf,
  type Action,
  type ActionName,
  type ActionResult,
  type InputOf,
  type OutputOf,
} from './catalogue.ts';
import {type ChangesOutcome, deniedBy, emptyChangesOutcome} from './changes-port.ts';
import {isFailure} from './command-failure.ts';
import type {ActionDefinition} from './define-action.ts';
import type {BlockSnapshot, BoundedOutput, ShellReport} from './ports.ts';
import type {FileDiff} from './preview.ts';

/** How a call ended, in a few words for front ends without cards. */
export interface CallSummary {
  /** `ended-badly`: a command that ran, with an exit code or signal that reports a failure. */
  readonly kind: 'done' | 'ended-badly' | 'failed' | 'refused' | 'stopped';
  /** Text besides the action's label. Often empty. */
  readonly words: readonly string[];
  /** The output of a command. Empty for every other action. */
  readonly printed: string;
}

export function outcomeOf(call: SettledCall): CallSummary {
  if (call.tag === 'undecodable') return {kind: 'failed', words: [faultText(call.fault)], printed: ''};
  const {settled} = call.result;
  const printed = printedOutput(call.result);
  switch (settled.state) {
    case 'success':
      return {kind: isFailedCommand(call.result) ? 'ended-badly' : 'done', words: successTexts(call.result), printed};
    case 'error':
      return {kind: 'failed', words: [faultText(settled.fault)], printed};
    case 'cancelled': {
      const kind = settled.why.reason === 'declined' ? 'refused' : 'stopped';
      return {kind, words: [cancellationText(settled.why)], printed};
    }
    default:
      return unreachable(settled);
  }
}

function successTexts<N extends ActionName>({name, settled}: ActionResult<N>): readonly string[] {
  const definition: Pick<ActionDefinition<never, OutputOf<N>, never>, 'outcome'> = definitions[name];
  return settled.state === 'success' ? definition.outcome(settled.output) : [];
}

/** True if a command ran and failed. The action itself succeeded, but a check mark beside it would mislead. */
function isFailedCommand(result: ActionResult): boolean {
  if (result.name !== 'request-command-output' || result.settled.state !== 'success') return false;
  const {output} = result.settled;
  return isFailure(output.command, output.kind === 'completed' ? output.report.end : output.block.state);
}

/** Returns the block that a call started, and what its command does; `undefined` for any other result. */
export function startedBlock(
  settled: SettledCall,
): {readonly block: BlockId; readonly description: string} | undefined {
  if (settled.tag === 'undecodable' || settled.result.name !== 'request-command-output') return undefined;
  const {settled: result} = settled.result;
  if (result.state !== 'success' || result.output.kind !== 'block') return undefined;
  return {block: result.output.block.id, description: firstLine(result.output.command, 200)};
}

/** How a command stands after an action: it ended, it goes on in a block, or a block that began earlier was looked at. */
export type CommandStand =
  | {readonly kind: 'ended'; readonly command: string; readonly end: CheckEnd; readonly output: BoundedOutput}
  | {readonly kind: 'moved'; readonly command: string; readonly block: BlockId}
  | {readonly kind: 'seen'; readonly block: BlockSnapshot};

/** Returns how the command of an action stands; `undefined` for any other action, and if its end is unknown. */
export function commandStandOf({settled}: ActionResult): CommandStand | undefined {
  if (settled.state !== 'success' || typeof settled.output !== 'object') return undefined;
  const {output} = settled;
  if (!('command' in output && 'kind' in output))
    return 'block' in output ? {kind: 'seen', block: output.block} : undefined;
  if (output.kind !== 'completed' && output.kind !== 'block') return undefined;
  const {command} = output;
  const ended = (end: CheckEnd, printed: BoundedOutput): CommandStand => ({
    kind: 'ended',
    command,
    end,
    output: printed,
  });
  if (output.kind === 'block') {
    const {id, state, output: printed} = output.block;
    if (state.kind === 'exited') return ended(state, printed);
    return isRunning(state) ? {kind: 'moved', command, block: id} : undefined;
  }
  const {end, output: printed} = output.report;
  switch (end.kind) {
    case 'exited':
      return ended(end, printed);
    case 'signalled':
      return ended({kind: 'stopped', why: 'signal'}, printed);
    case 'timed-out':
      return ended({kind: 'stopped', why: 'time-limit'}, printed);
    case 'moved':
      return {kind: 'moved', command, block: end.block};
    default:
      return undefined;
  }
}

export const commandInputOf = (action: Action): InputOf<'request-command-output'> | undefined =>
  action.name === 'request-command-output' ? action.input : undefined;

/** True if the todo list shows everything that the action does. */
export const isTodoUpdate = ({name}: Pick<Action, 'name'>): boolean => name === 'update-todos';

export const todoTools: ReadonlySet<string> = new Set(toolNamesOf('update-todos'));

/** Returns how a command ended, or its block, if its status sign doesn't say it all. Empty for every other action. */
export function endingText(result: ActionResult): string {
  if (result.settled.state === 'cancelled') return cancelReasonText(result.name, result.settled.why.reason);
  if (result.name !== 'request-command-output' || result.settled.state !== 'success') return '';
  const {output} = result.settled;
  if (output.kind === 'block') return output.block.id;
  return byKind(output.report.end, endTexts);
}

const endTexts: ByKind<ShellReport['end'], string> = {
  exited: ({code}) => (code === 0 ? '' : `exit ${code}`),
  signalled: ({signal}) => `ended by ${signal}`,
  'timed-out': () => 'timed out',
  aborted: () => 'interrupted',
  'not-started': () => 'not started',
  moved: ({block}) => `in background as ${block}`,
};

/** Returns why an action did not finish, in two or three words. */
export const cancelReasonText = (name: ActionName, reason: CancelReason): string =>
  name === 'ask-user-question' && reason === 'declined' ? 'not answered' : reasonWords[reason];

const reasonWords: Readonly<Record<CancelReason, string>> = {
  declined: 'you said no',
  denied: 'not permitted',
  interrupted: 'interrupted',
  shutdown: 'stopped with weft',
  'not-run': 'not run',
};

/** Returns the files that an edit changed, or a command whose changes needed no approval. */
export const changedFiles = (result: ActionResult): readonly FileDiff[] =>
  editedFiles(result) ?? changesOfCommand(result).diffs;

/** Returns the outcome for the changes of a command. Empty for every other action. */
export function changesOfCommand(result: ActionResult): ChangesOutcome {
  if (result.name !== 'request-command-output' && result.name !== 'sandbox-exec') return emptyChangesOutcome;
  const {settled} = result;
  return settled.state === 'success' && 'report' in settled.output
    ? settled.output.report.changes
    : emptyChangesOutcome;
}

/**
 * Returns the end of an action that the model and every client read. A command was not done if someone denied changes
 * and none was kept. A command that failed is an error, as in Claude Code.
 */
export function callEndOf(result: ActionResult): CallOutcome {
  const {applied, dropped} = changesOfCommand(result);
  const denials = applied.length > 0 ? [] : dropped.map(({why}) => deniedBy[why]);
  if (denials.includes('user')) return {outcome: 'cancelled', reason: 'declined'};
  if (denials.some(by => by !== 'not-denied')) return {outcome: 'cancelled', reason: 'denied'};
  return isFailedCommand(result) ? {outcome: 'error'} : callOutcome(result.settled);
}

/** Returns the changes of an edit, or `undefined` for any other action and if nothing was written. */
export const editedFiles = (result: ActionResult): readonly FileDiff[] | undefined =>
  result.name === 'request-file-edits' && result.settled.state === 'success' ? result.settled.output.files : undefined;

/** Returns the output of a command, even if it was stopped. */
export function printedOutput(result: ActionResult): string {
  if (result.name !== 'request-command-output') return '';
  const {settled} = result;
  switch (settled.state) {
    case 'success':
      return (settled.output.kind === 'completed' ? settled.output.report : settled.output.block).output.text;
    case 'cancelled':
      return settled.partial.output;
    case 'error':
      return '';
    default:
      return unreachable(settled);
  }
}
