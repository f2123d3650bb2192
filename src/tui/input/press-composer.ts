import {completions, isBeginning, readCommand} from './commands.ts';
import {unreachable} from '../../base/unreachable.ts';
import {historyPanel} from '../panels/history-panel.ts';
import {draftOf, edited, emptyDraft, expanded, isEmptyDraft, pasted, typed, unfolded} from './draft.ts';
import {movedByRow} from './draft-rows.ts';
import {cut, standing, stepped, yanked} from './editing.ts';
import {pressVim} from './vim/press-vim.ts';
import {continuation, type KeyName, type KeyPress} from './keymap.ts';
import {nextMode} from './modes.ts';
import {droppedImages, pressBesideDraft, workOf} from './press-beside-draft.ts';
import {remembered, stepHistory} from './prompt-history.ts';
import type {Effect, PressContext} from './effect.ts';
import type {Step, Ui} from './ui.ts';

/** One press on the composer; vim's keys are vim's first. */
export function pressComposer(ui: Ui, key: KeyPress, context: PressContext): Step {
  const {vim} = ui.editing;
  const dropped = droppedImages(ui, key);
  if (dropped !== undefined) return dropped;
  if (vim === 'off') return pressPlain(ui, key, context);
  const step = pressVim({draft: ui.draft, vim}, key);
  const after: Ui = {...ui, draft: step.draft, editing: {...ui.editing, vim: step.vim}};
  switch (step.kind) {
    case 'went-on':
      return step.draft === ui.draft ? {ui: after, effects: []} : changed(after);
    case 'undo':
    case 'redo':
      return changed(stepped(after, step.kind, step.times));
    case 'not-meant': {
      const plain = pressPlain(after, key, context);
      return {...plain, ui: {...plain.ui, draft: standing(plain.ui.draft, plain.ui.editing.vim)}};
    }
    default:
      return unreachable(step);
  }
}

function pressPlain(ui: Ui, key: KeyPress, context: PressContext): Step {
  const beside = pressBesideDraft(ui, key, context);
  if (beside !== undefined) return beside;
  if (key.kind === 'text') return changed({...ui, draft: typed(ui.draft, key.text)});
  if (key.kind === 'paste') return changed({...ui, draft: pasted(ui.draft, key.text, key.part)});
  switch (key.name) {
    case 'enter':
      return enter(ui, context);
    case 'escape':
      return {ui, effects: context.view.run.state === 'idle' ? [] : [{do: 'op', op: {op: 'interrupt'}}]};
    case 'end-of-input':
      return isEmptyDraft(ui.draft)
        ? {ui, effects: [{do: 'leave'}]}
        : changed({...ui, draft: edited(ui.draft, 'delete-right') ?? ui.draft});
    case 'up':
    case 'down':
      return vertical(ui, key.name, context);
    case 'complete':
      return completed(ui, context);
    case 'unfold':
    case 'next-verbosity':
      return {ui, effects: [{do: key.name}]};
    case 'next-mode':
      return {ui, effects: [{do: 'op', op: {op: 'set-mode', mode: nextMode(context.view.mode)}}]};
    case 'undo':
    case 'redo':
      return changed(stepped(ui, key.name, 1));
    case 'yank':
      return changed(yanked(ui));
    case 'redraw':
      return {ui, effects: [{do: 'redraw'}]};
    case 'open-editor':
      return {ui, effects: [{do: 'edit-outside', what: 'draft'}]};
    case 'search-history':
      return {ui: {...ui, panel: historyPanel(ui.history.prompts, expanded(ui.draft))}, effects: []};
    case 'unfold-paste':
      return unfold(ui);
    default:
      return editing(ui, key.name);
  }
}

function unfold(ui: Ui): Step {
  const draft = unfolded(ui.draft);
  if (draft === 'none') return {ui, effects: []};
  if (draft !== 'too-long') return changed({...ui, draft});
  return {
    ui,
    effects: [{do: 'tell', text: 'That paste has lines too long to edit here; Ctrl+G opens it in your editor.'}],
  };
}

function editing(ui: Ui, name: KeyName): Step {
  const shorter = cut(ui, name);
  if (shorter !== undefined) return changed(shorter);
  const draft = edited(ui.draft, name);
  return draft === undefined ? {ui, effects: []} : changed({...ui, draft});
}

/** An edit starts the completion list again from its first row. */
const changed = (ui: Ui): Step => ({ui: {...ui, completionRow: 0}, effects: []});

function enter(ui: Ui, context: PressContext): Step {
  const {buffer} = ui.draft;
  if (buffer.cursor === buffer.text.length && buffer.text.endsWith(continuation)) {
    return editing({...ui, draft: edited(ui.draft, 'delete-left') ?? ui.draft}, 'newline');
  }
  const text = expanded(ui.draft);
  if (text.trim() === '' && ui.images.length === 0) return {ui, effects: []};
  const chosen = completions(buffer.text, context.commands)[ui.completionRow];
  if (chosen !== undefined && !isBeginning(buffer.text, chosen)) return completed(ui, context);
  const command = readCommand(chosen?.usage.split(' ')[0] ?? text, context.commands);
  const work = workOf(text, context);
  const own: Effect | undefined = work === 'nothing' ? undefined : {do: 'compose', work};
  const effect = command === undefined ? own : ({do: 'command', line: command} as const);
  if (effect === undefined) return {ui, effects: []};
  return changedWith({...ui, draft: emptyDraft, history: remembered(ui.history, text)}, effect);
}

const changedWith = (ui: Ui, effect: Effect): Step => ({ui: {...ui, completionRow: 0}, effects: [effect]});

function vertical(ui: Ui, direction: 'up' | 'down', {commands, width}: PressContext): Step {
  const offered = completions(ui.draft.buffer.text, commands);
  if (offered.length > 1) {
    const by = direction === 'up' ? offered.length - 1 : 1;
    return {ui: {...ui, completionRow: (ui.completionRow + by) % offered.length}, effects: []};
  }
  const moved = movedByRow(ui.draft, {direction, width, goal: ui.editing.goal});
  if (moved !== undefined) {
    return {ui: {...ui, draft: moved.draft, editing: {...ui.editing, goal: moved.goal}}, effects: []};
  }
  const step = stepHistory(ui.history, {direction: direction === 'up' ? 'earlier' : 'later', from: ui.draft});
  return step === undefined ? {ui, effects: []} : changed({...ui, history: step.history, draft: step.draft});
}

function completed(ui: Ui, {commands}: PressContext): Step {
  const chosen = completions(ui.draft.buffer.text, commands)[ui.completionRow];
  if (chosen === undefined) return {ui, effects: []};
  const [word = ''] = chosen.usage.split(' ');
  return changed({...ui, draft: draftOf(chosen.usage === word ? word : `${word} `)});
}
