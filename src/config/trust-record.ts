import {createHash} from 'node:crypto';
import {isAbsolute, relative, resolve, sep} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {changeFile, readTextFile} from './change-file.ts';

/** A settings file of a project that takes effect if the user trusts the folder. */
export interface ActingFile {
  readonly name: string;
  readonly text: string;
}

/** Returns a hash of the names and every byte of the files. The order of the files does not matter. */
export function fingerprintOf(files: readonly ActingFile[]): string {
  const hash = createHash('sha256');
  for (const {name, text} of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(JSON.stringify([name, Buffer.byteLength(text)]));
    hash.update(text);
  }
  return `sha256:${hash.digest('hex')}`;
}

/**
 * Returns whether the user trusts this folder (an absolute path, links followed) with files that have this fingerprint.
 * `changed`: the user trusted other content. An unreadable record trusts nothing.
 */
export function trustIn(record: string, {folder, fingerprint}: TrustEntry): FileTrust {
  return stateOf(entriesIn(readTextFile(record)).folders, folder, fingerprint);
}

function stateOf(kept: Readonly<Record<string, string>>, name: string, hash: string): FileTrust {
  if (!Object.hasOwn(kept, name)) return 'never';
  return kept[name] === hash ? 'trusted' : 'changed';
}

export interface TrustEntry {
  readonly folder: string;
  readonly fingerprint: string;
}

/** Records that the user trusts the folder with these files. */
export const recordTrust = (record: string, {folder, fingerprint}: TrustEntry): Promise<Outcome<unknown, Fault>> =>
  changeFile(record, text => {
    const kept = entriesIn(ok(text));
    return ok(serialized({...kept, folders: {...kept.folders, [folder]: fingerprint}}));
  });

/** Forgets that the folder and its files are trusted, and the rules that the user added there. Returns `same` if nothing was recorded. */
export const forgetTrust = (record: string, folder: string): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeFile(record, text => {
    const {
      folders: {[folder]: known, ...folders},
      rules: {[folder]: added, ...rules},
      files: {[folder]: accepted, ...files},
    } = entriesIn(ok(text));
    const isUnknown = known === undefined && added === undefined && accepted === undefined;
    return ok(isUnknown ? text : serialized({folders, rules, files}));
  });

/** The folders of a project that contain skills, commands and agents. */
export const extensionFolders = ['.agents', '.weft', '.claude'] as const;

/** The paths in a project that may hold files that take effect only if the user trusts them. */
export const projectFilePlaces = ['.mcp.json', ...extensionFolders] as const;

/** Whether the user trusts a file of a project with certain bytes. `changed`: the user trusted the file with other bytes. */
export type FileTrust = 'trusted' | 'changed' | 'never';

/**
 * The only place that decides whether a file of the project may take effect (`.mcp.json`, skills, commands, agents,
 * plugins, scripts of hooks). Trust is bound to content: read the file once, ask about the bytes that you read, and use
 * exactly these bytes. A new file, a changed file, or a file outside the project is not trusted.
 */
export interface ProjectTrust {
  /** The project's folder, links followed. */
  readonly folder: string;
  /** Returns the trust in a file. `path` may be absolute or relative to the project's folder. Links in it are not followed. */
  stateOf(path: string, bytes: Uint8Array | string): FileTrust;
}

/** Reads the trust from `record` at the first question. `directory` is the project's path as the user gave it. */
export function projectTrust(where: {
  readonly directory: string;
  readonly folder: string;
  readonly record: string;
}): ProjectTrust {
  let accepted: Readonly<Record<string, string>> | undefined;
  return {
    folder: where.folder,
    stateOf(path, bytes) {
      const name = nameInProject(path, where);
      if (name === undefined) return 'never';
      accepted ??= acceptedFilesIn(where.record, where.folder);
      return stateOf(accepted, name, contentHash(bytes));
    },
  };
}

/** Returns the hashes of the files that the user accepted in the folder, by their path inside it, with `/`. */
function acceptedFilesIn(record: string, folder: string): Readonly<Record<string, string>> {
  const {files} = entriesIn(readTextFile(record));
  return Object.hasOwn(files, folder) ? (files[folder] ?? {}) : {};
}

