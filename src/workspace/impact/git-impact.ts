import {resolve} from 'node:path';
import type {CommandReading, ResolvedCommand} from '../../domain/risk.ts';
import {countTree, deletionImpact, fileCount, parseStatus, type StatusEntry} from './deletion-impact.ts';
import {count, type Impact, type ImpactContext, named, noLoss, runGit} from './impact.ts';

/** A git command behind the options that belong to git itself. */
interface GitCommand extends Omit<CommandReading, 'changes'> {
  readonly words: readonly string[];
  readonly directory: string;
  readonly context: ImpactContext;
  readonly has: (letter: string, long: string) => boolean;
  /** Asks git, which only looks. */
  readonly ask: (...words: readonly string[]) => Promise<string | undefined>;
}

/** What git's own commands would throw away, as git itself says it without doing it. */
export async function gitImpact({argv, directory}: ResolvedCommand, context: ImpactContext): Promise<Impact> {
  let at = 1;
  let place = directory;
  for (; argv[at]?.startsWith('-') === true; at += 1) {
    const word = argv[at] ?? '';
    if (word === '-C') place = resolve(place, argv[at + 1] ?? '.');
    if (word === '-C' || word === '-c') at += 1;
    // Another repository or another tree: what is found here would not be what is hit.
    else if (/^--(?:git-dir|work-tree|namespace)/u.test(word)) return noLoss;
  }
  const name = argv[at] ?? '';
  const finder = finders.get(name);
  if (finder === undefined) return noLoss;
  const words = argv.slice(at + 1);
  const {options, operands} = context.readingOf(['git', name, ...words]);
  const ask = (...asked: readonly string[]) => runGit(asked, {directory: place, context});
  return finder({options, operands, words, directory: place, context, has: isAmong(options), ask});
}

/** Whether one of the options is the letter or the long one, which git allows to be abbreviated. */
const isAmong =
  (options: CommandReading['options']) =>
  (letter: string, long: string): boolean =>
    options.some(
      ({name}) => name === `-${letter}` || (name.length > 2 && name.startsWith('--') && long.startsWith(name)),
    );

const finders: ReadonlyMap<string, (git: GitCommand) => Promise<Impact>> = new Map([
  ['clean', cleaned],
  ['reset', reset],
  ['checkout', checkedOut],
  ['restore', restored],
  ['switch', async (git: GitCommand) => (forces(git) ? discarded(await changes(git)) : noLoss)],
  ['stash', stashes],
  ['branch', branches],
  ['tag', tags],
  ['rm', removed],
]);

const forces = ({has}: GitCommand): boolean => has('f', '--force') || has('', '--discard-changes');

async function cleaned({options, operands, has, ask, directory, context}: GitCommand): Promise<Impact> {
  if (has('n', '--dry-run')) return noLoss;
  const letters = ['d', 'x', 'X'].filter(letter => has(letter, '')).map(letter => `-${letter}`);
  const force = options.filter(option => isAmong([option])('f', '--force')).length > 1 ? ['-ff'] : [];
  const exclude = options.flatMap(({name, value}) =>
    /^-e$|^--exclude$/u.test(name) && value !== undefined ? [`--exclude=${value}`] : [],
  );
  const clean = ['-c', 'clean.requireForce=false', 'clean', '-n', ...letters, ...force, ...exclude, '--', ...operands];
  const gone = ((await ask(...clean)) ?? '').split('\n').flatMap(line => {
    const [, path] = /^Would remove (.+)$/u.exec(line) ?? [];
    return path === undefined ? [] : [resolve(directory, unquoted(path))];
  });
  if (gone.length === 0) return noLoss;
  const tree = await countTree(gone, context.signal);
  const kind = letters.includes('-X') ? 'ignored ' : letters.includes('-x') ? 'untracked and ignored ' : 'untracked ';
  if (tree.files === 0) return {summary: `deletes ${count(tree.folders, 'empty folder')}`, ...named(gone)};
  return {summary: `deletes ${fileCount(tree).replace(/ (?=files?$)/u, ` ${kind}`)}`, ...named(tree.paths, tree.files)};
}

/** A name as git quotes it where it holds special characters. */
const unquoted = (path: string): string =>
  path.startsWith('"')
    ? path.slice(1, -1).replaceAll(/\\(.)/gu, (_all, char: string) => ({n: '\n', t: '\t'})[char] ?? char)
    : path;

