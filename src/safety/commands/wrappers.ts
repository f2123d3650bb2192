import type {ShellWord} from '../shell/loose-reader.ts';

/** Keywords of the shell that stand before a command. */
const keywords = named('! { } if then elif else while until do coproc function noglob nocorrect');

/** Programs that run the command that follows them. */
const wrappers = named(
  'sudo doas pkexec env command exec builtin eval nohup time nice ionice xargs parallel stdbuf setsid unbuffer watch',
  'strace ltrace caffeinate busybox toybox unshare nsenter choom systemd-run systemd-inhibit ssh-agent dbus-run-session',
  'fakeroot firejail bwrap proot valgrind rlwrap torsocks torify proxychains proxychains4 cpulimit eatmydata numactl prlimit',
  'catchsegv dumb-init tini runcon capsh setpriv uidmapshift linux32 linux64 i386 x86_64 cgexec gtime entr xvfb-run',
  'start-stop-daemon npx bunx pnpx uvx cross-env dotenv doppler screen arch',
);

/** Programs that run the command that follows them and one operand of their own. */
const wrappersOfOperand = named(
  'timeout gtimeout chrt taskset flock chroot gosu su-exec ssh setarch faketime perf setuidgid',
);

const shells = named('sh bash zsh dash ksh mksh ash fish rbash su runuser script');

export const isShell = (name: string): boolean => shells.has(name);

export const isWrapper = (name: string): boolean => wrappers.has(name) || wrappersOfOperand.has(name) || isLoader(name);

/** Whether one operand stands before the command: `5` in `timeout 5 ls`. */
export const takesOperand = (name: string): boolean => wrappersOfOperand.has(name);

/** Whether it is the dynamic loader: `/lib64/ld-linux-x86-64.so.2 /bin/rm x` runs `rm`. */
const isLoader = (name: string): boolean => /^ld(?:-linux[\w.-]*|-musl[\w.-]*|-[\d.]+)?\.so(?:\.\d+)?$/u.test(name);

/** How many starts are tried in one command: `sudo env nice rm` has four. */
export const mostCommandStarts = 64;

/** The words at which a command may begin: the first one, and those that may follow a wrapper. */
export function commandStarts(words: readonly ShellWord[]): readonly number[] {
  const starts = new Set([0]);
  for (const start of starts) {
    for (const next of startsAfter(words, start)) {
      if (starts.size < mostCommandStarts && next < words.length) starts.add(next);
    }
  }
  return [...starts];
}

/** The name of the program that a word calls if its expansions are empty: `/bin/rm`, `"$BIN"/rm` and `rm$X` are `rm`. */
export function programName(word: string): string {
  const fixed = word.replaceAll(/\$(?:\(\)|\{[^{}]*\}|\w+|[@*#?!$-])/gu, '');
  return fixed.slice(fixed.lastIndexOf('/') + 1);
}

/** Where the command may begin that the wrapper at `at` runs. Whether an option takes a value is not known, so both count. */
function startsAfter(words: readonly ShellWord[], at: number): readonly number[] {
  const plain = words[at]?.plain ?? '';
  if (isAssignment(plain)) return [skipAssignments(words, at)];
  const name = programName(plain);
  // Behind a word that may be empty the next one may be the command.
  if (name === '' || keywords.has(name)) return [at + 1];
  // `command -v` only says what a name stands for.
  if (name === 'command' && /^-[vV]$/u.test(words[at + 1]?.plain ?? '')) return [];
  if (name === 'git') return afterEach(words, {from: at + 1, words: gitRunWords});
  if (name === 'find') return afterEach(words, {from: at + 1, words: findRunWords});
  if (name === 'fd' || name === 'fdfind') return afterEach(words, {from: at + 1, words: fdRunWords});
  const subcommands = subcommandRunners.get(name);
  if (subcommands !== undefined)
    return afterEach(words, {from: at + 1, words: subcommands}).flatMap(from =>
      afterOptions(words, {from, operands: 0}),
    );
  if (wrappers.has(name) || isLoader(name)) return afterOptions(words, {from: at + 1, operands: 0});
  return wrappersOfOperand.has(name) ? afterOptions(words, {from: at + 1, operands: 1}) : [];
}

/** The scripts that the command at `at` passes to a shell: `bash -c "…"`, `eval …`. */
export function shellTextsFrom(words: readonly ShellWord[], at: number): readonly string[] {
  const rest = words.slice(at + 1).map(({plain}) => plain);
  const name = programName(words[at]?.plain ?? '');
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
  return name === 'eval' || name === 'watch' || name === 'parallel' || name === 'ssh' ? [rest.join(' ')] : [];
}

/** Options whose value is a script for a shell, or a program with its arguments. */
const optionsOfCommands: ReadonlyMap<string, RegExp> = new Map([
  ['tar', /^(?:--to-command|--use-compress-program|--use-comp\w*|--rsh-command|--info-script|-I|-F)$/u],
  ['bsdtar', /^--use-compress-program$/u],
  ['rsync', /^(?:-[A-Za-z]*e|--rsh|--rsync-path)$/u],
  ['sort', /^--com[\w-]*$/u],
  ['rg', /^(?:--pre|--hostname-bin)$/u],
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

const gitRunWords = named('foreach run --exec -x');
const findRunWords = named('-exec -execdir -ok -okdir');
const fdRunWords = named('-x --exec -X --exec-batch');

/** Programs that have a subcommand which runs another program. */
const subcommandRunners: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['npm', 'pnpm', 'yarn', 'bun'].map((name): [string, ReadonlySet<string>] => [name, named('exec x dlx')]),
  ...['uv', 'poetry', 'pipenv', 'conda', 'rye', 'pdm', 'hatch', 'op', 'rustup', 'pipx'].map(
    (name): [string, ReadonlySet<string>] => [name, named('run --')],
  ),
  ...['bundle', 'mise', 'direnv'].map((name): [string, ReadonlySet<string>] => [name, named('exec x --')]),
]);

const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/u.test(word);

const takesText = (word: string): boolean => /^(?:--command|-[A-Za-z]*c)/u.test(word);

const hasSpace = (word: string): boolean => /\s/u.test(word);

function skipAssignments(words: readonly ShellWord[], from: number): number {
  const end = words.findIndex(({plain}, at) => at > from && !isAssignment(plain));
  return end < 0 ? words.length : end;
}

function afterEach(
  words: readonly ShellWord[],
  wanted: {readonly from: number; readonly words: ReadonlySet<string>},
): readonly number[] {
  return words.flatMap(({plain}, at) => (at >= wanted.from && wanted.words.has(plain) ? [at + 1] : []));
}

function afterOptions(
  words: readonly ShellWord[],
  {from, operands}: {readonly from: number; readonly operands: number},
): readonly number[] {
  const starts: number[] = [];
  let left = operands;
  let value: 'possible' | 'no' = 'no';
  for (let at = from; at < words.length; at += 1) {
    const word = words[at]?.plain ?? '';
    if (/^-./u.test(word)) {
      value = word === '--' || word.includes('=') ? 'no' : 'possible';
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

function named(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap(line => line.split(' ')));
}
