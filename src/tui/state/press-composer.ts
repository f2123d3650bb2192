import type {ComposerRequest, Effect, PressContext} from './effect.ts';
import {unreachable} from '../../base/unreachable.ts';
import {completions, type DraftKind, isBeginning, readDraft, readCommand} from '../commands/command-line.ts';
import {nextMode} from '../commands/mode.ts';
import {historyPanel, notePanel} from './panels/panel.ts';
import {isSurelyKey} from '../../domain/api-key.ts';
import {connectPanel, connectWithKey, lookForServers} from './panels/connect.ts';
import {hasNoModel, isIdle} from './selectors.ts';
import {draftFromText, applyEditKey, emptyDraft, draftText, isEmptyDraft, expandPaste} from '../editor/draft.ts';
import {addPrompt, stepHistory} from '../editor/prompt-history.ts';
import {pressVimFirst, withVimCursor, editField} from '../editor/text-field.ts';
import {commandPrefix, continuation, type KeyName, type KeyPress, shortcutsKey} from '../terminal/keymap.ts';
import {isRestored} from './rewind-and-compact.ts';
import {pressMentionList} from './mention-list.ts';
import type {UiStep, Ui} from './ui.ts';

/** Handles a press on the composer; the shortcuts go with the next key, and Esc does nothing else then. */
export function pressComposer(ui: Ui, key: KeyPress, context: PressContext): UiStep {
  if (isShortcutsKey(ui, key)) {
    return {ui: {...ui, shortcuts: ui.shortcuts === 'shown' ? 'hidden' : 'shown'}, effects: []};
  }
  if (ui.shortcuts === 'hidden') return pressDraft(ui, key, context);
  const closed: Ui = {...ui, shortcuts: 'hidden'};
  const onlyCloses = key.kind === 'key' && key.name === 'escape' && context.view.run.state === 'idle';
  return onlyCloses ? {ui: closed, effects: []} : pressDraft(closed, key, context);
}

/** In vim's normal mode the key is a command. */
const isShortcutsKey = ({draft, editing: {vim}}: Ui, key: KeyPress): boolean =>
  key.kind === 'text' && key.text === shortcutsKey && isEmptyDraft(draft) && (vim === 'off' || vim.mode === 'insert');

function pressDraft(ui: Ui, key: KeyPress, context: PressContext): UiStep {
  if (key.kind === 'paste' && hasNoModel(context.view) && isSurelyKey(key.text)) {
    const panel = connectWithKey(key.text, {model: 'none', prompt: 'none', demo: demoOf(context)});
    return {ui: {...ui, panel}, effects: [lookForServers]};
  }
  const dropped = droppedImages(ui, key);
  if (dropped !== undefined) return dropped;
  const {kind, field} = pressVimFirst(ui, key);
  if (kind === 'handled') return field.draft === ui.draft ? {ui: field, effects: []} : changed(field);
  const step = pressPlain(field, key, context);
  return {...step, ui: withVimCursor(step.ui)};
}

const demoOf = ({commands}: PressContext): 'none' | 'offered' =>
  commands.some(({name}) => name === 'demo') ? 'offered' : 'none';

function pressPlain(ui: Ui, key: KeyPress, context: PressContext): UiStep {
  const beside = pressAccessories(ui, key, context);
  if (beside !== undefined) return beside;
  if (key.kind !== 'key') return editing(ui, key, context);
  switch (key.name) {
    case 'enter':
      return enter(ui, context);
    case 'escape':
      return escape(ui, context);
    case 'end-of-input':
      return isEmptyDraft(ui.draft) ? {ui, effects: [{do: 'leave'}]} : editing(ui, key, context);
    case 'up':
    case 'down':
      return vertical(ui, key.name, context);
    case 'complete':
      return completed(ui, context);
    case 'expand':
    case 'next-verbosity':
      return {ui, effects: [{do: key.name}]};
    case 'next-mode':
      return {ui, effects: [{do: 'op', op: {op: 'set-mode', mode: nextMode(context.view.mode)}}]};
    case 'redraw':
      return {ui, effects: [{do: 'redraw'}]};
    case 'open-editor':
      return {ui, effects: [{do: 'edit-outside', what: 'draft'}]};
    case 'search-history':
      return {ui: {...ui, panel: historyPanel(ui.history.prompts, draftText(ui.draft))}, effects: []};
    case 'expand-paste':
      return expandPaste(ui.draft) === 'too-long'
        ? {ui, effects: [{do: 'notify', text: tooLong}]}
        : editing(ui, key, context);
    default:
      return editing(ui, key, context);
  }
}

/** Two presses of Esc within this time (milliseconds) on an empty draft open the list of prompts to rewind to. */
const rewindWithinMs = 1000;

