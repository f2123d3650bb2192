import {knownCost} from '../../domain/usage.ts';
import type {Todo, TodoList} from '../../domain/todo.ts';
import {unreachable} from '../../base/unreachable.ts';
import {todosOf} from '../../tasks/task-view.ts';
import type {View} from './view.ts';

/** Who gets the keys: the first open question or approval, else the composer. */
export type Attention =
  | {readonly kind: 'composer'}
  | {readonly kind: 'approval'; readonly approval: View['approvals'][number]; readonly waiting: number}
  | {readonly kind: 'question'; readonly open: View['questions'][number]};

export function attentionOf(view: View): Attention {
  const [approval] = view.approvals;
  if (approval !== undefined) return {kind: 'approval', approval, waiting: view.approvals.length};
  const [open] = view.questions;
  return open === undefined ? {kind: 'composer'} : {kind: 'question', open};
}

export interface StatusFacts {
  readonly model: string;
  readonly mode: string;
  readonly tokens: string;
  readonly cost: string;
  readonly context: string;
}

/** The facts of the status line in words; an unknown one is empty. */
export function statusOf(view: View): StatusFacts {
  let input = 0;
  let output = 0;
  for (const {usage} of Object.values(view.usage.models)) {
    input += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    output += usage.outputTokens;
  }
  const cost = knownCost(Object.values(view.usage.models));
  const {contextTokens, contextWindow} = view.usage;
  return {
    model: view.model,
    mode: modeText(view.mode),
    tokens: input + output === 0 ? '' : `${countText(input)} in, ${countText(output)} out`,
    cost: cost === undefined || cost === 0 ? '' : `$${cost < 0.1 ? cost.toFixed(4) : cost.toFixed(2)}`,
    context:
      contextWindow > 0 && contextTokens > 0 ? `${Math.round((100 * contextTokens) / contextWindow)}% context` : '',
  };
}

function modeText(mode: View['mode']): string {
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

/** `950`, `1.2k`, `45k`, `1.3M`. */
function countText(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** The rows of the todo panel: around what runs, at most `rows`; empty when there is nothing left to do. */
export function todoRows(
  view: View,
  rows: number,
): {readonly shown: TodoList; readonly done: number; readonly all: number} {
  const all = todosOf(view.tasks);
  const done = all.filter(isOver).length;
  if (done === all.length || rows <= 0) return {shown: [], done, all: all.length};
  const open = all.filter(todo => !isOver(todo));
  const running = open.filter(todo => todo.status === 'in_progress');
  const first = all.filter(isOver).slice(-1);
  const wanted = [...first, ...running, ...open.filter(todo => todo.status !== 'in_progress')].slice(0, rows);
  return {shown: all.filter(todo => wanted.includes(todo)), done, all: all.length};
}

const isOver = (todo: Todo): boolean => todo.status === 'completed' || todo.status === 'cancelled';
