import {execFileSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {failed, ok, type Outcome} from '../../../../src/base/outcome.ts';
import {isProtectedBelow} from '../../../../src/safety/paths/protected-paths.ts';
import {claude} from '../../../../src/workspace/sandbox/claude.ts';
import {codex} from '../../../../src/workspace/sandbox/codex.ts';
import type {BackendRequest, EnclosedStart, SandboxPolicy} from '../../../../src/workspace/sandbox/sandbox.ts';
import {openSession} from '../../../../src/workspace/sandbox/session.ts';
import {needs} from '../../../support/programs.ts';
import {temporaryFolder} from '../temporary-folder.ts';

// Neither program is needed: stand-ins show what each is told, which is all that keeps a command inside.

const argv = ['/bin/sh', '-c', 'echo "it\'s" $0', 'a b'] as const;

let path: string | undefined;
beforeEach(() => {
  path = process.env['PATH'];
});
afterEach(() => {
  process.env['PATH'] = path;
});

/** A workspace with a repository and another one in it, a home with a secret, and programs that PATH finds. */
function machine() {
  const folder = temporaryFolder();
  const at = (...names: readonly string[]): string => join(folder.path, ...names);
  for (const each of ['bin', 'work/.git/hooks', 'work/sub/deep/.git', 'home/.ssh', 'tools', 'elsewhere'])
    mkdirSync(at(each), {recursive: true});
  for (const each of ['work/.git/config', 'work/.envrc', 'work/secret']) writeFileSync(at(each), '');
  process.env['PATH'] = `${at('bin')}:${path}`;
  const session = openSession();
  const policy: SandboxPolicy = {
    roots: [at('work')],
    home: at('home'),
    workspace: 'writable',
    places: [],
    readChanges: async () => failed('no view'),
    repository: 'guarded',
    network: {kind: 'closed'},
    hidden: [at('home/.ssh'), at('home/.missing'), at('work/secret')],
    readable: [at('tools')],
    isProtected: isProtectedBelow,
    nested: [at('work/sub/deep/.git')],
    session,
  };
  const environment = {PATH: '/usr/bin', HOME: at('home'), KEPT: '1', SSH_AUTH_SOCK: '/s', HTTPS_PROXY: 'p', TMP: '/t'};
  return {
    at,
    session,
    program(name: string, text: string): void {
      writeFileSync(at('bin', name), text);
      chmodSync(at('bin', name), 0o755);
    },
    request: (more: Partial<SandboxPolicy> = {}): BackendRequest => ({
      argv,
      directory: at('work/sub'),
      environment,
      terminal: 'own',
      policy: {...policy, ...more},
    }),
    async [Symbol.asyncDispose](): Promise<void> {
      await session.close();
      folder[Symbol.dispose]();
    },
  };
}

function started(outcome: Outcome<EnclosedStart, string>): EnclosedStart {
  if (outcome.tag === 'failed') throw new Error(outcome.error);
  return outcome.value;
}

/** The command with the shell in front of it that tells when it has begun. */
const marked = (file: unknown): readonly unknown[] => ['/bin/sh', '-c', ': >"$0"; exec "$@"', file, ...argv];

const refusals = (name: 'codex' | 'claude') =>
  [
    [{workspace: 'held'}, `${name} can't hold back a command's changes`],
    [{roots: ['/']}, 'the workspace is the root of the disk, so nothing would be left to protect'],
  ] as const;

/** The rights that codex is told, of paths in `folder` and of those that it has names for. */
function rights(args: readonly string[], folder: string): Record<string, string> {
  const table = args.find(each => each.startsWith('permissions.weft.filesystem=')) ?? '';
  const pairs = Array.from(table.matchAll(/("(?:[^"\\]|\\.)*")="(\w+)"/gu), ([, file = '""', right = '']) => [
    String(JSON.parse(file)),
    right,
  ]);
  return Object.fromEntries(pairs.filter(([file = '']) => file.startsWith(':') || file.startsWith(folder)));
}

