import type {ComposerRequest, Effect, PressContext} from './effect.ts';
import {unreachable} from '../../base/unreachable.ts';
import {completions, type DraftKind, isPrefixOf, parseDraft, parseCommand} from '../commands/command-line.ts';
import {nextMode} from '../commands/mode.ts';
import {historyPanel, notePanel} from './panels/panel.ts';
import {isSurelyKey} from '../../domain/api-key.ts';
import {connectPanel, connectWithKey, findServers} from './panels/connect.ts';
import {hasNoModel, isIdle} from './selectors.ts';
import {draftFromText, applyEditKey, emptyDraft, draftText, isEmptyDraft, expandPaste} from '../editor/draft.ts';
import {addPrompt, stepHistory} from '../editor/prompt-history.ts';
import {pressVimFirst, withVimCursor, editField} from '../editor/text-field.ts';
import {commandPrefix, continuation, keyHint, type KeyName, type KeyPress, shortcutsKey} from '../terminal/keymap.ts';
import {isRestoredPrompt} from './panel-queries.ts';
import {pressMentionList} from './mention-list.ts';
import type {UiStep, Ui} from './ui.ts';

/** Handles a press on the composer. The next key hides the shortcuts; Esc then does nothing else if the agent is idle. */
export function pressComposer(ui: Ui, key: KeyPress, context: PressContext): UiStep {
  if (isShortcutsKey(ui, key)) {
    return {ui: {...ui, shortcuts: ui.shortcuts === 'shown' ? 'hidden' : 'shown'}, effects: []};
  }
  if (ui.shortcuts === 'hidden') return pressDraft(ui, key, context);
  const closed: Ui = {...ui, shortcuts: 'hidden'};
  const onlyCloses = key.kind === 'key' && key.name === 'escape' && context.view.run.state === 'idle';
  return onlyCloses ? {ui: closed, effects: []} : pressDraft(closed, key, context);
}

/** True for `?` on an empty draft. In vim's normal mode the key is a command. */
const isShortcutsKey = ({draft, editing: {vim}}: Ui, key: KeyPress): boolean =>
  key.kind === 'text' && key.text === shortcutsKey && isEmptyDraft(draft) && (vim === 'off' || vim.mode === 'insert');

function pressDraft(ui: Ui, key: KeyPress, context: PressContext): UiStep {
  if (key.kind === 'paste' && hasNoModel(context.view) && isSurelyKey(key.text)) {
    const panel = connectWithKey(key.text, {model: 'none', prompt: 'none', demo: demoOf(context)});
    return {ui: {...ui, panel}, effects: [findServers]};
  }
  const dropped = droppedImages(ui, key);
  if (dropped !== undefined) return dropped;
  const {kind, field} = pressVimFirst(ui, key);
  if (kind === 'handled') return field.draft === ui.draft ? {ui: field, effects: []} : afterEdit(field);
  const step = pressPlain(field, key, context);
  return {...step, ui: withVimCursor(step.ui)};
}

const demoOf = ({commands}: PressContext): 'none' | 'offered' =>
  commands.some(({name}) => name === 'demo') ? 'offered' : 'none';

function pressPlain(ui: Ui, key: KeyPress, context: PressContext): UiStep {
  const beside = pressAccessories(ui, key, context);
  if (beside !== undefined) return beside;
  if (key.kind !== 'key') return editDraft(ui, key, context);
  switch (key.name) {
    case 'enter':
      return pressEnter(ui, context);
    case 'escape':
      return pressEscape(ui, context);
    case 'end-of-input':
      return isEmptyDraft(ui.draft) ? {ui, effects: [{do: 'leave'}]} : editDraft(ui, key, context);
    case 'up':
    case 'down':
      return moveVertically(ui, key.name, context);
    case 'complete':
      return completeCommand(ui, context);
    case 'expand':
    case 'next-verbosity':
      return {ui, effects: [{do: key.name}]};
    case 'next-mode':
      return {ui, effects: [{do: 'op', op: {op: 'set-mode', mode: nextMode(context.view.mode)}}]};
    case 'redraw':
      return {ui, effects: [{do: 'redraw'}]};
    case 'open-editor':
      return {ui, effects: [{do: 'edit-externally', what: 'draft'}]};
    case 'search-history':
      return {ui: {...ui, panel: historyPanel(ui.history.prompts, draftText(ui.draft))}, effects: []};
    case 'expand-paste':
      return expandPaste(ui.draft) === 'too-long'
        ? {ui, effects: [{do: 'notify', text: tooLong()}]}
        : editDraft(ui, key, context);
    default:
      return editDraft(ui, key, context);
  }
}

/** Two presses of Esc within this time (milliseconds) on an empty draft open the list of prompts to rewind to. */
const rewindWithinMs = 1000;

