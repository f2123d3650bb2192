import {constants} from 'node:fs';
import {type FileHandle, open, opendir, realpath, stat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {hasCode} from '../domain/fault.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {visibleExactLine} from '../base/visible.ts';
import {isOpenDatabase, openDatabaseReason} from './open-databases.ts';
import {serverRequest, variableReference} from './server-request.ts';
import {contentHash, extensionFolders, type FileTrust, nameInProject, type ProjectTrust} from './trust-record.ts';

/** Why a file of a project takes effect: how weft uses its content. */
export type ProjectFileKind = 'servers' | 'skill' | 'command' | 'agent' | 'plugin' | 'script';

/** A file of the project, other than its settings, whose content takes effect if the user trusts it. */
export interface ProjectFile {
  /** The path relative to the project's folder, with `/`. */
  readonly path: string;
  readonly kind: ProjectFileKind;
  readonly hash: string;
  /** The size in bytes. */
  readonly size: number;
  readonly trust: FileTrust;
  /** The real path of a link that leads out of the project. Empty for other files. */
  readonly leadsTo: string;
  /** The requests of the file, in words. Empty if the file's name says enough. */
  readonly asks: readonly string[];
}

export interface ProjectFileList {
  /** The files, sorted by path. */
  readonly files: readonly ProjectFile[];
  /** The files and folders that were not read, one sentence each. They are not trusted, whatever the user accepts. */
  readonly leftOut: readonly string[];
}

/**
 * The limits of one list: the number of files, the bytes of all files and of one file, and the depth of nested folders.
 * Files beyond them are left out.
 */
export const projectFileBounds = {files: 2000, bytes: 64 * 1024 * 1024, fileBytes: 16 * 1024 * 1024, depth: 8} as const;

export interface ProjectFileSearch extends ServerPlace {
  /** The user's home folder. Its `.agents` and `.claude` belong to the user, even if the home folder is the project. */
  readonly home: string;
  /** The commands of hooks in the project's settings. The project's scripts that these commands name take effect too. */
  readonly commands: readonly string[];
  /** The MCP servers in the project's settings. The project's files that start these servers take effect too. */
  readonly servers: readonly JsonObject[];
  /** The plugin folders that were named to weft. Folders outside the project are left out. */
  readonly plugins: readonly string[];
  readonly trustOf: (path: string, bytes: Uint8Array) => FileTrust;
}

/** The possible parts of the folders that extend weft. */
const parts = [
  ['skills', 'skill'],
  ['commands', 'command'],
  ['agents', 'agent'],
] as const satisfies readonly (readonly [string, ProjectFileKind])[];

/**
 * Lists the project's files that take effect if the user trusts them. Links are followed, each folder is read once, and
 * only regular files are opened. A project without such files costs only one check for each path.
 */
export async function listProjectFiles(search: ProjectFileSearch, signal: AbortSignal): Promise<ProjectFileList> {
  const list = new ListInProgress(search, signal);
  const servers = await list.add('.mcp.json', 'servers');
  const home = await realPathOf(search.home);
  for (const folder of extensionFolders) {
    if (search.folder === home && folder !== '.weft') continue;
    if ((await kindOf(join(search.folder, folder))) !== 'folder') continue;
    for (const [part, kind] of parts) {
      await list.addFolder(`${folder}/${part}`, kind);
    }
  }
  for (const plugin of search.plugins) {
    const name = nameInProject(plugin, search);
    if (name !== undefined) await list.addFolder(name, 'plugin');
  }
  const named = [...search.servers, ...(servers === undefined ? [] : serversIn(servers).map(([, server]) => server))];
  const scripts = [
    ...search.commands.flatMap(command => scriptsIn(command, search)),
    ...named.flatMap(server => serverScripts(server, search)),
  ];
  for (const script of new Set(scripts)) await list.add(script, 'script');
  return list.finish();
}

class ListInProgress {
  readonly #search: ProjectFileSearch;
  readonly #signal: AbortSignal;
  readonly #files = new Map<string, ProjectFile>();
  readonly #leftOut: string[] = [];
  readonly #seenFolders = new Set<string>();
  #bytes = 0;

  constructor(search: ProjectFileSearch, signal: AbortSignal) {
    this.#search = search;
    this.#signal = signal;
  }

  /** Adds a file, if there is one, and returns its text. */
  async add(path: string, kind: ProjectFileKind): Promise<string | undefined> {
    if (this.#files.has(path)) return undefined;
    if (this.#isFull()) {
      this.#leaveOutRest();
      return undefined;
    }
    const read = await readBounded(join(this.#search.folder, path), projectFileBounds.fileBytes);
    if (read.kind === 'none') return undefined;
    if (read.kind === 'refused') {
      this.#leftOut.push(`${path}: ${read.why}`);
      return undefined;
    }
    const {bytes} = read;
    this.#bytes += bytes.length;
    const text = kind === 'servers' ? bytes.toString('utf8') : '';
    this.#files.set(path, {
      path,
      kind,
      hash: contentHash(bytes),
      size: bytes.length,
      trust: this.#search.trustOf(path, bytes),
      leadsTo: await this.#leadsTo(path),
      asks: kind === 'servers' ? serverRequests(text) : [],
    });
    return text;
  }

  async addFolder(path: string, kind: ProjectFileKind, depth = 0): Promise<void> {
    if (this.#signal.aborted) return;
    const real = await realPathOf(join(this.#search.folder, path));
    if (real === undefined || this.#seenFolders.has(real)) return;
    if (depth > projectFileBounds.depth) {
      this.#leftOut.push(`${path}: folders inside folders, more than ${projectFileBounds.depth}`);
      return;
    }
    this.#seenFolders.add(real);
    for (const name of await namesIn(real)) {
      if (this.#signal.aborted) return;
      if (name === '.git' || name === 'node_modules') continue;
      if (this.#isFull()) {
        this.#leaveOutRest();
        return;
      }
      const inside = `${path}/${name}`;
      const found = await kindOf(join(real, name));
      if (found === 'folder') await this.addFolder(inside, kind, depth + 1);
      else if (found === 'file' && (kind === 'skill' || kind === 'plugin' || name.endsWith('.md')))
        await this.add(inside, kind);
    }
  }

  finish(): ProjectFileList {
    const files = [...this.#files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return {files, leftOut: [...new Set(this.#leftOut)]};
  }

  #isFull(): boolean {
    return this.#files.size >= projectFileBounds.files || this.#bytes >= projectFileBounds.bytes;
  }

  #leaveOutRest(): void {
    this.#leftOut.push(
      `more than ${projectFileBounds.files} files or ${projectFileBounds.bytes / 1024 / 1024} MB: the others are not used`,
    );
  }

  async #leadsTo(path: string): Promise<string> {
    const real = await realPathOf(join(this.#search.folder, path));
    return real === undefined || real.startsWith(`${this.#search.folder}/`) || this.#search.folder === '/' ? '' : real;
  }
}

/** Returns the names in a folder, in order, up to the limit of a list. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const {name} of await opendir(folder)) {
      names.push(name);
      if (names.length > projectFileBounds.files) break;
    }
  } catch {
    // An unreadable folder has no file that could take effect.
  }
  return names.toSorted();
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    const found = await stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'none';
  } catch {
    return 'none';
  }
}

const realPathOf = async (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);

type ReadFile =
  | {readonly kind: 'file'; readonly bytes: Buffer}
  | {readonly kind: 'none'}
  | {readonly kind: 'refused'; readonly why: string};

/** Reads a regular file of at most `maxBytes` bytes. Does not wait for pipes and devices. */
export async function readBounded(path: string, maxBytes: number): Promise<ReadFile> {
  let handle: FileHandle | undefined;
  try {
    if (isOpenDatabase(path)) return {kind: 'refused', why: openDatabaseReason};
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await handle.stat();
    if (!found.isFile()) return {kind: 'none'};
    const tooLong = {kind: 'refused', why: `it is larger than ${maxBytes / 1024 / 1024} MB`} as const;
    if (found.size > maxBytes) return tooLong;
    const buffer = Buffer.alloc(found.size + 1);
    let length = 0;
    for (;;) {
      const {bytesRead} = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0) return {kind: 'file', bytes: buffer.subarray(0, length)};
      if (length === buffer.length) return {kind: 'refused', why: 'it grew while it was read'};
    }
  } catch (cause) {
    return hasCode(cause, 'ENOENT', 'ENOTDIR', 'ENXIO') ? {kind: 'none'} : {kind: 'refused', why: 'it cannot be read'};
  } finally {
    await handle?.close();
  }
}

/** Returns a mark that changes whenever the file is written or replaced. Not even its owner can restore an old mark. */
export async function fileMark(path: string): Promise<string> {
  const found = await stat(path, {bigint: true}).catch(() => undefined);
  return found === undefined ? 'none' : `${found.dev}:${found.ino}:${found.ctimeNs}`;
}

/** Returns the files inside the project that a command line names. They need not exist. Files that only receive its output are left out. */
export function scriptsIn(
  command: string,
  place: {readonly directory: string; readonly folder: string},
): readonly string[] {
  return [
    ...new Set(
      wordsOf(command.replaceAll(outputFile, ' ')).flatMap(word => {
        const path = word.replaceAll(
          /\$(?:\{(?:CLAUDE|WEFT)_PROJECT_DIR(?::-[^}]*)?\}|(?:CLAUDE|WEFT)_PROJECT_DIR)/gu,
          () => place.folder,
        );
        if (/[$*?`]/u.test(path) || path.startsWith('-')) return [];
        const name = nameInProject(path, place);
        return name === undefined ? [] : [name];
      }),
    ),
  ];
}

/** Matches a redirection to a file with a plain name: `> file`, `2>> file`. */
const outputFile = /\d?>{1,2}\|?[ \t]*(?:[^\s"'\\;|&()<>`]+|"[^"\\`]*")/gu;

/** Returns the words of a shell command without their quotes. Does not expand anything. */
function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:[^\s"'\\;|&()<>=]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/gu) ?? [];
  return words
    .slice(0, maxWords)
    .map(word => word.replaceAll(/"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/gu, '$1$2$3'));
}

const maxWords = 200;

function serversIn(text: string): readonly (readonly [name: string, server: Json])[] {
  const json = parseJson(text);
  const servers = json.tag === 'ok' && isJsonObject(json.value) ? json.value['mcpServers'] : {};
  return isJsonObject(servers) ? Object.entries(servers) : [];
}

/** Returns the requests of a `.mcp.json`, one line for each server. */
const serverRequests = (text: string): readonly string[] =>
  serversIn(text).map(([name, server]) => serverRequest(name, server, 'project'));

/**
 * Returns the files inside the project from which the program of an MCP server may start. They need not exist. Variables have
 * their current values. Besides the named files, these are the files that an interpreter finds for a module or folder, and the
 * files that `npm run` and `make` read. Databases and similar data files are left out.
 */
export function serverScripts(server: Json, place: ServerPlace): readonly string[] {
  const {command, args, cwd} = isJsonObject(server) ? server : {};
  const given = [command, ...(isJsonList(args) ? args : [])].filter(word => typeof word === 'string');
  const words = given
    .map(word => withVariables(word, place))
    .flatMap(word => [...new Set([word, ...wordsOf(word)])])
    .slice(0, maxWords);
  const base = typeof cwd === 'string' ? resolve(place.folder, withVariables(cwd, place)) : place.folder;
  const paths = words.flatMap((word, at) => [
    ...(dataFile.test(word) ? [] : [word]),
    ...(isStarted(words, at) ? startingPoints.map(end => `${word}${end}`) : []),
    ...(words[at - 1] === '-m' ? [`${word.replaceAll('.', '/')}.py`, `${word.replaceAll('.', '/')}/__main__.py`] : []),
    ...(readByProgram.get(basename(word)) ?? []),
  ]);
  return [...new Set(paths)].flatMap(path => nameInProject(resolve(base, path), place) ?? []);
}

/** The project's path as the user gave it, its real path, and the variables that its servers may refer to. */
interface ServerPlace {
  readonly directory: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** True if the word is the script of the interpreter before it: the first word that isn't an option. */
function isStarted(words: readonly string[], at: number): boolean {
  const before = words.slice(0, at).findLast(word => !word.startsWith('-'));
  return before !== undefined && interpreter.test(basename(before));
}

const interpreter = /^(?:node(?:js)?|bunx?|deno|tsx|ts-node|npx|pnpx|uvx|python[\d.]*|run|exec|dlx)$/u;

/** The possible endings of a word after an interpreter: for a module without its ending, or for a folder. */
const startingPoints = ['.js', '.ts', '/package.json', '/index.js', '/__main__.py'] as const;

/** Matches files that servers read and write while they run. */
const dataFile = /\.(?:db3?|sqlite3?|duckdb|csv|tsv|parquet|jsonl|log|txt|md|pdf|png|jpe?g)$/iu;

/** The files in which programs look up what to run. */
const readByProgram: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['npm', ['package.json']],
  ['pnpm', ['package.json']],
  ['yarn', ['package.json']],
  ['bun', ['package.json']],
  ['make', ['GNUmakefile', 'makefile', 'Makefile']],
  ['just', ['justfile', '.justfile']],
]);

const withVariables = (text: string, {folder, environment}: ServerPlace): string =>
  text.replaceAll(variableReference, (_whole, name: string, otherwise: string | undefined) =>
    name === 'CLAUDE_PROJECT_DIR' || name === 'WEFT_PROJECT_DIR' ? folder : environment[name] || (otherwise ?? ''),
  );

/** The trust in the project's files that a hook or a server runs. */
export interface ScriptStanding {
  /** Why the hook or server may not run now, such as a script that changed since the project was trusted; empty if it may run. */
  readonly refusalReason: string;
  /** Changes whenever one of the files is written, whatever the new content is. */
  readonly mark: string;
}

/** Returns whether the user trusts all these files of the project, as far as they exist. */
export async function scriptStanding(names: readonly string[], trust: ProjectTrust): Promise<ScriptStanding> {
  const marks: string[] = [];
  for (const name of names) {
    const path = join(trust.folder, name);
    marks.push(await fileMark(path));
    const read = await readBounded(path, projectFileBounds.fileBytes);
    if (read.kind === 'none') continue;
    if (read.kind === 'refused') return {refusalReason: `its script ${name} cannot be checked: ${read.why}`, mark: ''};
    const state = trust.stateOf(name, read.bytes);
    if (state === 'trusted') continue;
    const why = state === 'changed' ? 'changed since you trusted this project' : 'is not trusted';
    return {refusalReason: `its script ${name} ${why} (review and trust it: weft permissions trust)`, mark: ''};
  }
  return {refusalReason: '', mark: marks.join()};
}

/** Names the files that are not trusted in one sentence. Empty if there are none. */
export function untrustedNotices({files}: ProjectFileList): readonly string[] {
  const untrusted = files.filter(({trust}) => trust !== 'trusted');
  const changed = untrusted.filter(({trust}) => trust === 'changed');
  if (untrusted.length === 0) return [];
  const shown = changed.length > 0 ? changed : untrusted;
  const names = shown.slice(0, maxNamed).map(({path}) => (basename(path) === 'SKILL.md' ? dirname(path) : path));
  const more = shown.length > names.length ? ` and ${shown.length - names.length} more` : '';
  const why = changed.length > 0 ? 'changed since you trusted this project' : 'you have not trusted this project';
  const verb = shown.length === 1 ? 'is' : 'are';
  return [
    `${visibleExactLine(names.join(', '))}${more} ${verb} not used: ${why} (review and trust it: weft permissions trust).`,
  ];
}

const maxNamed = 3;
