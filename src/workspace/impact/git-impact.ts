import {resolve} from 'node:path';
import type {ResolvedCommand} from '../../domain/risk.ts';
import {countTree, deletionImpact, fileCount, parseStatus, type StatusEntry} from './deletion-impact.ts';
import {count, type Impact, type ImpactContext, named, noLoss} from './impact.ts';
import {expandPaths, hasOption, isOption, optionValue, sortWords} from './command-words.ts';
import {runGit} from './read-only-run.ts';

/** A git command behind the options that belong to git itself. */
interface GitCommand {
  readonly words: readonly string[];
  readonly directory: string;
  readonly context: ImpactContext;
}

/** What git's own commands would throw away, as git itself says it without doing it. */
export async function gitImpact(command: ResolvedCommand, context: ImpactContext): Promise<Impact> {
  const [name = '', words, directory] = subCommand(command);
  const git: GitCommand = {words, directory, context};
  switch (name) {
    case 'clean':
      return cleaned(git);
    case 'reset':
      return reset(git);
    case 'checkout':
    case 'restore':
    case 'switch':
      return restored(name, git);
    case 'stash':
      return stashes(git);
    case 'branch':
      return branches(git);
    case 'tag':
      return tags(git);
    case 'rm':
      return removed(git);
    default:
      return noLoss;
  }
}

function subCommand({argv, directory}: ResolvedCommand): readonly [string | undefined, readonly string[], string] {
  let at = 1;
  let place = directory;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) break;
    if (word === '-C') place = resolve(place, argv[at + 1] ?? '.');
    if (word === '-C' || word === '-c') at += 1;
    // Another repository or another tree: what is found here would not be what is hit.
    else if (/^--(?:git-dir|work-tree|namespace)/u.test(word)) return [undefined, [], place];
  }
  return [argv[at], argv.slice(at + 1), place];
}

const run = (words: readonly string[], {directory, context}: GitCommand): Promise<string | undefined> =>
  runGit(words, {directory, context});

async function cleaned(git: GitCommand): Promise<Impact> {
  const {options, operands} = sortWords(git.words, ['-e', '--exclude']);
  if (hasOption(options, 'n', '--dry-run')) return noLoss;
  const letters = [
    ...(hasOption(options, 'd', '') ? ['-d'] : []),
    ...(hasOption(options, 'x', '') ? ['-x'] : []),
    ...(hasOption(options, 'X', '') ? ['-X'] : []),
  ];
  const forces = options.reduce(
    (sum, option) =>
      sum + (isOption(option, '--force') ? 1 : option.startsWith('--') ? 0 : option.split('f').length - 1),
    0,
  );
  const exclude = options
    .map(option => optionValue([option], 'e', '--exclude'))
    .filter(pattern => pattern !== undefined)
    .map(pattern => `--exclude=${pattern}`);
  const output = await run(
    [
      '-c',
      'clean.requireForce=false',
      'clean',
      '-n',
      ...letters,
      ...(forces > 1 ? ['-ff'] : []),
      ...exclude,
      '--',
      ...operands,
    ],
    git,
  );
  const gone = (output ?? '').split('\n').flatMap(line => {
    const [, path] = /^Would remove (.+)$/u.exec(line) ?? [];
    return path === undefined ? [] : [resolve(git.directory, unquoted(path))];
  });
  if (gone.length === 0) return noLoss;
  const tree = await countTree(gone, git.context.signal);
  const kind = letters.includes('-X') ? 'ignored ' : letters.includes('-x') ? 'untracked and ignored ' : 'untracked ';
  if (tree.files === 0) return {summary: `deletes ${count(tree.folders, 'empty folder')}`, ...named(gone)};
  return {summary: `deletes ${fileCount(tree).replace(/ (?=files?$)/u, ` ${kind}`)}`, ...named(tree.paths, tree.files)};
}

/** A name as git quotes it where it holds special characters. */
const unquoted = (path: string): string =>
  path.startsWith('"')
    ? path.slice(1, -1).replaceAll(/\\(.)/gu, (_all, char: string) => ({n: '\n', t: '\t'})[char] ?? char)
    : path;

async function changes(git: GitCommand, paths: readonly string[] = []): Promise<readonly StatusEntry[]> {
  const top = await run(['rev-parse', '--show-toplevel'], git);
  const status = await run(['status', '--porcelain=v1', '-z', '--untracked-files=no', '--', ...paths], git);
  if (top === undefined || status === undefined) return [];
  return parseStatus(status).map(entry => ({...entry, path: resolve(top.replace(/\n$/u, ''), entry.path)}));
}

const discarded = (entries: readonly StatusEntry[]): Impact =>
  entries.length === 0
    ? noLoss
    : {
        summary: `discards uncommitted changes in ${count(entries.length, 'file')}`,
        ...named(entries.map(({path}) => path)),
      };