/** Handles Esc: stops the agent. If it is idle and the draft is empty, a second press soon after opens the list of earlier prompts. */
function pressEscape(ui: Ui, {view, now}: PressContext): UiStep {
  if (!isIdle(view)) return {ui: {...ui, rewinding: {kind: 'no'}}, effects: interrupt};
  if (!isEmptyDraft(ui.draft) || ui.images.length > 0) return {ui, effects: []};
  const isSecond = ui.rewinding.kind === 'armed' && now - ui.rewinding.at <= rewindWithinMs;
  return isSecond
    ? {ui: {...ui, rewinding: {kind: 'no'}}, effects: [{do: 'query', request: {query: 'rewind-points'}}]}
    : {ui: {...ui, rewinding: {kind: 'armed', at: now}}, effects: []};
}

const tooLong = (): string =>
  `The pasted lines are too long to edit here. ${keyHint('open-editor', key => `Press ${key}, or `)}/editor opens your editor.`;

/** Edits the draft. A slash command replaces a prompt that an undo has just restored. */
function editDraft(ui: Ui, key: KeyPress, {width}: PressContext): UiStep {
  const isCommand = key.kind === 'text' && key.text.startsWith(commandPrefix) && isRestoredPrompt(ui);
  const next = editField(isCommand ? {...ui, draft: emptyDraft, restoredPrompt: ''} : ui, key, width);
  return next === undefined ? {ui, effects: []} : afterEdit(next);
}

/** Resets the completion list to its first row, as every edit does. */
const afterEdit = (ui: Ui): UiStep => ({ui: {...ui, completionRow: 0}, effects: []});

function pressEnter(ui: Ui, context: PressContext): UiStep {
  const {buffer} = ui.draft;
  if (buffer.cursor === buffer.text.length && buffer.text.endsWith(continuation)) {
    return editDraft({...ui, draft: applyEditKey(ui.draft, 'delete-left') ?? ui.draft}, newline, context);
  }
  const text = draftText(ui.draft);
  if (text.trim() === '' && ui.images.length === 0) return {ui, effects: []};
  if (exitCommands.has(text.trim()) && ui.images.length === 0) return {ui, effects: [{do: 'leave'}]};
  const chosen = completions(buffer.text, context.commands)[ui.completionRow];
  const isSubmittedAsTyped = buffer.text.endsWith(' ') && ui.completionRow === 0;
  if (chosen !== undefined && !isSubmittedAsTyped && !isPrefixOf(buffer.text, chosen))
    return completeCommand(ui, context);
  const line = chosen === undefined || isSubmittedAsTyped ? text : chosen.line.trimEnd();
  const meaning = parseDraft(line);
  if (meaning.kind === 'note')
    return {ui: {...ui, draft: emptyDraft, panel: notePanel(text, meaning.note, deliveryFor(context))}, effects: []};
  const command = parseCommand(line, context.commands);
  const work = requestFor(meaning, line, context);
  if (command === undefined && work !== 'nothing' && work.kind === 'send' && hasNoModel(context.view)) {
    return {
      ui: {...ui, panel: connectPanel({model: 'none', prompt: 'waits', demo: demoOf(context)})},
      effects: [findServers],
    };
  }
  const own: Effect | undefined = work === 'nothing' ? undefined : {do: 'compose', work};
  const effect = command === undefined ? own : ({do: 'command', line: command} as const);
  if (effect === undefined) return {ui, effects: []};
  return afterSubmit({...ui, draft: emptyDraft, history: addPrompt(ui.history, text)}, effect);
}

/** Words that exit weft, as in shells and REPLs. */
export const exitCommands: ReadonlySet<string> = new Set(['exit', 'quit']);

const newline: KeyPress = {kind: 'key', name: 'newline'};

const afterSubmit = (ui: Ui, effect: Effect): UiStep => ({ui: {...ui, completionRow: 0}, effects: [effect]});

function moveVertically(ui: Ui, direction: 'up' | 'down', {commands, width}: PressContext): UiStep {
  const offered = completions(ui.draft.buffer.text, commands);
  if (offered.length > 1) {
    const by = direction === 'up' ? offered.length - 1 : 1;
    return {ui: {...ui, completionRow: (ui.completionRow + by) % offered.length}, effects: []};
  }
  const moved = editField(ui, {kind: 'key', name: direction}, width);
  if (moved !== undefined) return {ui: moved, effects: []};
  const step = stepHistory(ui.history, {direction: direction === 'up' ? 'earlier' : 'later', from: ui.draft});
  return step === undefined ? {ui, effects: []} : afterEdit({...ui, history: step.history, draft: step.draft});
}

function completeCommand(ui: Ui, {commands}: PressContext): UiStep {
  const chosen = completions(ui.draft.buffer.text, commands)[ui.completionRow];
  if (chosen === undefined) return {ui, effects: []};
  return afterEdit({...ui, draft: draftFromText(chosen.line)});
}

