import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {visibleExactLine} from '../base/visible.ts';
import type {Sourced, TrustedSettings} from '../config/merge-settings.ts';
import type {ProjectFile, ProjectFileList} from '../config/project-files.ts';
import {projectFilePlaces, projectTrust, recordFiles, recordTrust} from '../config/trust-record.ts';
import {confines} from '../domain/sandbox.ts';
import {insideWords} from '../config/project-rights.ts';
import {causeText, type Fault, faultText, needsUser} from '../domain/fault.ts';
import {unwrap} from './exit-code.ts';
import type {FolderTrustPort} from './host-services.ts';

export interface TrustContext {
  readonly directory: string;
  readonly folder: string;
  readonly record: string;
  readonly plugins: readonly string[];
}

/** Makes the trust port of a folder. `readAgain` reads its settings when the user accepts, because weft may have added a rule since. */
export function folderTrust(
  settings: TrustedSettings,
  place: TrustContext,
  readAgain: () => Outcome<TrustedSettings, Fault>,
): FolderTrustPort {
  const {folder, record} = place;
  let shown: ProjectFileList | undefined;
  const list = () => projectFilesOf(settings, place);
  return {
    async show() {
      shown = await list();
      return {state: trustState(settings.trust, shown), text: await trustCard(settings, shown, place)};
    },
    async accept() {
      const {trust, trustRequests} = settings;
      const files = shown ?? (await list());
      const state = trustState(trust, files);
      if (state === 'nothing' || state === 'trusted') return trustText(settings, files, folder);
      const may = await checkOutsideWeft('Trust in a folder');
      if (may.tag === 'failed') return faultText(may.error);
      const now = read(readAgain);
      if (now.tag === 'failed') return faultText(now.error);
      if (!isSame(now.value.trustRequests, trustRequests)) {
        return `Not trusted: the settings of ${visibleExactLine(folder)} changed since weft started. Restart weft to review them.`;
      }
      const recorded = await acceptFolder(now.value, files, {folder, record});
      if (recorded.tag === 'failed') return faultText(recorded.error);
      return `${visibleExactLine(folder)} is trusted from the next start of weft. If its settings or files change, weft asks again.`;
    },
    async untrustedFiles() {
      const {hookCommands, projectServers, projectPlugins} = settings;
      const isBare = hookCommands.length === 0 && projectServers.length === 0 && projectPlugins.length === 0;
      if (isBare && place.plugins.length === 0 && !mayHaveFiles(place.folder)) return [];
      return (await import('../config/project-files.ts')).untrustedNotices(await list());
    },
  };
}

/** True if the folder has a location for files that need trust. In a project without such files, this cheap check is the only cost. */
const mayHaveFiles = (folder: string): boolean => projectFilePlaces.some(name => existsSync(join(folder, name)));

/** Lists the folder's files, besides its settings, that need trust, and the trust recorded for each. */
export async function projectFilesOf(settings: TrustedSettings, place: TrustContext): Promise<ProjectFileList> {
  const {listProjectFiles} = await import('../config/project-files.ts');
  const trust = projectTrust(place);
  return listProjectFiles(
    {
      ...place,
      plugins: [...new Set([...place.plugins, ...settings.projectPlugins])],
      home: homedir(),
      commands: settings.hookCommands,
      servers: settings.projectServers,
      environment: process.env,
      trustOf: (path, bytes) => trust.stateOf(path, bytes),
    },
    new AbortController().signal,
  );
}

/** Records that the user trusts the folder's settings and these files. */
export async function acceptFolder(
  settings: TrustedSettings,
  {files}: ProjectFileList,
  {folder, record}: Pick<TrustContext, 'folder' | 'record'>,
): Promise<Outcome<unknown, Fault>> {
  if (settings.trust !== 'nothing') {
    const recorded = await recordTrust(record, {folder, fingerprint: settings.fingerprint});
    if (recorded.tag === 'failed' || files.length === 0) return recorded;
  }
  const hashes = Object.fromEntries(files.map(({path, hash}) => [path, hash]));
  return recordFiles(record, {folder, files: hashes, how: 'replace'});
}

/** Combines the trust in the settings and in the files into one state. */
export function trustState(settings: TrustedSettings['trust'], {files}: ProjectFileList): TrustedSettings['trust'] {
  const states = [settings, ...files.map(({trust}) => trust)];
  return (['changed', 'never', 'trusted'] as const).find(state => states.includes(state)) ?? 'nothing';
}

/** Describes what trust in a folder grants, in several lines. Adds a warning if this machine has no sandbox. */
export async function trustCard(
  settings: TrustedSettings,
  list: ProjectFileList,
  {directory, folder}: Pick<TrustContext, 'directory' | 'folder'>,
): Promise<string> {
  const text = trustText(settings, list, folder);
  if (!text.includes(insideWords)) return text;
  const {folderSandbox} = await import('./command-sandbox.ts');
  const sandbox = folderSandbox(directory);
  const proof = await sandbox.proof();
  await sandbox.close();
  return confines(proof) ? text : `${text}\n${noSandbox}`;
}

