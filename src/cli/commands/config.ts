import {isJsonList, isJsonObject, type Json} from '../../base/json.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {setSetting, unsetSetting} from '../../config/edit-settings.ts';
import {explainAll, explainSetting, type SaidValue} from '../../config/explain-setting.ts';
import {grantingSettings} from '../../config/granting-settings.ts';
import {mergeTrusted} from '../../config/trusted-settings.ts';
import {nameText, parseSettingName, parseSettingValue, type SettingName} from '../../config/setting-name.ts';
import type {SettingsLayer} from '../../config/settings.ts';
import {faultText} from '../../domain/fault.ts';
import type {ConfigOptions} from '../config-program.ts';
import {directoryOf} from '../directory-of.ts';
import {exitCode, type ExitCode} from '../exit-code.ts';
import {refuseInside} from '../outside-only.ts';
import type {InFile, InFolder} from '../place-options.ts';
import {environmentLayer, fileLayers, trustPlace} from '../settings-layers.ts';
import {keepTrust, settingsIn, shareNothing, targetFile} from '../settings-target.ts';
import {note, print, printJson} from '../say.ts';
import {UsageError} from '../usage-error.ts';
import {userPlaces} from '../user-places.ts';
import {valueOf} from '../value-of.ts';

/** `weft config get`: what counts; exit code 1 where nobody set it. */
export async function getSetting(text: string, {json, cwd}: ConfigOptions): Promise<ExitCode> {
  const counting = said(nameOf(text), cwd).flatMap(({state, value}) => (state === 'counts' ? [value] : []));
  if (counting.length === 0) {
    note(`${text} is not set`);
    return exitCode.failed;
  }
  const value = counting.reduceRight(joined);
  if (json === undefined) printLine(plain(value));
  else printJson(`${JSON.stringify(value)}\n`);
  return exitCode.done;
}

/** `weft config list`: all that is set, what counts first, and where it comes from. */
export async function listSettings({json, cwd}: ConfigOptions): Promise<ExitCode> {
  const all = valueOf(explainAll(ground(cwd)));
  if (json !== undefined) printJson(`${JSON.stringify(all, undefined, 2)}\n`);
  else for (const each of all) printLine(line(each));
  return exitCode.done;
}

/** `weft config explain`: what counts, where it comes from, and what it hides. */
export async function explainOne(text: string, {json, cwd}: ConfigOptions): Promise<ExitCode> {
  const name = nameOf(text);
  const all = said(name, cwd);
  if (json !== undefined) printJson(`${JSON.stringify(all, undefined, 2)}\n`);
  else if (all.length === 0) printLine(`${nameText(name)} is not set anywhere`);
  else for (const each of all) printLine(line(each));
  return exitCode.done;
}

/** What `list`, or with a name `explain`, prints. */
export function settingLines(text: string, cwd: string): readonly string[] {
  if (text === '') return valueOf(explainAll(ground(cwd))).map(line);
  const name = nameOf(text);
  const all = said(name, cwd);
  return all.length === 0 ? [`${nameText(name)} is not set anywhere`] : all.map(line);
}

/** `weft config set`: writes a value that fits into a settings file. */
export async function writeSetting(text: string, value: string, options: InFile): Promise<ExitCode> {
  for (const each of await changeSetting(text, value, options)) note(each);
  return exitCode.done;
}

/** The same; answers with what came of it, a sentence each. */
export async function changeSetting(text: string, value: string, options: InFile): Promise<readonly string[]> {
  const name = nameOf(text);
  if (grantingSettings.has(name.key)) await refuseInside(`Setting ${nameText(name)}`);
  const parsed = parseSettingValue(name, value);
  if (parsed.tag === 'failed') throw new UsageError(`${parsed.error}. Nothing was changed.`);
  if (name.key === 'permissionMode' && parsed.value === 'bypassPermissions') {
    throw new UsageError('bypassPermissions is chosen by the flag --permission-mode only. Nothing was changed.');
  }
  const file = targetFile(options);
  const before = settingsIn(options.cwd);
  const set = valueOf(await setSetting({path: file.path, name}, parsed.value));
  const what = `${nameText(name)} = ${visibleExactLine(plain(parsed.value))}`;
  const notes = [set === 'same' ? `${what} is in ${file.path} already` : `${what} is written to ${file.path}`];
  if (file.source === 'local') shareNothing(file.path);
  if (file.source !== 'user') await keepTrust(before, {cwd: options.cwd, written: file.source});
  const hidden = said(name, options.cwd).find(({source, state}) => source === file.source && state !== 'counts');
  if (hidden !== undefined) notes.push(`mind that it does not count now: weft config explain ${nameText(name)}`);
  return notes;
}

/** `weft config unset`: takes a value out of a settings file; one that is not in it is trouble. */
export async function removeSetting(text: string, options: InFile): Promise<ExitCode> {
  const name = nameOf(text);
  if (grantingSettings.has(name.key)) await refuseInside(`Taking out ${nameText(name)}`);
  const file = targetFile(options);
  const before = settingsIn(options.cwd);
  const unset = valueOf(await unsetSetting({path: file.path, name}));
  if (unset === 'same') {
    const elsewhere = said(name, options.cwd).find(({path}) => path !== '' && path !== file.path);
    const hint = elsewhere === undefined ? '' : ` It is in ${elsewhere.path}: add --${elsewhere.source}.`;
    throw new Error(`${nameText(name)} is not in ${file.path}.${hint}`);
  }
  note(`${nameText(name)} is taken out of ${file.path}`);
  if (file.source !== 'user') await keepTrust(before, {cwd: options.cwd, written: file.source});
  return exitCode.done;
}

/** `weft config path`: the settings file that the flags name, whether it is there or not. */
export async function settingsPath(options: InFile): Promise<ExitCode> {
  printLine(targetFile(options).path);
  return exitCode.done;
}

function nameOf(text: string): SettingName {
  const name = parseSettingName(text);
  if (name.tag === 'failed') throw new UsageError(name.error);
  return name.value;
}

const said = (name: SettingName, cwd: InFolder['cwd']): readonly SaidValue[] =>
  valueOf(explainSetting(name, ground(cwd)));

/** All layers but flags, which are of one run. */
function ground(cwd: InFolder['cwd']) {
  const directory = directoryOf(cwd ?? '.');
  const layers: readonly SettingsLayer[] = [...fileLayers(directory, userPlaces()), environmentLayer(process.env)];
  const merged = mergeTrusted(layers, trustPlace(directory, userPlaces()));
  if (merged.tag === 'failed') throw new UsageError(faultText(merged.error));
  return {layers, settings: merged.value.settings};
}

/** Lists one behind the other, objects member by member; of anything else the stronger. */
function joined(below: Json, above: Json): Json {
  if (isJsonList(below) && isJsonList(above)) return [...below, ...above];
  if (!isJsonObject(below) || !isJsonObject(above)) return above;
  const both = Object.entries(above).map(([key, value]) => [
    key,
    key in below ? joined(below[key] ?? null, value) : value,
  ]);
  return {...below, ...Object.fromEntries(both)};
}

function line({name, value, source, path, state}: SaidValue): string {
  const from = path === '' ? source : `${source}, ${visibleExactLine(path)}`;
  return `${name} = ${visibleExactLine(plain(value))}   (${from})${notes[state]}`;
}

const notes = {
  counts: '',
  shadowed: '   shadowed by a stronger one',
  'left-out':
    '   left out: it may not be set there (weft permissions trust shows what trust in the folder would allow)',
} as const satisfies Record<SaidValue['state'], string>;

const plain = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const printLine = (text: string): void => print(`${text}\n`);
