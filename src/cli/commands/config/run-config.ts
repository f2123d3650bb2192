import type {SettingRow} from '../../../agent/client.ts';
import {isJsonList, isJsonObject, type Json} from '../../../base/json.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import {setSetting, unsetSetting} from '../../../config/edit-settings.ts';
import {explainAll, explainSetting, type SettingValue} from '../../../config/explain-setting.ts';
import {
  grantingSettings,
  nameText,
  parseSettingName,
  parseSettingValue,
  settingChoices,
  settingNames,
  type SettingName,
} from '../../../config/settings-schema.ts';
import {mergeTrusted, type SettingsLayer} from '../../../config/merge-settings.ts';
import {providerNames} from '../../../domain/api-key.ts';
import {faultText} from '../../../domain/fault.ts';
import type {ConfigOptions} from '../config.ts';
import {existingFolder} from '../../compose/run-context.ts';
import {exitCode, type ExitCode, unwrap, UsageError} from '../../exit-code.ts';
import {requireOutsideWeft} from '../../compose/folder-trust.ts';
import type {InFile, InFolder} from '../../flags.ts';
import {environmentLayer, fileLayers, trustPlace} from '../../compose/settings-layers.ts';
import {carryTrustOverOrNote, settingsIn, ignoreInGit, targetFile} from '../../compose/write-settings.ts';
import {note, print, printJson} from '../../output.ts';
import {userPlaces} from '../../compose/user-data.ts';

/** `weft config get`: prints the value that counts; exit code 1 where the setting has none. */
export async function getSetting(text: string, {json, cwd}: ConfigOptions): Promise<ExitCode> {
  const counting = explainName(nameOf(text), cwd).flatMap(({state, value}) => (state === 'counts' ? [value] : []));
  if (counting.length === 0) {
    note(`${text} is not set`);
    return exitCode.failed;
  }
  const value = counting.reduceRight(mergedValues);
  if (json === undefined) printLine(plain(value));
  else printJson(`${JSON.stringify(value)}\n`);
  return exitCode.done;
}

/** `weft config list`: prints every value of every setting, the one that counts first, with its source. */
export async function listSettings({json, cwd}: ConfigOptions): Promise<ExitCode> {
  const all = unwrap(explainAll(allLayers(cwd)));
  if (json !== undefined) printJson(`${JSON.stringify(all, undefined, 2)}\n`);
  else for (const each of all) printLine(valueLine(each));
  return exitCode.done;
}

/** `weft config explain`: prints every value of one setting, with its source and whether it counts. */
export async function explainOne(text: string, {json, cwd}: ConfigOptions): Promise<ExitCode> {
  if (text === keyName) {
    const source = await keySourceText(cwd);
    if (json === undefined) printLine(source);
    else printJson(`${JSON.stringify({name: keyName, source})}\n`);
    return exitCode.done;
  }
  const name = nameOf(text);
  const all = explainName(name, cwd);
  if (json !== undefined) printJson(`${JSON.stringify(all, undefined, 2)}\n`);
  else if (all.length === 0) printLine(await unsetText(name, cwd));
  else for (const each of all) printLine(valueLine(each));
  return exitCode.done;
}

/** The lines that `weft config list` prints, or with a name `weft config explain`. */
export async function settingLines(text: string, cwd: string): Promise<readonly string[]> {
  if (text === '') return unwrap(explainAll(allLayers(cwd))).map(valueLine);
  if (text === keyName) return [await keySourceText(cwd)];
  const name = nameOf(text);
  const all = explainName(name, cwd);
  return all.length === 0 ? [await unsetText(name, cwd)] : all.map(valueLine);
}

/** Not a setting, since settings keep no secrets; where the key comes from is explained all the same. */
const keyName = 'apiKey';

/** `apiKey: key kept in the keychain (Anthropic)`; never the key. */
async function keySourceText(cwd: InFolder['cwd']): Promise<string> {
  const {choice, provider, keyText} = await configuredModel(cwd);
  if (provider === undefined || provider === 'replay') return `${keyName}: no provider is configured, see weft auth`;
  return `${keyName}: ${keyText(provider, choice)} (${providerNames[provider]})`;
}

/** Which model answers where none is set depends on the provider. */
async function unsetText(name: SettingName, cwd: InFolder['cwd']): Promise<string> {
  const text = `${nameText(name)} is not set anywhere`;
  if (name.key !== 'model') return text;
  const {choice, provider, defaultModel, defaultModelText} = await configuredModel(cwd);
  if (provider === undefined || provider === 'replay') return `${text}, and no provider is configured`;
  return `${text}: weft uses ${defaultModelText(await defaultModel(provider, choice))}`;
}

/** The provider that the settings of a folder and the environment lead to. */
async function configuredModel(cwd: InFolder['cwd']) {
  const [{configuredProvider, ...model}, {modelChoice}, {loadRunContext}] = await Promise.all([
    import('../../compose/choose-model.ts'),
    import('../../compose/compose-session.ts'),
    import('../../compose/run-context.ts'),
  ]);
  const directory = existingFolder(cwd ?? '.');
  const choice = modelChoice(loadRunContext({directory, added: [], options: {sessionPersistence: true, color: true}}));
  return {...model, choice, provider: configuredProvider(choice)};
}

