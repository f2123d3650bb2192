import {posix} from 'node:path';
import {
  dependencyHomes,
  type Folder,
  importsOnly,
  mayImport,
  mayNotImport,
  nodeModuleHomes,
  nodeModules,
} from './layers.ts';
import type {Import, SourceFile} from './source-file.ts';

/** Imports that break the table of layers, one sentence each. */
export function layerBreaks(file: SourceFile): readonly string[] {
  return file.imports.flatMap(({from}) => {
    const target = targetOf(file, from);
    return target === undefined || isOpenTo(file.path, target) ? [] : [`${file.path} may not import ${target}`];
  });
}

/** The places that the table opens to a folder and that none of its files imports. */
export function unusedPlaces(files: readonly SourceFile[]): readonly string[] {
  const used = Map.groupBy(
    files.flatMap(file => file.imports.flatMap(({from}) => ({folder: folderOf(file.path), to: targetOf(file, from)}))),
    ({folder}) => folder,
  );
  return folders.flatMap(folder => {
    const open: readonly string[] = mayImport[folder];
    return open.flatMap(place =>
      used.get(folder)?.some(({to}) => to !== undefined && isIn(to, place)) === true ? [] : [`${folder}: ${place}`],
    );
  });
}

/** Imports of packages and of Node's modules outside their homes, one sentence each. */
export function homeBreaks(file: SourceFile): readonly string[] {
  return file.imports.flatMap(used => (isRelative(used.from) ? [] : packageBreak(file, used)));
}

/** The packages (without sub-paths) a file imports. */
export const packagesOf = (file: SourceFile): readonly string[] =>
  file.imports.flatMap(({from}) => (isRelative(from) || from.startsWith('node:') ? [] : [packageName(from)]));

/** Rings of imports, those of types and `import()` included; each as the paths in order, starting with the smallest. */
export function importRings(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const next = new Map(files.map(file => [file.path, file.imports.flatMap(({from}) => targetOf(file, from) ?? [])]));
  const state = new Map<string, 'on-path' | 'done'>();
  const path: string[] = [];
  const rings: string[][] = [];
  const visit = (at: string): void => {
    if (state.get(at) === 'done') return;
    if (state.get(at) === 'on-path') {
      rings.push(fromSmallest(path.slice(path.indexOf(at))));
      return;
    }
    state.set(at, 'on-path');
    path.push(at);
    for (const target of next.get(at) ?? []) visit(target);
    path.pop();
    state.set(at, 'done');
  };
  for (const file of files) visit(file.path);
  return rings;
}

/** `src/tui/components/x.tsx` lies in `tui`; `undefined` outside the folders of `src`. */
export function folderOf(path: string): Folder | undefined {
  const [, name] = /^src\/([^/]+)\//u.exec(path) ?? [];
  return name === undefined ? undefined : folders.find(folder => folder === name);
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the literal are its folders
const folders = Object.keys(mayImport) as readonly Folder[];

const isRelative = (from: string): boolean => /^[./]/u.test(from);

/** The path from the root that a relative import means; `undefined` for packages. */
const targetOf = ({path}: SourceFile, from: string): string | undefined =>
  isRelative(from) ? posix.join(posix.dirname(path), from) : undefined;

function isOpenTo(path: string, target: string): boolean {
  const folder = folderOf(path);
  if (folder === undefined) return false;
  if (target === 'package.json') return folder === 'app';
  if (isOutOfRoom(path, target)) return false;
  if (folderOf(target) === folder) return !isClosedTo(path, target);
  const open: readonly string[] = mayImport[folder];
  return open.some(place => isIn(target, place));
}

const isClosedTo = (path: string, target: string): boolean =>
  Object.entries(mayNotImport).some(
    ([from, closed]) => path.startsWith(`src/${from}/`) && closed.some(place => target.startsWith(`src/${place}/`)),
  );

/** Whether the file belongs to a room of its own, and the room imports nothing from there. */
const isOutOfRoom = (path: string, target: string): boolean =>
  Object.entries(importsOnly).some(
    ([from, open]) => path.startsWith(`src/${from}/`) && !open.some(place => isIn(target, place)),
  );

const isIn = (target: string, place: string): boolean =>
  target === `src/${place}` || target.startsWith(`src/${place}/`);

function packageBreak({path}: SourceFile, {from, when}: Import): readonly string[] {
  const folder = folderOf(path);
  if (folder === undefined) return [];
  if (from.startsWith('node:')) {
    const reach = nodeModules[folder];
    if (reach === 'none' || (reach === 'types only' && when !== 'types')) return [`${path} may not import ${from}`];
    return outside(path, nodeModuleHomes[from] ?? [folder]) ? [`${path} is not the home of ${from}`] : [];
  }
  const homes = dependencyHomes[packageName(from)];
  if (homes === undefined) return [`${path} imports ${from}, which has no home in test/architecture/layers.ts`];
  return outside(path, homes) ? [`${path} is not the home of ${from}`] : [];
}

const outside = (path: string, homes: readonly string[]): boolean =>
  !homes.some(home => path.startsWith(`src/${home}/`));

const packageName = (from: string): string => from.split('/', from.startsWith('@') ? 2 : 1).join('/');

function fromSmallest(ring: readonly string[]): string[] {
  const start = ring.indexOf(ring.toSorted()[0] ?? '');
  return [...ring.slice(start), ...ring.slice(0, start)];
}
