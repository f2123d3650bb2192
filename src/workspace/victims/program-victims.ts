import {existsSync, readdirSync, statSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import type {SimpleCommand} from '../../domain/risk.ts';
import {realPath} from '../files/resolve-path.ts';
import {kindOf} from './count-tree.ts';
import {deletedFiles} from './deleted-files.ts';
import {findVictims} from './find-victims.ts';
import {gitVictims} from './git-victims.ts';
import {expandPaths, hasOption, sortWords} from './operands.ts';
import {optionOutputs} from './option-outputs.ts';
import {collisions, isFolder, overwrittenFiles, unknownNow} from './overwritten-files.ts';
import {outputsOfDd, placements} from './placements.ts';
import {count, named, untouched, type VictimFinder, type VictimGround} from './victim.ts';

/** The programs whose victims are known, by name. */
export const programVictims: ReadonlyMap<string, VictimFinder> = new Map<string, VictimFinder>([
  ['rm', removed],
  ['rmdir', removedFolders],
  ['unlink', (command, ground) => deletedFiles(pathsOf(command, ground), ground)],
  ['shred', shredded],
  ['mv', (command, ground) => replaced(command, ground)],
  ['cp', (command, ground) => replaced(command, ground)],
  ['install', (command, ground) => replaced(command, ground)],
  ['ln', linked],
  ['truncate', (command, ground) => overwrittenFiles(written(pathsOf(command, ground, sizeOptions)), 'truncates')],
  ['tee', tee],
  ['dd', ({argv, directory}) => overwrittenFiles(written(outputsOfDd(argv).map(path => resolve(directory, path))))],
  ...['curl', 'wget', 'sort'].map((name): [string, VictimFinder] => [
    name,
    ({argv, directory}, {home}) => overwrittenFiles(written(expandPaths(optionOutputs(argv), {directory, home}))),
  ]),
  ['sed', edited],
  ['perl', edited],
  ['rsync', mirrored],
  ['find', findVictims],
  ['git', gitVictims],
]);

/** Files whose new content is not known. */
const written = (paths: readonly string[]) => paths.map(path => ({path, content: unknownNow}));

const sizeOptions = ['-s', '--size', '-r', '--reference'];

const pathsOf = (
  {argv, directory}: SimpleCommand,
  {home}: VictimGround,
  withValue: readonly string[] = [],
): readonly string[] => expandPaths(sortWords(argv.slice(1), withValue).operands, {directory, home});

async function removed(command: SimpleCommand, ground: VictimGround) {
  const {options, operands} = sortWords(command.argv.slice(1));
  const whole = hasOption(options, 'r', '--recursive') || hasOption(options, 'R', '--recursive');
  const folders = whole || hasOption(options, 'd', '--dir');
  const place = {directory: command.directory, home: ground.home};
  const paths = operands
    // The folder it stands in, and the one above, it refuses to delete.
    .filter(word => !/^(?:.*\/)?\.{1,2}\/*$/u.test(word))
    // Behind a link with a slash at its end it empties the folder that the link leads to.
    .flatMap(word => expandPaths([word], place).map(path => (word.endsWith('/') ? realPath(path) : path)));
  return deletedFiles(
    paths.filter(path => folders || kindOf(path) === 'other'),
    ground,
  );
}

async function removedFolders(command: SimpleCommand, ground: VictimGround) {
  const empty = pathsOf(command, ground).filter(path => kindOf(path) === 'folder' && readdirSync(path).length === 0);
  return empty.length === 0 ? untouched : {summary: `deletes ${count(empty.length, 'empty folder')}`, ...named(empty)};
}

async function shredded(command: SimpleCommand, ground: VictimGround) {
  const {options} = sortWords(command.argv.slice(1));
  const paths = pathsOf(command, ground, ['-n', '--iterations', '-s', '--size', '--random-source']);
  return hasOption(options, 'u', '--remove') || options.some(option => option.startsWith('--remove='))
    ? deletedFiles(paths, ground)
    : overwrittenFiles(written(paths));
}

/** `mv`, `cp` and `install`: what stands where they put things. */
async function replaced(command: SimpleCommand, {home}: VictimGround) {
  const {pairs, recursive} = placements(command, home);
  return overwrittenFiles(
    pairs
      .filter(({from}) => existsSync(from))
      .flatMap(({from, to}) =>
        isFolder(from) || isFolder(to)
          ? collisions(from, to, recursive ? 'laid-over' : 'left-out').map(path => ({path, content: unknownNow}))
          : [{path: to, content: {kind: 'file', path: from} as const}],
      ),
  );
}

async function linked({argv, directory}: SimpleCommand, {home}: VictimGround) {
  const {options, operands} = sortWords(argv.slice(1));
  if (!hasOption(options, 'f', '--force') || operands.length < 2) return untouched;
  const [at = '', ...sources] = expandPaths(operands, {directory, home}).toReversed();
  const into = isFolder(at) && !hasOption(options, 'T', '--no-target-directory');
  return overwrittenFiles(written(into ? sources.map(source => join(at, basename(source))) : [at]), 'replaces');
}

async function tee(command: SimpleCommand, ground: VictimGround) {
  const {options} = sortWords(command.argv.slice(1));
  return hasOption(options, 'a', '--append') ? untouched : overwrittenFiles(written(pathsOf(command, ground)));
}

/** `sed -i` and `perl -i`: what of their words is a file is changed. */
async function edited(command: SimpleCommand, ground: VictimGround) {
  const {options} = sortWords(command.argv.slice(1));
  const inPlace = options.some(option => /^-[a-zA-Z]*i|^--in-place/u.test(option));
  return inPlace
    ? overwrittenFiles(written(pathsOf(command, ground, ['-e', '-f', '--expression'])), 'changes')
    : untouched;
}

/** `rsync --delete` between folders of this machine: what is at the target and not at the source. */
async function mirrored({argv, directory}: SimpleCommand, ground: VictimGround) {
  const {options, operands} = sortWords(argv.slice(1), ['-e', '--rsh', '-f', '--filter', '--exclude', '--include']);
  const isDry = hasOption(options, 'n', '--dry-run');
  if (isDry || !options.some(option => /^--del(?:ete)?/u.test(option))) return untouched;
  if (operands.length < 2 || operands.some(operand => /^[^/]*:/u.test(operand))) return untouched;
  const [target = '', ...sources] = operands.toReversed();
  const [at = ''] = expandPaths([target], {directory, home: ground.home});
  const extra: string[] = [];
  for (const source of sources) {
    const [from = ''] = expandPaths([source], {directory, home: ground.home});
    extra.push(...beyond(from, source.endsWith('/') ? at : join(at, basename(from))));
  }
  const deleted = await deletedFiles(extra, ground);
  return options.some(option => /^--(?:exclude|include|filter)/u.test(option)) && deleted.summary !== ''
    ? {...deleted, summary: deleted.summary.replace(/^deletes /u, 'deletes up to ')}
    : deleted;
}

const mostFolders = 5000;

/** What lies in the folder `target` and has no partner in `source`. */
function beyond(source: string, target: string): readonly string[] {
  const found: string[] = [];
  const waiting: [string, string][] = [[source, target]];
  let folders = 0;
  for (let pair = waiting.pop(); pair !== undefined && folders < mostFolders; pair = waiting.pop()) {
    folders += 1;
    const [from, to] = pair;
    if (!isFolder(to)) continue;
    for (const name of readdirSync(to)) {
      if (!existsSync(join(from, name))) found.push(join(to, name));
      else if (statSync(join(to, name), {throwIfNoEntry: false})?.isDirectory())
        waiting.push([join(from, name), join(to, name)]);
    }
  }
  return found;
}
