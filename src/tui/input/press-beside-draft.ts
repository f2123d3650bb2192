import {unreachable} from '../../base/unreachable.ts';
import {emptyDraft, expanded, isEmptyDraft} from './draft.ts';
import {meaningOf} from './draft-meaning.ts';
import {imagePathsIn} from './image-paths.ts';
import {completions} from './commands.ts';
import type {KeyName, KeyPress} from './keymap.ts';
import {pressMentions} from './mention-list.ts';
import {remembered} from './prompt-history.ts';
import type {ComposerWork, Effect, PressContext} from './effect.ts';
import type {Step, Ui} from './ui.ts';

/**
 * What a key of the composer means besides editing: the list of files, images, prompts that wait. `undefined` for what is
 * about the draft itself.
 */
export function pressBesideDraft(ui: Ui, key: KeyPress, context: PressContext): Step | undefined {
  const step = pressMentions({draft: ui.draft, list: ui.mentions}, key);
  if (step !== undefined) {
    const next = {...ui, draft: step.draft, mentions: step.list, completionRow: 0};
    const stops = key.kind === 'key' && key.name === 'escape' && context.view.run.state !== 'idle';
    // The key that stops what runs does so whatever else it closes.
    return {ui: next, effects: stops ? interrupt : []};
  }
  if (key.kind !== 'key') return undefined;
  if (key.name === 'paste-image') return {ui, effects: [{do: 'compose', work: {kind: 'clipboard'}}]};
  if (isEmptyDraft(ui.draft)) return onEmptyDraft(ui, key.name, context);
  return key.name === 'complete' ? queue(ui, context) : undefined;
}

/** What entering a draft comes to that is no slash command: while something runs a prompt joins it. */
export function workOf(text: string, {view}: PressContext): ComposerWork | 'nothing' {
  const meaning = meaningOf(text);
  switch (meaning.kind) {
    case 'prompt':
      return {kind: 'send', text, when: view.run.state === 'idle' ? 'queued' : 'steering'};
    case 'shell':
      return meaning.command === '' ? 'nothing' : {kind: 'run-command', command: meaning.command};
    case 'note':
      return {kind: 'note', note: meaning.note};
    default:
      return unreachable(meaning);
  }
}

const interrupt: readonly Effect[] = [{do: 'op', op: {op: 'interrupt'}}];

/** Paths of images that are pasted, or that a terminal types when files are dragged into it. */
export function droppedImages(ui: Ui, key: KeyPress): Step | undefined {
  if (key.kind === 'key') return undefined;
  if (key.kind === 'text' ? key.text.length < shortestDrop : key.part === 'more') return undefined;
  const paths = imagePathsIn(key.text);
  return paths.length === 0 ? undefined : {ui, effects: [{do: 'compose', work: {kind: 'images', paths, press: key}}]};
}

/** Nobody types so many characters in one piece. */
const shortestDrop = 5;

function onEmptyDraft(ui: Ui, name: KeyName, {view}: PressContext): Step | undefined {
  const waiting = view.queued.at(-1);
  if (name === 'up' && waiting !== undefined) {
    return {ui, effects: [{do: 'op', op: {op: 'withdraw-prompt', id: waiting.id}}]};
  }
  if (name === 'line-start') return {ui, effects: [{do: 'scroll', step: 'top'}]};
  if (name === 'line-end') return {ui, effects: [{do: 'scroll', step: 'bottom'}]};
  if (name === 'delete-left' && ui.images.length > 0) return {ui: {...ui, images: ui.images.slice(0, -1)}, effects: []};
  return undefined;
}

/** While something runs: the prompt waits for its end. */
function queue(ui: Ui, {view, commands}: PressContext): Step | undefined {
  const text = expanded(ui.draft);
  const isPrompt = meaningOf(text).kind === 'prompt' && !text.startsWith('/') && text.trim() !== '';
  if (view.run.state === 'idle' || !isPrompt || completions(text, commands).length > 0) return undefined;
  const sent = {...ui, draft: emptyDraft, history: remembered(ui.history, text), completionRow: 0};
  return {ui: sent, effects: [{do: 'compose', work: {kind: 'send', text, when: 'queued'}}]};
}
