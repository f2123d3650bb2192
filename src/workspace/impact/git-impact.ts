import {resolve} from 'node:path';
import type {CommandReading, ResolvedCommand} from '../../domain/risk.ts';
import {countTree, deletionImpact, fileCount, parseStatus, type StatusEntry} from './deletion-impact.ts';
import {formatCount, type Impact, type ImpactContext, listPaths, emptyImpact, runGit} from './impact.ts';

/** A git command after git's own options. */
interface GitCommand extends Omit<CommandReading, 'changes'> {
  readonly words: readonly string[];
  readonly directory: string;
  readonly context: ImpactContext;
  readonly has: (letter: string, long: string) => boolean;
  /** Runs a read-only git command. */
  readonly query: (...words: readonly string[]) => Promise<string | undefined>;
}

/** Returns what git's own commands would throw away, from git's dry runs. */
export async function gitImpact({argv, directory}: ResolvedCommand, context: ImpactContext): Promise<Impact> {
  let at = 1;
  let folder = directory;
  for (; argv[at]?.startsWith('-') === true; at += 1) {
    const word = argv[at] ?? '';
    if (word === '-C') folder = resolve(folder, argv[at + 1] ?? '.');
    if (word === '-C' || word === '-c') at += 1;
    // The options name another repository or tree. Files found here would not be those that the command destroys.
    else if (/^--(?:git-dir|work-tree|namespace)/u.test(word)) return emptyImpact;
  }
  const name = argv[at] ?? '';
  const finder = finders.get(name);
  if (finder === undefined) return emptyImpact;
  const words = argv.slice(at + 1);
  const {options, operands} = context.readCommand(['git', name, ...words]);
  const ask = (...asked: readonly string[]) => runGit(asked, {directory: folder, context});
  return finder({options, operands, words, directory: folder, context, has: makeOptionTest(options), query: ask});
}

/** True if one of the options is the letter or the long option, which git allows to be abbreviated. */
const makeOptionTest =
  (options: CommandReading['options']) =>
  (letter: string, long: string): boolean =>
    options.some(
      ({name}) => name === `-${letter}` || (name.length > 2 && name.startsWith('--') && long.startsWith(name)),
    );

const finders: ReadonlyMap<string, (git: GitCommand) => Promise<Impact>> = new Map([
  ['clean', cleanImpact],
  ['reset', resetImpact],
  ['checkout', checkoutImpact],
  ['restore', restoreImpact],
  ['switch', async (git: GitCommand) => (isForced(git) ? discardImpact(await uncommittedChanges(git)) : emptyImpact)],
  ['stash', stashImpact],
  ['branch', branchImpact],
  ['tag', tagImpact],
  ['rm', rmImpact],
]);

const isForced = ({has}: GitCommand): boolean => has('f', '--force') || has('', '--discard-changes');

async function cleanImpact({options, operands, has, query: ask, directory, context}: GitCommand): Promise<Impact> {
  if (has('n', '--dry-run')) return emptyImpact;
  const letters = ['d', 'x', 'X'].filter(letter => has(letter, '')).map(letter => `-${letter}`);
  const force = options.filter(option => makeOptionTest([option])('f', '--force')).length > 1 ? ['-ff'] : [];
  const exclude = options.flatMap(({name, value}) =>
    /^-e$|^--exclude$/u.test(name) && value !== undefined ? [`--exclude=${value}`] : [],
  );
  const clean = ['-c', 'clean.requireForce=false', 'clean', '-n', ...letters, ...force, ...exclude, '--', ...operands];
  const gone = ((await ask(...clean)) ?? '').split('\n').flatMap(line => {
    const [, path] = /^Would remove (.+)$/u.exec(line) ?? [];
    return path === undefined ? [] : [resolve(directory, unquotePath(path))];
  });
  if (gone.length === 0) return emptyImpact;
  const tree = await countTree(gone, context.signal);
  const kind = letters.includes('-X') ? 'ignored ' : letters.includes('-x') ? 'untracked and ignored ' : 'untracked ';
  if (tree.files === 0) return {summary: `deletes ${formatCount(tree.folders, 'empty folder')}`, ...listPaths(gone)};
  return {
    summary: `deletes ${fileCount(tree).replace(/ (?=files?$)/u, ` ${kind}`)}`,
    ...listPaths(tree.paths, tree.files),
  };
}

/** Decodes a name that git quotes because of special characters. */
const unquotePath = (path: string): string =>
  path.startsWith('"')
    ? path.slice(1, -1).replaceAll(/\\(.)/gu, (_all, char: string) => ({n: '\n', t: '\t'})[char] ?? char)
    : path;

async function uncommittedChanges(
  {query: ask}: GitCommand,
  paths: readonly string[] = [],
): Promise<readonly StatusEntry[]> {
  const top = await ask('rev-parse', '--show-toplevel');
  const status = await ask('status', '--porcelain=v1', '-z', '--untracked-files=no', '--', ...paths);
  if (top === undefined || status === undefined) return [];
  return parseStatus(status).map(entry => ({...entry, path: resolve(top.replace(/\n$/u, ''), entry.path)}));
}

