// @module-tag long
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:net';
import {dirname, join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {running} from '../support/processes.ts';
import {needs} from '../support/programs.ts';
import {putFile} from '../support/put-file.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, toldResults} from '../support/scene.ts';
import {
  auto,
  byPrompt,
  filesOf,
  git,
  makeRepository,
  skipWithoutOverlay,
  treeOf,
  waitingPoint,
} from './support/overlay.ts';

beforeEach(needs('bwrap', 'unshare', 'git', 'setsid'));

const acceptEdits = ['--permission-mode', 'acceptEdits'] as const;

describe('a link that a build leaves behind', () => {
  /** `$OUT` is a folder outside. What leads out is never applied, however many links are between. */
  const links: Readonly<Record<string, string>> = {
    'to a folder outside, in place of one': 'mv d old; ln -s "$OUT" d',
    'in ignored output': 'mkdir -p dist; ln -s "$OUT" dist/l',
    'by a relative path': 'ln -s ../"$(basename "$(dirname "$OUT")")/$(basename "$OUT")" l; ln -s ../../../../.. up',
    'through another link': 'ln -s two one; ln -s three two; ln -s "$OUT" three',
    'through a link that was there': 'ln -s there/x l',
    'through a folder that becomes a link': 'ln -s d/sub l; mv d old; ln -s "$OUT" d',
    'moved to where it leads out': 'mkdir -p q/r; ln -s ../../f q/r/l; mv q/r/l l',
    'which is dangling': 'ln -s "$OUT/later" l',
    'in place of a file': 'ln -sf "$OUT/secret" f',
    'renamed over a file': 'ln -s "$OUT/secret" tmp; mv -f tmp f',
  };

  test.for(Object.entries(links))('%s leads nothing outside', async ([, script], {skip}) => {
    await using scene = await openScene(
      byPrompt({
        BUILD: [call('Bash', {command: 'sh build.sh'})],
        EDIT: [call('Write', {file_path: 'd/new', content: 'merged\n'})],
      }),
    );
    await skipWithoutOverlay(scene, skip);
    const {work, home} = scene.place;
    const out = join(home, 'outside');
    putFile(join(out, 'secret'), 'secret\n');
    symlinkSync(out, join(work, 'there'));
    makeRepository(work, {
      'build.sh': `OUT=${out}\n${script}\n`,
      'd/sub/a': 'a\n',
      f: 'f\n',
      '.gitignore': 'dist\nthere\n',
    });
    await scene.run(['--prompt', 'BUILD', ...acceptEdits], auto);
    const leading = Object.entries(filesOf(work)).filter(([path, text]) => {
      if (!text.startsWith('-> ') || path === 'there') return false;
      const real = join(work, dirname(path), text.slice(3));
      return text.startsWith('-> /') || real.startsWith(join(work, 'there')) || !real.startsWith(work);
    });
    expect(leading).toEqual([]);
    expect(treeOf(out)).toEqual({secret: '644 secret\n'});
    // A worktree that is made and merged afterwards writes inside alone.
    expect((await scene.run(['--prompt', 'EDIT', ...acceptEdits, '--worktree', 'w'], auto)).code).toBe(0);
    await scene.run(['worktree', 'merge', 'w'], auto);
    expect(treeOf(out)).toEqual({secret: '644 secret\n'});
  });
});

describe('what a command leaves running', () => {
  const leaves: Readonly<Record<string, (line: string) => string>> = {
    'in the background': line => `${line} &`,
    'in a session of its own': line => `setsid ${line} >/dev/null 2>&1 &`,
    'started twice over': line => `(setsid sh -c '(nohup ${line} >/dev/null 2>&1 &) &' &)`,
    'deaf to signals': line => `sh -c 'trap "" TERM HUP INT; ${line}; :' >/dev/null 2>&1 &`,
    'which swaps a folder for a link without end': line =>
      `(${line} & while :; do mv d e; ln -s /etc d; rm d; mv e d; done) >/dev/null 2>&1 &`,
  };

  test.for(Object.entries(leaves))('%s is gone with it, and writes nothing later', async ([, leave], {skip}) => {
    const {line, reached} = waitingPoint();
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    makeRepository(work, {
      'build.sh': `${leave(line)}\nsleep 0.3; mkdir -p dist; echo out >dist/out\n`,
      'd/a': 'a\n',
      '.gitignore': 'dist\n',
    });
    const run = scene.start(['--prompt', 'x', '--output-format', 'stream-json', '--verbose'], auto);
    const ended = finish(run);
    await reached;
    await scene.server.received(2);
    expect([running(line), existsSync(join(work, 'dist/out'))]).toEqual([[], true]);
    await ended;
    expect(Object.keys(filesOf(work)).toSorted()).toEqual(['.gitignore', 'build.sh', 'd', 'd/a', 'dist', 'dist/out']);
  });
});

/** Listens in the workspace as services do, and counts who comes. */
async function listen(folder: string, name: string): Promise<{server: Server; clients: () => number}> {
  let clients = 0;
  const server = createServer(socket => {
    clients += 1;
    socket.destroy();
  });
  server.listen(join(folder, name));
  await once(server, 'listening');
  return {server, clients: () => clients};
}

const connects = (paths: readonly string[]): string => `
import socket, sys
for path in ${JSON.stringify(paths)}:
  s = socket.socket(socket.AF_UNIX)
  try:
      s.connect(path)
      print('reached', path)
  except OSError as error:
      print('refused', path, error.errno)
`;

describe('services outside', () => {
  beforeEach(needs('python3'));

  test('no Unix socket is reached: not in the workspace, the home or the temporary folder, nor one made or renamed later', async ({
    skip,
  }) => {
    const {line, reached, goOn} = waitingPoint();
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work, home} = scene.place;
    mkdirSync(join(work, 'real'));
    mkdirSync(join(home, 'run'));
    symlinkSync('real', join(work, 'linked'));
    symlinkSync(join(home, 'run'), join(work, 'out'));
    // Bound by a name relative to the folder that the service was in, as /proc/net/unix tells it.
    const relative = spawn(
      'python3',
      [
        '-c',
        `import socket
s = socket.socket(socket.AF_UNIX); s.bind('relative.sock'); s.listen()
print('up', flush=True)
s.accept(); print('reached', flush=True)`,
      ],
      {cwd: join(work, 'real'), stdio: ['ignore', 'pipe', 'ignore']},
    );
    let said = '';
    relative.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await lookUntil(
      () => said.includes('up'),
      () => 'the service never listened',
    );
    const services = [
      await listen(work, 'plain.sock'),
      await listen(join(work, 'linked'), 'linked.sock'),
      await listen(join(home, 'run'), 'home.sock'),
      await listen(work, 'before.sock'),
    ];
    renameSync(join(work, 'before.sock'), join(work, 'after.sock'));
    const paths = [
      join(work, 'plain.sock'),
      'plain.sock',
      'real/relative.sock',
      'linked/relative.sock',
      'linked/linked.sock',
      'out/home.sock',
      join(home, 'run/home.sock'),
      'after.sock',
      'late.sock',
      'out/late.sock',
      join(home, 'run/late.sock'),
    ];
    writeFileSync(join(work, 'connect.py'), connects(paths));
    writeFileSync(join(work, 'build.sh'), `python3 connect.py\n${line}\npython3 connect.py\n`);
    const ended = finish(scene.start(['--prompt', 'x'], auto));
    await reached;
    services.push(await listen(work, 'late.sock'), await listen(join(home, 'run'), 'late.sock'));
    goOn();
    await ended;
    const [told = ''] = toldResults(scene.server.requests[1]);
    for (const {server} of services) server.close();
    relative.kill();
    expect([told.match(/reached.*/gu), told.match(/refused/gu)?.length]).toEqual([null, 2 * paths.length]);
    expect([services.map(({clients}) => clients()), said]).toEqual([services.map(() => 0), 'up\n']);
  });

  test('no FIFO of a service outside is written or read', async ({skip}) => {
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work, home} = scene.place;
    const pipes = [join(work, 'pipe'), join(home, 'pipe')];
    execFileSync('mkfifo', pipes);
    symlinkSync(join(home, 'pipe'), join(work, 'linked'));
    // The service holds them open for both, as daemons do.
    const service = spawn(
      'sh',
      ['-c', `exec 3<>${pipes[0]} 4<>${pipes[1]}; cat <&3 >${home}/one & cat <&4 >${home}/two & wait`],
      {
        detached: true,
        stdio: 'ignore',
      },
    );
    const heard = (name: string): string =>
      existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : 'none';
    await lookUntil(
      () => heard('one') === '' && heard('two') === '',
      () => 'the service never read',
    );
    writeFileSync(
      join(work, 'build.sh'),
      `for p in pipe linked ${pipes.join(' ')}; do timeout 1 sh -c "echo inside >>$p"; timeout 1 sh -c "echo inside 1<>$p"; done; echo ended\n`,
    );
    await scene.run(['--prompt', 'x'], auto);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('ended')]);
    const words = [heard('one'), heard('two')];
    process.kill(-(service.pid ?? 0), 'SIGKILL');
    expect(words).toEqual(['', '']);
  });
});

