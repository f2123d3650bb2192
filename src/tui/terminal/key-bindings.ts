import {isJsonObject, type Json, type JsonObject, parseJson, textOf} from '../../base/json.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {
  chordsFrom,
  defaultKeys,
  type KeyContext,
  keyContexts,
  keyHelp,
  keysIn,
  type KeyName,
  namedKeys,
  shownKey,
  type UserKeys,
} from './keymap.ts';

export const bindingContexts = ['global', ...keyContexts] as const;

/** The names of all actions that a key can have. */
const keyActions: readonly KeyName[] = keyHelp.flatMap(({rows}) => rows.map(({name}) => name));

export interface KeyBindings {
  readonly keys: UserKeys;
  /** The mistakes in the file, in sentences. weft ignores those entries. */
  readonly problems: readonly string[];
  /** Valid entries that may surprise the user, in sentences. */
  readonly notes: readonly string[];
}

/** The keys that have the same effect everywhere, so that a card can always be answered and weft always be left. */
const fixedKeys = ['Ctrl+c', 'Esc'];

/** The keys that cards use themselves, as their hints name them. */
const keysOfCards = ['Up', 'Down', 'Left', 'Right', 'PgUp', 'PgDn'];

/** The actions that need a key: without them a prompt could not be sent, or a card behind the prompt not be reached. */
const neededActions: readonly KeyName[] = ['enter', 'complete'];

/**
 * Reads a key bindings file: `{"bindings": [{"context": "prompt", "bindings": {"ctrl+k ctrl+s": "open-editor", "ctrl+x": null}}]}`. A
 * mistake becomes a problem and is left out; the rest counts. The failure says why nothing of the file can be read.
 */
export function parseKeyBindings(text: string): Outcome<KeyBindings, string> {
  const json = parseJson(text.replace(/^\u{feff}/u, ''));
  if (json.tag === 'failed') return failed(`it is not JSON: ${json.error}`);
  const blocks = isJsonObject(json.value) ? json.value['bindings'] : undefined;
  if (!Array.isArray(blocks)) return failed('it must hold an object with a list "bindings"');
  const keys = {global: new Map<string, KeyName>(), prompt: new Map(), card: new Map(), list: new Map()};
  const problems: string[] = [];
  for (const block of blocks.filter(isJsonObject)) {
    const context = bindingContexts.find(name => name === textOf(block['context']));
    const bindings = block['bindings'];
    if (context === undefined || !isJsonObject(bindings)) {
      problems.push(`A block needs a "context", one of ${bindingContexts.join(', ')}, and an object "bindings".`);
      continue;
    }
    for (const [written, value] of Object.entries(bindings)) {
      const binding = parseBinding(written, value, context);
      if (binding.tag === 'failed') problems.push(`${JSON.stringify(written)} in ${context}: ${binding.error}.`);
      else {
        const [key, name] = binding.value;
        const before = keys[context].get(key);
        if (before !== undefined && before !== name) {
          problems.push(`${shownKey(key)} in ${context} is bound twice. ${name} counts, ${before} does not.`);
        }
        keys[context].set(key, name);
      }
    }
  }
  restoreNeeded(keys, problems);
  return ok({keys, problems: [...problems, ...unreachable(keys)], notes: notesOn(keys)});
}

/** Reads one binding. The failure is the end of a sentence. */
function parseBinding(
  written: string,
  value: Json,
  context: KeyContext | 'global',
): Outcome<readonly [string, KeyName], string> {
  const keys = written.trim().split(/\s+/u).map(parseKey);
  const wrong = keys.find(key => key.tag === 'failed');
  if (wrong?.tag === 'failed') return failed(wrong.error);
  const labels = keys.flatMap(key => (key.tag === 'ok' ? [key.value] : []));
  const [first = '', second = '', ...others] = labels;
  if (others.length > 0) return failed('a chord has two keys at most');
  if (oneCharacter.test(first))
    return failed(`a key that types text can't be bound, only be the second key of a chord`);
  const fixed = labels.find(label => fixedKeys.includes(label));
  if (fixed !== undefined)
    return failed(`${shownKey(fixed)} can't be changed, so that you can always answer a card and leave`);
  if (context !== 'prompt' && first === 'Enter') return failed("Enter can't be changed outside of the prompt");
  if ((context === 'card' || context === 'global') && keysOfCards.includes(first))
    return failed(`cards use ${first} themselves; bind it in prompt or list`);
  if (second !== '' && ['Enter', 'Tab'].includes(first)) return failed(`a chord can't begin with ${first}`);
  const name = value === null ? 'ignored' : keyActions.find(action => action === value);
  if (name !== undefined) return ok([second === '' ? first : `${first} ${second}`, name]);
  const near = nearestName(textOf(value), keyActions);
  const hint = near === undefined ? 'weft keys lists all' : `the nearest is ${near}`;
  return failed(`${JSON.stringify(value)} is not an action; ${hint}`);
}

