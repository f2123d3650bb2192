import * as z from 'zod/mini';
import {isJsonObject, parseJson, type JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {permissionModes, ruleLists} from '../domain/risk.ts';
import {nearestName} from '../base/nearest-name.ts';
import {preferenceSchemas, preferenceWords} from './preferences.ts';

/** What one `settings.json` may say. */
export type SettingsFile = z.infer<typeof settingsFile>;
export type SettingKey = keyof SettingsFile;

export const providers = ['anthropic', 'openai'] as const;

/** Megabytes. Less than the least weft takes by itself. */
const leastCeiling = 256;
export const defaultCeiling = 1024;

const rules = z.optional(z.array(z.string().check(z.minLength(1))));

const variable = () => z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/u));

const settingsFile = z.object({
  model: z.optional(z.string().check(z.minLength(1))),
  provider: z.optional(z.enum(providers)),
  baseUrl: z.optional(z.url({protocol: /^https?$/u})),
  permissionMode: z.optional(z.enum(permissionModes)),
  permissions: z.optional(z.object({allow: rules, ask: rules, deny: rules})),
  env: z.optional(z.record(variable(), z.string())),
  passEnv: z.optional(z.array(variable())),
  memoryCeiling: z.optional(z.int().check(z.minimum(leastCeiling))),
  ...preferenceSchemas,
});

/** In words for whoever wrote something else. */
const expected = {
  model: 'the name of a model',
  provider: `one of ${providers.join(', ')}`,
  baseUrl: 'an http or https address',
  permissionMode: `one of ${permissionModes.join(', ')}`,
  permissions: 'lists of rules, for example {"allow": ["Read"], "ask": [], "deny": ["Bash(rm:*)"]}',
  env: 'names of environment variables with their text, for example {"CI": "1"}',
  passEnv: 'names of variables that commands get although they look like secrets, for example ["NPM_TOKEN"]',
  memoryCeiling: `a whole number of megabytes from ${leastCeiling} on: near so much memory of its own weft tells you`,
  ...preferenceWords,
} as const satisfies Record<SettingKey, string>;

const keys: readonly string[] = Object.keys(expected);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the literal above are the settings
export const settingKeys = keys as readonly SettingKey[];

/** What a setting must be, in words. */
export const expectedOf = (key: SettingKey): string => expected[key];

/**
 * Reads one settings file. A value that does not fit stops weft, since ignoring it could drop a rule that someone relies on;
 * a key that nobody knows is only warned of. An empty file says nothing.
 */
export function parseSettings(file: {
  readonly path: string;
  readonly text: string;
}): Outcome<{readonly settings: SettingsFile; readonly warnings: readonly string[]}, Fault> {
  const text = file.text.replace(/^\u{feff}/u, '');
  if (text.trim() === '') return ok({settings: {}, warnings: []});
  const json = parseJson(text);
  if (json.tag === 'failed') return failed(unreadable(`${file.path} is not JSON: ${json.error}.`));
  if (!isJsonObject(json.value)) return failed(unreadable(`${file.path} must hold one JSON object.`));
  const parsed = settingsFile.safeParse(json.value);
  if (!parsed.success) return failed(unreadable(`${file.path}: ${doesNotFit(parsed.error.issues[0]?.path ?? [])}.`));
  return ok({settings: parsed.data, warnings: unknownKeys(json.value).map(warning => `${file.path}: ${warning}`)});
}

const unreadable = (message: string): Fault => ({kind: 'needs-user', message, fix: 'Mend the file, then start again.'});

function doesNotFit(path: readonly PropertyKey[]): string {
  const key = Object.entries(expected).find(([name]) => name === path[0]);
  return key === undefined
    ? 'it does not fit'
    : `"${path.map(String).join('.')}" does not fit; "${key[0]}" must be ${key[1]}`;
}

function unknownKeys(object: JsonObject): readonly string[] {
  const permissions = object['permissions'];
  return [
    ...unknown(Object.keys(object), {known: keys, within: ''}),
    ...(isJsonObject(permissions) ? unknown(Object.keys(permissions), {known: ruleLists, within: 'permissions.'}) : []),
  ];
}

const unknown = (
  names: readonly string[],
  place: {readonly known: readonly string[]; readonly within: string},
): readonly string[] =>
  names
    .filter(name => !place.known.includes(name) && name !== '$schema')
    .map(name => {
      const near = nearestName(name, place.known);
      const meant = near === undefined ? '' : ` Did you mean "${place.within}${near}"?`;
      return `"${place.within}${name}" is not a setting and is ignored.${meant}`;
    });
