import {unreachable} from '../base/unreachable.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import {lostResultText} from '../domain/history.ts';
import {isReminder} from '../domain/reminder.ts';
import {isChangesText} from './changes-port.ts';
import {type Action, cancellationText, definitions} from './catalogue.ts';
import {decodePastAction} from './decode-action.ts';
import {isFailure} from './command-failure.ts';
import {cancelReasonText, commandInputOf} from './outcome.ts';

/** A call of a resumed session, as people read it. The journal has only the text that the model read. */
export interface PastResult {
  readonly failed: boolean;
  /** How the call ended, shown beside its title. */
  readonly notes: readonly string[];
  /** Zero if the text doesn't say how long the call took. */
  readonly seconds: number;
  /** The result without weft's remarks for the model, except those about the changes of a command. */
  readonly output: string;
}

/** Returns the text blocks of a result, without the reminders. */
export const resultText = (result: Pick<ToolResultBlock, 'content'> | undefined): string =>
  (result?.content ?? [])
    .filter(block => !isReminder(block))
    .flatMap(block => (block.kind === 'text' ? [block.text] : []))
    .join('\n');

export function pastResultOf(call: ToolCallBlock, result: ToolResultBlock | undefined): PastResult {
  const decoded = decodePastAction(call.name, call.input);
  const action = decoded.tag === 'ok' ? decoded.value : 'unknown';
  return pastResult(action, result?.outcome ?? 'cancelled', resultText(result));
}

/** Removes remarks for the model from the text of a result. Leaves the text of an unknown tool unchanged. */
export function pastResult(action: Action | 'unknown', outcome: ToolResultBlock['outcome'], text: string): PastResult {
  const said = text.replace(/^\[The user changed the command; what ran is: .*\]\n/u, '');
  const form = action === 'unknown' ? 'as-it-is' : definitions[action.name].past;
  const command = action === 'unknown' ? '' : (commandInputOf(action)?.command ?? '');
  if (outcome === 'cancelled') {
    // A command whose changes were denied has run to its end.
    return (form === 'command' ? pastCommand(said, command) : undefined) ?? pastCancellation(action, text);
  }
  const whole = {failed: outcome === 'error', notes: [], seconds: 0, output: text};
  if (action === 'unknown') return whole;
  if (form === 'command') return pastCommand(said, command) ?? {...whole, output: said};
  if (outcome === 'error') return whole;
  switch (form) {
    case 'as-it-is':
      return whole;
    case 'remarks-at-end':
      return {...whole, output: withoutRemarks(said.split('\n')).join('\n')};
    case 'files':
      return {...whole, output: said.split('\n').filter(isChange).join('\n')};
    case 'answer-of-agent':
      return {...whole, output: agentAnswer(said)};
    case 'block':
      return pastCommand(said, command) ?? whole;
    case 'for-the-model':
      return {...whole, output: ''};
    default:
      return unreachable(form);
  }
}

/** Matches the line about the end of a command or about its block. */
const endLine =
  /^\[(?:exit code (?<code>\d+)|(?<signal>ended by \S+)|(?<late>timed out) and was ended|(?<stopped>interrupted)|moved to the background as (?<moved>b\d+)) after (?<seconds>[\d.]+) s in .*\]$/u;
const blockLine = /^\[block (?<id>b\d+): (?<state>.+?), [\d.]+ s after its start\b.*\]$/u;

/** Returns the end of a command or the state of its block, or `undefined` if the text has neither. */
function pastCommand(text: string, command: string): PastResult | undefined {
  const lines = text.split('\n');
  const rest = withoutRemarks(lines);
  const remarks = lines.slice(rest.length);
  const output = [...rest, ...remarks.map(line => line.slice(1, -1)).filter(isChangesText)].join('\n');
  for (const line of remarks) {
    const block = blockLine.exec(line)?.groups;
    if (block !== undefined) {
      const {id = '', state = ''} = block;
      const code = Number(/^exit code (\d+)/u.exec(state)?.[1] ?? 0);
      const failed = state.startsWith('ended by') || isFailure(command, {kind: 'exited', code});
      return {failed, notes: [`${id}: ${state}`], seconds: 0, output};
    }
    const end = endLine.exec(line)?.groups;
    if (end === undefined) continue;
    const {code, signal, late, stopped, moved, seconds} = end;
    const exit = code === undefined || code === '0' ? undefined : `exit ${code}`;
    const words = exit ?? signal ?? late ?? stopped ?? (moved === undefined ? '' : `in background as ${moved}`);
    return {
      failed: moved === undefined && (code === undefined || isFailure(command, {kind: 'exited', code: Number(code)})),
      notes: [words].filter(part => part !== ''),
      seconds: Number(seconds),
      output,
    };
  }
  return undefined;
}

/** Returns the lines before the bracketed remarks that weft adds for the model. */
function withoutRemarks(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex(line => !/^\[.*\]$/u.test(line)) + 1);
}

const isChange = (line: string): boolean => /^(?:Created|Changed|Deleted|Renamed) .+ \(\+\d+ -\d+\)$/u.test(line);

/** Returns a sub-agent's answer: the text before the lines about its worktree and its id. */
function agentAnswer(text: string): string {
  if (/^It (?:(?:goes on|continues) in the background|reads the message)/u.test(text)) return '';
  return withoutRemarks(text.replace(/\n\n(?:(?!\n\n)[^])*\[agent [^\n]*\]$/u, '').split('\n')).join('\n');
}

/** Returns why a call did not finish, then what it had printed. */
function pastCancellation(action: Action | 'unknown', text: string): PastResult {
  const [first = '', ...rest] = text.split('\n');
  const name = action === 'unknown' ? 'call-mcp-tool' : action.name;
  const reasons = ['declined', 'interrupted', 'shutdown'] as const;
  const reason = reasons.find(each => first === cancellationText({reason: each, message: ''}));
  const output = rest.filter((line, at) => at > 0 || line !== 'Output before it was stopped:').join('\n');
  const past = {failed: false, seconds: 0} as const;
  if (reason !== undefined) return {...past, notes: [cancelReasonText(name, reason)], output};
  if (text === lostResultText) return {...past, notes: ['end unknown'], output: ''};
  const declined = cancellationText({reason: 'declined', message: '\n'}).trimEnd();
  if (!first.startsWith(declined)) return {...past, notes: [], output: text};
  return {
    ...past,
    notes: [cancelReasonText(name, 'declined')],
    output: [first.slice(declined.length).trim(), ...rest].join('\n').trim(),
  };
}
