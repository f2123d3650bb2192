import {randomUUID} from 'node:crypto';
import {existsSync, lstatSync, readlinkSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {namesIn, neverMade, neverMadeAtHome, takeAway} from './bwrap.ts';
import type {SandboxPolicy, SandboxSession} from './sandbox.ts';

/** What is protected in the workspace, for backends that are told paths and know how to keep them. */
export interface GuardedPaths {
  /** They exist. */
  readonly readOnly: readonly string[];
  /** They do not, and must not come to be. */
  readonly missing: readonly string[];
  /** Repositories that can be committed to, in which some of the above lies. */
  readonly writable: readonly string[];
  /** To be called once, when nothing of the command runs any more. Returns sentences about what was taken away again. */
  release(): readonly string[];
}

/** Looks at what is there now; empty where the workspace as a whole is read-only. */
export function guardedPaths(policy: SandboxPolicy): GuardedPaths {
  if (policy.workspace === 'read-only') return {readOnly: [], missing: [], writable: [], release: () => []};
  const readOnly: string[] = [];
  const missing: string[] = [];
  const writable: string[] = [];
  const before = new Map<string, string>();
  for (const root of policy.roots) {
    for (const name of namesIn(root)) {
      const path = join(root, name);
      if (!policy.isProtected(name)) continue;
      const stats = lstatSync(path, {throwIfNoEntry: false});
      if (stats === undefined) continue;
      before.set(path, stats.isSymbolicLink() ? readlinkSync(path) : '');
      if (stats.isSymbolicLink() || stats.isSocket()) continue;
      if (name === '.git' && stats.isDirectory() && policy.repository === 'guarded') {
        if (existsSync(join(path, 'commondir'))) before.set(join(path, 'commondir'), '');
        writable.push(path);
        for (const part of ofRepository) {
          if (existsSync(join(path, part))) readOnly.push(join(path, part));
          // git would stop at an empty `commondir`: that is taken away afterwards.
          else if (part !== 'commondir') missing.push(join(path, part));
        }
      } else readOnly.push(path);
    }
    for (const name of root === policy.home ? [...neverMade, ...neverMadeAtHome] : neverMade) {
      const [first = ''] = name.split('/');
      const isThere = existsSync(join(root, first));
      const path = join(root, isThere ? name : first);
      if (existsSync(path)) readOnly.push(path);
      else missing.push(path);
    }
  }
  return {
    readOnly: [...new Set([...readOnly, ...policy.nested.filter(path => existsSync(path))])],
    missing,
    writable,
    release: () => policy.roots.flatMap(root => takeAway(root, before, policy)),
  };
}

/** Of a repository, what runs programs, decides which, or leads to another configuration. */
const ofRepository = ['hooks', 'config', 'config.worktree', 'modules', 'worktrees', 'commondir'];

/** The session as commands see it that find everything under the names that it has outside. */
export const inPlace = (session: SandboxSession): SandboxSession => ({
  ...session,
  scripts: {outside: session.scripts.outside, inside: session.scripts.outside},
  reports: {outside: session.reports.outside, inside: session.reports.outside},
});

/** Tells that a command has begun where the backend does not: the shell that starts it makes a file. */
interface BeginningMark {
  readonly argv: readonly [string, ...string[]];
  hasBegun(): boolean;
  remove(): void;
}

export function markBeginning(argv: readonly string[], {reports}: SandboxSession): BeginningMark {
  const file = join(reports.outside, `begun-${randomUUID()}`);
  let begun = false;
  return {
    argv: ['/bin/sh', '-c', ': >"$0"; exec "$@"', file, ...argv],
    hasBegun: () => (begun ||= existsSync(file)),
    remove: () => rmSync(file, {force: true}),
  };
}
