import {Argument, Option, type Command} from 'commander';
import {permissionModes, ruleLists, type RuleList, type PermissionMode} from '../../domain/risk.ts';
import {sandboxChoices, type SandboxChoice} from '../../domain/sandbox.ts';
import {exiting, exitCode, type ExitCode, unwrap, UsageError} from '../../app/exit-code.ts';
import type {SettingsFileOptions, FolderOption} from '../../app/main-options.ts';
import {addSubcommands, settingsFileFlags, folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {addRule, removeRule} from '../../config/edit-settings.ts';
import type {TrustedSettings} from '../../config/merge-settings.ts';
import {forgetTrust} from '../../config/trust-record.ts';
import {parseRule, type PermissionRule} from '../../safety/rules/permission-rule.ts';
import {askClasses, ruleKinds} from '../../actions/catalogue.ts';
import {ineffectiveRuleProblem} from '../../safety/rules/unrestricted-wrapper.ts';
import {broadRuleProblem} from '../../safety/rules/suggested-rules.ts';
import {acceptFolder, projectFilesOf, requireOutsideWeft, trustCard, trustState} from '../../app/folder-trust.ts';
import {existingFolder} from '../../app/run-context.ts';
import {recordOwnRule, settingsIn, ignoreInGit, targetFile, carryTrustOver} from '../../app/write-settings.ts';
import {askYesNo, note, print} from '../../app/output.ts';
import {unreadPatternText, ruleLines, ruleText} from '../../app/rule-lines.ts';
import {printRows} from '../rows.ts';

/** `weft permissions check|list|add|remove|trust|untrust`. */
export function add(permissions: Command): void {
  permissions
    .enablePositionalOptions()
    .option('--list', 'List the kinds of actions that weft may ask about')
    .option(...jsonFlag)
    .action(
      exiting(async ({list, ...options}: JsonOption & {readonly list?: true}, command: Command) => {
        if (list === undefined) command.help({error: true});
        return listClasses(options);
      }),
    );
  permissions
    .command('check')
    .description('Check what weft would do with shell commands (without arguments: JSON lines on stdin)')
    .argument('[command...]', 'Command to check. If the first argument contains a space, each argument is a command')
    .option('--json', 'Print one JSON object per command')
    .option(...folderFlag)
    .addOption(new Option('--permission-mode <mode>', 'Permission mode to check in').choices(permissionModes))
    .addOption(
      new Option('--sandbox <how>', 'Sandbox to check with (default: from the settings)').choices(sandboxChoices),
    )
    .allowUnknownOption()
    .helpOption('--help', 'Show this help')
    .action(exiting(checkPermissions));
  const classes = ['--classes', 'List the kinds of actions that can need approval instead of the rules'] as const;
  const list = new Argument('<list>', 'List that the rule is in').choices(ruleLists);
  const rule = ['<rule>', 'Rule, such as "Bash(git status:*)" or "Edit(src/**)"'] as const;
  const yes = ['--yes', 'Do not ask'] as const;
  const aboutTrust = "Show what this folder's settings ask for, and trust it";
  addSubcommands(permissions, [
    ['list', 'List the rules of the settings files', [classes, jsonFlag, folderFlag], exiting(listPermissions)],
    ['add', 'Add a rule to a settings file', [list, rule, ...settingsFileFlags], exiting(addPermission)],
    ['remove', 'Remove a rule from a settings file', [list, rule, ...settingsFileFlags], exiting(removePermission)],
    ['trust', aboutTrust, [yes, folderFlag], exiting(trustFolder)],
    ['untrust', 'Stop trusting this folder', [folderFlag], exiting(untrustFolder)],
  ]);
}

/** The flags of a session. Without them, the settings decide. */
interface CheckOptions {
  readonly permissionMode?: PermissionMode;
  readonly sandbox?: SandboxChoice;
}

/** `weft permissions check`: prints verdicts (see `checkCommands`). */
async function checkPermissions(
  words: readonly string[],
  {json, cwd, permissionMode, sandbox}: JsonOption & FolderOption & CheckOptions,
): Promise<ExitCode> {
  const {checkCommands} = await import('./permissions/check-commands.ts');
  return checkCommands(words, {
    directory: existingFolder(cwd ?? '.'),
    mode: permissionMode,
    sandbox,
    form: json === undefined ? 'text' : 'json',
  });
}

/** `weft permissions list`: prints the rules of the settings files, or with `--classes` the kinds of actions that weft may ask about. */
async function listPermissions({
  json,
  cwd,
  classes,
}: JsonOption & FolderOption & {readonly classes?: true}): Promise<ExitCode> {
  if (classes !== undefined) return listClasses(json === undefined ? {} : {json});
  return printRows({
    rows: ruleLines(settingsIn(cwd).settings),
    json,
    line: ruleText,
    none: 'no rules yet. Add one: weft permissions add allow "Bash(git status:*)"',
  });
}

/** `weft permissions list --classes`: prints the kinds of actions that weft may ask about. */
async function listClasses({json}: JsonOption): Promise<ExitCode> {
  const withNobodyThere = "denied, and a run that can't finish without one exits with 3";
  const classes = askClasses();
  const width = Math.max(...classes.map(({name}) => name.length)) + 1;
  const indent = ' '.repeat(width);
  printRows({
    rows: classes,
    json,
    toJson: row => ({...row, withNobodyThere}),
    line: ({name, tools, risks, askedWhen}) =>
      `${name.padEnd(width)}${tools.join(', ')}\n${indent}asks when: ${askedWhen}\n${indent}risk: ${risks.join(', ')}`,
    none: '',
  });
  if (json === undefined) print(`Without a user to ask, these actions are ${withNobodyThere}.\n`);
  return exitCode.done;
}

/** `weft permissions add`: writes a rule into a settings file. */
async function addPermission(list: RuleList, text: string, options: SettingsFileOptions): Promise<ExitCode> {
  const rule = readRule(text);
  const nothing = list === 'allow' ? ineffectiveRuleProblem(rule) : undefined;
  if (nothing !== undefined) throw new UsageError(`The rule ${visibleExactLine(rule.text)} was not added: ${nothing}.`);
  await requireOutsideWeft('weft permissions add');
  const file = targetFile(options);
  const before = settingsIn(options.cwd);
  const added = unwrap(await addRule({path: file.path, list, rule: rule.text}));
  if (added === 'same') note(`${list} ${visibleExactLine(rule.text)} is already in ${file.path}`);
  else note(`added ${list} ${visibleExactLine(rule.text)} to ${file.path}`);
  if (list === 'allow') warnOf(rule);
  if (file.source === 'local') ignoreInGit(file.path);
  if (file.source === 'user') return exitCode.done;
  if (list === 'allow') unwrap(await recordOwnRule({rule: rule.text, change: 'added'}, options.cwd));
  unwrap(await carryTrustOver(before, {cwd: options.cwd, written: file.source}));
  return exitCode.done;
}

/** `weft permissions remove`: removes a rule from a settings file. Throws an error if the file does not contain it. */
export async function removePermission(list: RuleList, text: string, options: SettingsFileOptions): Promise<ExitCode> {
  await requireOutsideWeft('weft permissions remove');
  const file = targetFile(options);
  const before = settingsIn(options.cwd);
  const removed = unwrap(await removeRule({path: file.path, list, rule: text}));
  if (removed === 'same') throw new Error(missingRuleText({list, text, path: file.path}, before.settings));
  note(`removed ${list} ${visibleExactLine(text.trim())} from ${file.path}`);
  if (file.source === 'user') return exitCode.done;
  if (list === 'allow') unwrap(await recordOwnRule({rule: text, change: 'removed'}, options.cwd));
  unwrap(await carryTrustOver(before, {cwd: options.cwd, written: file.source}));
  return exitCode.done;
}

/** `weft permissions trust`: shows what the folder's settings ask for, asks whether to trust it, and records a yes. */
export async function trustFolder({yes, cwd}: FolderOption & {readonly yes?: true}): Promise<ExitCode> {
  const {settings, place} = settingsIn(cwd);
  const files = await projectFilesOf(settings, place);
  print(`${await trustCard(settings, files, place)}\n`);
  const state = trustState(settings.trust, files);
  if (state === 'nothing' || state === 'trusted') return exitCode.done;
  await requireOutsideWeft('weft permissions trust');
  if (yes === undefined) {
    if (!process.stdin.isTTY)
      throw new UsageError("Can't ask without a terminal. To trust this folder: weft permissions trust --yes");
    if (!(await askYesNo('Trust this folder? [y/N] '))) {
      note('not trusted: weft ignores these settings and files');
      return exitCode.failed;
    }
  }
  unwrap(await acceptFolder(settings, files, place));
  const until = files.files.length === 0 ? 'its settings change' : 'its settings or files change';
  note(`${visibleExactLine(place.folder)} is trusted until ${until}`);
  return exitCode.done;
}

/** `weft permissions untrust`: forgets that the folder is trusted. */
async function untrustFolder({cwd}: FolderOption): Promise<ExitCode> {
  await requireOutsideWeft('weft permissions untrust');
  const {place} = settingsIn(cwd);
  const forgotten = unwrap(await forgetTrust(place.record, place.folder));
  const what = forgotten === 'same' ? 'was not trusted' : 'is no longer trusted';
  note(`${visibleExactLine(place.folder)} ${what}`);
  return exitCode.done;
}

function readRule(text: string): PermissionRule {
  const rule = parseRule(text, ruleKinds);
  if (rule.tag === 'failed') throw new UsageError(rule.error.message);
  return rule.value;
}

function warnOf(rule: PermissionRule): void {
  const broad = broadRuleProblem(rule);
  if (broad !== undefined) note(`warning: ${visibleExactLine(rule.text)} is broad: ${broad}`);
  if (rule.about.kind === 'other') note(`warning: no effect: ${unreadPatternText(rule)}`);
}

function missingRuleText(
  {list, text, path}: {readonly list: RuleList; readonly text: string; readonly path: string},
  settings: TrustedSettings,
): string {
  const found = ruleLines(settings).find(line => line.behaviour === list && line.rule.trim() === text.trim());
  const flag = found === undefined ? '' : ` It is in ${found.path}: add --${found.source}.`;
  return `No rule ${list} ${visibleExactLine(text.trim())} in ${path}.${flag} List the rules: weft permissions list`;
}