/** Returns the path of a file inside the project, with `/`; `undefined` if it is outside. Does not follow links. */
export function nameInProject(
  path: string,
  {directory, folder}: {readonly directory: string; readonly folder: string},
): string | undefined {
  const names = [directory, folder].map(root => relative(root, resolve(folder, path)));
  const name = names.find(each => each !== '' && !isAbsolute(each) && each !== '..' && !each.startsWith(`..${sep}`));
  return name?.split(sep).join('/');
}

export const contentHash = (bytes: Uint8Array | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * Records that the user accepts these files of the folder with the content that has these hashes. `replace` forgets the
 * other files of the folder, because the user accepted a whole list. `add` keeps them, for a file that weft itself
 * wrote for the user.
 */
export const recordFiles = (
  record: string,
  {
    folder,
    files,
    how,
  }: {readonly folder: string; readonly files: Readonly<Record<string, string>>; readonly how: 'replace' | 'add'},
): Promise<Outcome<unknown, Fault>> =>
  changeFile(record, text => {
    const kept = entriesIn(ok(text));
    const before = how === 'add' && Object.hasOwn(kept.files, folder) ? kept.files[folder] : {};
    return ok(serialized({...kept, files: {...kept.files, [folder]: {...before, ...files}}}));
  });

/**
 * Keeps a file of the project trusted after weft wrote it at the user's own command (`weft mcp add --scope project`).
 * `before` is the earlier content, or `undefined` if there was no file. If the user had not accepted the earlier
 * content, the new content is not accepted either.
 */
export async function carryFileTrustOver(
  place: {readonly directory: string; readonly folder: string; readonly record: string},
  file: {readonly path: string; readonly before: Uint8Array | undefined; readonly after: Uint8Array | string},
): Promise<Outcome<'trusted' | 'not-trusted', Fault>> {
  const name = nameInProject(file.path, place);
  if (name === undefined) return ok('not-trusted');
  if (file.before !== undefined && projectTrust(place).stateOf(name, file.before) !== 'trusted')
    return ok('not-trusted');
  const recorded = await recordFiles(place.record, {
    folder: place.folder,
    files: {[name]: contentHash(file.after)},
    how: 'add',
  });
  return recorded.tag === 'failed' ? recorded : ok('trusted');
}

/**
 * Returns the rules in the folder's settings that the user added. They count even if the user doesn't trust the rest of
 * the files. The same rule in another folder's files gains nothing.
 */
export function ownRulesIn(record: string, folder: string): readonly string[] {
  const {rules} = entriesIn(readTextFile(record));
  return Object.hasOwn(rules, folder) ? (rules[folder] ?? []) : [];
}

/** Records these rules as the user's own in the folder, and forgets the earlier ones. */
export const recordOwnRules = (
  record: string,
  {folder, rules}: {readonly folder: string; readonly rules: readonly string[]},
): Promise<Outcome<unknown, Fault>> =>
  changeFile(record, text => {
    const kept = entriesIn(ok(text));
    const {[folder]: before, ...others} = kept.rules;
    if (rules.length === 0) return ok(before === undefined ? text : serialized({...kept, rules: others}));
    return ok(serialized({...kept, rules: {...others, [folder]: [...new Set(rules)]}}));
  });

const trustRecord = z.object({
  folders: z.record(z.string(), z.string()),
  rules: z.optional(z.record(z.string(), z.array(z.string()))),
  files: z.optional(z.record(z.string(), z.record(z.string(), z.string()))),
});

interface Entries {
  readonly folders: Readonly<Record<string, string>>;
  readonly rules: Readonly<Record<string, readonly string[]>>;
  /** For each folder, the hashes of the files that the user accepted, by their path in the folder. */
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function entriesIn(text: Outcome<string | undefined, unknown>): Entries {
  const json = text.tag === 'ok' && text.value !== undefined ? parseJson(text.value) : undefined;
  const parsed = trustRecord.safeParse(json?.tag === 'ok' ? json.value : undefined);
  if (!parsed.success) return {folders: {}, rules: {}, files: {}};
  const {folders, rules = {}, files = {}} = parsed.data;
  return {folders, rules, files};
}

const serialized = ({folders, rules, files}: Entries): string => {
  const filled = Object.entries({rules, files}).filter(([, entries]) => Object.keys(entries).length > 0);
  return `${JSON.stringify({folders, ...Object.fromEntries(filled)}, undefined, 2)}\n`;
};
