import {existsSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {failed, ok} from '../../base/outcome.ts';
import {findProgram} from '../exec/trusted-path.ts';
import {listeningSockets, versionOf, withoutOutsideAccess} from './bwrap.ts';
import {directPolicy, guardedPaths, makeStartMarker} from './guarded-paths.ts';
import type {EnclosedStart, SandboxPolicy, SandboxProvider} from './sandbox.ts';

/**
 * `codex sandbox` (npm package @openai/codex), if installed: its own bubblewrap with a system call filter on Linux,
 * Seatbelt on macOS. weft passes a permission profile on its command line. A `CODEX_HOME` of the session keeps out the
 * user's own Codex settings, which could widen the profile. It provides no network, even if hosts are allowed.
 */
export const codex: SandboxProvider = {
  name: 'codex',
  async find() {
    const program = findProgram('codex');
    if (program === undefined) return failed('codex is not installed (npm install -g @openai/codex)');
    return versionOf(program, {form: /\d+\.\d+\.\d+\S*/u, limitMs: 20_000});
  },
  async enclose({policy: given, argv, directory, environment}) {
    const program = findProgram('codex');
    if (program === undefined) return failed('codex is not installed');
    const placed = directPolicy('codex', given);
    if (placed.tag === 'failed') return placed;
    const policy = placed.value;
    const {session} = policy;
    const home = join(session.folder, 'codex');
    mkdirSync(home, {recursive: true, mode: 0o700});
    const mark = makeStartMarker(argv, session);
    const settings = {
      'permissions.weft.filesystem': fileTable(policy),
      'permissions.weft.network.enabled': 'false',
    };
    const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    return ok({
      kind: 'enclosed',
      view: 'direct',
      program,
      args: ['sandbox', '-P', 'weft', '-C', directory, ...args, '--', ...mark.argv],
      environment: {
        ...withoutOutsideAccess(environment),
        CODEX_HOME: home,
        TMPDIR: session.tmp,
        XDG_CACHE_HOME: join(session.tmp, '.cache'),
        WEFT_INSIDE: 'codex',
      },
      prelude: session,
      litter: [session.folder],
      hasBegun: () => mark.hasBegun(),
      release() {
        mark.remove();
        return [];
      },
    } satisfies EnclosedStart);
  },
  close: async () => {},
};

/** Returns the readable and writable paths as an inline TOML table. The longest path that contains a file decides about it. */
function fileTable(policy: SandboxPolicy): string {
  const {readOnly, writable} = guardedPaths(policy);
  const {roots, session, hidden, readable, workspace} = policy;
  const access = new Map<string, 'read' | 'write' | 'deny'>([[':root', 'read']]);
  for (const path of readable) access.set(path, 'read');
  for (const path of [...hidden, ...listeningSockets(policy, {covered: [], bare: roots})])
    if (existsSync(path)) access.set(path, 'deny');
  for (const root of roots) access.set(root, workspace === 'writable' ? 'write' : 'read');
  for (const path of writable) access.set(path, 'write');
  for (const path of readOnly) if (access.get(path) !== 'deny') access.set(path, 'read');
  access.set(session.folder, 'read');
  access.set(session.tmp, 'write');
  access.set(session.reports.outside, 'write');
  return `{${[...access].map(([path, right]) => `${JSON.stringify(path)}=${JSON.stringify(right)}`).join(',')}}`;
}