/** Reads a key such as `ctrl+shift+z`. Returns it as in `defaultKeys`. */
export function parseKey(written: string): Outcome<string, string> {
  const parts = written.toLowerCase().split(/\+(?=.)/u);
  const key = parts.at(-1) ?? '';
  const modifiers = new Set(parts.slice(0, -1).map(part => modifierNames[part] ?? part));
  const unknown = [...modifiers].find(modifier => !modifierOrder.includes(modifier));
  if (unknown !== undefined)
    return failed(`${JSON.stringify(unknown)} is not a modifier: weft knows ctrl, alt and shift`);
  const label = oneCharacter.test(key) ? key : labelOfName.get(keyAliases[key] ?? key);
  if (/^f\d{1,2}$/u.test(key)) return failed(`weft can't read function keys`);
  if (label === undefined) return failed(`${JSON.stringify(key)} is not a key`);
  if (oneCharacter.test(key) && modifiers.has('Shift') && !modifiers.has('Ctrl')) {
    return failed('a terminal sends Shift and a character as another character');
  }
  return ok([...modifierOrder.filter(modifier => modifiers.has(modifier)), label].join('+'));
}

const modifierOrder = ['Ctrl', 'Alt', 'Shift'];
const modifierNames: Readonly<Record<string, string>> = {
  ctrl: 'Ctrl',
  control: 'Ctrl',
  alt: 'Alt',
  option: 'Alt',
  meta: 'Alt',
  shift: 'Shift',
};
const keyAliases: Readonly<Record<string, string>> = {
  return: 'enter',
  escape: 'esc',
  pageup: 'pgup',
  pagedown: 'pgdn',
  del: 'delete',
};
const labelOfName: ReadonlyMap<string, string> = new Map(namedKeys.map(([, label]) => [label.toLowerCase(), label]));

const oneCharacter = /^.$/u;

type MutableKeys = Record<KeyContext | 'global', Map<string, KeyName>>;

/** Gives the actions that need a key their default one if the user's keys leave them without any. */
function restoreNeeded(keys: MutableKeys, problems: string[]): void {
  for (const context of keyContexts) {
    for (const name of neededActions) {
      if (keysIn(context, keys).some(([, action]) => action === name)) continue;
      const [key = ''] = [...defaultKeys].find(([, action]) => action === name) ?? [];
      keys[context].set(key, name);
      problems.push(`${name} keeps its key ${shownKey(key)} in ${context}, because it would have no other.`);
    }
  }
}

/** Names the user's keys that can't be reached, because a chord begins with them. */
function unreachable(keys: UserKeys): readonly string[] {
  const found = keyContexts.flatMap(context =>
    [...keys[context], ...keys.global].flatMap(([key, name]) => {
      const [chord] = chordsFrom(key, context, keys);
      return chord === undefined || name === 'ignored'
        ? []
        : [`${shownKey(key)} can't be reached: the chord ${shownKey(chord[0])} begins with it.`];
    }),
  );
  return [...new Set(found)];
}

function notesOn(keys: UserKeys): readonly string[] {
  const own = bindingContexts.flatMap(context => [...keys[context]].map(([key, name]) => ({context, key, name})));
  const reached = (context: KeyContext): readonly KeyName[] =>
    keysIn(context, keys).flatMap(([key, name]) => (chordsFrom(key, context, keys).length > 0 ? [] : [name]));
  const byContext = keyContexts.map(context => ({context, names: reached(context)}));
  const lost = keyActions.flatMap(name => {
    const without = byContext.filter(({names}) => !names.includes(name)).map(({context}) => context);
    if (without.length === keyContexts.length) return [`${name} has no key now.`];
    return without.length === 0 ? [] : [`${name} has no key in ${without.join(' and ')} now.`];
  });
  const sent = own.flatMap(({key, name}) => (name === 'ignored' ? [] : key.split(' ').flatMap(sendingNotes)));
  return [...new Set([...lost, ...sent])];
}

/** Says what keeps terminals from sending a key. */
export function sendingNotes(key: string): readonly string[] {
  const same = sameKeys[key];
  const shown = shownKey(key);
  if (same !== undefined)
    return [`Most terminals send ${shown} as ${same}. Only those with the kitty keyboard protocol tell them apart.`];
  const needsProtocol =
    /^Ctrl\+(?:Alt\+)?(?:Shift\+.|[^a-z@[\\\]^_/-])$/u.test(key) ||
    /^(?:Ctrl|Shift)\+(?:Alt\+)?(?:Enter|Tab|Backspace|Esc)$/u.test(key);
  return needsProtocol && key !== 'Shift+Tab'
    ? [`Many terminals can't send ${shown}. Those with the kitty keyboard protocol can.`]
    : [];
}

const sameKeys: Readonly<Record<string, string>> = {
  'Ctrl+i': 'Tab',
  'Ctrl+m': 'Enter',
  'Ctrl+[': 'Esc',
  'Ctrl+h': 'Backspace',
};

/** Returns the JSON Schema of a key bindings file. */
export const keyBindingsSchema = (): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Key bindings of weft',
  type: 'object',
  required: ['bindings'],
  properties: {
    bindings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['context', 'bindings'],
        properties: {
          context: {
            enum: bindingContexts,
            description: 'The part of the screen in which the keys count; global is all of it',
          },
          bindings: {
            type: 'object',
            description:
              'A key such as ctrl+o, or a chord such as ctrl+k ctrl+s, and its action. null unbinds the key.',
            additionalProperties: {
              anyOf: [
                {type: 'null'},
                ...keyHelp.flatMap(({rows}) => rows.map(({name, does}) => ({const: name, description: does}))),
              ],
            },
          },
        },
      },
    },
  },
});
