import type {SettingRow} from '../agent/client.ts';
import type {Json} from '../base/json.ts';
import {visibleExactLine} from '../base/visible.ts';
import {setSetting} from '../config/edit-settings.ts';
import {explainAll, explainSetting, type SettingValue} from '../config/explain-setting.ts';
import {
  grantingSettings,
  nameText,
  parseSettingName,
  parseSettingValue,
  settingChoices,
  settingNames,
  type SettingName,
} from '../config/settings-schema.ts';
import {unwrap, UsageError} from './exit-code.ts';
import {requireOutsideWeft} from './folder-trust.ts';
import type {SettingsFileOptions, FolderOption} from './main-options.ts';
import {contextFor} from './run-context.ts';
import {environmentLayer} from './settings-layers.ts';
import {carryTrustOverOrNote, settingsIn, ignoreInGit, targetFile} from './write-settings.ts';

/** Returns the lines of `weft config list`, or with a name the lines of `weft config explain`. */
export async function settingLines(text: string, cwd: string): Promise<readonly string[]> {
  if (text === '') return unwrap(explainAll(allLayers(cwd))).map(valueLine);
  if (text === keyName) return [await keySourceText(cwd)];
  const name = nameOf(text);
  const all = explainName(name, cwd);
  return all.length === 0 ? [await unsetSettingText(name, cwd)] : all.map(valueLine);
}

/** A name that `weft config explain` accepts although it is not a setting, because settings contain no secrets. */
export const keyName = 'apiKey';

/** Describes the source of the key, never the key: `apiKey: key saved in the keychain (Anthropic)`. */
export async function keySourceText(cwd: FolderOption['cwd']): Promise<string> {
  const {choice, provider, keyText} = await configuredModel(cwd);
  if (provider === undefined) return `${keyName}: no provider is configured, see weft auth`;
  return `${keyName}: ${await keyText(provider, choice)} (${provider.title})`;
}

/** Says that a setting is not set. For `model`, adds the default, which depends on the provider. */
export async function unsetSettingText(name: SettingName, cwd: FolderOption['cwd']): Promise<string> {
  const text = `${nameText(name)} is not set anywhere`;
  if (name.key !== 'model') return text;
  const {choice, provider, defaultModel, defaultModelText} = await configuredModel(cwd);
  if (provider === undefined) return `${text}, and no provider is configured`;
  return `${text}: weft uses ${defaultModelText(await defaultModel(provider, choice))}`;
}

/** Returns the provider that a folder's settings and the environment choose. */
async function configuredModel(cwd: FolderOption['cwd']) {
  const {configuredProvider, modelChoice, providerNamed, ...model} = await import('./choose-model.ts');
  const choice = modelChoice(contextFor({cwd}));
  const name = configuredProvider(choice) ?? 'replay';
  return {...model, choice, provider: name === 'replay' ? undefined : await providerNamed(name, choice)};
}

/** Returns every setting with the value in effect, for a list. */
export function settingRows(cwd: string): readonly SettingRow[] {
  const layers = allLayers(cwd);
  return settingNames.map(([text]) => {
    const name = nameOf(text);
    const [counting] = unwrap(explainSetting(name, layers)).filter(({state}) => state === 'counts');
    return {
      name: text,
      value: counting === undefined ? '' : isEmptyList(counting.value) ? 'none' : settingValueText(counting.value),
      source: counting?.source ?? '',
      choices: settingChoices(name),
    };
  });
}

const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

/** Writes a value into a settings file. Returns sentences about what was done. */
export async function changeSetting(
  text: string,
  value: string,
  options: SettingsFileOptions,
): Promise<readonly string[]> {
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
  const what = `${nameText(name)} = ${visibleExactLine(settingValueText(parsed.value))}`;
  const notes = [set === 'same' ? `${what} is already in ${file.path}` : `set ${what} in ${file.path}`];
  if (file.source === 'local') ignoreInGit(file.path);
  if (file.source !== 'user') await carryTrustOverOrNote(before, {cwd: options.cwd, written: file.source});
  const hidden = explainName(name, options.cwd).find(({source, state}) => source === file.source && state !== 'counts');
  if (hidden !== undefined) notes.push(`warning: overridden elsewhere. See: weft config explain ${nameText(name)}`);
  return notes;
}

export function nameOf(text: string): SettingName {
  const name = parseSettingName(text);
  if (name.tag === 'failed') throw new UsageError(name.error);
  return name.value;
}

export const explainName = (name: SettingName, cwd: FolderOption['cwd']): readonly SettingValue[] =>
  unwrap(explainSetting(name, allLayers(cwd)));

/** Reads the layers of all sources except flags, and the settings merged from them. */
export function allLayers(cwd: FolderOption['cwd']) {
  const {layers, settings} = settingsIn(cwd, [environmentLayer(process.env)]);
  return {layers, settings: settings.settings};
}

export function valueLine({name, value, source, path, state}: SettingValue): string {
  const from = path === '' ? source : `${source}, ${visibleExactLine(path)}`;
  return `${name} = ${visibleExactLine(settingValueText(value))}   (${from})${notes[state]}`;
}

const notes = {
  counts: '',
  shadowed: '   overridden',
  'left-out': '   ignored: not allowed there (see weft permissions trust)',
} as const satisfies Record<SettingValue['state'], string>;

export const settingValueText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