describe('never applied, and said', () => {
  const protectedThings: Readonly<Record<string, string>> = {
    'a setuid program': 'cp /bin/true s; chmod u+s s',
    'a setgid program in output': 'mkdir -p dist; cp /bin/true dist/s; chmod g+s dist/s',
    'a FIFO': 'mkfifo p; mkdir -p dist; mkfifo dist/p',
    'a socket': `python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.bind('s')"`,
    'protected names':
      'mkdir -p .github/workflows .vscode .husky; for f in .mcp.json .envrc .npmrc .gitlab-ci.yml .github/workflows/x.yml .vscode/tasks.json .husky/pre-commit; do echo x >$f; done',
    'protected names below':
      'mkdir -p sub/.vscode sub/.claude; for f in sub/.mcp.json sub/.vscode/tasks.json sub/.claude/settings.json; do echo x >$f; done',
    "weft's own": 'mkdir -p .weft; echo "{}" >.weft/settings.json; echo "{}" >.weft/settings.local.json',
  };

  test.for(Object.entries(protectedThings))('%s', async ([, script], {skip}) => {
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    makeRepository(work, {'build.sh': `${script}\necho fine >fine\n`, '.gitignore': 'dist\n.envrc\n.npmrc\n'});
    const before = filesOf(work);
    await scene.run(['--prompt', 'x', ...acceptEdits], auto);
    const {fine, ...after} = filesOf(work);
    const made = Object.entries(after).filter(([path, text]) => before[path] === undefined && text !== '755 folder');
    expect([made, fine]).toEqual([[], '644 fine\n']);
    const [told = ''] = toldResults(scene.server.requests[1]);
    expect(told).toMatch(/not (?:applied|kept)|dropped|never/iu);
    expect(git(work, 'status', '--porcelain')).toBe('?? fine\n');
  });
});

