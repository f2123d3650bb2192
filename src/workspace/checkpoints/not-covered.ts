import {accessSync, constants, lstatSync} from 'node:fs';
import {basename, relative} from 'node:path';
import type {TouchedFiles} from '../../domain/checkpoint.ts';
import type {SimpleCommand} from '../../domain/risk.ts';
import {expandPaths, hasOption, sortWords} from '../victims/operands.ts';
import {byteSize} from '../files/byte-size.ts';
import {realPath} from '../files/resolve-path.ts';
import {mostIgnoredFiles, scanLeftOut, type ScanPlace} from './scan-workspace.ts';

/** How many paths are looked at, and how many are named. */
const mostTouched = 200;
const mostNamed = 3;

/**
 * What is left out of checkpoints of the files that are about to be touched, in words: `data.bin (1.2 GB)`. What is not known in
 * time is not said.
 */
export async function notCovered(
  {paths, commands}: TouchedFiles,
  {limitMs, ...place}: Omit<ScanPlace, 'objects'> & {readonly limitMs: number},
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named = commands.flatMap(command => operandsOf(command, place.environment['HOME'] ?? '/'));
  const touched = [...paths, ...named].slice(0, mostTouched);
  if (touched.length === 0) return [];
  const found = await scanLeftOut(place, touched, AbortSignal.any([signal, AbortSignal.timeout(limitMs)]));
  const words = found.toSorted().map(path => describe(path, place.roots));
  return words.length > mostNamed ? [...words.slice(0, mostNamed), `${String(words.length - mostNamed)} more`] : words;
}

/** Where a destructive command does its work, as far as it says so. */
function operandsOf({argv, directory: written, overwrites}: SimpleCommand, home: string): readonly string[] {
  const directory = realPath(written);
  const [program, ...words] = argv;
  const {operands, options} = sortWords(words);
  const cleansIgnored = basename(program) === 'git' && operands[0] === 'clean' && hasOption(options, 'x', '--x');
  const named = expandPaths([...operands, ...overwrites], {directory, home});
  return cleansIgnored && operands.length === 1 ? [directory] : named;
}

function describe(path: string, roots: readonly string[]): string {
  const name = roots.map(root => relative(root, path)).find(each => !each.startsWith('..')) ?? path;
  const stats = lstatSync(path, {throwIfNoEntry: false});
  if (stats?.isFile() === true) return `${name} (${byteSize(stats.size)})`;
  return stats?.isDirectory() === true && isReadable(path)
    ? `${name} (more than ${String(mostIgnoredFiles)} files)`
    : name;
}

function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
