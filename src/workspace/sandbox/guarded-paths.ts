import {randomUUID} from 'node:crypto';
import {existsSync, lstatSync, rmSync} from 'node:fs';
import {join, relative} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {listFolder} from '../files/list-folder.ts';
import {containsPath} from '../files/resolve-path.ts';
import type {SandboxPolicy, SandboxProvider, SandboxSession} from './sandbox.ts';

/**
 * The protected paths of the workspace that exist when a command starts. Missing paths are not guarded, because weft
 * creates nothing for them.
 */
export interface GuardedPaths {
  /** Folders with something protected in them. Each is mounted over itself, so it can't be renamed. */
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
  /**
   * Files that would lead git to another configuration, and that no ordinary repository has. weft removes them if a command creates them.
   */
  readonly forbiddenFiles: readonly string[];
}

/** Returns the guarded paths; none if the whole workspace is read-only. */
export function guardedPaths(policy: SandboxPolicy): GuardedPaths {
  if (policy.workspace === 'read-only') return {writable: [], readOnly: [], forbiddenFiles: []};
  const writable: string[] = [];
  const readOnly: string[] = [];
  const forbiddenFiles: string[] = [];
  for (const root of policy.roots) {
    for (const {name} of listFolder(root)) {
      const path = join(root, name);
      if (!policy.isProtected(name)) continue;
      const stats = lstatSync(path, {throwIfNoEntry: false});
      if (stats === undefined || stats.isSymbolicLink() || stats.isSocket()) continue;
      if (name === '.git' && stats.isDirectory() && policy.repository === 'guarded') {
        writable.push(path);
        if (!existsSync(join(path, 'commondir'))) forbiddenFiles.push(join(path, 'commondir'));
        readOnly.push(...repositoryParts.map(part => join(path, part)).filter(part => existsSync(part)));
      } else readOnly.push(path);
    }
    for (const path of policy.nested) {
      if (!containsPath(root, path) || !existsSync(path)) continue;
      writable.push(join(root, relative(root, path).split('/', 1)[0] ?? ''));
      readOnly.push(path);
    }
  }
  return {writable: [...new Set(writable)], readOnly: [...new Set(readOnly)], forbiddenFiles};
}

/** The parts of a repository that run programs, choose them, or lead to another configuration. */
const repositoryParts = ['hooks', 'config', 'config.worktree', 'modules', 'worktrees', 'commondir'];

export const rootWorkspaceProblem = 'the workspace is the root of the disk, so nothing would be left to protect';

/** Returns the policy for a backend without a copy-on-write view. Its commands see all paths under their outside names. */
export function directPolicy(
  name: SandboxProvider['name'],
  {session, ...policy}: SandboxPolicy,
): Outcome<SandboxPolicy, string> {
  if (policy.roots.includes('/')) return failed(rootWorkspaceProblem);
  if (policy.workspace === 'held') return failed(`${name} can't hold back a command's changes`);
  const {scripts, reports} = session;
  const inPlace = {
    scripts: {...scripts, inside: scripts.outside},
    reports: {...reports, inside: reports.outside},
  };
  return ok({...policy, session: {...session, ...inPlace}});
}

/** Shows that a command has begun, for a backend that does not report it: the shell that starts the command creates a file. */
interface StartMarker {
  readonly argv: readonly [string, ...string[]];
  hasBegun(): boolean;
  remove(): void;
}

export function makeStartMarker(argv: readonly string[], {reports}: SandboxSession): StartMarker {
  const file = join(reports.outside, `begun-${randomUUID()}`);
  let begun = false;
  return {
    argv: ['/bin/sh', '-c', ': >"$0"; exec "$@"', file, ...argv],
    hasBegun: () => (begun ||= existsSync(file)),
    remove: () => rmSync(file, {force: true}),
  };
}
