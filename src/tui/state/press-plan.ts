import {unreachable} from '../../base/unreachable.ts';
import {approvalKeys, cardKeys, type KeyPress} from '../terminal/keymap.ts';
import type {Effect} from './effect.ts';

type PlanChoice = 'go-ahead' | 'accept-edits' | 'edit-steps' | 'keep-planning';

/** The choices of the card that follows an answer in plan mode, in the order of their numbers. */
export const planChoices = [
  {choice: 'go-ahead', letter: approvalKeys.allow, label: 'Go ahead (asks before changes)'},
  {choice: 'accept-edits', letter: approvalKeys.allowSession, label: 'Go ahead, accept edits this session'},
  {choice: 'edit-steps', letter: cardKeys.edit.label, label: 'Edit the steps: the plan becomes the prompt'},
  {choice: 'keep-planning', letter: approvalKeys.refuse, label: 'Keep planning'},
] as const satisfies readonly {readonly choice: PlanChoice; readonly letter: string; readonly label: string}[];

type PlanStep =
  | {readonly kind: 'chosen'; readonly choice: PlanChoice}
  | {readonly kind: 'selected'; readonly row: number | 'none'}
  /** The key belongs to the draft. */
  | {readonly kind: 'unhandled'};

/** Handles a press on the plan card; `following` if nobody can have seen what the press before it did. */
export function pressPlan(row: number | 'none', key: KeyPress, place: 'first' | 'following'): PlanStep {
  if (key.kind === 'paste') return {kind: 'unhandled'};
  if (key.kind === 'text') {
    const letter = key.text.toLowerCase();
    const found = planChoices.find((one, at) => one.letter === letter || String(at + 1) === letter);
    return found === undefined ? {kind: 'unhandled'} : {kind: 'chosen', choice: found.choice};
  }
  const last = planChoices.length - 1;
  switch (key.name) {
    case 'up':
      return {kind: 'selected', row: row === 'none' || row === 0 ? last : row - 1};
    case 'down':
      return {kind: 'selected', row: row === 'none' || row === last ? 0 : row + 1};
    case 'enter': {
      const found = row === 'none' || place === 'following' ? undefined : planChoices[row];
      return found === undefined ? {kind: 'selected', row} : {kind: 'chosen', choice: found.choice};
    }
    case 'escape':
      return {kind: 'chosen', choice: 'keep-planning'};
    case cardKeys.edit.name:
      return {kind: 'chosen', choice: 'edit-steps'};
    default:
      return {kind: 'unhandled'};
  }
}

/** Going ahead leaves plan mode and sends a prompt; to edit the steps is to send them back, changed. */
export function planEffects(choice: PlanChoice, plan: string): readonly Effect[] {
  switch (choice) {
    case 'go-ahead':
    case 'accept-edits':
      return [
        {do: 'op', op: {op: 'set-mode', mode: choice === 'accept-edits' ? 'acceptEdits' : 'default'}},
        {do: 'compose', work: {kind: 'send', text: 'Go ahead with this plan.', when: 'queued'}},
      ];
    case 'edit-steps':
      return [{do: 'write', text: plan}];
    case 'keep-planning':
      return [];
    default:
      return unreachable(choice);
  }
}
