import {knownCost} from '../../domain/usage.ts';
import type {Todo, TodoList} from '../../domain/todo.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {View} from './view.ts';

/** Who gets the keys: the first open question or approval, else the composer. */
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

export interface StatusFacts {
  readonly model: string;
  readonly mode: string;
  readonly tokens: string;
  /** The same, with how many came from the provider's cache. */
  readonly tokensInFull: string;
  readonly cost: string;
  readonly context: string;
}

/** The facts of the status line in words; an unknown one is empty. */
export function statusOf(view: View): StatusFacts {
  let input = 0;
  let output = 0;
  let cached = 0;
  for (const {usage} of Object.values(view.usage.models)) {
    input += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    output += usage.outputTokens;
    cached += usage.cacheReadTokens;
  }
  const cost = knownCost(Object.values(view.usage.models));
  const {contextTokens, contextWindow} = view.usage;
  return {
    model: view.model,
    mode: modeText(view.mode),
    tokens: input + output === 0 ? '' : `${countText(input)} in, ${countText(output)} out`,
    tokensInFull:
      input + output === 0
        ? ''
        : `${countText(input)} in${cached === 0 ? '' : ` (${countText(cached)} cached)`}, ${countText(output)} out`,
    cost: cost === undefined || cost === 0 ? '' : moneyText(cost),
    context:
      contextWindow > 0 && contextTokens > 0 ? `${Math.round((100 * contextTokens) / contextWindow)}% context` : '',
  };
}

/** A mode in two or three words. */
export function modeText(mode: View['mode']): string {
  switch (mode) {
    case 'default':
      return 'asks first';
    case 'acceptEdits':
      return 'accepts edits';
    case 'plan':
      return 'plan only';
    case 'dontAsk':
      return 'never asks';
    case 'bypassPermissions':
      return 'allows everything';
    default:
      return unreachable(mode);
  }
}

/** Dollars; of little money more digits. */
export const moneyText = (usd: number): string => `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;

/** `950`, `1.2k`, `45k`, `1.3M`. */
export function countText(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export interface TodoRows {
  readonly shown: TodoList;
  readonly done: number;
  readonly all: number;
}

/**
 * The todos of a panel of at most `rows` rows, in list order: first of all what runs (the next one where nothing does), then
 * what comes after it, one that is over, and what stands before it. Empty when there is nothing left to do.
 */
export function todoRows(list: TodoList, rows: number): TodoRows {
  const open = list.filter(todo => !isOver(todo));
  const over = list.filter(isOver).toReversed();
  const counts = {done: over.length, all: list.length};
  if (open.length === 0 || rows <= 0) return {shown: [], ...counts};
  const running = open.filter(isRunning);
  const start = Math.max(0, open.findIndex(isRunning));
  const active = running.length > 0 ? running : open.slice(0, 1);
  const after = open.slice(start + 1).filter(todo => !isRunning(todo));
  const before = open.slice(0, start).toReversed();
  const ranked = [...active, ...after.slice(0, 1), ...over.slice(0, 1), ...after.slice(1), ...before, ...over.slice(1)];
  const wanted = new Set(ranked.slice(0, rows));
  return {shown: list.filter(todo => wanted.has(todo)), ...counts};
}

const isRunning = (todo: Todo): boolean => todo.status === 'in_progress';

export const isOver = (todo: Todo): boolean => todo.status === 'completed' || todo.status === 'cancelled';
