import {completions, isBeginning, readCommand} from './commands.ts';
import {historyPanel} from '../panels/history-panel.ts';
import {draftOf, edited, emptyDraft, expanded, isEmptyDraft, unfolded} from './draft.ts';
import {continuation, type KeyPress} from './keymap.ts';
import {nextMode} from './modes.ts';
import {droppedImages, pressBesideDraft, workOf} from './press-beside-draft.ts';
import {remembered, stepHistory} from './prompt-history.ts';
import type {Effect, PressContext} from './effect.ts';
import {pressVimFirst, stood, written} from './text-field.ts';
import type {Step, Ui} from './ui.ts';

/** One press on the composer; vim's keys are vim's first. */
export function pressComposer(ui: Ui, key: KeyPress, context: PressContext): Step {
  const dropped = droppedImages(ui, key);
  if (dropped !== undefined) return dropped;
  const {kind, field} = pressVimFirst(ui, key);
  if (kind === 'went-on') return field.draft === ui.draft ? {ui: field, effects: []} : changed(field);
  const step = pressPlain(field, key, context);
  return {...step, ui: stood(step.ui)};
}

function pressPlain(ui: Ui, key: KeyPress, context: PressContext): Step {
  const beside = pressBesideDraft(ui, key, context);
  if (beside !== undefined) return beside;
  if (key.kind !== 'key') return editing(ui, key, context);
  switch (key.name) {
    case 'enter':
      return enter(ui, context);
    case 'escape':
      return {ui, effects: context.view.run.state === 'idle' ? [] : [{do: 'op', op: {op: 'interrupt'}}]};
    case 'end-of-input':
      return isEmptyDraft(ui.draft) ? {ui, effects: [{do: 'leave'}]} : editing(ui, key, context);
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
    case 'redraw':
      return {ui, effects: [{do: 'redraw'}]};
    case 'open-editor':
      return {ui, effects: [{do: 'edit-outside', what: 'draft'}]};
    case 'search-history':
      return {ui: {...ui, panel: historyPanel(ui.history.prompts, expanded(ui.draft))}, effects: []};
    case 'unfold-paste':
      return unfolded(ui.draft) === 'too-long'
        ? {ui, effects: [{do: 'tell', text: tooLong}]}
        : editing(ui, key, context);
    default:
      return editing(ui, key, context);
  }
}

const tooLong = 'That paste has lines too long to edit here; Ctrl+G opens it in your editor.';

function editing(ui: Ui, key: KeyPress, {width}: PressContext): Step {
  const next = written(ui, key, width);
  return next === undefined ? {ui, effects: []} : changed(next);
}

/** An edit starts the completion list again from its first row. */
const changed = (ui: Ui): Step => ({ui: {...ui, completionRow: 0}, effects: []});

function enter(ui: Ui, context: PressContext): Step {
  const {buffer} = ui.draft;
  if (buffer.cursor === buffer.text.length && buffer.text.endsWith(continuation)) {
    return editing({...ui, draft: edited(ui.draft, 'delete-left') ?? ui.draft}, newline, context);
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

const newline: KeyPress = {kind: 'key', name: 'newline'};

const changedWith = (ui: Ui, effect: Effect): Step => ({ui: {...ui, completionRow: 0}, effects: [effect]});

function vertical(ui: Ui, direction: 'up' | 'down', {commands, width}: PressContext): Step {
  const offered = completions(ui.draft.buffer.text, commands);
  if (offered.length > 1) {
    const by = direction === 'up' ? offered.length - 1 : 1;
    return {ui: {...ui, completionRow: (ui.completionRow + by) % offered.length}, effects: []};
  }
  const moved = written(ui, {kind: 'key', name: direction}, width);
  if (moved !== undefined) return {ui: moved, effects: []};
  const step = stepHistory(ui.history, {direction: direction === 'up' ? 'earlier' : 'later', from: ui.draft});
  return step === undefined ? {ui, effects: []} : changed({...ui, history: step.history, draft: step.draft});
}

function completed(ui: Ui, {commands}: PressContext): Step {
  const chosen = completions(ui.draft.buffer.text, commands)[ui.completionRow];
  if (chosen === undefined) return {ui, effects: []};
  const [word = ''] = chosen.usage.split(' ');
  return changed({...ui, draft: draftOf(chosen.usage === word ? word : `${word} `)});
}
