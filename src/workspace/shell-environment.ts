/** The variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a command: what weft itself was given (a user's NODE_OPTIONS too), without keys and without what would
 * change how a shell starts, and with everything switched off that would wait for a person. `mark` is unique to the run, so
 * that a process that left its group and its parent can still be told to belong to it. `own` is what the user wants commands to
 * have, and comes before all that.
 */
export function shellEnvironment(
  {given, own}: {readonly given: Environment; readonly own: Readonly<Record<string, string>>},
  mark: string,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !isWithheld(name)) kept[name] = value;
  }
  return {...kept, ...unattended, ...own, WEFT_ACTIVE: '1', [markName]: mark};
}

/** The variable that holds the mark of a run. */
export const markName = 'WEFT_RUN';

const isWithheld = (name: string): boolean => withheld.some(pattern => pattern.test(name));

const withheld: readonly RegExp[] = [
  /(?:^|_)(?:API_KEY|TOKEN|SECRET|SECRET_KEY|SECRET_ACCESS_KEY|PRIVATE_KEY|PASSWORD)$/iu,
  /^(?:ANTHROPIC|OPENAI)_KEY$/iu,
  /^WEFT_/iu,
  // Set by npm for its scripts (`npm start`): they would make a package manager inside the command believe it runs in that
  // script. A user sets npm's options in capitals, and keeps them.
  /^npm_(?:lifecycle_\w+|package_\w+|config_\w+|execpath|node_execpath|command)$/u,
  /^INIT_CWD$/u,
  // Files a non-interactive shell would read before the command.
  /^(?:BASH_ENV|ENV)$/u,
  // The cache of our own program is of no use to others.
  /^NODE_COMPILE_CACHE$/u,
  /^(?:OLDPWD|_)$/u,
];

const unattended: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  PSQL_PAGER: 'cat',
  BAT_PAGER: 'cat',
  BAT_PAGING: 'never',
  DELTA_PAGER: 'cat',
  // The AWS tool takes an empty pager for none.
  AWS_PAGER: '',
  LESS: '-FRX',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
};
