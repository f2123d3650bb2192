import {visibleExactLine} from '../../base/visible.ts';
import {addRule, removeRule} from '../../config/edit-rules.ts';
import type {TrustedSettings} from '../../config/trusted-settings.ts';
import {forgetTrust, recordTrust} from '../../config/trust-record.ts';
import type {PermissionMode, RuleList} from '../../domain/risk.ts';
import {askClasses} from '../../safety/ask-classes.ts';
import {broadness} from '../../safety/broad-rule.ts';
import {parseRule, type PermissionRule} from '../../safety/rules.ts';
import {directoryOf} from '../directory-of.ts';
import {exitCode, type ExitCode} from '../exit-code.ts';
import {trustText} from '../folder-trust.ts';
import {patternUnread, ruleLines, ruleText} from '../permissions/rule-lines.ts';
import {refuseInside} from '../outside-only.ts';
import type {InFile, InFolder, JsonOption} from '../place-options.ts';
import {recordOwnRule, settingsIn, shareNothing, targetFile, trustAsBefore} from '../settings-target.ts';
import {note, print, printJson} from '../say.ts';
import {saysYes} from '../says-yes.ts';
import {UsageError} from '../usage-error.ts';
import {valueOf} from '../value-of.ts';

/** `weft permissions check`: see `checkCommands`. */
export async function checkPermissions(
  words: readonly string[],
  {json, cwd, permissionMode}: JsonOption & InFolder & {readonly permissionMode?: PermissionMode},
): Promise<ExitCode> {
  const {checkCommands} = await import('../permissions/check-commands.ts');
  return checkCommands(words, {
    directory: directoryOf(cwd ?? '.'),
    mode: permissionMode ?? 'default',
    form: json === undefined ? 'text' : 'json',
  });
}

/** `weft permissions list`: the rules of the settings files, or with `--classes` all that may be asked about. */
export async function listPermissions({
  json,
  cwd,
  classes,
}: JsonOption & InFolder & {readonly classes?: true}): Promise<ExitCode> {
  if (classes !== undefined) return listClasses(json === undefined ? {} : {json});
  const {settings} = settingsIn(cwd);
  const lines = ruleLines(settings);
  if (json !== undefined) printJson(`${JSON.stringify(lines, undefined, 2)}\n`);
  else if (lines.length === 0) note('there are no rules: weft permissions add allow "Bash(git status:*)"');
  else print(`${lines.map(ruleText).join('\n')}\n`);
  return exitCode.done;
}

/** `weft permissions --list`: every class of actions that may be asked about. */
export async function listClasses({json}: JsonOption): Promise<ExitCode> {
  const classes = askClasses();
  const withoutPerson = 'denied; exit code 3 when the work could not be finished without it';
  if (json !== undefined) {
    printJson(
      `${JSON.stringify(
        classes.map(each => ({...each, withNobodyThere: withoutPerson})),
        undefined,
        2,
      )}\n`,
    );
    return exitCode.done;
  }
  for (const {name, tools, risks, askedWhen} of classes) {
    print(
      `${name.padEnd(15)} ${tools.join(', ')}\n${' '.repeat(16)}asked when: ${askedWhen}\n${' '.repeat(16)}risk: ${risks.join(', ')}\n`,
    );
  }
  print(`With nobody there to ask, all of them are ${withoutPerson}.\n`);
  return exitCode.done;
}

/** `weft permissions add`: writes the rule into a settings file. */
export async function addPermission(list: RuleList, text: string, options: InFile): Promise<ExitCode> {
  const rule = readRule(text);
  await refuseInside('weft permissions add');
  const file = targetFile(options);
  const before = settingsIn(options.cwd);
  const added = valueOf(await addRule({path: file.path, list, rule: rule.text}));
  if (added === 'same') note(`${list} ${visibleExactLine(rule.text)} is in ${file.path} already`);
  else note(`added ${list} ${visibleExactLine(rule.text)} to ${file.path}`);
  if (list === 'allow') warnOf(rule);
  if (file.source === 'local') shareNothing(file.path);
  if (file.source === 'user') return exitCode.done;
  if (list === 'allow') valueOf(await recordOwnRule({rule: rule.text, change: 'added'}, options.cwd));
  valueOf(await trustAsBefore(before, {cwd: options.cwd, written: file.source}));
  return exitCode.done;
}

/** `weft permissions remove`: takes the rule out of a settings file. A rule that is not in it is trouble. */
export async function removePermission(list: RuleList, text: string, options: InFile): Promise<ExitCode> {
  await refuseInside('weft permissions remove');
  const file = targetFile(options);
  const before = settingsIn(options.cwd);
  const removed = valueOf(await removeRule({path: file.path, list, rule: text}));
  if (removed === 'same') throw new Error(notThere({list, text, path: file.path}, before.settings));
  note(`removed ${list} ${visibleExactLine(text.trim())} from ${file.path}`);
  if (file.source === 'user') return exitCode.done;
  if (list === 'allow') valueOf(await recordOwnRule({rule: text, change: 'removed'}, options.cwd));
  valueOf(await trustAsBefore(before, {cwd: options.cwd, written: file.source}));
  return exitCode.done;
}

/** `weft permissions trust`: shows what the folder's settings want, asks, and takes the answer down. */
export async function trustFolder({yes, cwd}: InFolder & {readonly yes?: true}): Promise<ExitCode> {
  const {settings, place} = settingsIn(cwd);
  print(`${trustText(settings, place.folder)}\n`);
  if (settings.trust === 'nothing' || settings.trust === 'trusted') return exitCode.done;
  await refuseInside('weft permissions trust');
  if (yes === undefined) {
    if (!process.stdin.isTTY)
      throw new UsageError('There is no terminal to ask on. To trust the folder: weft permissions trust --yes');
    if (!(await saysYes('Trust this folder with them? [y/N] '))) {
      note('the folder is not trusted; weft goes on without these settings');
      return exitCode.failed;
    }
  }
  valueOf(await recordTrust(place.record, {folder: place.folder, fingerprint: settings.fingerprint}));
  note(`${visibleExactLine(place.folder)} is trusted until one of its settings files changes`);
  return exitCode.done;
}

/** `weft permissions untrust`. */
export async function untrustFolder({cwd}: InFolder): Promise<ExitCode> {
  await refuseInside('weft permissions untrust');
  const {place} = settingsIn(cwd);
  const forgotten = valueOf(await forgetTrust(place.record, place.folder));
  const what = forgotten === 'same' ? 'was not trusted' : 'is no longer trusted';
  note(`${visibleExactLine(place.folder)} ${what}`);
  return exitCode.done;
}

function readRule(text: string): PermissionRule {
  const rule = parseRule(text);
  if (rule.tag === 'failed') throw new UsageError(rule.error.message);
  return rule.value;
}

function warnOf(rule: PermissionRule): void {
  const broad = broadness(rule);
  if (broad !== undefined) note(`mind how far ${visibleExactLine(rule.text)} reaches: ${broad}`);
  if (rule.about.kind === 'other') note(`mind that it has no effect: ${patternUnread(rule)}`);
}

function notThere(
  {list, text, path}: {readonly list: RuleList; readonly text: string; readonly path: string},
  settings: TrustedSettings,
): string {
  const found = ruleLines(settings).find(line => line.behaviour === list && line.rule.trim() === text.trim());
  const flag = found === undefined ? '' : ` It is in ${found.path}: add --${found.source}.`;
  return `There is no ${list} ${visibleExactLine(text.trim())} in ${path}.${flag} weft permissions list shows the rules.`;
}