/** Every setting with the value that counts, for a list to choose from. */
export function settingRows(cwd: string): readonly SettingRow[] {
  const layers = allLayers(cwd);
  return settingNames.map(([text]) => {
    const name = nameOf(text);
    const [counting] = unwrap(explainSetting(name, layers)).filter(({state}) => state === 'counts');
    return {
      name: text,
      value: counting === undefined ? '' : isEmptyList(counting.value) ? 'none' : plain(counting.value),
      source: counting?.source ?? '',
      choices: settingChoices(name),
    };
  });
}

const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

/** `weft config set`: writes a value that fits into a settings file. */
export async function writeSetting(text: string, value: string, options: InFile): Promise<ExitCode> {
  for (const each of await changeSetting(text, value, options)) note(each);
  return exitCode.done;
}

/** Writes a value into a settings file. Answers with sentences on what was done. */
export async function changeSetting(text: string, value: string, options: InFile): Promise<readonly string[]> {
  const name = nameOf(text);
  if (grantingSettings.has(name.key)) await requireOutsideWeft(`Setting ${nameText(name)}`);
  const parsed = parseSettingValue(name, value);
  if (parsed.tag === 'failed') throw new UsageError(`${parsed.error}. Nothing was changed.`);
  if (name.key === 'permissionMode' && parsed.value === 'bypassPermissions') {
    throw new UsageError('Only the flag --permission-mode can choose bypassPermissions. Nothing was changed.');
  }
  const file = targetFile(options);
  const before = settingsIn(options.cwd);
  const set = unwrap(await setSetting({path: file.path, name}, parsed.value));
  const what = `${nameText(name)} = ${visibleExactLine(plain(parsed.value))}`;
  const notes = [set === 'same' ? `${what} is already in ${file.path}` : `set ${what} in ${file.path}`];
  if (file.source === 'local') ignoreInGit(file.path);
  if (file.source !== 'user') await carryTrustOverOrNote(before, {cwd: options.cwd, written: file.source});
  const hidden = explainName(name, options.cwd).find(({source, state}) => source === file.source && state !== 'counts');
  if (hidden !== undefined) notes.push(`warning: overridden elsewhere. See: weft config explain ${nameText(name)}`);
  return notes;
}

/** `weft config unset`: removes a value from a settings file; an error where it is not in it. */
export async function removeSetting(text: string, options: InFile): Promise<ExitCode> {
  const name = nameOf(text);
  if (grantingSettings.has(name.key)) await requireOutsideWeft(`Removing ${nameText(name)}`);
  const file = targetFile(options);
  const before = settingsIn(options.cwd);
  const unset = unwrap(await unsetSetting({path: file.path, name}));
  if (unset === 'same') {
    const elsewhere = explainName(name, options.cwd).find(({path}) => path !== '' && path !== file.path);
    const hint = elsewhere === undefined ? '' : ` It is in ${elsewhere.path}: add --${elsewhere.source}.`;
    throw new Error(`${nameText(name)} is not in ${file.path}.${hint}`);
  }
  note(`removed ${nameText(name)} from ${file.path}`);
  if (file.source !== 'user') await carryTrustOverOrNote(before, {cwd: options.cwd, written: file.source});
  return exitCode.done;
}

/** `weft config path`: prints the path of the settings file that the flags name. It need not exist. */
export async function settingsPath(options: InFile): Promise<ExitCode> {
  printLine(targetFile(options).path);
  return exitCode.done;
}

function nameOf(text: string): SettingName {
  const name = parseSettingName(text);
  if (name.tag === 'failed') throw new UsageError(name.error);
  return name.value;
}

const explainName = (name: SettingName, cwd: InFolder['cwd']): readonly SettingValue[] =>
  unwrap(explainSetting(name, allLayers(cwd)));

/** The layers of all sources but flags, and the settings that they are merged to. */
function allLayers(cwd: InFolder['cwd']) {
  const directory = existingFolder(cwd ?? '.');
  const layers: readonly SettingsLayer[] = [...fileLayers(directory, userPlaces()), environmentLayer(process.env)];
  const merged = mergeTrusted(layers, trustPlace(directory, userPlaces()));
  if (merged.tag === 'failed') throw new UsageError(faultText(merged.error));
  return {layers, settings: merged.value.settings};
}

/** Joins two values of a setting that adds up: lists one after the other, objects by member. Of anything else the stronger counts. */
function mergedValues(below: Json, above: Json): Json {
  if (isJsonList(below) && isJsonList(above)) return [...below, ...above];
  if (!isJsonObject(below) || !isJsonObject(above)) return above;
  const both = Object.entries(above).map(([key, value]) => [
    key,
    key in below ? mergedValues(below[key] ?? null, value) : value,
  ]);
  return {...below, ...Object.fromEntries(both)};
}

function valueLine({name, value, source, path, state}: SettingValue): string {
  const from = path === '' ? source : `${source}, ${visibleExactLine(path)}`;
  return `${name} = ${visibleExactLine(plain(value))}   (${from})${notes[state]}`;
}

const notes = {
  counts: '',
  shadowed: '   overridden',
  'left-out': '   ignored: not allowed there (see weft permissions trust)',
} as const satisfies Record<SettingValue['state'], string>;

const plain = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const printLine = (text: string): void => print(`${text}\n`);
