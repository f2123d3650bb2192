import {existsSync} from 'node:fs';
import type {Command} from 'commander';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {note, print} from '../../app/output.ts';
import {userPlaces} from '../../app/user-data.ts';
import {visibleLine} from '../../base/visible.ts';
import {bindingContexts, keyBindingsSchema, parseKey, sendingNotes} from '../../tui/terminal/key-bindings.ts';
import {
  actionOfKey,
  chordsFrom,
  defaultKeys,
  emptyUserKeys,
  keyContexts,
  keyHelp,
  type KeyName,
  keysOf,
  otherKeys,
  setUserKeys,
  shownKey,
  type UserKeys,
} from '../../tui/terminal/keymap.ts';
import {addSubcommands} from '../flags.ts';
import {readKeyBindings} from '../key-bindings-file.ts';
import {printDocument} from '../rows.ts';

/** `weft keys list|check|explain|schema`. */
export function add(keys: Command): void {
  keys.action(exiting(listKeys));
  addSubcommands(keys, [
    ['list', 'List all actions with their keys', [], exiting(listKeys)],
    ['check', 'Check keybindings.json', [], exiting(checkKeys)],
    ['explain', 'Say what a key or a chord does', [['<key...>', 'A key, such as ctrl+o']], exiting(explainKey)],
    [
      'schema',
      'Print the JSON Schema of keybindings.json',
      [],
      exiting(async () => printDocument(keyBindingsSchema())),
    ],
  ]);
}

/** Applies the user's file if there is one, and returns it. Tells the user if it can't be read. */
function ownKeys() {
  const file = userPlaces().keyBindings;
  const nothing = {keys: emptyUserKeys, problems: [], notes: []};
  if (!existsSync(file)) return {file, state: 'missing', ...nothing} as const;
  const read = readKeyBindings(file);
  if (read.tag === 'failed') return {file, state: 'unreadable', ...nothing, problems: [read.error]} as const;
  setUserKeys(read.value.keys);
  return {file, state: 'read', ...read.value} as const;
}

async function listKeys(): Promise<ExitCode> {
  const {keys, problems} = ownKeys();
  const isOwn = (name: KeyName): boolean =>
    bindingContexts.some(context => [...keys[context].values()].includes(name)) ||
    [...defaultKeys].some(
      ([key, action]) => action === name && keyContexts.some(each => actionOfKey(key, each) !== name),
    );
  for (const {title, rows} of keyHelp) {
    print(`${title}\n`);
    for (const {name, keys: usual, does} of rows) {
      const shown = isOwn(name) ? `${keysText(name, keys)} *` : usual;
      print(`  ${name.padEnd(18)} ${shown.padEnd(31)} ${does}\n`);
    }
  }
  print('* from your keybindings.json\n');
  if (problems.length > 0) note('keybindings.json has problems. weft keys check names them.');
  return exitCode.done;
}

/** Returns the keys of an action in the prompt, and those elsewhere if they differ. Leaves out the default keys that the help does not list. */
function keysText(name: KeyName, own: UserKeys): string {
  const others = new Set(otherKeys.flatMap(({keys}) => keys.split(', ')));
  const users = new Set(bindingContexts.flatMap(context => [...own[context].keys()].map(shownKey)));
  const [prompt = '', ...elsewhere] = keyContexts.map(
    context =>
      keysOf(name, context)
        .filter(key => users.has(key) || !others.has(key))
        .join(', ') || 'no key',
  );
  const [card = '', list = ''] = elsewhere;
  if (card === list) return card === prompt ? prompt : `${prompt}; elsewhere ${card}`;
  return `${prompt}; on cards ${card}; in lists ${list}`;
}

async function checkKeys(): Promise<ExitCode> {
  const {file, state, problems, notes} = ownKeys();
  if (state === 'missing') print(`There is no ${visibleLine(file)}. The default keys count.\n`);
  for (const problem of problems) print(`problem: ${visibleLine(problem)}\n`);
  for (const text of notes) print(`note: ${visibleLine(text)}\n`);
  if (state === 'read' && problems.length === 0) print(`${visibleLine(file)} has no problems.\n`);
  return problems.length === 0 ? exitCode.done : exitCode.failed;
}

async function explainKey(words: readonly string[]): Promise<ExitCode> {
  const {keys} = ownKeys();
  const labels = words
    .flatMap(word => word.split(' '))
    .map(word => {
      const key = parseKey(word);
      if (key.tag === 'failed') throw new UsageError(`${word}: ${key.error}.`);
      return key.value;
    });
  const key = labels.join(' ');
  for (const context of keyContexts) {
    const name = actionOfKey(key, context);
    const row = keyHelp
      .flatMap<{readonly name: KeyName; readonly does: string}>(({rows}) => rows)
      .find(each => each.name === name);
    const isOwn = keys[context].has(key) || keys.global.has(key);
    const chords = chordsFrom(key, context);
    const does =
      chords.length > 0
        ? `begins ${chords.map(([chord, action]) => `${shownKey(chord)} (${action})`).join(', ')}`
        : row === undefined
          ? 'does nothing'
          : `${row.name}: ${row.does}`;
    print(`${context.padEnd(8)}${shownKey(key)}  ${does}${isOwn ? ' (your keybindings.json)' : ''}\n`);
  }
  for (const text of labels.flatMap(sendingNotes)) print(`note: ${text}\n`);
  return exitCode.done;
}