describe('codex', () => {
  const script = '#!/bin/sh\necho "codex-cli 0.99.1-beta"\n';

  test('is told what may be read and written, and nothing of the settings of the user reaches it', async () => {
    await using here = machine();
    here.program('codex', script);
    const server = createServer().listen(here.at('work/socket'));
    await once(server, 'listening');
    const {session} = here;
    const start = started(await codex.enclose(here.request()));
    server.close();
    expect(start).toMatchObject({kind: 'enclosed', view: 'direct', program: here.at('bin/codex')});
    const [profile, network] = start.args.filter(each => each.startsWith('permissions.'));
    const rest = start.args.slice(-9);
    expect(start.args).toEqual([
      'sandbox',
      '-P',
      'weft',
      '-C',
      here.at('work/sub'),
      '-c',
      profile,
      '-c',
      network,
      '--',
      ...marked(rest[4]),
    ]);
    expect(network).toBe('permissions.weft.network.enabled=false');
    expect(rights(start.args, here.at())).toEqual({
      ':root': 'read',
      [here.at('tools')]: 'read',
      [here.at('home/.ssh')]: 'deny',
      [here.at('work/secret')]: 'deny',
      ...(process.platform === 'linux' ? {[here.at('work/socket')]: 'deny'} : {}),
      [here.at('work')]: 'write',
      [here.at('work/.git')]: 'write',
      [here.at('work/sub')]: 'write',
      [here.at('work/.git/hooks')]: 'read',
      [here.at('work/.git/config')]: 'read',
      [here.at('work/.envrc')]: 'read',
      [here.at('work/sub/deep/.git')]: 'read',
    });
    expect(rights(start.args, session.folder)).toEqual({
      ':root': 'read',
      [session.folder]: 'read',
      [session.tmp]: 'write',
      [session.reports.outside]: 'write',
    });
    expect(start.environment).toEqual({
      PATH: '/usr/bin',
      HOME: here.at('home'),
      KEPT: '1',
      CODEX_HOME: join(session.folder, 'codex'),
      TMPDIR: session.tmp,
      XDG_CACHE_HOME: join(session.tmp, '.cache'),
      WEFT_INSIDE: 'codex',
    });
    expect(existsSync(join(session.folder, 'codex'))).toBe(true);
    const places = {
      scripts: {outside: session.scripts.outside, inside: session.scripts.outside},
      reports: {outside: session.reports.outside, inside: session.reports.outside},
    };
    expect([start.prelude, start.litter]).toEqual([expect.objectContaining(places), [session.folder]]);
  });

  test('a command that only reads may write to its own folders alone', async () => {
    await using here = machine();
    here.program('codex', script);
    const {args} = started(await codex.enclose(here.request({workspace: 'read-only'})));
    expect(rights(args, here.at())).toEqual({
      ':root': 'read',
      [here.at('tools')]: 'read',
      [here.at('home/.ssh')]: 'deny',
      [here.at('work/secret')]: 'deny',
      [here.at('work')]: 'read',
    });
  });

  test('what it starts has begun when its shell has, and leaves no trace of that', async () => {
    await using here = machine();
    here.program('codex', script);
    const start = started(await codex.enclose(here.request()));
    const [program = '', ...args] = start.args.slice(-8);
    const file = args[2] ?? '';
    expect([start.hasBegun(), dirname(file)]).toEqual([false, here.session.reports.outside]);
    expect(execFileSync(program, args, {encoding: 'utf8'})).toBe("it's a b\n");
    expect([start.hasBegun(), start.release(), existsSync(file), start.hasBegun()]).toEqual([true, [], false, true]);
  });

  test.each(refusals('codex'))('is not asked for %j', async (policy, error) => {
    await using here = machine();
    here.program('codex', script);
    expect(await codex.enclose(here.request(policy))).toEqual(failed(error));
  });

  test('says its version', async () => {
    await using here = machine();
    here.program('codex', script);
    expect(await codex.find()).toEqual(ok({version: '0.99.1-beta'}));
  });
});

