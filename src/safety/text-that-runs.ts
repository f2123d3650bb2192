import {isHarmlessSed} from './programs/sed-script.ts';
import {plainText} from './programs/judge-program.ts';
import type {Argument} from './shell/argument.ts';
import {isShell, isWrapper, programName, takesOperand} from './wrappers.ts';

/**
 * Whether a here-document, or a text behind `<<<`, may be run: something in the command takes code from its input, or a program is
 * run by its path, which may be the very file that was written.
 */
export function readsPrograms(command: string, calls: readonly {readonly words: readonly Argument[]}[]): boolean {
  if (!command.includes('<<')) return false;
  return calls.some(({words}) =>
    words.some((word, at) => {
      const text = plainText(word);
      if (text === undefined) return at === 0;
      return (at === 0 && text.includes('/') && !/^\/(?:usr\/)?bin\//u.test(text)) || runsInput(programName(text));
    }),
  );
}

/** Programs that take commands or code from their input. */
export const runsInput = (name: string): boolean => isShell(name) || isInterpreter(name) || feeds.has(name);

/** Programs that run code they are given. */
const isInterpreter = (name: string): boolean => interpreters.test(name);

const interpreters =
  /^(?:python[\d.]*|pypy[\d.]*|ipython|node|nodejs|deno|bun|tsx|ts-node|ruby|irb|perl[\d.]*|php[\d.]*|lua[\d.]*|luajit|osascript|tclsh|expect|rscript|r|julia|groovy|scala|jshell|ghci|pwsh|gdb|lldb|ed|ex|vi|vim|nvim|psql|sqlite3|mysql)$/iu;

const feeds = listed(
  'eval source . xargs parallel ssh at batch crontab make gmake docker podman kubectl entr ftp lftp sftp telnet newgrp',
);

/**
 * The first of the forbidden commands that is named in what a program is given, where that program is not known to take it for
 * mere text; `undefined` for none. Each command is the words of its pattern. `starts` are where programs may begin.
 */
export function deniedInArguments(
  words: readonly string[],
  {starts, forbidden}: {readonly starts: readonly number[]; readonly forbidden: readonly (readonly string[])[]},
): {readonly program: string; readonly denied: string} | undefined {
  const sorted = starts.toSorted((a, b) => a - b);
  for (const [index, at] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && isBeforeCommand(words, {at, before: sorted[index - 1]})) continue;
    const program = programName(words[at] ?? '');
    const given = words.slice(at + 1);
    const told =
      next !== undefined && isWrapper(program)
        ? words.slice(at + 1, sorted.at(-1)).filter(word => /^-|=/u.test(word))
        : mayRun(program, given);
    const found = forbidden.find(command => isNamed(command, told));
    if (found !== undefined) return {program, denied: found.join(' ')};
  }
  return undefined;
}

/** The operand of a wrapper, `5` in `timeout 5 ls`, and the value of one of its options: the command begins further on. */
function isBeforeCommand(
  words: readonly string[],
  {at, before}: {readonly at: number; readonly before: number | undefined},
): boolean {
  if (before === undefined) return false;
  const wrapper = programName(words[before] ?? '');
  return (takesOperand(wrapper) && !isWrapper(programName(words[at] ?? ''))) || (words[at - 1] ?? '').startsWith('-');
}

