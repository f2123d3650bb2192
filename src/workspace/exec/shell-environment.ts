import type {CommandEnvironment} from '../../domain/risk.ts';
import {splitPath} from './trusted-path.ts';

/** The variables of a process, in the form of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface VariableSources {
  readonly inherited: Environment;
  /** Variables that the user sets for commands. They override what weft would set or withhold. */
  readonly userSet: Readonly<Record<string, string>>;
  /** Names of variables that the user passes on although weft would withhold them. */
  readonly passedThrough: readonly string[];
  readonly roots: readonly string[];
}

/**
 * Returns the environment of a command: weft's own (with a user's NODE_OPTIONS), without keys and without variables
 * that change how a shell starts. `runTag` is unique to the run. It identifies a process that left its group and its
 * parent.
 *
 * In `pipes` no person can answer, so everything that waits for a person is switched off: pagers, editors, prompts for
 * credentials. In a `terminal` a person can answer, so editors and prompts are the user's own. Only pagers stay off,
 * because the text that they hold back would remain unread.
 */
export function shellEnvironment(
  {inherited, userSet, passedThrough, roots}: VariableSources,
  run: {readonly runTag: string; readonly channel: 'pipes' | 'terminal'; readonly environment: CommandEnvironment},
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && (passedThrough.includes(name) || !isWithheld(name))) kept[name] = value;
  }
  const variables = {
    ...withLanguage(kept),
    ...pagerVariables,
    ...(run.channel === 'pipes' ? unattendedVariables : terminalVariables),
    ...userSet,
    WEFT_ACTIVE: '1',
    [runTagVariable]: run.runTag,
  };
  return run.environment === 'restricted'
    ? restrictedEnvironment(variables, roots)
    : withGitSettings(variables, baseGitSettings);
}

/**
 * Returns the variables for commands that run without approval. No program of the workspace is found by its bare name.
 * Git runs neither hooks nor file monitors, checks no signatures and takes no locks.
 */
export function restrictedEnvironment(variables: Environment, roots: readonly string[]): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) set[name] = value;
  return {
    ...withGitSettings(set, [...baseGitSettings, ...restrictedGitSettings]),
    PATH: splitPath(set['PATH'] ?? '', roots).trusted,
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** The variable that contains the tag of a run. */
export const runTagVariable = 'WEFT_RUN';

const isWithheld = (name: string): boolean => withheldNames.some(pattern => pattern.test(name));

const withheldNames: readonly RegExp[] = [
  /(?:^|_)(?:API_?KEY|ACCESS_KEY|TOKEN|SECRET|SECRETS|SECRET_KEY|SECRET_ACCESS_KEY|PRIVATE_KEY|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS)$/iu,
  /^(?:ANTHROPIC|OPENAI)_KEY$/iu,
  /^(?:PGPASSWORD|MYSQL_PWD)$/u,
  /^WEFT_/iu,
  // npm sets these for its scripts (`npm start`). A package manager in the command would believe that it runs in that
  // script. Users set npm's options in capitals, and those stay.
  /^npm_(?:lifecycle_\w+|package_\w+|config_\w+|execpath|node_execpath|command)$/u,
  /^INIT_CWD$/u,
  // A non-interactive shell reads the files that these name before the command.
  /^(?:BASH_ENV|ENV)$/u,
  // These variables change the meaning of a command that weft has judged.
  /^(?:CDPATH|GLOBIGNORE|SHELLOPTS|BASHOPTS|BASH_COMPAT|POSIXLY_CORRECT)$/u,
  // The compile cache of weft is of no use to other programs.
  /^NODE_COMPILE_CACHE$/u,
  /^(?:OLDPWD|_)$/u,
  // These variables describe the terminal of weft itself, or force colors into pipes.
  /^(?:COLUMNS|LINES|TERMCAP|TMUX|TMUX_PANE|STY|WINDOWID|COLORTERM|FORCE_COLOR|CLICOLOR_FORCE)$/u,
];

/**
 * A folder in a checkout can look like a bare repository. Its configuration could name programs that `git status` in
 * the folder would run. With this setting git uses a bare repository only if named explicitly.
 */
const baseGitSettings: readonly GitSetting[] = [['safe.bareRepository', 'explicit']];

/**
 * Settings that turn off programs which a repository's configuration could run from commands that only read. Some such
 * programs can't be turned off for all commands.
 */
const restrictedGitSettings: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['log.showSignature', 'false'],
];

export type GitSetting = readonly [name: string, value: string];

/** Adds git settings to the environment, which override those of all files. A name may contain any character, unlike one after `-c`. */
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

/** Sets a language if there is none, because otherwise programs read text as ASCII and garble the rest. */
function withLanguage(variables: Record<string, string>): Record<string, string> {
  const isSet = ['LC_ALL', 'LC_CTYPE', 'LANG'].some(name => (variables[name] ?? '') !== '');
  return isSet ? variables : {...variables, LANG: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'};
}

const pagerVariables: Readonly<Record<string, string>> = {
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
  // The AWS CLI uses no pager if this is empty.
  AWS_PAGER: '',
  // If `less` is called by name: no alternate screen, and exit if all fits on the first.
  LESS: '-FRX',
  SYSTEMD_LESS: 'FRX',
};

const unattendedVariables: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_MERGE_AUTOEDIT: 'no',
  KUBE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // If git can't ask in the terminal, it asks in a window. A program that fails at once reports why, and sends no empty
  // password.
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
  // Without a network, npm would wait for this check at its end.
  NPM_CONFIG_UPDATE_NOTIFIER: 'false',
};

const terminalVariables: Readonly<Record<string, string>> = {TERM: 'xterm-256color'};
