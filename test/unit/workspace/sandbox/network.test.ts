import {createSocket} from 'node:dgram';
import {once} from 'node:events';
import {beforeEach, describe, expect, test, type TestContext} from 'vitest';
import type {AskHost} from '../../../../src/actions/ports.ts';
import {confines} from '../../../../src/domain/sandbox.ts';
import {hostRule} from '../../../../src/safety/rules/host-rules.ts';
import {commandLineOf, processTable} from '../../../../src/workspace/exec/process-table.ts';
import type {SandboxNetwork} from '../../../../src/workspace/sandbox/make-sandbox.ts';
import {openNetwork} from '../../../../src/workspace/sandbox/open-network.ts';
import {needs} from '../../../support/programs.ts';
import {lookUntil} from '../../../support/look-until.ts';
import {localServer, namedNetwork, publicAddress} from '../web/support/local-web.ts';
import {decisionBy, type RuleTexts} from './proxy-place.ts';
import {sandboxPlace, type SandboxPlace} from './sandbox-place.ts';

beforeEach(needs('bwrap', 'git'));

const names = {'good.test': [[publicAddress]], 'new.test': [[publicAddress]], localhost: [['127.0.0.1']]} as const;

/** Commands in the sandbox before a server that stands for the internet, with the network as far as rules and people open it. */
async function networkPlace(
  {skip}: TestContext,
  {loopback = 'closed', ...rules}: RuleTexts & {loopback?: 'closed' | 'open'},
) {
  const server = await localServer((request, response) => response.end(`served ${request.headers.host ?? ''}`));
  let opened = 0;
  const network: SandboxNetwork = {
    canReachHosts: () => true,
    open: request => {
      opened += 1;
      const known = {decision: decisionBy(rules), ruleFor: hostRule, loopback};
      return openNetwork({...known, network: namedNetwork(names, server.port)}, request);
    },
  };
  const place = await sandboxPlace('bwrap', undefined, network);
  const dispose = async (): Promise<void> => {
    await place[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  const proof = await place.sandbox.proof();
  if (!confines(proof)) await dispose();
  skip(!confines(proof), proof.reason);
  return {...place, server, opened: () => opened, [Symbol.asyncDispose]: dispose};
}

const node = (script: string): string => `node -e '${script}'`;

/** What a program gets that asks the proxy which its variables name. */
const fetched = (host: string): string =>
  node(
    `const at = new URL(process.env.HTTP_PROXY); require("http").get({host: at.hostname, port: at.port, path: "http://${host}/"},
    answer => answer.pipe(process.stdout))`,
  );

test(
  'a program reaches the host of a rule through its variables, and is told why not any other; so is the model',
  {tags: 'long'},
  async context => {
    await using place = await networkPlace(context, {allow: ['Network(domain:good.test)']});
    const reached = await place.run(`${fetched('good.test')}; exit 3`);
    expect([reached.end, reached.output.text, reached.notes]).toEqual([
      {kind: 'exited', code: 3},
      'served good.test',
      [],
    ]);
    const why =
      "weft did not let the command reach new.test:80: no rule covers this host, and there was no one to ask; the rule Network(domain:new.test) in the user's settings would allow it";
    const refused = await place.run(fetched('new.test'));
    expect([refused.end, refused.output.text, refused.notes]).toEqual([{kind: 'exited', code: 0}, `${why}\n`, [why]]);
  },
);

test("Node's own fetch and git find the proxy by themselves", {tags: 'long'}, async context => {
  await using place = await networkPlace(context, {allow: ['Network(domain:good.test)']});
  const {output} = await place.run(node('fetch("http://good.test/").then(answer => answer.text()).then(console.log)'));
  expect(output.text).toBe('served good.test\n');
  await place.run('git ls-remote http://good.test/x.git');
  expect(place.server.requests.map(({url}) => url).slice(0, 2)).toEqual([
    '/',
    expect.stringMatching(/^\/x\.git\/info\/refs/u),
  ]);
});

test(
  'the user is asked about the command that wants the host, and the rule holds for the next one',
  {tags: 'long'},
  async context => {
    await using place = await networkPlace(context, {});
    const asked: string[] = [];
    const ask: AskHost = async ({host, rule}) => {
      asked.push(`${host} ${rule}`);
      return 'allowed';
    };
    const {output} = await place.run(`${fetched('new.test')}; ${fetched('new.test')}`, 'chosen', ask);
    expect([output.text, asked]).toEqual(['served new.testserved new.test', ['new.test Network(domain:new.test)']]);
  },
);

test(
  'a command that needs no network, or only plans, has none, and no proxy is opened for it',
  {tags: 'long'},
  async context => {
    await using place = await networkPlace(context, {allow: ['Network']});
    const {output} = await place.run('echo "[$HTTP_PROXY]"', 'chosen', 'none');
    const planning = await place.run('echo "[$HTTP_PROXY]"', 'read-only');
    expect([output.text, planning.output.text, place.opened()]).toEqual(['[]\n', '[]\n', 0]);
  },
);

const connectTo = (target: string): string =>
  node(`const s = require("net").connect(${target}); s.on("error", () => {}); s.on("connect", () => s.destroy())`);

/** Prints the status with which the proxy answers who wants a tunnel. */
const through = (target: string): string =>
  node(
    `const s = require("net").connect(3128, "127.0.0.1", () => s.write("CONNECT ${target} HTTP/1.1\\r\\nHost: good.test\\r\\n\\r\\n"));
        s.on("error", () => {}); s.once("data", got => { console.log(String(got).slice(9, 12)); s.destroy(); })`,
  );

/** What the proxy answers who wants a tunnel to the port that the place listens on, by its address and by one that maps it. */
const statuses = async (place: SandboxPlace): Promise<readonly string[]> => {
  const first = await place.run(through(`127.0.0.1:${String(place.port)}`));
  const second = await place.run(through(`[::ffff:127.0.0.1]:${String(place.port)}`));
  return [first.output.text, second.output.text];
};

describe('past the proxy nothing gets out', () => {
  const direct: readonly {readonly name: string; readonly command: (place: SandboxPlace) => string}[] = [
    {name: 'a raw socket', command: ({port}) => connectTo(String(port))},
    {name: 'a raw socket to any address', command: ({port}) => connectTo(`${String(port)}, "0.0.0.0"`)},
    {name: 'a unix socket', command: ({outside}) => connectTo(`"${outside}/s"`)},
    {name: 'an abstract socket', command: ({abstract}) => connectTo(String.raw`"\0${abstract}"`)},
  ];
  for (const {name, command} of direct)
    test(name, async context => {
      await using place = await networkPlace(context, {allow: ['Network']});
      await using free = await sandboxPlace('native');
      await free.run(command(free));
      expect(free.connections).toHaveLength(1);
      await place.run(command(place));
      expect(place.connections).toEqual([]);
    });

  test('a datagram', {tags: 'long'}, async context => {
    await using place = await networkPlace(context, {allow: ['Network']});
    await using free = await sandboxPlace('native');
    const socket = createSocket('udp4');
    const texts: string[] = [];
    socket.on('message', message => texts.push(message.toString()));
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const {port} = socket.address();
    const send = (text: string): string =>
      node(
        `const s = require("dgram").createSocket("udp4"); s.on("error", () => {}); s.send("${text}", ${String(port)}, "127.0.0.1", () => s.close())`,
      );
    await place.run(send('inside'));
    await free.run(send('outside'));
    await lookUntil(
      () => texts.includes('outside'),
      () => 'no datagram came',
    );
    socket.close();
    expect(texts).toEqual(['outside']);
  });

  test('a tunnel to this machine, whose ports the switch alone opens', {tags: 'long'}, async context => {
    await using closed = await networkPlace(context, {allow: ['Network']});
    await using open = await networkPlace(context, {allow: ['Network'], loopback: 'open'});
    expect([await statuses(closed), closed.connections]).toEqual([['403\n', '403\n'], []]);
    expect([(await statuses(open))[0], open.connections.length > 0]).toEqual(['200\n', true]);
  });
});

test(
  "with the switch a command finds this machine's own ports where they are, beside those that it opens itself",
  {tags: 'long'},
  async context => {
    await using place = await networkPlace(context, {loopback: 'open', allow: ['Network(domain:good.test)']});
    const script = `
    const http = require("http");
    const get = port => new Promise(done => http.get({port, host: "localhost"}, answer => answer.resume().on("end", () => done(answer.statusCode))));
    const own = http.createServer((q, r) => { r.statusCode = 201; r.end(); }).listen(0, async () => {
      console.log(await get(${String(place.server.port)}), await get(own.address().port));
      own.close();
    });`;
    const {output} = await place.run(`${node(script)}; ${fetched('good.test')}`);
    expect(output.text).toBe('200 201\nserved good.test');
  },
);

test('nothing of it is left when the command has ended, however it ends', async context => {
  await using place = await networkPlace(context, {allow: ['Network']});
  const ended = await place.run('echo done');
  expect([ended.leftRunning, place.has('.mcp.json')]).toEqual([[], false]);
  const killed = await place.run('kill -9 $$');
  expect(killed.end).toEqual({kind: 'exited', code: 137});
  const left = async (): Promise<readonly string[]> =>
    (await processTable())
      .map(({pid}) => commandLineOf(pid))
      .filter(words => words.includes(place.root) && words.includes('weft-forwarder'));
  await lookUntil(
    async () => (await left()).length === 0,
    async () => `there is ${(await left()).join()}`,
  );
});