async function reset(git: GitCommand): Promise<Impact> {
  const {options, operands} = sortWords(git.words);
  if (!options.some(option => ['--hard', '--merge', '--keep'].some(name => isOption(option, name)))) return noLoss;
  const [revision = 'HEAD'] = operands;
  const lost = discarded(await changes(git));
  const behind = await run(['rev-list', '--count', '--end-of-options', `${revision}..HEAD`], git);
  const commits = Number(behind ?? 0);
  if (commits === 0) return lost;
  const moved = `takes ${count(commits, 'commit')} off the branch`;
  return {...lost, summary: lost.summary === '' ? moved : `${lost.summary}; ${moved}`};
}

async function restored(name: 'checkout' | 'restore' | 'switch', git: GitCommand): Promise<Impact> {
  const divider = git.words.indexOf('--');
  const before = divider < 0 ? git.words : git.words.slice(0, divider);
  const {options, operands} = sortWords(before, ['-s', '--source', '-b', '-B', '-c', '-C', '--orphan']);
  const behind = divider < 0 ? [] : git.words.slice(divider + 1);
  const forced = hasOption(options, 'f', '--force') || options.some(option => isOption(option, '--discard-changes'));
  if (name === 'switch') return forced ? discarded(await changes(git)) : noLoss;
  if (name === 'restore') {
    const paths = [...operands, ...behind];
    const stagedOnly = hasOption(options, 'S', '--staged') && !hasOption(options, 'W', '--worktree');
    if (stagedOnly || paths.length === 0) return noLoss;
    const whole = optionValue(options, 's', '--source') !== undefined || hasOption(options, 'S', '--staged');
    return discarded(hit(await changes(git, paths), whole ? 'index-too' : 'tree'));
  }
  const [first = ''] = operands;
  const isRevision =
    first !== '' &&
    (await run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${first}^{commit}`], git)) !== undefined;
  const paths = [...(isRevision ? operands.slice(1) : operands), ...behind];
  if (paths.length > 0) return discarded(hit(await changes(git, paths), isRevision ? 'index-too' : 'tree'));
  return forced ? discarded(await changes(git)) : noLoss;
}

/** From the index only what differs from it is lost; from elsewhere what is staged too. */
const hit = (entries: readonly StatusEntry[], lost: 'tree' | 'index-too'): readonly StatusEntry[] =>
  entries.filter(({tree}) => lost === 'index-too' || tree !== ' ');

async function stashes(git: GitCommand): Promise<Impact> {
  const [what = '', ...rest] = git.words;
  if (what !== 'drop' && what !== 'clear') return noLoss;
  const listed = await run(['stash', 'list', '--format=%gd: %gs'], git);
  const all = (listed ?? '').split('\n').filter(line => line !== '');
  const [wanted = '0'] = sortWords(rest).operands;
  const number = Number(/^(?:stash@\{)?(\d+)\}?$/u.exec(wanted)?.[1] ?? Number.NaN);
  const gone = what === 'clear' ? all : all.slice(number, number + 1);
  return gone.length === 0 ? noLoss : {summary: `drops ${count(gone.length, 'stash', 'stashes')}`, ...named(gone)};
}

async function branches(git: GitCommand): Promise<Impact> {
  const {options, operands} = sortWords(git.words);
  const deletes = ['d', 'D'].some(letter => hasOption(options, letter, '--delete'));
  if (!deletes) return noLoss;
  const remote = hasOption(options, 'r', '--remotes');
  const said: string[] = [];
  for (const branch of operands.slice(0, mostBranches)) {
    const ref = `refs/${remote ? 'remotes' : 'heads'}/${branch}`;
    const others = remote ? [] : [`--exclude=${branch}`, '--branches', '--remotes', '--tags', 'HEAD'];
    const alone = await run(['rev-list', '--count', ref, '--not', ...others], git);
    if (alone === undefined) continue;
    const commits = remote ? 0 : Number(alone);
    said.push(commits === 0 ? branch : `${branch} (${count(commits, 'commit')} not merged)`);
  }
  return said.length === 0
    ? noLoss
    : {summary: `deletes ${said.length === 1 ? 'branch' : 'branches'} ${said.join(', ')}`, ...named([])};
}

const mostBranches = 10;

async function tags(git: GitCommand): Promise<Impact> {
  const {options, operands} = sortWords(git.words);
  if (!hasOption(options, 'd', '--delete')) return noLoss;
  const there: string[] = [];
  for (const tag of operands.slice(0, mostBranches)) {
    if ((await run(['rev-parse', '--verify', '--quiet', `refs/tags/${tag}`], git)) !== undefined) there.push(tag);
  }
  return there.length === 0
    ? noLoss
    : {summary: `deletes ${there.length === 1 ? 'tag' : 'tags'} ${there.join(', ')}`, ...named([])};
}

async function removed(git: GitCommand): Promise<Impact> {
  const {options, operands} = sortWords(git.words);
  if (options.some(option => isOption(option, '--cached')) || hasOption(options, 'n', '--dry-run')) return noLoss;
  const paths = expandPaths(operands, {directory: git.directory, home: git.context.home});
  const listed = await run(['ls-files', '-z', '--', ...operands.filter(path => path !== '')], git);
  const files = (listed ?? '').split('\0').filter(path => path !== '');
  return paths.length === 0 || files.length === 0
    ? noLoss
    : deletionImpact(
        files.map(path => resolve(git.directory, path)),
        git.context,
      );
}
