import {existsSync, lstatSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {beforeEach, describe, expect, test, type TestContext} from 'vitest';
import {confines} from '../../../../src/domain/sandbox.ts';
import {processTable, commandOf} from '../../../../src/workspace/exec/process-table.ts';
import {needs} from '../../../support/programs.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {lookUntil} from '../../../support/look-until.ts';
import {never} from '../temporary-folder.ts';
import {type AroundEnclose, sandboxPlace, type SandboxPlace} from './sandbox-place.ts';

beforeEach(needs('bwrap', 'git'));

/** A place whose sandbox confines commands; where this machine forbids that, the test is skipped and says why. */
async function confinedPlace({skip}: TestContext, around?: AroundEnclose): Promise<SandboxPlace> {
  const place = await sandboxPlace('bwrap', around);
  const proof = await place.sandbox.proof();
  if (!confines(proof)) await place[Symbol.asyncDispose]();
  skip(!confines(proof), proof.reason);
  return place;
}

interface Attack {
  readonly name: string;
  readonly command: (place: SandboxPlace) => string;
  /** Whether it has done what it must not do. */
  readonly succeeded: (place: SandboxPlace) => boolean | Promise<boolean>;
  /** Whether it works outside, which shows that the test would see it. Some need rights that not every user has. */
  readonly outside: 'works' | 'may not work';
}

const connectTo = (target: string): string =>
  `node -e 'const s = require("net").connect(${target}); s.on("error", () => {}); s.on("connect", () => s.destroy())'`;

const outsideChanged = ({outside, text}: SandboxPlace): boolean => text(join(outside, 'file')) !== 'as it was';
const connected =
  (name: string) =>
  ({connections}: SandboxPlace): boolean =>
    connections.includes(name);
const hookMade = ({root}: SandboxPlace): boolean => existsSync(join(root, '.git/hooks/pre-commit'));

const attacks: readonly Attack[] = [
  {name: 'writes outside', command: () => 'echo x >"$OUT/file"', succeeded: outsideChanged, outside: 'works'},
  {
    name: 'writes through a link',
    command: () => 'ln -s "$OUT" link; echo x >link/file',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'writes through a hard link',
    command: () => 'ln "$OUT/file" hard; echo x >>hard',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'writes through the roots of processes',
    command: () => 'for process in /proc/[0-9]*; do echo x >"$process/root$OUT/file"; done',
    succeeded: outsideChanged,
    outside: 'works',
  },
  {
    name: 'writes from the background, in a session of its own, after its shell',
    command: () => '(setsid sh -c \'sleep 0.1; echo x >"$OUT/file"; echo x >late\' >/dev/null 2>&1 &)',
    async succeeded(place) {
      await lookUntil(
        () => place.has('late'),
        () => 'the background process never wrote',
      );
      return outsideChanged(place);
    },
    outside: 'works',
  },
  {
    name: 'reads a secret',
    command: () => 'cat ~/.ssh/key >got',
    succeeded: ({root, text}) => text(join(root, 'got')).includes('the secret'),
    outside: 'works',
  },
  {
    name: 'reads what a rule denies',
    command: () => 'cat denied.txt >got',
    succeeded: ({root, text}) => text(join(root, 'got')).includes('denied text'),
    outside: 'works',
  },
  {
    name: 'makes a hook',
    command: () => 'mkdir -p .git/hooks; echo x >.git/hooks/pre-commit',
    succeeded: hookMade,
    outside: 'works',
  },
  {
    name: 'makes a hook in a copy of the repository under its name',
    command: () => 'mv .git old; cp -r old .git; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit',
    succeeded: hookMade,
    outside: 'works',
  },
  {
    name: 'names other hooks',
    command: () => 'git config core.hooksPath evil',
    succeeded: ({root, text}) => text(join(root, '.git/config')).includes('evil'),
    outside: 'works',
  },
  {
    name: 'leads git to another configuration',
    command: () => 'cp -r .git evil; echo ../evil >.git/commondir',
    succeeded: ({has}) => has('.git/commondir'),
    outside: 'works',
  },
  {
    name: 'mounts something else over what is protected',
    command: () => `unshare -Urm sh -c 'umount .git/hooks; mount --bind . .git/hooks; echo x >.git/hooks/pre-commit'`,
    succeeded: hookMade,
    outside: 'may not work',
  },
  ...[
    '.mcp.json',
    '.envrc',
    '.bashrc',
    '.npmrc',
    '.gitlab-ci.yml',
    '.vscode/tasks.json',
    '.weft/settings.json',
    '.github/workflows/x.yml',
  ].map((name): Attack => ({
    name: `makes ${name}`,
    command: () => `mkdir -p "$(dirname ${name})"; echo x >${name}`,
    succeeded: ({has}) => has(name),
    outside: 'works',
  })),
  {
    name: 'makes a protected file for which there is no placeholder',
    command: () => 'echo x >mise.toml; echo x >.pre-commit-config.yaml',
    succeeded: ({has}) => has('mise.toml') || has('.pre-commit-config.yaml'),
    outside: 'works',
  },
  {
    name: 'ends a process outside',
    command: ({victim}) => `kill -9 ${String(victim.pid)}`,
    async succeeded({victim}) {
      await new Promise(resolve => setTimeout(resolve, 50));
      return victim.signalCode !== null;
    },
    outside: 'works',
  },
  {
    name: 'reads the variables of a process outside',
    command: ({victim}) => `tr '\\0' '\\n' </proc/${String(victim.pid)}/environ >got`,
    succeeded: ({root, text}) => text(join(root, 'got')) !== '',
    outside: 'works',
  },
  {
    name: 'connects to loopback',
    command: ({port}) => connectTo(String(port)),
    succeeded: connected('tcp'),
    outside: 'works',
  },
  {
    name: 'connects to a unix socket',
    command: ({outside}) => connectTo(`"${outside}/s"`),
    succeeded: connected('socket'),
    outside: 'works',
  },
  {
    name: 'connects to an abstract socket',
    command: ({abstract}) => connectTo(String.raw`"\0${abstract}"`),
    succeeded: connected('abstract'),
    outside: 'works',
  },
  {
    name: 'makes a device',
    command: () => 'mknod device b 7 0',
    succeeded: ({root}) => lstatSync(join(root, 'device'), {throwIfNoEntry: false}) !== undefined,
    outside: 'may not work',
  },
];

describe('what must not be possible', () => {
  const often = attacks.filter((_attack, at) => at % 5 === 0);
  const tried = (attack: Attack) => ({...attack, tags: often.includes(attack) ? [] : ['long']});
  for (const {name, command, succeeded, outside, tags} of attacks.map(tried))
    test(name, {tags}, async context => {
      await using place = await confinedPlace(context);
      await using free = await sandboxPlace('native');
      for (const {root} of [place, free]) writeFileSync(join(root, 'denied.txt'), 'denied text');
      await free.run(command(free));
      if (outside === 'works') expect(await succeeded(free)).toBe(true);
      await place.run(command(place));
      expect(await succeeded(place)).toBe(false);
      expect(readFileSync(join(place.outside, 'file'), 'utf8')).toBe('as it was');
    });
});

test('what must be possible: files of the workspace, exit codes, output, its folder, temporary files that stay', async context => {
  await using place = await confinedPlace(context);
  const first = await place.run(
    'mkdir sub && cd sub && echo out; echo err >&2; echo x >/tmp/kept; echo y >"$OLDPWD/made"; exit 7',
  );
  expect([first.end, first.output.text, first.nextDirectory, first.notes]).toEqual([
    {kind: 'exited', code: 7},
    'out\nerr\n',
    join(place.root, 'sub'),
    [],
  ]);
  const second = await place.run(
    'pwd; cat /tmp/kept; git add -A && git -c user.name=a -c user.email=a@b commit -qm first; git status --short',
  );
  expect([second.end, second.output.text]).toEqual([{kind: 'exited', code: 0}, `${place.root}/sub\nx\n`]);
  expect(readdirSync(place.root).toSorted()).toEqual(['.git', 'made', 'sub']);
  expect(existsSync('/tmp/kept')).toBe(false);
});

test('what a command leaves running goes on as a block, and the workspace is clean when it has ended', async context => {
  await using place = await confinedPlace(context);
  const {leftRunning} = await place.run('(while [ ! -e stop ]; do sleep 0.05; done; echo late >late) & echo started');
  expect(leftRunning).toHaveLength(1);
  expect(place.has('.mcp.json')).toBe(true);
  writeFileSync(join(place.root, 'stop'), '');
  await lookUntil(
    () => place.has('late') && !place.has('.mcp.json'),
    () => `there is ${readdirSync(place.root).join()}`,
  );
  expect(readdirSync(place.root).toSorted()).toEqual(['.git', 'late', 'stop']);
});

test('a block runs inside, in a terminal that it can open', async context => {
  await using place = await confinedPlace(context);
  const {blocks} = place.commands;
  const command = 'test -t 0 && echo x 2>&1 >"$OUT/file"; echo "seen: $(cat ~/.ssh/key 2>&1)"; echo tty >/dev/tty';
  const started = await blocks.start(
    {command, environment: 'inherited', confinement: 'chosen'},
    new AbortController().signal,
  );
  expect(started).toMatchObject({tag: 'ok', value: {terminal: 'pty'}});
  expect(JSON.stringify(started)).toMatch(/(?:Read-only file system|No such file).*seen: cat: .*No such file.*tty/u);
  expect(place.text(join(place.outside, 'file'))).toBe('as it was');
});

test('inside read-only nothing of the workspace changes; without a yes of the user the repository does not either', async context => {
  await using place = await confinedPlace(context);
  await place.run('echo x >made; git add -A 2>/dev/null; rm -rf .git', 'read-only');
  expect(readdirSync(place.root)).toEqual(['.git']);
  await place.run('echo x >made; rm -rf .git/HEAD; mv .git moved', 'sandbox');
  expect([readdirSync(place.root).toSorted(), existsSync(join(place.root, '.git/HEAD'))]).toEqual([
    ['.git', 'made'],
    true,
  ]);
});

test('a command that a person lets out runs as it is; one that fails inside says what kept it', async context => {
  await using place = await confinedPlace(context);
  const {blocked} = await place.run('echo x >.git/config', 'sandbox');
  expect(blocked).toMatch(/only write to the workspace/u);
  expect((await place.run('echo x >"$OUT/file"', 'outside')).blocked).toBe('');
  expect(place.text(join(place.outside, 'file'))).toBe('x\n');
  expect((await place.run('cat no-such-file')).blocked).toBe('');
});

/** For so many commands a socket is listened on while the list of what to hide is made, and is gone when they start. */
const withBriefSockets =
  (count: {left: number}): AroundEnclose =>
  async (outside, enclose) => {
    if (count.left === 0) return enclose();
    count.left -= 1;
    const server = createServer().listen({path: join(outside, 'brief')});
    await once(server, 'listening');
    const enclosed = await enclose();
    const closed = once(server, 'close');
    server.close();
    await closed;
    return enclosed;
  };

describe('what was to be hidden vanishes before it is', () => {
  test('the command runs once, and nobody reads of it', async context => {
    await using place = await confinedPlace(context, withBriefSockets({left: 2}));
    const {end, output} = await place.run('echo ran | tee -a runs', 'sandbox');
    expect([end, output.text, place.text(join(place.root, 'runs'))]).toEqual([
      {kind: 'exited', code: 0},
      'ran\n',
      'ran\n',
    ]);
  });

  test('a block runs once, and nobody reads of it', async context => {
    await using place = await confinedPlace(context, withBriefSockets({left: 1}));
    const request = {command: 'echo ran', environment: 'inherited', confinement: 'sandbox'} as const;
    const started = await place.commands.blocks.start(request, never);
    expect(started).toMatchObject({tag: 'ok', value: {id: 'b1', notes: [], output: {text: 'ran'}}});
  });

  test('where that goes on the command is not started, and it says why', async context => {
    await using place = await confinedPlace(context, withBriefSockets({left: 1000}));
    const {end} = await place.run('echo ran >>runs', 'sandbox');
    expect(end).toMatchObject({
      kind: 'not-started',
      fault: {message: expect.stringMatching(/sandbox.*bwrap: .*brief/u)},
    });
    expect(place.has('runs')).toBe(false);
  });
});

test('a time limit ends everything inside', async context => {
  await using place = await confinedPlace(context);
  const {commands} = place;
  const command = 'trap "" TERM; setsid sh -c \'trap "" TERM; sleep 7301; :\' & sleep 7301; :';
  const request = {
    command,
    timeoutMs: 1000,
    paging: 'unexpected',
    environment: 'inherited',
    confinement: 'sandbox',
  } as const;
  const {end, leftRunning} = await commands.shell.run({...request, ...onPipes}, () => {}, new AbortController().signal);
  expect([end, leftRunning]).toEqual([{kind: 'timed-out', afterMs: 1000}, []]);
  const all = (await processTable()).map(({pid}) => commandOf(pid));
  expect(all.filter(words => words.includes('sleep 7301'))).toEqual([]);
});
