/** Keywords of the shell that stand before a command. */
const keywords = named('! { } if then elif else while until do coproc function noglob nocorrect');

/** How a program runs the command that stands in its words. */
interface Wrapper {
  /** The subcommands behind which the command stands, `exec` in `npm exec`; none if it stands behind the program's own options. */
  readonly subcommands: ReadonlySet<string>;
  /** Operands of the wrapper's own before the command: `5` in `timeout 5 ls`. */
  readonly operands: 0 | 1;
  /** Where the paths of the command lead: `elsewhere` is another machine, or another root folder. */
  readonly where: CommandPlace;
  /** Options that take no value, so that the next word is the command. Whether another option does is not known. */
  readonly flags: ReadonlySet<string>;
  /** How much a rule may leave open. Only the exact command if another user runs it, or if its words come from elsewhere. */
  readonly ruleFor: 'inner command' | 'exact command';
}

const packageFlags = '-y --yes -q --quiet --no --no-install';

export type CommandPlace = 'here' | 'elsewhere';

/** The rows of several wrappers: their names and the texts of the sets are words with a blank between them. */
const wrapperRows = (
  names: string,
  {
    subcommands = '',
    flags = '',
    ...more
  }: Partial<Record<'subcommands' | 'flags', string>> & Partial<Pick<Wrapper, 'operands' | 'where' | 'ruleFor'>> = {},
): readonly (readonly [string, Wrapper])[] => {
  const row = {operands: 0, where: 'here', ruleFor: 'inner command', ...more} as const;
  return [...named(names)].map(name => [name, {subcommands: named(subcommands), flags: named(flags), ...row}]);
};

const exactly = {ruleFor: 'exact command'} as const;

/** Programs that run a command that stands in their words: the one table of them. */
const wrappers: ReadonlyMap<string, Wrapper> = new Map([
  ...wrapperRows('command exec builtin nohup nice ionice stdbuf setsid unbuffer strace'),
  ...wrapperRows(
    'ltrace caffeinate busybox toybox unshare nsenter choom systemd-run systemd-inhibit ssh-agent fakeroot',
  ),
  ...wrapperRows(
    'dbus-run-session firejail bwrap proot valgrind rlwrap torsocks torify proxychains proxychains4 gtime',
  ),
  ...wrapperRows(
    'cpulimit eatmydata numactl prlimit catchsegv dumb-init tini runcon capsh setpriv uidmapshift linux32',
  ),
  ...wrapperRows('linux64 i386 x86_64 cgexec start-stop-daemon uvx cross-env dotenv arch'),
  ...wrapperRows('sshpass env-cmd heaptrack chpst softlimit dbus-launch flatpak-spawn'),
  ...wrapperRows(
    'chronic nocache trickle tsocks optirun primusrun gamemoderun mangohud padsp aoss fakechroot steam-run',
  ),
  ...wrapperRows('pkgx xcrun corepack shx watchexec mpirun mpiexec srun ncu summon envconsul daemonize'),
  ...wrapperRows('doas pkexec eval parallel sem watch entr screen runuser run0 cross-env-shell', exactly),
  ...wrapperRows('sudo', {flags: '-E -H -n -S -b -k --preserve-env --non-interactive', ...exactly}),
  ...wrapperRows('env', {flags: '-i - -0 -v --ignore-environment'}),
  ...wrapperRows('time', {flags: '-p -v'}),
  ...wrapperRows('xargs', {flags: '-0 -r -t -p --null --no-run-if-empty', ...exactly}),
  ...wrapperRows('xvfb-run', {flags: '-a --auto-servernum'}),
  ...wrapperRows('npx bunx pnpx', {flags: packageFlags}),
  ...wrapperRows('timeout gtimeout', {operands: 1, flags: '-v --verbose --foreground --preserve-status'}),
  ...wrapperRows('chrt taskset flock setarch faketime perf rr setlock envdir envchain', {operands: 1}),
  ...wrapperRows('gosu su-exec setuidgid s6-setuidgid script sg', {operands: 1, ...exactly}),
  ...wrapperRows('chroot ssh autossh mosh', {operands: 1, where: 'elsewhere', ...exactly}),
  ...wrapperRows('npm pnpm yarn bun', {subcommands: 'exec x dlx', flags: packageFlags}),
  ...wrapperRows(
    'uv poetry pipenv conda mamba micromamba rye pdm hatch op pipx doppler volta devbox infisical teller dotenvx foreman honcho pixi proto',
    {
      subcommands: 'run',
      flags: '--frozen --locked --offline',
    },
  ),
  ...wrapperRows('bundle asdf rbenv pyenv nodenv fnm jenv rtx gem composer opam dune cabal stack tox lerna nx', {
    subcommands: 'exec x',
  }),
  ...wrapperRows('chruby-exec flox py-spy vtune', {subcommands: '--'}),
  ...wrapperRows('rvm', {subcommands: 'do'}),
  ...wrapperRows('nsys devenv', {subcommands: 'profile shell'}),
  ...wrapperRows('aws-vault chamber nvm', {subcommands: 'exec', operands: 1}),
  ...wrapperRows('nix guix', {subcommands: '-c --command --'}),
  ...wrapperRows('ip', {subcommands: 'exec', operands: 1}),
  ...wrapperRows('mise', {subcommands: 'exec x --'}),
  ...wrapperRows('rustup', {subcommands: 'run', operands: 1}),
  ...wrapperRows('direnv', {subcommands: 'exec', operands: 1}),
  ...wrapperRows('tmux', {subcommands: 'new new-session neww new-window splitw split-window', ...exactly}),
]);

