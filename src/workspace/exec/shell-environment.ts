import type {CommandEnvironment} from '../../domain/risk.ts';
import {splitPath} from './trusted-path.ts';

/** The variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the variables of commands come from. */
export interface VariableSources {
  /** What weft itself was given. */
  readonly given: Environment;
  /** What the user wants commands to have; it comes before everything that weft would set or withhold. */
  readonly own: Readonly<Record<string, string>>;
  /** Names that the user wants to be passed on although they would be withheld. */
  readonly passed: readonly string[];
  /** The workspace folders. */
  readonly roots: readonly string[];
}

/**
 * The environment of a command: what weft itself was given (a user's NODE_OPTIONS too), without keys and without what would
 * change how a shell starts. `runTag` is unique to the run, so that a process that left its group and its parent can still be told
 * to belong to it.
 *
 * In `pipes` nobody can answer, so all that would wait for a person is switched off: pagers, editors, prompts for
 * credentials. In a `terminal` somebody can, so editors and prompts are the user's own; only pagers stay off, since what they
 * hold back is never read.
 */
export function shellEnvironment(
  {given, own, passed, roots}: VariableSources,
  run: {readonly runTag: string; readonly channel: 'pipes' | 'terminal'; readonly environment: CommandEnvironment},
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && (passed.includes(name) || !isWithheld(name))) kept[name] = value;
  }
  const variables = {
    ...withLanguage(kept),
    ...unpaged,
    ...(run.channel === 'pipes' ? unattended : inTerminal),
    ...own,
    WEFT_ACTIVE: '1',
    [runTagVariable]: run.runTag,
  };
  return run.environment === 'restricted'
    ? restrictedEnvironment(variables, roots)
    : withGitSettings(variables, careful);
}

/**
 * The same variables for what runs without anybody's yes: no program of the workspace is found by its bare name, and git runs neither
 * hooks nor file monitors, checks no signatures and takes no locks.
 */
export function restrictedEnvironment(variables: Environment, roots: readonly string[]): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) set[name] = value;
  return {
    ...withGitSettings(set, [...careful, ...guarded]),
    PATH: splitPath(set['PATH'] ?? '', roots).trusted,
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** The variable that holds the runTag of a run. */
export const runTagVariable = 'WEFT_RUN';

const isWithheld = (name: string): boolean => withheld.some(pattern => pattern.test(name));

const withheld: readonly RegExp[] = [
  /(?:^|_)(?:API_?KEY|ACCESS_KEY|TOKEN|SECRET|SECRETS|SECRET_KEY|SECRET_ACCESS_KEY|PRIVATE_KEY|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS)$/iu,
  /^(?:ANTHROPIC|OPENAI)_KEY$/iu,
  /^(?:PGPASSWORD|MYSQL_PWD)$/u,
  /^WEFT_/iu,
  // Set by npm for its scripts (`npm start`): they would make a package manager inside the command believe it runs in that
  // script. A user sets npm's options in capitals, and keeps them.
  /^npm_(?:lifecycle_\w+|package_\w+|config_\w+|execpath|node_execpath|command)$/u,
  /^INIT_CWD$/u,
  // A non-interactive shell reads the files that these name before the command.
  /^(?:BASH_ENV|ENV)$/u,
  // What makes the same words mean something else than the host has judged.
  /^(?:CDPATH|GLOBIGNORE|SHELLOPTS|BASHOPTS|BASH_COMPAT|POSIXLY_CORRECT)$/u,
  // The cache of our own program is of no use to others.
  /^NODE_COMPILE_CACHE$/u,
  /^(?:OLDPWD|_)$/u,
  // They speak of the terminal weft itself runs in, or force colours into pipes.
  /^(?:COLUMNS|LINES|TERMCAP|TMUX|TMUX_PANE|STY|WINDOWID|COLORTERM|FORCE_COLOR|CLICOLOR_FORCE)$/u,
];

/**
 * A folder of a checkout can look like a repository of its own, whose configuration names programs that a mere `git status` in
 * there would run: git takes such a folder for one only when it is told to.
 */
const careful: readonly GitSetting[] = [['safe.bareRepository', 'explicit']];

/** What a repository's own configuration could have run by commands that only read, as far as it can be switched off for all. */
const guarded: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['log.showSignature', 'false'],
];

export type GitSetting = readonly [name: string, value: string];

/** Adds settings to the environment, which git takes before those of all files. A name may hold any character, unlike one after `-c`. */
export function withGitSettings<Value extends string | undefined>(
  variables: Readonly<Record<string, Value>>,
  settings: readonly GitSetting[],
): Record<string, Value | string> {
  const count = Number(variables['GIT_CONFIG_COUNT'] ?? '0');
  const at = Number.isInteger(count) && count >= 0 ? count : 0;
  const added = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${at + index}`, name],
    [`GIT_CONFIG_VALUE_${at + index}`, value],
  ]);
  return {...variables, GIT_CONFIG_COUNT: String(at + settings.length), ...Object.fromEntries(added)};
}

/** Without a language programs take text for ASCII and spoil the rest. */
function withLanguage(variables: Record<string, string>): Record<string, string> {
  const isSet = ['LC_ALL', 'LC_CTYPE', 'LANG'].some(name => (variables[name] ?? '') !== '');
  return isSet ? variables : {...variables, LANG: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'};
}

const unpaged: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
  GLAB_PAGER: 'cat',
  HGPAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  PSQL_PAGER: 'cat',
  BAT_PAGER: 'cat',
  BAT_PAGING: 'never',
  DELTA_PAGER: 'cat',
  JJ_PAGER: 'cat',
  PERLDOC_PAGER: 'cat',
  RI_PAGER: 'cat',
  TIG_PAGER: 'cat',
  // The AWS tool takes an empty pager for none.
  AWS_PAGER: '',
  // Where `less` is called by name: no second screen, and gone when all fits on the first.
  LESS: '-FRX',
  SYSTEMD_LESS: 'FRX',
};

const unattended: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_MERGE_AUTOEDIT: 'no',
  KUBE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // Git falls back to a graphical question where it may not ask in the terminal: one that fails at once says why, and sends no
  // empty password.
  GIT_ASKPASS: 'false',
  GCM_INTERACTIVE: 'never',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  SUDO_ASKPASS: 'false',
  GH_PROMPT_DISABLED: '1',
  PIP_NO_INPUT: '1',
  TF_INPUT: '0',
  COMPOSER_NO_INTERACTION: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  // Without a network npm waits for it at its end.
  NPM_CONFIG_UPDATE_NOTIFIER: 'false',
};

const inTerminal: Readonly<Record<string, string>> = {TERM: 'xterm-256color'};