const noSandbox =
  'weft has no sandbox here (weft sandbox test says why), so hooks and servers run with all your permissions.';

function trustText(settings: TrustedSettings, list: ProjectFileList, folder: string): string {
  const {trust, trustRequests} = settings;
  const aboutSettings =
    trustRequests.length > 0 || list.files.length === 0
      ? [heading(trust, folder), ...trustRequests.map(requestLine)]
      : [];
  if (list.files.length === 0) return [...aboutSettings, ...list.leftOut.map(leftOutLine)].join('\n');
  const all = trustState('nothing', list);
  const lines = fileLines(list.files);
  const more = lines.length - maxLines;
  return [
    ...aboutSettings,
    filesHeading(all === 'nothing' ? 'never' : all, folder),
    ...lines.slice(0, maxLines),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...list.leftOut.map(leftOutLine),
  ].join('\n');
}

const maxLines = 100;
const leftOutLine = (text: string): string => `  not used: ${visibleExactLine(text)}`;

function filesHeading(trust: ProjectFile['trust'], folder: string): string {
  const where = visibleExactLine(folder);
  switch (trust) {
    case 'trusted':
      return `You trust the files in ${where} that take effect:`;
    case 'changed':
      return `Files of ${where} changed since you trusted them:`;
    case 'never':
      return `Files in ${where} that take effect if you trust them:`;
    default:
      return unreachable(trust);
  }
}

/** Returns one line per file, or one line for all files of a skill or plugin folder. */
function fileLines(files: readonly ProjectFile[]): readonly string[] {
  const groups = Map.groupBy(files, file => groupOf(file));
  return [...groups].flatMap(([name, members]) => {
    const changed = members.filter(({trust}) => trust === 'changed').map(({path}) => path);
    const kind = members.map(member => kindWords[member.kind])[0] ?? '';
    const isNew = members.some(({trust}) => trust === 'never');
    const count = members.length > 1 ? ` (${members.length} files)` : '';
    const news = changed.length > 0 ? `, changed: ${changed.slice(0, 3).join(', ')}` : isNew ? ', new' : '';
    const links = members.flatMap(({leadsTo}) => (leadsTo === '' ? [] : [leadsTo]));
    const linked = links.length > 0 ? `, a link to ${links.slice(0, 2).join(', ')}` : '';
    return [
      `  ${visibleExactLine(`${kind} ${name}${count}${news}${linked}`)}`,
      ...members.flatMap(({asks}) => asks.map(ask => `    ${visibleExactLine(ask)}`)),
    ];
  });
}

const kindWords = {
  servers: 'MCP servers',
  skill: 'skill',
  command: 'command',
  agent: 'agent',
  plugin: 'plugin',
  script: 'script',
} as const satisfies Record<ProjectFile['kind'], string>;

/** Returns the group of a file: for a skill, its folder. */
const groupOf = ({kind, path}: ProjectFile): string =>
  kind === 'skill' ? path.split('/').slice(0, 3).join('/') : path;

function read(readAgain: () => Outcome<TrustedSettings, Fault>): Outcome<TrustedSettings, Fault> {
  try {
    return readAgain();
  } catch (cause) {
    return failed(needsUser(`Not trusted: ${causeText(cause)}`, ''));
  }
}

/** True if two lists of requests are equal, source by source. */
const isSame = (some: readonly Sourced<string>[], others: readonly Sourced<string>[]): boolean =>
  some.length === others.length &&
  some.every(({value, source}, at) => value === others[at]?.value && source === others[at].source);

const requestLine = ({value, path}: Sourced<string>): string =>
  `  ${visibleExactLine(value)}   (${visibleExactLine(path)})`;

function heading(trust: TrustedSettings['trust'], folder: string): string {
  const where = visibleExactLine(folder);
  switch (trust) {
    case 'nothing':
      return `Nothing to trust: the settings and files of ${where} ask for nothing special.`;
    case 'trusted':
      return `You trust ${where}. Its settings:`;
    case 'changed':
      return `The settings of ${where} changed since you trusted them. They ask to:`;
    case 'never':
      return `The settings of ${where} ask to:`;
    default:
      return unreachable(trust);
  }
}

/**
 * Fails inside a command that weft runs for a model, and in a weft process that such a command starts. Only the user
 * may change what weft is allowed to do. `what` names the action as the subject of a sentence.
 */
export async function checkOutsideWeft(what: string): Promise<Outcome<undefined, Fault>> {
  const {isStartedByWeft} = await import('../workspace/exec/run-tag.ts');
  if (!(await isStartedByWeft(process.env))) return ok(undefined);
  return failed(
    needsUser(
      `${what} changes what weft is allowed to do, so a command that weft runs can't do it`,
      'Nothing was changed. Run it in your own terminal.',
    ),
  );
}

/** Throws an error if `checkOutsideWeft` fails. */
export async function requireOutsideWeft(what: string): Promise<void> {
  unwrap(await checkOutsideWeft(what));
}