const shells = named('sh bash zsh dash ksh mksh ash fish rbash csh tcsh su runuser script');

export const isShell = (name: string): boolean => shells.has(name);

/** Whether the program runs the command that stands behind its own options. */
export const isWrapper = (name: string): boolean => wrappers.get(name)?.subcommands.size === 0 || isLoader(name);

/** The words before the command, operands as `1`, for each wrapper there is: `nice`, `timeout 1`, `npm exec`. */
export const wrapperBeginnings = (): readonly string[] =>
  [...wrappers].flatMap(([name, {subcommands, operands}]) =>
    (subcommands.size === 0 ? [name] : [...subcommands].map(subcommand => `${name} ${subcommand}`)).map(
      words => words + ' 1'.repeat(operands),
    ),
  );

/** Whether one operand stands before the command: `5` in `timeout 5 ls`. */
export const takesOperand = (name: string): boolean => wrappers.get(name)?.operands === 1;

/** Whether it is the dynamic loader: `/lib64/ld-linux-x86-64.so.2 /bin/rm x` runs `rm`. */
const isLoader = (name: string): boolean => /^ld(?:-linux[\w.-]*|-musl[\w.-]*|-[\d.]+)?\.so(?:\.\d+)?$/u.test(name);

/** How many starts are tried in one command: `sudo env nice rm` has four. */
export const maxLayers = 64;

/** One of the commands that stand in the words of a command: the command itself, or what a wrapper in it may run. */
export interface Layer {
  /** Where its program stands. */
  readonly at: number;
  /** Its own words, the program first. */
  readonly words: readonly string[];
  /** The bare name of the program. */
  readonly program: string;
  /** Whether its paths lead where those of the first command lead. */
  readonly where: CommandPlace;
}

/**
 * The one remover of wrappers: the command, and each command that may begin behind a wrapper in it. If it is not known whether an option
 * takes a value, a command may begin at the next word and behind it.
 */
export function layers(words: readonly string[]): readonly Layer[] {
  const starts = new Map<number, CommandPlace>([[0, 'here']]);
  for (const [start, where] of starts) {
    const isElsewhere = where === 'elsewhere' || placeBehind(words, start) === 'elsewhere';
    for (const next of startsAfter(words, start)) {
      if (starts.size < maxLayers && next < words.length && !starts.has(next))
        starts.set(next, isElsewhere ? 'elsewhere' : 'here');
    }
  }
  return [...starts].map(([at, where]) => ({
    at,
    words: words.slice(at),
    program: programName(words[at] ?? ''),
    where,
  }));
}

/** The positions of the layers. */
export const commandStarts = (words: readonly string[]): readonly number[] => layers(words).map(({at}) => at);