/** Esc stops what runs. Where nothing runs and nothing is written, a second one soon after offers the earlier prompts. */
function escape(ui: Ui, {view, now}: PressContext): UiStep {
  if (!isIdle(view)) return {ui: {...ui, rewinding: {kind: 'no'}}, effects: interrupt};
  if (!isEmptyDraft(ui.draft) || ui.images.length > 0) return {ui, effects: []};
  const isSecond = ui.rewinding.kind === 'armed' && now - ui.rewinding.at <= rewindWithinMs;
  return isSecond
    ? {ui: {...ui, rewinding: {kind: 'no'}}, effects: [{do: 'query', request: {query: 'rewind-points'}}]}
    : {ui: {...ui, rewinding: {kind: 'armed', at: now}}, effects: []};
}

const tooLong = 'That paste has lines too long to edit here; Ctrl+G opens it in your editor.';

/** A slash command that is typed behind a prompt which an undo has just put back takes its place. */
function editing(ui: Ui, key: KeyPress, {width}: PressContext): UiStep {
  const isCommand = key.kind === 'text' && key.text.startsWith(commandPrefix) && isRestored(ui);
  const next = editField(isCommand ? {...ui, draft: emptyDraft, restoredPrompt: ''} : ui, key, width);
  return next === undefined ? {ui, effects: []} : changed(next);
}

/** An edit selects the first row of the completion list again. */
const changed = (ui: Ui): UiStep => ({ui: {...ui, completionRow: 0}, effects: []});

function enter(ui: Ui, context: PressContext): UiStep {
  const {buffer} = ui.draft;
  if (buffer.cursor === buffer.text.length && buffer.text.endsWith(continuation)) {
    return editing({...ui, draft: applyEditKey(ui.draft, 'delete-left') ?? ui.draft}, newline, context);
  }
  const text = draftText(ui.draft);
  if (text.trim() === '' && ui.images.length === 0) return {ui, effects: []};
  if (leavingWords.has(text.trim()) && ui.images.length === 0) return {ui, effects: [{do: 'leave'}]};
  const chosen = completions(buffer.text, context.commands)[ui.completionRow];
  const isBare = buffer.text.endsWith(' ') && ui.completionRow === 0;
  if (chosen !== undefined && !isBare && !isBeginning(buffer.text, chosen)) return completed(ui, context);
  const line = chosen === undefined || isBare ? text : chosen.line.trimEnd();
  const meaning = readDraft(line);
  if (meaning.kind === 'note')
    return {ui: {...ui, draft: emptyDraft, panel: notePanel(text, meaning.note, whenTaken(context))}, effects: []};
  const command = readCommand(line, context.commands);
  const work = requestFor(meaning, line, context);
  if (command === undefined && work !== 'nothing' && work.kind === 'send' && hasNoModel(context.view)) {
    return {
      ui: {...ui, panel: connectPanel({model: 'none', prompt: 'waits', demo: demoOf(context)})},
      effects: [lookForServers],
    };
  }
  const own: Effect | undefined = work === 'nothing' ? undefined : {do: 'compose', work};
  const effect = command === undefined ? own : ({do: 'command', line: command} as const);
  if (effect === undefined) return {ui, effects: []};
  return changedWith({...ui, draft: emptyDraft, history: addPrompt(ui.history, text)}, effect);
}

/** Words that leave, as they do in shells and REPLs. */
export const leavingWords: ReadonlySet<string> = new Set(['exit', 'quit']);

const newline: KeyPress = {kind: 'key', name: 'newline'};

const changedWith = (ui: Ui, effect: Effect): UiStep => ({ui: {...ui, completionRow: 0}, effects: [effect]});

function vertical(ui: Ui, direction: 'up' | 'down', {commands, width}: PressContext): UiStep {
  const offered = completions(ui.draft.buffer.text, commands);
  if (offered.length > 1) {
    const by = direction === 'up' ? offered.length - 1 : 1;
    return {ui: {...ui, completionRow: (ui.completionRow + by) % offered.length}, effects: []};
  }
  const moved = editField(ui, {kind: 'key', name: direction}, width);
  if (moved !== undefined) return {ui: moved, effects: []};
  const step = stepHistory(ui.history, {direction: direction === 'up' ? 'earlier' : 'later', from: ui.draft});
  return step === undefined ? {ui, effects: []} : changed({...ui, history: step.history, draft: step.draft});
}

function completed(ui: Ui, {commands}: PressContext): UiStep {
  const chosen = completions(ui.draft.buffer.text, commands)[ui.completionRow];
  if (chosen === undefined) return {ui, effects: []};
  return changed({...ui, draft: draftFromText(chosen.line)});
}

/** Keys of the composer's accessories: file list, images, queued prompts. `undefined` for keys that concern the draft itself. */
function pressAccessories(ui: Ui, key: KeyPress, context: PressContext): UiStep | undefined {
  const step = pressMentionList({draft: ui.draft, list: ui.mentions}, key);
  if (step !== undefined) {
    const next = {...ui, draft: step.draft, mentions: step.list, completionRow: 0};
    const stops = key.kind === 'key' && key.name === 'escape' && !isIdle(context.view);
    // Esc stops the agent even if it also closes the list.
    return {ui: next, effects: stops ? interrupt : []};
  }
  if (key.kind !== 'key') return undefined;
  if (key.name === 'paste-image') return {ui, effects: [{do: 'compose', work: {kind: 'clipboard'}}]};
  if (isEmptyDraft(ui.draft)) return onEmptyDraft(ui, key.name, context);
  return key.name === 'complete' ? queue(ui, context) : undefined;
}

