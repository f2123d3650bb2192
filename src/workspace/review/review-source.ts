import {join, resolve} from 'node:path';
import {parsePatch, type StructuredPatch} from 'diff';
import type {FileDiff} from '../../actions/preview.ts';
import type {ReviewSourcePort, ReviewDiff} from '../../actions/review-port.ts';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {runGitQuery, repositoryTop} from '../checkpoints/git-query.ts';
import {type GitSetting, withGitSettings} from '../exec/shell-environment.ts';
import {countLines, hunkOf} from '../files/diff-hunks.ts';
import {readRegularFile} from '../files/regular-files.ts';

/**
 * The maximum number of files of a review, the maximum number of untracked files among them, and the maximum number of bytes of
 * an untracked file.
 */
const maxFiles = 300;
const maxUntracked = 100;
const maxBytes = 200_000;

/** Git's name for a tree without files. The first commit is compared with it. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

type GitQuery = (words: readonly string[]) => Promise<string | undefined>;

/** Reads the changes of a review from git. Writes nothing, and runs no program that the repository's settings name. */
export const makeReviewSource = ({
  directory,
  environment,
}: {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
}): ReviewSourcePort => ({
  async read({repository, range}, signal) {
    const start = resolve(directory, repository);
    const gitIn =
      (folder: string, settings: readonly GitSetting[] = []): GitQuery =>
      words =>
        runGitQuery(words, {folder, environment: withGitSettings(environment, settings), signal});
    const root = repositoryTop(await gitIn(start)(['rev-parse', '--show-toplevel']));
    if (root === undefined)
      return failed(
        rejected(
          `${repository === '' ? 'This folder' : repository} is not in a git repository, so there is nothing to review.`,
        ),
      );
    const git = gitIn(root);
    const sides = await sidesOf(range.trim(), git);
    if (sides.tag === 'failed') return sides;
    const {from, to, title} = sides.value;
    const diff = gitIn(root, await filterOffSettings(git));
    const text = await diff(['diff', ...diffFlags, from, ...(to === 'working-tree' ? [] : [to]), '--']);
    if (text === undefined) return failed(rejected('git diff failed or timed out.'));
    const tracked = parseGitDiff(text);
    const untracked = to === 'working-tree' ? await untrackedFiles(root, git) : {files: [], more: 0};
    const all = [...tracked, ...untracked.files].toSorted((one, other) => (one.path < other.path ? -1 : 1));
    const found: ReviewDiff = {
      root,
      title,
      files: all.slice(0, maxFiles),
      more: Math.max(0, all.length - maxFiles) + untracked.more,
    };
    return ok(found);
  },
});

const diffFlags = (
  '--no-color --no-ext-diff --no-textconv --find-renames --src-prefix=a/ ' +
  '--dst-prefix=b/ --unified=3 --submodule=short --ignore-submodules=dirty'
).split(' ');

interface Sides {
  readonly from: string;
  readonly to: 'working-tree' | (string & {});
  readonly title: string;
}

/** Returns the two sides to compare. Names are resolved to commits first, so none of them can be read as an option. */
async function sidesOf(range: string, git: GitQuery): Promise<Outcome<Sides, Fault>> {
  const commit = async (name: string): Promise<string | undefined> =>
    (
      await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name === '' ? 'HEAD' : name}^{commit}`])
    )?.trim();
  const [, older = '', dots, newer = ''] = /^(.*?)(\.{2,3})(.*)$/u.exec(range) ?? [];
  if (dots === undefined) {
    const head = await commit('HEAD');
    if (range === '') return ok({from: head ?? emptyTree, to: 'working-tree', title: 'working tree'});
    const base = await commit(range);
    if (base === undefined || head === undefined) return failed(unknownCommit(range));
    const parted = (await git(['merge-base', base, head]))?.trim();
    return ok({from: parted ?? base, to: 'working-tree', title: `changes since ${range}`});
  }
  const [from, to] = [await commit(older), await commit(newer)];
  if (from === undefined || to === undefined) return failed(unknownCommit(from === undefined ? older : newer));
  const parted = dots === '...' ? (await git(['merge-base', from, to]))?.trim() : undefined;
  return ok({from: parted ?? from, to, title: range});
}

const unknownCommit = (name: string): Fault => rejected(`There is no branch or commit ${JSON.stringify(name)} here.`);

/**
 * Returns settings that turn off content filters, which are programs that git settings name (LFS, git-crypt). A review
 * shows what is stored.
 */
async function filterOffSettings(git: GitQuery): Promise<readonly GitSetting[]> {
  const wanted = String.raw`^filter\..*\.(clean|process)$`;
  const listed = (await git(['config', '-z', '--name-only', '--get-regexp', wanted])) ?? '';
  return listed.split('\0').flatMap((name): readonly GitSetting[] => {
    const filter = name.slice(0, name.lastIndexOf('.'));
    return filter === ''
      ? []
      : [
          [name, ''],
          [`${filter}.required`, 'false'],
        ];
  });
}

/** Returns the files that git neither tracks nor ignores, as new files. */
async function untrackedFiles(
  root: string,
  git: GitQuery,
): Promise<{readonly files: readonly FileDiff[]; readonly more: number}> {
  const listed = (await git(['ls-files', '--others', '--exclude-standard', '-z'])) ?? '';
  const names = listed.split('\0').filter(name => name !== '' && !name.endsWith('/'));
  return {
    files: names.slice(0, maxUntracked).map(name => newFile(root, name)),
    more: Math.max(0, names.length - maxUntracked),
  };
}

/** Parses the output of `git diff` with the prefixes `a/` and `b/`. Skips files that it can't parse. */
export const parseGitDiff = (text: string): readonly FileDiff[] =>
  text
    .split(/^(?=diff --git )/mu)
    .flatMap(section => tryOr(() => parsePatch(section).map(fileOf), []))
    .filter(({path}) => path !== '');

function fileOf({
  oldFileName = '',
  newFileName = '',
  isCreate,
  isDelete,
  isBinary,
  ...patch
}: StructuredPatch): FileDiff {
  const [from, to] = [oldFileName, newFileName].map(name => name.replace(/^[ab]\//u, ''));
  const hunks = patch.hunks.map(hunkOf);
  return {
    path: (isDelete === true ? from : to) ?? '',
    before: isCreate === true ? 'absent' : 'present',
    after: isDelete === true ? 'absent' : 'present',
    movedFrom: patch.isRename === true && from !== to ? from : undefined,
    added: countLines(hunks, 'added'),
    removed: countLines(hunks, 'removed'),
    hunks,
    notes: isBinary === true ? ['binary file'] : [],
  };
}

/** Returns an untracked file as a diff. Does not follow a link, because it may lead anywhere. */
function newFile(root: string, path: string): FileDiff {
  const bytes = readRegularFile(join(root, path), maxBytes, 'refused');
  const isText = bytes !== undefined && !bytes.subarray(0, 8000).includes(0);
  const text = isText ? bytes.toString('utf8') : '';
  const lines = text === '' ? [] : text.replace(/\n$/u, '').split('\n');
  return {
    path,
    before: 'absent',
    after: 'present',
    movedFrom: undefined,
    added: lines.length,
    removed: 0,
    hunks:
      lines.length === 0
        ? []
        : [
            {
              oldStart: 1,
              newStart: 1,
              lines: lines.map(line => ({kind: 'added', text: line.replace(/\r$/u, ''), changed: []})),
            },
          ],
    notes: isText ? [] : [bytes === undefined ? 'a link, or too large to show' : 'binary file'],
  };
}
