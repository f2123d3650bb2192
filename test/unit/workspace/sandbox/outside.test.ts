import {execFileSync} from 'node:child_process';
import {closeSync, constants, mkdirSync, openSync, readSync, renameSync, symlinkSync, writeFileSync} from 'node:fs';
import {once} from 'node:events';
import {createServer, type Server} from 'node:net';
import {join, relative} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {holdsChanges} from '../../../../src/domain/sandbox.ts';
import {needs} from '../../../support/programs.ts';
import {sandboxPlace} from './sandbox-place.ts';

beforeEach(needs('bwrap', 'git', 'mkfifo'));

/** A service outside the workspace: how its socket comes to its name, which is `s` in the folder. */
const services: Readonly<Record<string, (folder: string) => Promise<Server>>> = {
  'bound by its name': folder => listen(join(folder, 's')),
  'bound by a relative name': folder => listen(relative(process.cwd(), join(folder, 's'))),
  'bound through a link': async folder => {
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    const server = await listen(join(folder, 'link', 'bound'));
    renameSync(join(folder, 'real', 'bound'), join(folder, 's'));
    return server;
  },
  renamed: async folder => {
    const server = await listen(join(folder, 'first'));
    renameSync(join(folder, 'first'), join(folder, 's'));
    return server;
  },
};

async function listen(path: string): Promise<Server> {
  const server = createServer();
  server.listen({path});
  await once(server, 'listening');
  return server;
}

/** Prints `connected`, or the code of the error. */
const connectTo = (path: string): string =>
  `node -e 'require("net").connect(process.argv[1]).on("connect", function () { console.log("connected"); this.destroy(); }).on("error", fault => console.log(fault.code))' '${path}'`;

test.for(['sandbox', 'chosen', 'read-only'] as const)(
  'no socket and no FIFO outside is reached by a command that is confined as %s',
  {tags: 'long'},
  async (confinement, {skip}) => {
    await using place = await sandboxPlace('bwrap');
    const proof = await place.sandbox.proof();
    skip(!holdsChanges(proof), proof.reason);
    for (const [name, make] of Object.entries(services)) {
      const folder = join(place.outside, name.replaceAll(' ', '-'));
      mkdirSync(folder);
      const server = await make(folder);
      const inside = await place.run(connectTo(join(folder, 's')), confinement);
      const outside = await place.run(connectTo(join(folder, 's')), 'outside');
      server.close();
      expect([name, inside.output.text, outside.output.text]).toEqual([name, 'ECONNREFUSED\n', 'connected\n']);
    }
    const fifo = join(place.outside, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    await place.run(`timeout 0.3 sh -c 'echo x >"$0"' '${fifo}'`, confinement);
    const heard = readSync(reader, Buffer.alloc(9));
    await place.run(`timeout 9 sh -c 'echo x >"$0"' '${fifo}'`, 'outside');
    expect([heard, readSync(reader, Buffer.alloc(9))]).toEqual([0, 2]);
    closeSync(reader);
  },
);

test('a socket that comes to be while the command runs is not reached either', async ({skip}) => {
  await using place = await sandboxPlace('bwrap');
  const proof = await place.sandbox.proof();
  skip(!holdsChanges(proof), proof.reason);
  const path = join(place.outside, 'later');
  const running = place.run(`while [ ! -e '${path}' ]; do sleep 0.02; done; ${connectTo(path)}`, 'sandbox');
  const server = await listen(path);
  expect((await running).output.text).toBe('ECONNREFUSED\n');
  server.close();
});

test('a socket and a FIFO of the command itself, in its view, work', {tags: 'long'}, async ({skip}) => {
  await using place = await sandboxPlace('bwrap');
  const proof = await place.sandbox.proof();
  skip(!holdsChanges(proof), proof.reason);
  const {output} = await place.run(
    `mkfifo f; (echo through >f) & cat f; node -e 'const net = require("net"), server = net.createServer(socket => socket.end("served\\n")).listen("s", () => net.connect("s").on("end", () => server.close()).pipe(process.stdout))'`,
    'sandbox',
  );
  expect([output.text, place.has('s'), place.has('f')]).toEqual(['through\nserved\n', false, false]);
});

test('a file outside is read through the view as it is, also where its name needs care', async ({skip}) => {
  await using place = await sandboxPlace('bwrap');
  const proof = await place.sandbox.proof();
  skip(!holdsChanges(proof), proof.reason);
  const folder = join(place.outside, 'a:b, ü');
  mkdirSync(folder);
  writeFileSync(join(folder, 'x'), 'text');
  expect((await place.run(`cat '${folder}/x'; echo y >'${folder}/x'`, 'sandbox')).output.text).toContain('text');
  expect(place.text(join(folder, 'x'))).toBe('text');
});