/** Where the wrapper at a word runs its command. Options can enter another folder: `env -C folder`. */
function placeBehind(words: readonly string[], at: number): CommandPlace {
  const where = wrappers.get(programName(words[at] ?? ''))?.where ?? 'here';
  const changesFolder = /^(?:-[CD]|--(?:chdir|cwd|chroot|root|directory|working-directory|prefix)(?:=|$))/u;
  const end = words.findIndex((word, index) => index > at && !word.startsWith('-'));
  return words.slice(at + 1, end < 0 ? words.length : end).some(word => changesFolder.test(word)) ? 'elsewhere' : where;
}

/** Where the command begins that the wrappers run in the end, if a rule may leave its arguments open; `undefined` if it may not. */
export function innerCommand(words: readonly string[]): number | undefined {
  const starts = new Set([0]);
  for (const start of starts) {
    for (const next of startsAfter(words, start, 'here')) {
      if (wrappers.get(programName(words[start] ?? ''))?.ruleFor !== 'inner command') return undefined;
      if (next < words.length) starts.add(next);
    }
  }
  return Math.max(...starts);
}

/**
 * The wrapper that may run a word at `at` or behind it: `sudo`, `npm exec`; `undefined` if the words that name programs all stand
 * before. Programs that options of git and find run do not count, and neither do those on the machine that `ssh` names.
 */
export function wrapperOpenAt(words: readonly string[], at: number): string | undefined {
  const starts = new Set([0]);
  for (const start of starts) {
    const next = startsAfter(words, start, 'here');
    if (next.some(each => each >= at && each < words.length)) {
      const name = programName(words[start] ?? '');
      const subcommands = wrappers.get(name)?.subcommands ?? none;
      return [name, ...words.slice(start + 1).filter(word => subcommands.has(word))].slice(0, 2).join(' ');
    }
    for (const each of next) if (starts.size < maxLayers) starts.add(each);
  }
  return undefined;
}