/** Handles keys for the file list, images, and queued prompts. Returns `undefined` for keys that edit the draft. */
function pressAccessories(ui: Ui, key: KeyPress, context: PressContext): UiStep | undefined {
  const step = pressMentionList({draft: ui.draft, list: ui.mentions}, key);
  if (step !== undefined) {
    const next = {...ui, draft: step.draft, mentions: step.list, completionRow: 0};
    const stops = key.kind === 'key' && key.name === 'escape' && !isIdle(context.view);
    // Esc both closes the list and stops the agent.
    return {ui: next, effects: stops ? interrupt : []};
  }
  if (key.kind !== 'key') return undefined;
  if (key.name === 'paste-image') return {ui, effects: [{do: 'compose', work: {kind: 'clipboard'}}]};
  if (isEmptyDraft(ui.draft)) return pressOnEmptyDraft(ui, key.name, context);
  return key.name === 'complete' ? queuePrompt(ui, context) : undefined;
}

const deliveryFor = ({view}: PressContext): 'queued' | 'steering' =>
  view.run.state === 'idle' ? 'queued' : 'steering';

/** Returns the request for a submitted draft that is neither a slash command nor a note. */
function requestFor(
  meaning: Exclude<DraftKind, {readonly kind: 'note'}>,
  text: string,
  context: PressContext,
): ComposerRequest | 'nothing' {
  switch (meaning.kind) {
    case 'prompt':
      return {kind: 'send', text, when: deliveryFor(context)};
    case 'shell':
      return meaning.command === '' ? 'nothing' : {kind: 'run-command', command: meaning.command};
    default:
      return unreachable(meaning);
  }
}

const interrupt: readonly Effect[] = [{do: 'op', op: {op: 'interrupt'}}];

/** Attaches images whose paths are pasted, or inserted by the terminal when files are dragged into it. */
function droppedImages(ui: Ui, key: KeyPress): UiStep | undefined {
  if (key.kind === 'key') return undefined;
  if (key.kind === 'text' ? key.text.length < minDropLength : key.part === 'more') return undefined;
  const paths = parseImagePaths(key.text);
  return paths.length === 0 ? undefined : {ui, effects: [{do: 'compose', work: {kind: 'images', paths, press: key}}]};
}

/** The shortest text that counts as dropped paths. Shorter text may have been typed. */
const minDropLength = 5;

function pressOnEmptyDraft(ui: Ui, name: KeyName, {view}: PressContext): UiStep | undefined {
  const waiting = view.queued.at(-1);
  if (name === 'up' && waiting !== undefined) {
    return {ui, effects: [{do: 'op', op: {op: 'withdraw-prompt', id: waiting.id}}]};
  }
  if (name === 'complete' && view.suggestion !== '' && view.run.state === 'idle') {
    return afterEdit({...ui, draft: draftFromText(view.suggestion)});
  }
  if (name === 'line-start') return {ui, effects: [{do: 'scroll', step: 'top'}]};
  if (name === 'line-end') return {ui, effects: [{do: 'scroll', step: 'bottom'}]};
  if (name === 'delete-left' && ui.images.length > 0) return {ui: {...ui, images: ui.images.slice(0, -1)}, effects: []};
  return undefined;
}

/** Handles Tab while the agent works: queues the prompt until the turn ends. */
function queuePrompt(ui: Ui, {view, commands}: PressContext): UiStep | undefined {
  const text = draftText(ui.draft);
  const isPrompt = parseDraft(text).kind === 'prompt' && !text.startsWith('/') && text.trim() !== '';
  if (view.run.state === 'idle' || !isPrompt || completions(text, commands).length > 0) return undefined;
  const sent = {...ui, draft: emptyDraft, history: addPrompt(ui.history, text), completionRow: 0};
  return {ui: sent, effects: [{do: 'compose', work: {kind: 'send', text, when: 'queued'}}]};
}

const imageName = /\.(?:png|jpe?g|gif|webp)$/iu;

const maxDropLength = 8192;

/** Returns the image paths in a text that consists only of image paths. Otherwise empty. */
export function parseImagePaths(text: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > maxDropLength) return [];
  // A single copied path may contain spaces.
  if (!/["'\\\n]/u.test(trimmed) && isImagePath(trimmed) && !/\s(?:\/|~\/|file:)/u.test(trimmed)) return [trimmed];
  const words = shellWords(trimmed);
  return words.length > 0 && words.every(isImagePath) ? words : [];
}

/** True for an image path that is absolute, relative to the home or current folder, or on a Windows drive. */
const isImagePath = (word: string): boolean =>
  imageName.test(word) && /^(?:\/|~\/|\.{0,2}\/|file:\/\/|[A-Za-z]:[\\/])/u.test(word);

/** Splits a text into words like a shell, with quotes and escapes only. Empty if a quote isn't closed. */
function shellWords(text: string): readonly string[] {
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
