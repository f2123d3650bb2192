import {completions, readCommand} from './commands.ts';
import {draftOf, edited, emptyDraft, expanded, isEmptyDraft, movedVertically, pasted, typed} from './draft.ts';
import {continuation, type KeyName, type KeyPress} from './keymap.ts';
import {nextMode} from './modes.ts';
import {remembered, stepHistory} from './prompt-history.ts';
import type {Effect, PressContext, Step, Ui} from './ui.ts';

/** One press on the composer. */
export function pressComposer(ui: Ui, key: KeyPress, context: PressContext): Step {
  if (key.kind === 'text') return changed({...ui, draft: typed(ui.draft, key.text)});
  if (key.kind === 'paste') return changed({...ui, draft: pasted(ui.draft, key.text)});
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
    case 'next-mode':
      return {ui, effects: [{do: 'op', op: {op: 'set-mode', mode: nextMode(context.view.mode)}}]};
    default:
      return editing(ui, key.name);
  }
}

function editing(ui: Ui, name: KeyName): Step {
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
  if (text.trim() === '') return {ui, effects: []};
  const offered = completions(buffer.text, context.commands);
  const command = readCommand(offered[ui.completionRow]?.usage.split(' ')[0] ?? text, context.commands);
  const effect: Effect = command === undefined ? {do: 'send', text} : {do: 'command', line: command};
  return changedWith({...ui, draft: emptyDraft, history: remembered(ui.history, text)}, effect);
}

const changedWith = (ui: Ui, effect: Effect): Step => ({ui: {...ui, completionRow: 0}, effects: [effect]});

function vertical(ui: Ui, direction: 'up' | 'down', {commands}: PressContext): Step {
  const offered = completions(ui.draft.buffer.text, commands);
  if (offered.length > 1) {
    const by = direction === 'up' ? offered.length - 1 : 1;
    return {ui: {...ui, completionRow: (ui.completionRow + by) % offered.length}, effects: []};
  }
  const moved = movedVertically(ui.draft, direction);
  if (moved !== undefined) return {ui: {...ui, draft: moved}, effects: []};
  const step = stepHistory(ui.history, {direction: direction === 'up' ? 'earlier' : 'later', from: ui.draft});
  return step === undefined ? {ui, effects: []} : changed({...ui, history: step.history, draft: step.draft});
}

function completed(ui: Ui, {commands}: PressContext): Step {
  const chosen = completions(ui.draft.buffer.text, commands)[ui.completionRow];
  if (chosen === undefined) return {ui, effects: []};
  const [word = ''] = chosen.usage.split(' ');
  return changed({...ui, draft: draftOf(chosen.usage === word ? word : `${word} `)});
}