/** The name of the program that a word calls if its expansions are empty: `/bin/rm`, `"$BIN"/rm` and `rm$X` are `rm`. */
export function programName(word: string): string {
  const fixed = word.replaceAll(/\$(?:\(\)|\{[^{}]*\}|\w+|[@*#?!$-])/gu, '');
  return fixed.slice(fixed.lastIndexOf('/') + 1);
}

/** Where the command may begin that the wrapper at `at` runs. If it is not known that an option takes a value, both count. */
function startsAfter(words: readonly string[], at: number, place: 'anywhere' | 'here' = 'anywhere'): readonly number[] {
  const plain = words[at] ?? '';
  if (isAssignment(plain)) return [skipAssignments(words, at)];
  const name = programName(plain);
  // Behind a word that may be empty the next one may be the command.
  if (name === '' || keywords.has(name)) return [at + 1];
  // `command -v` only says what a name stands for.
  if (name === 'command' && /^-[vV]$/u.test(words[at + 1] ?? '')) return [];
  const runWords = optionsThatRun.get(name);
  if (runWords !== undefined) return place === 'here' ? [] : afterEach(words, {from: at + 1, words: runWords});
  const wrapper = wrappers.get(name);
  if (wrapper === undefined) return isLoader(name) ? afterOptions(words, {from: at + 1, operands: 0, flags: none}) : [];
  const {subcommands, where, operands, flags} = wrapper;
  const own = place === 'here' && where === 'elsewhere' ? 0 : operands;
  const from = subcommands.size === 0 ? [at + 1] : afterEach(words, {from: at + 1, words: subcommands});
  return from.flatMap(each => afterOptions(words, {from: each, operands: own, flags}));
}

/** The scripts that the command at `at` passes to a shell: `bash -c "…"`, `eval …`. */
export function shellTextsFrom(words: readonly string[], at: number): readonly string[] {
  const rest = words.slice(at + 1);
  const name = programName(words[at] ?? '');
  if (shells.has(name)) {
    return rest.some(takesText)
      ? rest.map(word => (word.startsWith('-') ? word.replace(/^(?:--command=?|-[A-Za-z]*c)/u, '') : word))
      : [];
  }
  if (name === 'env') return rest.map(word => word.replace(/^(?:-S|--split-string=?)/u, '')).filter(hasSpace);
  if (name === 'trap') return rest.slice(0, 1);
  const options = optionsOfCommands.get(name);
  if (options !== undefined) return optionValues(rest, options);
  if (name === 'git') {
    return rest.flatMap((word, index) => {
      const before = rest[index - 1] ?? '';
      if (/^(?:foreach|-x|--exec)$/u.test(before)) return [word];
      if (word.startsWith('--exec=')) return [word.slice(7)];
      // An alias that begins with `!` is a command of the shell.
      const [, alias] = before === '-c' ? (/^alias\.[^=]*=\s*!([\s\S]*)$/iu.exec(word) ?? []) : [];
      return alias === undefined ? [] : [alias];
    });
  }
  if (/^(?:hyperfine|tmux|concurrently|cross-env-shell)$/u.test(name)) return rest.filter(hasSpace);
  return name === 'eval' || name === 'watch' || name === 'parallel' || name === 'ssh' ? [rest.join(' ')] : [];
}

/** Options whose value is a script for a shell, or a program with its arguments. */
const optionsOfCommands: ReadonlyMap<string, RegExp> = new Map([
  ['tar', /^(?:--to-command|--use-compress-program|--use-comp\w*|--rsh-command|--info-script|-I|-F)$/u],
  ['bsdtar', /^--use-compress-program$/u],
  ['rsync', /^(?:-[A-Za-z]*e|--rsh|--rsync-path)$/u],
  ['sort', /^--com[\w-]*$/u],
  ['rg', /^(?:--pre|--hostname-bin)$/u],
  ['flock', /^(?:-c|--command)$/u],
  ['nix-shell', /^(?:--run|--command)$/u],
  ['npm', /^(?:-c|--call)$/u],
  ['npx', /^(?:-c|--call)$/u],
  ['pnpm', /^(?:-c|--shell-mode)$/u],
]);

/** The values of the options that match: the next word, the text behind `=`, or, for one letter, the text right behind it. */
export const optionValues = (args: readonly string[], option: RegExp): readonly string[] =>
  args.flatMap((word, at) => {
    if (option.test(word)) return args.slice(at + 1, at + 2);
    const [, name = '', value = ''] = /^(--[^=]+)=([\s\S]*)$/u.exec(word) ?? /^(-[A-Za-z])([\s\S]+)$/u.exec(word) ?? [];
    return name !== '' && option.test(name) ? [value] : [];
  });

/** The words of programs behind which a command stands that they run. */
const optionsThatRun: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['git', named('foreach run --exec -x')],
  ['find', named('-exec -execdir -ok -okdir')],
  ...['fd', 'fdfind'].map((name): [string, ReadonlySet<string>] => [name, named('-x --exec -X --exec-batch')]),
]);

const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/u.test(word);

const takesText = (word: string): boolean => /^(?:--command|-[A-Za-z]*c)/u.test(word);

const hasSpace = (word: string): boolean => /\s/u.test(word);

function skipAssignments(words: readonly string[], from: number): number {
  const end = words.findIndex((word, at) => at > from && !isAssignment(word));
  return end < 0 ? words.length : end;
}

function afterEach(
  words: readonly string[],
  wanted: {readonly from: number; readonly words: ReadonlySet<string>},
): readonly number[] {
  return words.flatMap((word, at) => (at >= wanted.from && wanted.words.has(word) ? [at + 1] : []));
}

function afterOptions(
  words: readonly string[],
  {from, operands, flags}: Pick<Wrapper, 'operands' | 'flags'> & {readonly from: number},
): readonly number[] {
  const starts: number[] = [];
  let left: number = operands;
  let value: 'possible' | 'no' = 'no';
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (/^-./u.test(word)) {
      value = word === '--' || word.includes('=') || flags.has(word) ? 'no' : 'possible';
      continue;
    }
    if (isAssignment(word)) continue;
    starts.push(at);
    if (value === 'no' && left === 0) break;
    if (value === 'no') left -= 1;
    value = 'no';
  }
  return starts;
}

const none: ReadonlySet<string> = new Set();

function named(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap(line => (line === '' ? [] : line.split(' '))));
}