describe('claude', () => {
  beforeEach(needs('bwrap'));
  beforeEach(needs('socat'));

  /** Stands for the package: writes down what it is asked, and encloses in `env`. */
  const index = `
const {appendFileSync} = require('node:fs');
const note = (...words) => appendFileSync(require('node:path').join(__dirname, 'calls'), JSON.stringify(words) + '\\n');
exports.SandboxManager = {
  async initialize(settings) { note('initialize', settings); },
  async wrapWithSandboxArgv(command, shell, settings, signal, directory, options) {
    note('wrap', command, shell, settings, signal === undefined, directory === undefined, options);
    if (require('node:fs').existsSync(__dirname + '/broken')) throw new Error('no user namespaces');
    return {argv: ['/usr/bin/env', shell, '-c', command]};
  },
  cleanupAfterCommand() { note('cleanup'); },
  async reset() { note('reset'); },
};`;

  function install(here: ReturnType<typeof machine>, described: object): void {
    mkdirSync(here.at('runtime/dist'), {recursive: true});
    writeFileSync(here.at('runtime/package.json'), JSON.stringify(described));
    writeFileSync(here.at('runtime/dist/index.js'), index);
    writeFileSync(here.at('runtime/dist/cli.js'), '');
    chmodSync(here.at('runtime/dist/cli.js'), 0o755);
    symlinkSync(here.at('runtime/dist/cli.js'), here.at('bin/srt'));
  }
  const name = '@anthropic-ai/sandbox-runtime';
  const how = `npm install -g ${name}@0.0.83`;

  test.each([
    [{name, version: '0.0.83'}, () => ok({version: '0.0.83'})],
    [{name, version: '0.0.84'}, () => failed(`version "0.0.84" is installed, but weft supports only 0.0.83 (${how})`)],
    [{name: 'srt', version: '0.0.83'}, (srt: string) => failed(`${srt} is a different program (${how})`)],
  ])('of %j weft takes the version that it knows alone', async (described, expected) => {
    await using here = machine();
    install(here, described);
    expect(await claude.find()).toEqual(expected(here.at('bin/srt')));
    if (described.version === '0.0.83' && described.name === name) return;
    expect(await claude.enclose(here.request())).toEqual(expected(here.at('bin/srt')));
  });

  test('is told what may be read and written; it starts once, cleans up after each command, and ends', async () => {
    await using here = machine();
    install(here, {name, version: '0.0.83'});
    const {session} = here;
    mkdirSync(here.at('home/.config/git'), {recursive: true});
    writeFileSync(here.at('home/.config/git/ignore'), '*.swp');
    const calls = (): readonly unknown[][] =>
      readFileSync(here.at('runtime/dist/calls'), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line));
    const start = started(await claude.enclose(here.request()));
    const readOnly = started(await claude.enclose(here.request({workspace: 'read-only'})));
    const [initialize, wrap, second] = calls();
    const filesystem = {
      denyRead: [here.at('home/.ssh'), here.at('work/secret')],
      allowRead: [here.at('work'), here.at('tools'), session.folder],
      allowWrite: [here.at('work'), session.tmp, session.reports.outside],
      denyWrite: [
        here.at('work/.envrc'),
        here.at('work/.git/hooks'),
        here.at('work/.git/config'),
        here.at('work/sub/deep/.git'),
      ],
    };
    const network = {allowedDomains: [], deniedDomains: [], strictAllowlist: true};
    expect(initialize).toEqual(['initialize', {network, filesystem, ripgrep: {command: expect.any(String)}}]);
    expect(wrap?.[3]).toEqual({filesystem});
    expect(second?.[3]).toEqual({
      filesystem: {...filesystem, allowWrite: [session.tmp, session.reports.outside], denyWrite: []},
    });
    // The command itself is told to nobody inside.
    expect([wrap?.[2], wrap?.slice(4)]).toEqual([
      '/bin/sh',
      [true, true, {commandId: expect.stringMatching(/^[\da-f-]{36}$/u), commandText: ''}],
    ]);
    expect(start).toMatchObject({kind: 'enclosed', view: 'direct', program: '/usr/bin/env', litter: [session.folder]});
    expect(start.environment).toEqual({
      PATH: '/usr/bin',
      HOME: here.at('home'),
      KEPT: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.excludesFile',
      GIT_CONFIG_VALUE_0: join(session.scripts.outside, 'excludes'),
      XDG_CACHE_HOME: join(session.tmp, '.cache'),
      WEFT_INSIDE: 'claude',
    });
    const ignored = readFileSync(join(session.scripts.outside, 'excludes'), 'utf8').split('\n');
    expect([ignored.slice(0, 2), ignored.includes('.mcp.json')]).toEqual([['*.swp', '.gitconfig'], true]);

    // What it wraps is the command, word for word, with the temporary folder of the session.
    const output = execFileSync(start.program, [...start.args], {encoding: 'utf8'});
    expect(String(wrap?.[1]).startsWith(`TMPDIR='${session.tmp}' exec '/bin/sh' `)).toBe(true);
    expect([output, start.hasBegun(), readOnly.hasBegun()]).toEqual(["it's a b\n", true, false]);
    expect([start.release(), readOnly.release()]).toEqual([[], []]);
    writeFileSync(here.at('runtime/dist/broken'), '');
    expect(await claude.enclose(here.request())).toEqual(
      failed('the sandbox could not be started: no user namespaces'),
    );
    await claude.close();
    await claude.close();
    await claude.enclose(here.request());
    await claude.close();
    const order = 'initialize wrap wrap cleanup cleanup wrap reset initialize wrap reset';
    expect(calls().map(([what]) => what)).toEqual(order.split(' '));
    for (const [policy, error] of refusals('claude')) {
      expect(await claude.enclose(here.request(policy))).toEqual(failed(error));
    }
  });
});
