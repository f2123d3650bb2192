import {existsSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {failed, ok} from '../../base/outcome.ts';
import {findProgram} from '../exec/trusted-path.ts';
import {listeningSockets, versionOf, withoutWaysOut} from './bwrap.ts';
import {directPolicy, guardedPaths, markBeginning} from './guarded-paths.ts';
import type {EnclosedStart, SandboxPolicy, SandboxProvider} from './sandbox.ts';

/**
 * `codex sandbox` (npm package @openai/codex), where it is installed: a bubblewrap of its own with a filter of system calls on Linux,
 * Seatbelt on macOS. It is told what commands may do as a permission profile on its command line; a `CODEX_HOME` of the session keeps the
 * user's own settings of Codex out, which could widen it. It reaches no network, also where hosts are allowed.
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
    const mark = markBeginning(argv, session);
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
        ...withoutWaysOut(environment),
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

/** What may be read and written, as an inline table of TOML: of two paths that hold a file the longer one decides. */
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