const discardImpact = (entries: readonly StatusEntry[]): Impact =>
  entries.length === 0
    ? emptyImpact
    : {
        summary: `discards uncommitted changes in ${formatCount(entries.length, 'file')}`,
        ...listPaths(entries.map(({path}) => path)),
      };

async function resetImpact(git: GitCommand): Promise<Impact> {
  if (!['--hard', '--merge', '--keep'].some(name => git.has('', name))) return emptyImpact;
  const [revision = 'HEAD'] = git.operands;
  const lost = discardImpact(await uncommittedChanges(git));
  const commits = Number((await git.query('rev-list', '--count', '--end-of-options', `${revision}..HEAD`)) ?? 0);
  if (commits === 0) return lost;
  const moved = `takes ${formatCount(commits, 'commit')} off the branch`;
  return {...lost, summary: lost.summary === '' ? moved : `${lost.summary}; ${moved}`};
}

async function restoreImpact(git: GitCommand): Promise<Impact> {
  const {operands, has} = git;
  const stagedOnly = has('S', '--staged') && !has('W', '--worktree');
  if (stagedOnly || operands.length === 0) return emptyImpact;
  const whole = has('s', '--source') || has('S', '--staged');
  return discardImpact(lostEntries(await uncommittedChanges(git, operands), whole ? 'index-too' : 'tree'));
}

async function checkoutImpact(git: GitCommand): Promise<Impact> {
  const {words, operands, context} = git;
  const divider = words.indexOf('--');
  const [first = ''] =
    divider < 0 ? operands : context.readCommand(['git', 'checkout', ...words.slice(0, divider)]).operands;
  const commit = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${first}^{commit}`];
  const isRevision = first !== '' && (await git.query(...commit)) !== undefined;
  const paths = isRevision ? operands.slice(1) : operands;
  if (paths.length > 0)
    return discardImpact(lostEntries(await uncommittedChanges(git, paths), isRevision ? 'index-too' : 'tree'));
  return isForced(git) ? discardImpact(await uncommittedChanges(git)) : emptyImpact;
}

/** Restoring from the index loses only what differs from it; restoring from elsewhere also loses what is staged. */
const lostEntries = (entries: readonly StatusEntry[], lost: 'tree' | 'index-too'): readonly StatusEntry[] =>
  entries.filter(({tree}) => lost === 'index-too' || tree !== ' ');

async function stashImpact({words, query: ask}: GitCommand): Promise<Impact> {
  const [what = '', ...rest] = words;
  if (what !== 'drop' && what !== 'clear') return emptyImpact;
  const listed = await ask('stash', 'list', '--format=%gd: %gs');
  const all = (listed ?? '').split('\n').filter(line => line !== '');
  const [wanted = '0'] = rest.filter(word => !word.startsWith('-'));
  const number = Number(/^(?:stash@\{)?(\d+)\}?$/u.exec(wanted)?.[1] ?? Number.NaN);
  const gone = what === 'clear' ? all : all.slice(number, number + 1);
  return gone.length === 0
    ? emptyImpact
    : {summary: `drops ${formatCount(gone.length, 'stash', 'stashes')}`, ...listPaths(gone)};
}

async function branchImpact({operands, has, query: ask}: GitCommand): Promise<Impact> {
  if (!has('d', '--delete') && !has('D', '')) return emptyImpact;
  const remote = has('r', '--remotes');
  const labels: string[] = [];
  for (const branch of operands.slice(0, maxRefs)) {
    const ref = `refs/${remote ? 'remotes' : 'heads'}/${branch}`;
    const others = remote ? [] : [`--exclude=${branch}`, '--branches', '--remotes', '--tags', 'HEAD'];
    const alone = await ask('rev-list', '--count', ref, '--not', ...others);
    if (alone === undefined) continue;
    const commits = remote ? 0 : Number(alone);
    labels.push(commits === 0 ? branch : `${branch} (${formatCount(commits, 'commit')} not merged)`);
  }
  return deletedRefs(labels, ['branch', 'branches']);
}

async function tagImpact({operands, has, query: ask}: GitCommand): Promise<Impact> {
  if (!has('d', '--delete')) return emptyImpact;
  const there: string[] = [];
  for (const tag of operands.slice(0, maxRefs)) {
    if ((await ask('rev-parse', '--verify', '--quiet', `refs/tags/${tag}`)) !== undefined) there.push(tag);
  }
  return deletedRefs(there, ['tag', 'tags']);
}

const maxRefs = 10;

const deletedRefs = (labels: readonly string[], [one, several]: readonly [string, string]): Impact =>
  labels.length === 0
    ? emptyImpact
    : {summary: `deletes ${labels.length === 1 ? one : several} ${labels.join(', ')}`, ...listPaths([])};

async function rmImpact({operands, has, query: ask, directory, context}: GitCommand): Promise<Impact> {
  const wanted = operands.filter(path => path !== '');
  if (has('', '--cached') || has('n', '--dry-run') || wanted.length === 0) return emptyImpact;
  const files = ((await ask('ls-files', '-z', '--', ...wanted)) ?? '').split('\0').filter(path => path !== '');
  return deletionImpact(
    files.map(path => resolve(directory, path)),
    context,
  );
}