/** Says of each thing that the kernel does not keep apart by namespaces whether it can be had. */
const reachesKernel = `
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
calls = {'x86_64': (250, 425), 'aarch64': (219, 425)}[os.uname().machine]
def tell(name, had): print(name, 'had' if had else 'refused')
tell('keys', libc.syscall(calls[0], 0, ctypes.c_int(-3), 0) >= 0)
tell('rings', libc.syscall(calls[1], 1, ctypes.create_string_buffer(120)) >= 0)
for name, flag in (('mounts', 0x20000), ('networks', 0x40000000), ('users', 0x10000000)):
    tell(name, os.fork() == 0 and os._exit(int(libc.unshare(flag) != 0)) or os.wait()[1] == 0)
def opens(make):
    try: make()
    except OSError: return False
    return True
tell('virtual machine', opens(lambda: socket.socket(40, socket.SOCK_STREAM)))
tell('kernel settings', opens(lambda: os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)))
tell('loopback of its own', opens(lambda: socket.create_server(('127.0.0.1', 0))))
tell('socket of its own', opens(lambda: socket.socket(socket.AF_UNIX).bind('/tmp/own')))
tell('pair', opens(socket.socketpair))
`;

test('neither keys of the login, other kinds of sockets, the kernel nor new namespaces can be had', async ({skip}) => {
  await using scene = await openScene([call('Bash', {command: 'python3 kernel.py'}), say('Done.')]);
  await skipWithoutOverlay(scene, skip);
  writeFileSync(join(scene.place.work, 'kernel.py'), reachesKernel);
  await scene.run(['--prompt', 'x'], auto);
  const [told = ''] = toldResults(scene.server.requests[1]);
  expect(told.split('\n').filter(line => / (?:had|refused)$/u.test(line))).toEqual([
    'keys refused',
    'rings refused',
    'mounts refused',
    'networks refused',
    'users refused',
    'virtual machine refused',
    'kernel settings refused',
    'loopback of its own had',
    'socket of its own had',
    'pair had',
  ]);
});
