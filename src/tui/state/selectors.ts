import {canMoveToBackground, isAgentAction} from '../../actions/catalogue.ts';
import {contextTokens as contextTokensOf, estimatedCosts, knownCost} from '../../domain/usage.ts';
import type {Todo} from '../../domain/todo.ts';
import type {ActionId} from '../../domain/ids.ts';
import {confines, holdsChanges, provenText} from '../../domain/sandbox.ts';
import type {LineCounts, View} from './view.ts';

/** The part that needs the user's attention: the first approval, question, or terminal hand-over, else the composer. */
export type Attention =
  | {readonly kind: 'composer'}
  | {readonly kind: 'approval'; readonly approval: View['approvals'][number]; readonly waiting: number}
  | {readonly kind: 'question'; readonly open: View['questions'][number]}
  | {readonly kind: 'hand-over'; readonly open: View['handOvers'][number]};

export function attentionOf(view: View): Attention {
  const [approval] = view.approvals;
  if (approval !== undefined) return {kind: 'approval', approval, waiting: view.approvals.length};
  const [open] = view.questions;
  if (open !== undefined) return {kind: 'question', open};
  const [handOver] = view.handOvers;
  return handOver === undefined ? {kind: 'composer'} : {kind: 'hand-over', open: handOver};
}

/** Returns the session's folder. Empty while the session opens. */
export const directoryOf = ({session}: Pick<View, 'session'>): string =>
  session.tag === 'open' ? session.info.directory : '';

/** True if no model is configured. */
export const hasNoModel = ({session}: View): boolean => session.tag === 'open' && session.info.provider === 'none';

/** True if there is nothing to stop. A hook may be checking a queued prompt, so the queue must be empty. */
export const isIdle = ({run, queued}: View): boolean => run.state === 'idle' && queued.length === 0;

/** Returns the action whose command runs in the foreground, or `undefined` if there is none. */
export function foregroundCommand({entries}: View): ActionId | undefined {
  for (const entry of entries) {
    if (entry.kind === 'action' && entry.stage.stage === 'running' && canMoveToBackground(entry.stage.action))
      return entry.id;
  }
  return undefined;
}

export interface StatusFacts {
  readonly model: string;
  readonly mode: string;
  readonly tokens: string;
  readonly cost: string;
  readonly context: string;
}

/** Returns the texts of the status line. Unknown facts are empty. */
export function statusOf(view: View): StatusFacts {
  let input = 0;
  let output = 0;
  for (const {usage} of Object.values(view.usage.models)) {
    input += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    output += usage.outputTokens;
  }
  const {contextTokens, contextWindow} = view.usage;
  return {
    model: view.model,
    mode: modeText(view.mode),
    tokens: input + output === 0 ? '' : `${countText(input)} in, ${countText(output)} out`,
    cost: sessionCost(view.usage, moneyText),
    context: contextWindow > 0 && contextTokens > 0 ? `${contextPercent(contextTokens, contextWindow)}% context` : '',
  };
}

/**
 * Returns the session's cost: with `+` if the price of one of its models is unknown, with `~` if it is estimated. Empty
 * if nothing was used.
 */
export function sessionCost({models}: View['usage'], format: (usd: number) => string): string {
  const used = Object.values(models);
  const usd = knownCost(used);
  const unpriced = used.some(({costUsd, usage}) => costUsd === 'unknown' && contextTokensOf(usage) > 0);
  if (usd === undefined || usd === 0) return unpriced ? 'cost unknown' : '';
  const about = estimatedCosts(models).length === 0 ? '' : '~';
  return about + format(usd) + (unpriced ? '+' : '');
}

/** Returns how full the context is, in percent. At least 1, because the context is never empty. */
export const contextPercent = (tokens: number, window: number): number =>
  Math.max(1, Math.round((100 * tokens) / window));

/** Describes how the sandbox confines commands. Empty if unknown or if no sandbox is configured. */
export function sandboxText({sandbox, mode}: Pick<View, 'sandbox' | 'mode'>): string {
  if (sandbox === 'unknown' || sandbox.provider === 'native') return '';
  if (holdsChanges(sandbox)) {
    return mode === 'default' ? 'sandbox: on a copy, asks to keep changes' : 'sandbox: on a copy';
  }
  return confines(sandbox) ? `sandbox: ${provenText(sandbox)}` : 'no sandbox';
}

/** Returns the model name without its vendor and date. */
export const shortModel = (model: string): string =>
  model.replace(/^(?:.*\/)?(?:claude-)?/u, '').replace(/-20\d{6}$/u, '');

/** The mode that allows everything, as the status line warns of it. */
export const bypassText = 'permissions bypassed';

export const modeText = (mode: View['mode']): string => modeTexts[mode];

const modeTexts: Readonly<Record<View['mode'], string>> = {
  default: 'asks first',
  acceptEdits: 'accepts edits',
  plan: 'plan only',
  dontAsk: 'never asks',
  bypassPermissions: 'allows almost everything',
};

/** Formats an amount in dollars, with four decimals below ten cents. */
export const moneyText = (usd: number): string => `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;

/** Formats an amount in whole cents, for the status line and the end of a turn. */
export const centsText = (usd: number): string => (usd < 0.005 ? '<$0.01' : `$${usd.toFixed(2)}`);

export function countText(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Returns the lines that the session has added and removed. */
export const changedLines = ({turn, earlierLines}: Pick<View, 'turn' | 'earlierLines'>): LineCounts =>
  [...turn.files.values()].reduce(
    (sum, {added, removed}) => ({added: sum.added + added, removed: sum.removed + removed}),
    earlierLines,
  );

export const isFinishedTodo = (todo: Todo): boolean => todo.status === 'completed' || todo.status === 'cancelled';

/** Describes the agent's current activity: `Editing README.md`, `Thinking`, `Working`. */
export function activityText({entries}: View): string {
  const running = entries.filter(entry => entry.kind === 'action').filter(({stage}) => stage.stage === 'running');
  const agents = running.filter(({stage}) => stage.stage === 'running' && isAgentAction(stage.action));
  if (agents.length > 1) return `${agents.length} agents running`;
  const action = running.at(-1);
  if (action !== undefined) return toProgressLabel(action.label);
  const last = entries.at(-1);
  if (last?.kind === 'thinking' && last.state === 'streaming') return 'Thinking';
  return last?.kind === 'text' && last.state === 'streaming' ? 'Writing' : 'Working';
}

/** Converts `Edit README.md` to `Editing README.md`. A label starts with a verb. */
export function toProgressLabel(label: string): string {
  const [verb = '', ...rest] = label.split(' ');
  return [presentParticiple(verb), ...rest].join(' ');
}

/** Verbs that double their last letter. */
const verbsThatDouble = new Set(['Run', 'Get', 'Stop', 'Put']);

function presentParticiple(verb: string): string {
  if (!/^[A-Z][a-z]+$/u.test(verb)) return verb;
  if (verbsThatDouble.has(verb)) return `${verb}${verb.at(-1)}ing`;
  return /[^e]e$/u.test(verb) ? `${verb.slice(0, -1)}ing` : `${verb}ing`;
}