/** What of the arguments may be the name of a program, or hold one. */
function mayRun(program: string, given: readonly string[]): readonly string[] {
  if (onlyData.has(program))
    return ofVariables.has(program) ? given.filter(word => /\[[^\]]*(?:\$\(|`)/u.test(word)) : [];
  if (program === 'git') return gitsOwn(given);
  if (program === 'sed' || program === 'gsed')
    return given.flatMap(word => (/\s/u.test(word) && !isHarmlessSed(word) ? [word.replaceAll('/', ' ')] : []));
  if (program === 'less' || program === 'more') return given.filter(word => /^[+-]/u.test(word));
  if (databases.has(program))
    return given.filter(word => /\\!|\.(?:shell|system)\b|\bsystem\b|\bprogram\b/iu.test(word));
  const options = dataButFor.get(program);
  if (options !== undefined) return valuesOf(given, options);
  const operands = given.flatMap((word, at) => (word.startsWith('-') ? [] : [at]));
  const [first = -1, second = -1] = operands;
  if (taskRunners.has(program)) return given.filter(word => /[=\s:]|^-/u.test(word));
  if (!ofSubcommands.has(program)) return given;
  const name = given[first] ?? '';
  // What packages are called, and scripts.
  if (/^(?:i|install|add|remove|uninstall|rm|un|update|upgrade|info|view|show|search|why|ls|list)$/u.test(name))
    return given.filter(word => word.startsWith('-') && word.includes('='));
  if (
    /^(?:run|run-script|test|start|build)$/u.test(name) &&
    given.includes('--') &&
    /^(?:npm|pnpm|yarn|bun)$/u.test(program)
  )
    return mayRun(program, given.slice(0, given.indexOf('--')));
  if (services.has(program) && !/^(?:exec|run|debug|ssh|alias|plugin|extension)$/u.test(name))
    return given.filter(word => !/^[\w-]+$/u.test(word));
  // What is tested, and images.
  if (/^(?:cargo|go)$/u.test(program) && name === 'test')
    return valuesOf(given, /^(?:--?exec|--?toolexec|--?vettool|--config)$/u);
  if (/^(?:docker|podman|nerdctl)$/u.test(program) && dockersData.test(name)) return [];
  const isNoun = /^(?:image|volume|network|container|system|compose|builder|context|s3|s3api|run|run-script)$/u.test(
    name,
  );
  return given.filter(
    (word, at) => !(/^[\w-]+$/u.test(word) && (at === first || (isNoun && at === second && second === first + 1))),
  );
}

const dockersData =
  /^(?:build|tag|push|pull|images|ps|logs|inspect|rm|rmi|start|stop|restart|kill|port|stats|top|wait)$/u;

/** Of git's own arguments: what it is told to run, not revisions, paths and messages. */
function gitsOwn(given: readonly string[]): readonly string[] {
  const at = given.findIndex((word, index) => !word.startsWith('-') && !/^-[cC]$/u.test(given[index - 1] ?? ''));
  const subcommand = given[at] ?? '';
  const before = given.slice(0, Math.max(at, 0));
  if (!gitsData.has(subcommand)) return given.filter((_, index) => index !== at);
  const behind = given.slice(at + 1);
  return [
    ...before,
    ...behind.filter(word => word.startsWith('!') || word.includes('::')),
    ...valuesOf(
      behind,
      /^(?:--(?:upload-pack|receive-pack|exec|extcmd|open-files-in-pager|config|template|trailer|up\w*|rec\w*|exe\w*|open\w*)|-[uxOc])$/u,
    ),
  ];
}

/** The values of the options that fit, with what stands right behind them. */
const valuesOf = (given: readonly string[], option: RegExp): readonly string[] =>
  given.flatMap((word, at) => {
    if (option.test(word)) return given.slice(at + 1, at + 2);
    const [, name = '', value = ''] = /^(--[^=]+)=([\s\S]*)$/u.exec(word) ?? /^(-[A-Za-z])([\s\S]+)$/u.exec(word) ?? [];
    return name !== '' && option.test(name) ? [value] : [];
  });

/** Whether the words of a forbidden command stand in what is given, the program first. */
export function isNamed(command: readonly string[], given: readonly string[]): boolean {
  const [program = '', ...more] = command;
  if (program === '' || /^\*+$/u.test(program)) return false;
  const text = given.join('\n');
  let from = 0;
  for (const [at, word] of [program, ...more.filter(each => /^\w[\w-]*$/u.test(each))].entries()) {
    const found = (at === 0 ? programPattern(word) : wordPattern(word)).exec(text.slice(from));
    if (found === null) return false;
    from += found.index + found[0].length;
  }
  return true;
}

/** By itself, in a folder for programs, or right behind the letter of an option. */
const programPattern = (name: string): RegExp =>
  new RegExp(
    `(?:(?<![\\w./-])(?:(?:/[\\w.-]+)*/s?bin/|\\./|-[A-Za-z])?|(?<=\\{(?:[\\w.,-]*,)?))${asPattern(name)}(?![\\w./-])`,
    'u',
  );

const wordPattern = (word: string): RegExp => new RegExp(`(?<![\\w.-])${asPattern(word)}(?![\\w.-])`, 'u');

const asPattern = (name: string): string =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .replaceAll(/[\\^$.+?()[\]{}|/-]/gu, String.raw`\$&`)
    .replaceAll('*', String.raw`[\w.-]*`);

/** They show, compare, copy or change what they are given, and run none of it. */
const onlyData = listed(
  'echo printf cat tac nl head wc stat file diff cmp comm touch mkdir rmdir cp mv ln chmod chown chgrp basename dirname realpath',
  'readlink test [ true false : sleep seq tr cut paste uniq join fold fmt od xxd hexdump strings rev column date expr type which',
  'whereis whatis apropos pwd cd pushd popd kill killall pkill pgrep ps df du tree locate md5sum sha1sum sha256sum sha512sum cksum',
  'base64 base32 tee dd rm unlink shred mkfifo mktemp truncate sync id whoami groups uname hostname nproc uptime free tail',
  'grep egrep fgrep zgrep rgrep ag jq yq iconv dos2unix unix2dos gzip gunzip zcat bzip2 xz unzip exit return break continue shift',
  'read unset export local declare typeset readonly set wait jobs fg bg disown ulimit umask sponge find gfind trash curl ping dig host',
  'nslookup getent logger open xdg-open pbcopy xclip wl-copy ls dir vdir split csplit tsort ptx factor shuf sum numfmt pr expand',
  'unexpand install env printenv say notify-send lsof ss netstat lsblk sort-keys prettier tsc black rustfmt gofmt',
  'tldr redis-cli ssh-keygen journalctl eslint jest vitest mocha ava playwright cypress pytest py.test rspec mypy ruff pylint flake8',
);

/** Names of variables may be among what they are given, and what stands between the brackets of one is worked out. */
const ofVariables = listed('test [ printf read unset export local declare typeset readonly wait');

/** Programs of which these options alone name what they run. */
const dataButFor: ReadonlyMap<string, RegExp> = new Map([
  ['sort', /^--com[\w-]*$/u],
  ['rg', /^(?:--pre|--hostname-bin)$/u],
  [
    'tar',
    /^(?:--to-command|--use-[\w-]*|--rsh-command|--rmt-command|--info-script|--new-volume-script|--checkpoint-action|-I|-F)$/u,
  ],
  ['fd', /^(?:-x|-X|--exec|--exec-batch)$/u],
  ['fdfind', /^(?:-x|-X|--exec|--exec-batch)$/u],
  ['wget', /^(?:--use-askpass|--execute|-e|--config)$/u],
  ['rsync', /^(?:-[A-Za-z]*e|--rsh|--rsync-path|-M|--remote-option)$/u],
  ['man', /^(?:-P|--pager|-H|--html)$/u],
  ['zip', /^(?:-TT|--unzip-command|-T)$/u],
  ...['gcc', 'g++', 'cc', 'c++', 'clang', 'clang++', 'rustc'].map((name): [string, RegExp] => [
    name,
    /^(?:-wrapper|-C|--codegen)$/u,
  ]),
  ['gh', /^(?:--git-command|--editor)$/u],
]);

/** What they are given are names of recipes. */
const taskRunners = listed('make gmake just task rake ant gradle ./gradlew gradlew mvn ninja bazel tox nox');

/** They speak to a service in words of their own. */
const services = listed('aws gcloud az gh glab heroku fly flyctl kubectl oc helm terraform tofu pulumi doctl');

/** What they are given is a query, but for what leaves them for a shell. */
const databases = listed('psql mysql mariadb sqlite3 duckdb');

/** Their first operand is a command of their own. */
const ofSubcommands = listed(
  'docker docker-compose podman nerdctl npm pnpm yarn bun kubectl helm gh glab aws gcloud az svn hg jj cargo pip pip3 pipx uv poetry brew apt apt-get',
  'dnf yum pacman apk gem bundle composer go rustup conda mamba nix terraform tofu pulumi systemctl service tmux screen git-lfs',
);

const gitsData = listed(
  'add am annotate apply archive blame branch cat-file check-attr check-ignore checkout cherry cherry-pick clean clone commit describe diff',
  'diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep init log ls-files ls-remote ls-tree merge merge-base mv',
  'name-rev notes pull push range-diff reflog remote reset restore revert rev-list rev-parse rm shortlog show show-ref sparse-checkout',
  'stash status switch symbolic-ref tag update-index whatchanged worktree lfs',
);

function listed(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap(line => line.split(' ')));
}