const whenTaken = ({view}: PressContext): 'queued' | 'steering' => (view.run.state === 'idle' ? 'queued' : 'steering');

/** What entering a draft asks for, unless it is a slash command or a note. */
function requestFor(
  meaning: Exclude<DraftKind, {readonly kind: 'note'}>,
  text: string,
  context: PressContext,
): ComposerRequest | 'nothing' {
  switch (meaning.kind) {
    case 'prompt':
      return {kind: 'send', text, when: whenTaken(context)};
    case 'shell':
      return meaning.command === '' ? 'nothing' : {kind: 'run-command', command: meaning.command};
    default:
      return unreachable(meaning);
  }
}

const interrupt: readonly Effect[] = [{do: 'op', op: {op: 'interrupt'}}];

/** Attaches images whose paths are pasted, or typed by the terminal when files are dragged into it. */
function droppedImages(ui: Ui, key: KeyPress): UiStep | undefined {
  if (key.kind === 'key') return undefined;
  if (key.kind === 'text' ? key.text.length < shortestDrop : key.part === 'more') return undefined;
  const paths = imagePathsIn(key.text);
  return paths.length === 0 ? undefined : {ui, effects: [{do: 'compose', work: {kind: 'images', paths, press: key}}]};
}

/** The shortest text that is taken for dropped paths; a shorter one may have been typed. */
const shortestDrop = 5;

function onEmptyDraft(ui: Ui, name: KeyName, {view}: PressContext): UiStep | undefined {
  const waiting = view.queued.at(-1);
  if (name === 'up' && waiting !== undefined) {
    return {ui, effects: [{do: 'op', op: {op: 'withdraw-prompt', id: waiting.id}}]};
  }
  if (name === 'complete' && view.suggestion !== '' && view.run.state === 'idle') {
    return changed({...ui, draft: draftFromText(view.suggestion)});
  }
  if (name === 'line-start') return {ui, effects: [{do: 'scroll', step: 'top'}]};
  if (name === 'line-end') return {ui, effects: [{do: 'scroll', step: 'bottom'}]};
  if (name === 'delete-left' && ui.images.length > 0) return {ui: {...ui, images: ui.images.slice(0, -1)}, effects: []};
  return undefined;
}

/** Tab while the agent works: queues the prompt until the turn has ended. */
function queue(ui: Ui, {view, commands}: PressContext): UiStep | undefined {
  const text = draftText(ui.draft);
  const isPrompt = readDraft(text).kind === 'prompt' && !text.startsWith('/') && text.trim() !== '';
  if (view.run.state === 'idle' || !isPrompt || completions(text, commands).length > 0) return undefined;
  const sent = {...ui, draft: emptyDraft, history: addPrompt(ui.history, text), completionRow: 0};
  return {ui: sent, effects: [{do: 'compose', work: {kind: 'send', text, when: 'queued'}}]};
}

const imageName = /\.(?:png|jpe?g|gif|webp)$/iu;

const longest = 8192;

/** The paths, if the whole text consists of paths of images; otherwise empty. */
export function imagePathsIn(text: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > longest) return [];
  // A single path that was copied may contain blanks.
  if (!/["'\\\n]/u.test(trimmed) && isPath(trimmed) && !/\s(?:\/|~\/|file:)/u.test(trimmed)) return [trimmed];
  const words = wordsIn(trimmed);
  return words.length > 0 && words.every(isPath) ? words : [];
}

/** Whether the word is the path of an image: absolute, relative to home or the current folder, or on a Windows drive. */
const isPath = (word: string): boolean =>
  imageName.test(word) && /^(?:\/|~\/|\.{0,2}\/|file:\/\/|[A-Za-z]:[\\/])/u.test(word);

/** Splits the text into words as a shell does, with quotes and escapes only; empty if a quote is not closed. */
function wordsIn(text: string): readonly string[] {
  const words: string[] = [];
  const form = /\s*((?:"[^"\n]*"|'[^'\n]*'|\\[^\n]|[^\s"'\\])+)(?=\s|$)/uy;
  while (form.lastIndex < text.length) {
    const match = form.exec(text);
    if (match === null) return [];
    const [, word = ''] = match;
    words.push(
      /^[A-Za-z]:\\/u.test(word)
        ? word
        : word.replaceAll(/"([^"]*)"|'([^']*)'|\\([^\n])/gu, (_, double, single, escaped) =>
            String(double ?? single ?? escaped),
          ),
    );
  }
  return words;
}
