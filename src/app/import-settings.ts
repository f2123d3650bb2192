import {ruleKinds} from '../actions/catalogue.ts';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {isJsonList, isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {pluralize} from '../base/clip.ts';
import {withTilde} from '../base/shown-path.ts';
import {visibleExactLine} from '../base/visible.ts';
import {readTextFile} from '../config/change-file.ts';
import {addRule, setSetting} from '../config/edit-settings.ts';
import {hookEvents, hooksSchema} from '../config/hook-settings.ts';
import {permissionModes, type RuleList} from '../domain/risk.ts';
import {parseRule} from '../safety/rules/permission-rule.ts';
import {ineffectiveRuleProblem} from '../safety/rules/unrestricted-wrapper.ts';
import {secretName} from '../safety/secrets/secret-name.ts';
import {requireOutsideWeft} from './folder-trust.ts';
import {existingFolder} from './run-context.ts';
import {claudeFolder} from './user-data.ts';
import {ignoreInGit, targetFile} from './write-settings.ts';
import {exitCode, type ExitCode, unwrap, UsageError} from './exit-code.ts';
import type {SettingsFileOptions} from './main-options.ts';
import {note, printJson, printRow} from './output.ts';

export interface ImportSettingsOptions extends SettingsFileOptions {
  readonly json?: true;
  readonly dryRun?: true;
  readonly replace?: true;
}

/** An item of the imported file, and its outcome. */
interface ImportRow {
  readonly kind: 'hook' | 'rule' | 'mode' | 'variable' | 'setting';
  readonly text: string;
  readonly outcome: 'new' | 'exists' | 'left-out';
  /** Why the item is left out; empty if it is not. */
  readonly why: string;
}

/** An item that can be imported, with the function that writes it. */
interface Taken extends ImportRow {
  readonly write: (path: string) => Promise<void>;
}

/**
 * `weft config import`: imports hooks, permission rules, the permission mode and variables from Claude Code's settings in the scope of the
 * flags. Existing items stay unchanged. The exit code is 1 if there is no such file.
 */
export async function importSettings(options: ImportSettingsOptions): Promise<ExitCode> {
  if (options.dryRun === undefined) await requireOutsideWeft('Importing settings');
  const file = targetFile(options);
  const from = claudeSettings(file.source, existingFolder(options.cwd ?? '.'));
  const theirs = objectIn(from);
  if (theirs === undefined) {
    note(`nothing to import: there is no ${visibleExactLine(from)}`);
    return exitCode.failed;
  }
  const taken = takenOver(theirs, objectIn(file.path) ?? {}, options.replace);
  if (options.dryRun === undefined) {
    for (const {outcome, write} of taken) {
      if (outcome === 'new') await write(file.path);
    }
    if (file.source === 'local') ignoreInGit(file.path);
    // The settings may come from a clone, and copying them does not mean that the user has read them.
    if (file.source !== 'user') note('they have no effect until you review and trust them: weft permissions trust');
  }
  const rows = [...taken.map(({kind, text, outcome, why}) => ({kind, text, outcome, why})), ...othersOf(theirs)];
  if (options.json !== undefined) {
    printJson(`${JSON.stringify({from, to: file.path, rows}, undefined, 2)}\n`);
    return exitCode.done;
  }
  for (const row of rows) printRow(rowText(row, options));
  const changes = rows.filter(({outcome}) => outcome === 'new').length;
  const [source, target] = [from, file.path].map(path => visibleExactLine(withTilde(path, homedir())));
  const where = `${source} to ${target}`;
  note(options.dryRun === undefined ? `imported ${changes} from ${where}` : `would import ${changes} from ${where}`);
  return exitCode.done;
}

const takenOver = (theirs: JsonObject, own: JsonObject, replace?: true): readonly Taken[] => [
  ...rulesOf(theirs, own),
  ...modeOf(theirs, own, replace),
  ...variablesOf(theirs, own, replace),
  ...hooksOf(theirs, own),
];

/** Returns a sentence if the user's Claude Code settings contain something to import; otherwise an empty string. Never throws. */
export function importAdvice(): string {
  try {
    const file = targetFile({});
    const from = claudeSettings('user', '');
    const taken = takenOver(objectIn(from) ?? {}, objectIn(file.path) ?? {}).filter(({outcome}) => outcome === 'new');
    const hooks = taken.filter(({kind}) => kind === 'hook').length;
    const rules = taken.filter(({kind}) => kind === 'rule').length;
    if (hooks + rules === 0) return '';
    const path = visibleExactLine(withTilde(from, homedir()));
    return `${path} has ${pluralize(hooks, 'hook')} and ${pluralize(rules, 'permission rule')} that weft does not use. Import them: weft config import`;
  } catch {
    return '';
  }
}

/** Returns the settings file of Claude Code with the same scope as weft's file. */
function claudeSettings(source: 'user' | 'project' | 'local', directory: string): string {
  if (source === 'user') return join(claudeFolder(), 'settings.json');
  return join(directory, '.claude', source === 'project' ? 'settings.json' : 'settings.local.json');
}

function objectIn(path: string): JsonObject | undefined {
  const text = readTextFile(path);
  if (text.tag === 'failed') throw new UsageError(`Can't read ${path}: ${text.error}`);
  if (text.value === undefined) return undefined;
  const json = parseJson(text.value.replace(/^\uFEFF/u, ''));
  if (json.tag === 'failed') throw new UsageError(`${path} is not JSON: ${json.error}`);
  if (!isJsonObject(json.value)) throw new UsageError(`${path} must contain one JSON object.`);
  return json.value;
}

const leftOut = (kind: ImportRow['kind'], text: string, why: string): Taken => ({
  kind,
  text,
  outcome: 'left-out',
  why,
  write: async () => {},
});

const taken = (
  {kind, text, isThere}: Pick<ImportRow, 'kind' | 'text'> & {readonly isThere: boolean},
  write: (path: string) => Promise<Outcome<unknown, Fault>>,
): Taken => ({
  kind,
  text,
  outcome: isThere ? 'exists' : 'new',
  why: '',
  write: async path => void unwrap(await write(path)),
});

const lists: readonly RuleList[] = ['deny', 'ask', 'allow'];

function rulesOf(theirs: JsonObject, own: JsonObject): readonly Taken[] {
  return lists.flatMap(list =>
    textsIn(memberOf(theirs, 'permissions', list)).map((rule): Taken => {
      const text = `${list} ${rule}`;
      const read = parseRule(rule, ruleKinds);
      if (read.tag === 'failed') return leftOut('rule', text, read.error.message);
      const nothing = list === 'allow' ? ineffectiveRuleProblem(read.value) : undefined;
      if (nothing !== undefined) return leftOut('rule', text, nothing);
      const isThere = textsIn(memberOf(own, 'permissions', list)).some(each => each.trim() === rule.trim());
      return taken({kind: 'rule', text, isThere}, path => addRule({path, list, rule}));
    }),
  );
}

function modeOf(theirs: JsonObject, own: JsonObject, replace?: true): readonly Taken[] {
  const said = memberOf(theirs, 'permissions', 'defaultMode');
  if (typeof said !== 'string') return [];
  const mode = permissionModes.find(each => each === said);
  if (mode === undefined) return [leftOut('mode', said, 'weft has no such permission mode')];
  if (mode === 'bypassPermissions') return [leftOut('mode', said, 'only the flag --permission-mode can choose it')];
  const isThere = counts(own['permissionMode'], mode, replace);
  return [
    taken({kind: 'mode', text: mode, isThere}, path =>
      setSetting({path, name: {key: 'permissionMode', part: ''}}, mode),
    ),
  ];
}

/** True if the user's own value stays: any value, or with `replace` only the same one. */
const counts = (own: Json | undefined, value: string, replace?: true): boolean =>
  replace === undefined ? own !== undefined : own === value;

/** Variables that configure Claude Code itself. */
const ofClaude = /^(?:CLAUDE|ANTHROPIC|DISABLE|ENABLE|MAX|MCP|BASH|API)_/u;

function variablesOf(theirs: JsonObject, own: JsonObject, replace?: true): readonly Taken[] {
  const {env} = theirs;
  if (!isJsonObject(env)) return [];
  return Object.entries(env).map(([name, value]): Taken => {
    if (typeof value !== 'string') return leftOut('variable', name, 'its value is not a string');
    if (ofClaude.test(name)) return leftOut('variable', name, 'it is for Claude Code');
    if (secretName(name) !== 'none')
      return leftOut('variable', name, 'it may be a secret: set it where you start weft');
    const isThere = counts(memberOf(own, 'env', name), value, replace);
    return taken({kind: 'variable', text: name, isThere}, path =>
      setSetting({path, name: {key: 'env', part: name}}, value),
    );
  });
}

function hooksOf(theirs: JsonObject, own: JsonObject): readonly Taken[] {
  const {hooks} = theirs;
  if (!isJsonObject(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    (isJsonList(groups) ? groups : []).flatMap(group => {
      const {matcher = '', hooks: entries} = isJsonObject(group) ? group : {};
      return (isJsonList(entries) ? entries : []).map((entry): Taken => {
        const {command, url, prompt, type} = isJsonObject(entry) ? entry : {};
        const title = typeof matcher === 'string' && matcher !== '' ? `${event}(${matcher})` : event;
        const text = `${title}  ${[command, url, prompt, type].find(each => typeof each === 'string') ?? ''}`;
        if (!hookEvents.some(each => each === event)) return leftOut('hook', text, 'weft has no hooks for this event');
        const alone = {matcher, hooks: [entry]};
        if (!hooksSchema.safeParse({[event]: [alone]}).success) {
          return leftOut('hook', text, 'weft runs only hooks of the types command and http');
        }
        const isThere = groupsIn(own, event).some(each => isSame(each, alone));
        return taken({kind: 'hook', text, isThere}, path => {
          const now = memberOf(objectIn(path) ?? {}, 'hooks');
          const all = isJsonObject(now) ? now : {};
          const merged = {...all, [event]: [...groupsIn({hooks: all}, event), alone]};
          return setSetting({path, name: {key: 'hooks', part: ''}}, merged);
        });
      });
    }),
  );
}

function groupsIn(settings: JsonObject, event: string): readonly Json[] {
  const groups = memberOf(settings, 'hooks', event);
  return isJsonList(groups) ? groups : [];
}

const isSame = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Members that are imported above, or that have no meaning for weft. */
const silent: ReadonlySet<string> = new Set(['$schema', 'permissions', 'hooks', 'env']);

const othersOf = (theirs: JsonObject): readonly ImportRow[] =>
  Object.keys(theirs)
    .filter(name => !silent.has(name))
    .map(name => ({kind: 'setting', text: name, outcome: 'left-out', why: 'it is not imported'}));

function memberOf(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, name) ? memberOf(value[name], ...rest) : undefined;
}

const textsIn = (value: Json | undefined): readonly string[] =>
  isJsonList(value) ? value.filter(each => typeof each === 'string') : [];

function rowText({kind, text, outcome, why}: ImportRow, {dryRun}: ImportSettingsOptions): string {
  const words = {
    new: dryRun === undefined ? 'imported' : 'would be imported',
    exists: 'already exists',
    'left-out': `left out: ${why}`,
  }[outcome];
  return visibleExactLine(`${kind}  ${text}  ${words}`);
}
