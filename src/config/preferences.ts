import * as z from 'zod/mini';
import {
  bellEvents,
  displays,
  editorModes,
  notifications,
  themeChoices,
  verbosities,
  type Preferences,
} from '../domain/preferences.ts';

interface Row<Value> {
  readonly schema: z.ZodMiniOptional<z.ZodMiniType<Value>>;
  /** What counts where nobody chose. */
  readonly fallback: Value;
  /** What the setting must be, for whoever wrote something else. */
  readonly words: string;
}

/** All there is to say of each preference. */
const table: {readonly [Key in keyof Preferences]: Row<Preferences[Key]>} = {
  editorMode: oneOf(editorModes, {fallback: 'emacs', words: 'the keys of the composer'}),
  tui: oneOf(displays, {fallback: 'inline', words: 'where the terminal UI draws'}),
  theme: oneOf(themeChoices, {fallback: 'auto', words: 'the colours of the terminal UI'}),
  notify: oneOf(notifications, {fallback: 'off', words: 'how you are called when weft waits or is done'}),
  verbosity: oneOf(verbosities, {fallback: 'summary', words: 'how much finished actions show'}),
  accessible: {
    schema: z.optional(z.boolean()),
    fallback: false,
    words: 'true for the terminal UI as lines that are only ever added, or false',
  },
  bellOn: {
    schema: z.optional(z.array(z.enum(bellEvents))),
    fallback: [],
    words: `a list of ${bellEvents.join(', ')}: when the bell sounds in the accessible UI`,
  },
};

function oneOf<const Names extends readonly string[]>(
  names: Names,
  {fallback, words}: {readonly fallback: Names[number]; readonly words: string},
): Row<Names[number]> {
  return {schema: z.optional(z.enum(names)), fallback, words: `one of ${names.join(', ')}: ${words}`};
}

export const preferenceSchemas = eachPreference<{[Key in keyof Preferences]: Row<Preferences[Key]>['schema']}>(
  key => table[key].schema,
);

export const preferenceWords = eachPreference<Record<keyof Preferences, string>>(key => table[key].words);

export const defaultPreferences = eachPreference<Preferences>(key => table[key].fallback);

/** What `make` makes of each preference, under its name. */
export function eachPreference<Made extends Record<keyof Preferences, unknown>>(
  make: (key: keyof Preferences) => Made[keyof Preferences],
): Made {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has the keys of Preferences
  const keys = Object.keys(table) as (keyof Preferences)[];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all keys are there, and what is made of one is typed by it
  return Object.fromEntries(keys.map(key => [key, make(key)])) as Made;
}
