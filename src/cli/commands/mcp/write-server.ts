import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {JsonObject} from '../../../base/json.ts';
import {failed, ok, type Outcome, tryOr} from '../../../base/outcome.ts';
import {changeFile} from '../../../config/change-file.ts';
import {removeMember, setValue} from '../../../config/edit-json.ts';
import {setSetting, unsetSetting} from '../../../config/edit-settings.ts';
import {projectFileBounds, readBounded, serverScripts} from '../../../config/project-files.ts';
import {carryFileTrustOver, contentHash, recordFiles} from '../../../config/trust-record.ts';
import {type Fault, needsUser} from '../../../domain/fault.ts';
import {parseServersFile} from '../../../extensions/mcp/server-config.ts';
import {knownServers, projectServersFile} from '../../../app/known-servers.ts';
import {existingFolder} from '../../../app/run-context.ts';
import {trustPlace} from '../../../app/settings-layers.ts';
import {userPlaces} from '../../../app/user-data.ts';
import {carryTrustOverOrNote, ignoreInGit, requireInside, settingsIn, targetFile} from '../../../app/write-settings.ts';
import {unwrap} from '../../../app/exit-code.ts';
import {note} from '../../../app/output.ts';
import type {FolderOption} from '../../../app/main-options.ts';

/** The scopes of a server: for you in all projects, for everyone in this project, or for you in this project. */
export const serverScopes = ['user', 'project', 'local'] as const;
export type ServerScope = (typeof serverScopes)[number];

export interface InScope extends FolderOption {
  readonly scope?: ServerScope;
}

/** A server to write. `trust` is `given` if the user wrote the entry, and `asked-later` if the project did. */
interface NewServer {
  readonly name: string;
  readonly entry: JsonObject;
  readonly scope: ServerScope;
  readonly trust: 'given' | 'asked-later';
  readonly how?: 'add' | 'replace';
}

/** Writes an entry to the file of the scope and returns the file's path. Throws an error if the file already has the name. */
export async function writeServer(
  {name, entry, scope, trust, how = 'add'}: NewServer,
  cwd: string | undefined,
): Promise<string> {
  const directory = existingFolder(cwd ?? '.');
  const {servers} = await knownServers(directory);
  const path =
    scope === 'project'
      ? projectServersFile(directory)
      : targetFile({...(scope === 'user' ? {user: true} : {local: true}), ...(cwd === undefined ? {} : {cwd})}).path;
  if (how === 'add' && servers.some(server => server.name === name && server.path === path)) {
    throw new Error(`${name} is already in ${path}. Remove it first: weft mcp remove ${name} --scope ${scope}`);
  }
  if (scope === 'project') {
    await changeProjectServers(directory, trust, text =>
      ok(setValue(text.trim() === '' ? '{}\n' : text, ['mcpServers', name], entry)),
    );
    if (trust === 'given') await trustScripts(entry, directory);
    return path;
  }
  const before = settingsIn(cwd);
  unwrap(await setSetting({path, name: {key: 'mcpServers', part: name}}, entry));
  if (scope === 'local') {
    ignoreInGit(path);
    await carryTrustOverOrNote(before, {cwd, written: 'local'});
    await trustScripts(entry, directory);
  }
  return path;
}

/** Removes an entry from the file at `path`, which belongs to the scope. Returns the path. */
export async function deleteServer(
  {name, scope}: {readonly name: string; readonly scope: ServerScope},
  {cwd, path}: {readonly cwd: string | undefined; readonly path: string},
): Promise<string> {
  const directory = existingFolder(cwd ?? '.');
  if (path === projectServersFile(directory)) {
    await changeProjectServers(directory, 'given', text => ok(removeMember(text, ['mcpServers', name])));
    return path;
  }
  const before = settingsIn(cwd);
  unwrap(await unsetSetting({path, name: {key: 'mcpServers', part: name}}));
  if (scope !== 'user') await carryTrustOverOrNote(before, {cwd, written: scope});
  return path;
}

/** Changes `.mcp.json`. If it was trusted and `trust` is `given`, it stays trusted. A broken file is not changed. */
async function changeProjectServers(
  directory: string,
  trust: NewServer['trust'],
  change: (text: string) => Outcome<string, Fault>,
): Promise<void> {
  const path = projectServersFile(directory);
  requireInside(path, directory);
  const before = bytesOf(path);
  let after = '';
  unwrap(
    await changeFile(path, (given = '') => {
      const [, mark = '', body = ''] = /^(\u{feff}?)(.*)$/su.exec(given) ?? [];
      const found = body.trim() === '' ? ok({}) : parseServersFile(body);
      if (found.tag === 'failed' && !found.error.startsWith('it has no object')) {
        return failed(needsUser(`${path}: ${found.error}`, 'Fix the file first; nothing was changed.'));
      }
      const changed = change(body);
      if (changed.tag === 'failed') return changed;
      after = mark + changed.value;
      return ok(after);
    }),
  );
  if (trust === 'asked-later') return;
  const carried = unwrap(await carryFileTrustOver(trustPlace(directory, userPlaces()), {path, before, after}));
  if (carried === 'not-trusted') {
    note('this .mcp.json is not trusted, so its servers have no effect yet. Trust it: weft permissions trust');
  }
}

/** Trusts the project's files that the entry runs, in their current form, because the user has just named them. */
async function trustScripts(entry: JsonObject, directory: string): Promise<void> {
  const place = trustPlace(directory, userPlaces());
  const found = await Promise.all(
    serverScripts(entry, {...place, environment: process.env}).map(async name => {
      const read = await readBounded(join(place.folder, name), projectFileBounds.fileBytes);
      return read.kind === 'file' ? [[name, contentHash(read.bytes)] as const] : [];
    }),
  );
  const files = Object.fromEntries(found.flat());
  if (Object.keys(files).length > 0) unwrap(await recordFiles(place.record, {folder: place.folder, files, how: 'add'}));
}

const bytesOf = (path: string): Uint8Array | undefined => tryOr(() => readFileSync(path), undefined);
