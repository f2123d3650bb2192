import type {Command} from 'commander';
import type {ImportSettingsOptions} from '../../app/import-settings.ts';
import {exiting, exitCode, type ExitCode, unwrap} from '../../app/exit-code.ts';
import type {SettingsFileOptions, FolderOption} from '../../app/main-options.ts';
import {addSubcommands, settingsFileFlags, folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
import {isJsonList, isJsonObject, type Json} from '../../base/json.ts';
import {unsetSetting} from '../../config/edit-settings.ts';
import {explainAll} from '../../config/explain-setting.ts';
import {grantingSettings, nameText} from '../../config/settings-schema.ts';
import {requireOutsideWeft} from '../../app/folder-trust.ts';
import {carryTrustOverOrNote, settingsIn, targetFile} from '../../app/write-settings.ts';
import {note, print, printJson} from '../../app/output.ts';
import {
  allLayers,
  changeSetting,
  explainName,
  keyName,
  keySourceText,
  nameOf,
  settingValueText,
  unsetSettingText,
  valueLine,
} from '../../app/setting-rows.ts';
import {printRows} from '../rows.ts';

interface ConfigOptions extends JsonOption, FolderOption {}

/** `weft config get|set|unset|list|path|import|explain`. */
export function add(config: Command): void {
  const name = ['<setting>', 'Setting, such as model, permissionMode, permissions.allow or env.CI'] as const;
  const value = ['<value>', 'Value: text, or JSON for lists and objects'] as const;
  const dryRun = ['--dry-run', 'Only show what would be imported'] as const;
  const reading = [jsonFlag, folderFlag];
  addSubcommands(config, [
    ['get', 'Print the value in effect', [name, ...reading], exiting(getSetting)],
    ['set', 'Set a value in a settings file', [name, value, ...settingsFileFlags], exiting(writeSetting)],
    ['unset', 'Remove a value from a settings file', [name, ...settingsFileFlags], exiting(removeSetting)],
    ['list', 'List all settings and where they come from', reading, exiting(listSettings)],
    ['path', 'Print the path of the settings file', settingsFileFlags, exiting(settingsPath)],
    [
      'import',
      "Import hooks, permission rules and variables from Claude Code's settings",
      [...settingsFileFlags, jsonFlag, dryRun],
      exiting(async (options: ImportSettingsOptions) =>
        (await import('../../app/import-settings.ts')).importSettings(options),
      ),
    ],
    ['explain', 'Explain where a setting comes from and what it overrides', [name, ...reading], exiting(explainOne)],
  ]);
}

/** `weft config get`: prints the value in effect. The exit code is 1 if the setting has none. */
async function getSetting(text: string, {json, cwd}: ConfigOptions): Promise<ExitCode> {
  const counting = explainName(nameOf(text), cwd).flatMap(({state, value}) => (state === 'counts' ? [value] : []));
  if (counting.length === 0) {
    note(`${text} is not set`);
    return exitCode.failed;
  }
  const value = counting.reduceRight(mergedValues);
  if (json === undefined) printLine(settingValueText(value));
  else printJson(`${JSON.stringify(value)}\n`);
  return exitCode.done;
}

/** `weft config list`: prints every value of every setting with its source, the one in effect first. */
async function listSettings({json, cwd}: ConfigOptions): Promise<ExitCode> {
  return printRows({rows: unwrap(explainAll(allLayers(cwd))), json, line: valueLine, none: ''});
}

/** `weft config explain`: prints every value of one setting, with its source and whether it is in effect. */
async function explainOne(text: string, {json, cwd}: ConfigOptions): Promise<ExitCode> {
  if (text === keyName) {
    const source = await keySourceText(cwd);
    if (json === undefined) printLine(source);
    else printJson(`${JSON.stringify({name: keyName, source})}\n`);
    return exitCode.done;
  }
  const name = nameOf(text);
  const all = explainName(name, cwd);
  if (json === undefined && all.length === 0) printLine(await unsetSettingText(name, cwd));
  return printRows({rows: all, json, line: valueLine, none: ''});
}

/** `weft config set`: writes a valid value into a settings file. */
async function writeSetting(text: string, value: string, options: SettingsFileOptions): Promise<ExitCode> {
  for (const each of await changeSetting(text, value, options)) note(each);
  return exitCode.done;
}

/** `weft config unset`: removes a value from a settings file. Throws an error if the file does not contain it. */
async function removeSetting(text: string, options: SettingsFileOptions): Promise<ExitCode> {
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

/** `weft config path`: prints the path of the settings file that the flags choose. The file need not exist. */
async function settingsPath(options: SettingsFileOptions): Promise<ExitCode> {
  printLine(targetFile(options).path);
  return exitCode.done;
}

/** Merges two values of a setting: concatenates lists and merges objects by member. Otherwise `above` wins. */
function mergedValues(below: Json, above: Json): Json {
  if (isJsonList(below) && isJsonList(above)) return [...below, ...above];
  if (!isJsonObject(below) || !isJsonObject(above)) return above;
  const both = Object.entries(above).map(([key, value]) => [
    key,
    key in below ? mergedValues(below[key] ?? null, value) : value,
  ]);
  return {...below, ...Object.fromEntries(both)};
}

const printLine = (text: string): void => print(`${text}\n`);