async function changes({ask}: GitCommand, paths: readonly string[] = []): Promise<readonly StatusEntry[]> {
  const top = await ask('rev-parse', '--show-toplevel');
  const status = await ask('status', '--porcelain=v1', '-z', '--untracked-files=no', '--', ...paths);
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
  if (!['--hard', '--merge', '--keep'].some(name => git.has('', name))) return noLoss;
  const [revision = 'HEAD'] = git.operands;
  const lost = discarded(await changes(git));
  const commits = Number((await git.ask('rev-list', '--count', '--end-of-options', `${revision}..HEAD`)) ?? 0);
  if (commits === 0) return lost;
  const moved = `takes ${count(commits, 'commit')} off the branch`;
  return {...lost, summary: lost.summary === '' ? moved : `${lost.summary}; ${moved}`};
}

async function restored(git: GitCommand): Promise<Impact> {
  const {operands, has} = git;
  const stagedOnly = has('S', '--staged') && !has('W', '--worktree');
  if (stagedOnly || operands.length === 0) return noLoss;
  const whole = has('s', '--source') || has('S', '--staged');
  return discarded(hit(await changes(git, operands), whole ? 'index-too' : 'tree'));
}

async function checkedOut(git: GitCommand): Promise<Impact> {
  const {words, operands, context} = git;
  const divider = words.indexOf('--');
  const [first = ''] =
    divider < 0 ? operands : context.readingOf(['git', 'checkout', ...words.slice(0, divider)]).operands;
  const commit = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${first}^{commit}`];
  const isRevision = first !== '' && (await git.ask(...commit)) !== undefined;
  const paths = isRevision ? operands.slice(1) : operands;
  if (paths.length > 0) return discarded(hit(await changes(git, paths), isRevision ? 'index-too' : 'tree'));
  return forces(git) ? discarded(await changes(git)) : noLoss;
}

/** From the index only what differs from it is lost; from elsewhere what is staged too. */
const hit = (entries: readonly StatusEntry[], lost: 'tree' | 'index-too'): readonly StatusEntry[] =>
  entries.filter(({tree}) => lost === 'index-too' || tree !== ' ');

async function stashes({words, ask}: GitCommand): Promise<Impact> {
  const [what = '', ...rest] = words;
  if (what !== 'drop' && what !== 'clear') return noLoss;
  const listed = await ask('stash', 'list', '--format=%gd: %gs');
  const all = (listed ?? '').split('\n').filter(line => line !== '');
  const [wanted = '0'] = rest.filter(word => !word.startsWith('-'));
  const number = Number(/^(?:stash@\{)?(\d+)\}?$/u.exec(wanted)?.[1] ?? Number.NaN);
  const gone = what === 'clear' ? all : all.slice(number, number + 1);
  return gone.length === 0 ? noLoss : {summary: `drops ${count(gone.length, 'stash', 'stashes')}`, ...named(gone)};
}

async function branches({operands, has, ask}: GitCommand): Promise<Impact> {
  if (!has('d', '--delete') && !has('D', '')) return noLoss;
  const remote = has('r', '--remotes');
  const said: string[] = [];
  for (const branch of operands.slice(0, maxRefs)) {
    const ref = `refs/${remote ? 'remotes' : 'heads'}/${branch}`;
    const others = remote ? [] : [`--exclude=${branch}`, '--branches', '--remotes', '--tags', 'HEAD'];
    const alone = await ask('rev-list', '--count', ref, '--not', ...others);
    if (alone === undefined) continue;
    const commits = remote ? 0 : Number(alone);
    said.push(commits === 0 ? branch : `${branch} (${count(commits, 'commit')} not merged)`);
  }
  return deletedRefs(said, ['branch', 'branches']);
}

async function tags({operands, has, ask}: GitCommand): Promise<Impact> {
  if (!has('d', '--delete')) return noLoss;
  const there: string[] = [];
  for (const tag of operands.slice(0, maxRefs)) {
    if ((await ask('rev-parse', '--verify', '--quiet', `refs/tags/${tag}`)) !== undefined) there.push(tag);
  }
  return deletedRefs(there, ['tag', 'tags']);
}

const maxRefs = 10;

const deletedRefs = (said: readonly string[], [one, several]: readonly [string, string]): Impact =>
  said.length === 0
    ? noLoss
    : {summary: `deletes ${said.length === 1 ? one : several} ${said.join(', ')}`, ...named([])};

async function removed({operands, has, ask, directory, context}: GitCommand): Promise<Impact> {
  const wanted = operands.filter(path => path !== '');
  if (has('', '--cached') || has('n', '--dry-run') || wanted.length === 0) return noLoss;
  const files = ((await ask('ls-files', '-z', '--', ...wanted)) ?? '').split('\0').filter(path => path !== '');
  return deletionImpact(
    files.map(path => resolve(directory, path)),
    context,
  );
}
