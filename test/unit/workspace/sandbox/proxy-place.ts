import {ruleKinds} from '../../../../src/actions/catalogue.ts';
import {mkdtempSync, rmSync} from 'node:fs';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {AskHost} from '../../../../src/actions/ports.ts';
import {hostDecision, hostRule} from '../../../../src/safety/rules/host-rules.ts';
import {parseRule, type PermissionRule} from '../../../../src/safety/rules/permission-rule.ts';
import {makeHostGate} from '../../../../src/workspace/sandbox/host-gate.ts';
import {openProxy} from '../../../../src/workspace/sandbox/filtering-proxy.ts';
import {localServer, namedNetwork, type Names} from '../web/support/local-web.ts';

const rulesOf = (texts: readonly string[] = []): readonly PermissionRule[] =>
  texts.flatMap(text => {
    const read = parseRule(text, ruleKinds);
    return read.tag === 'ok' ? [read.value] : [];
  });

export interface RuleTexts {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** What rules decide about hosts. */
export const decisionBy = ({allow, ask, deny}: RuleTexts) => {
  const rules = {allow: rulesOf(allow), ask: rulesOf(ask), deny: rulesOf(deny)};
  return (host: string) => hostDecision(host, rules);
};

interface Given extends RuleTexts {
  readonly names?: Names;
  readonly answer?: AskHost;
  readonly loopback?: 'closed' | 'open';
  readonly headMs?: number;
}

/** A proxy on a unix socket before a server on loopback, which stands for the internet. */
export async function proxyPlace({
  names = {},
  answer = async () => 'nobody',
  loopback = 'closed',
  headMs = 20_000,
  ...rules
}: Given) {
  const bodies: string[] = [];
  const server = await localServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.end(`served ${request.url ?? ''} of ${request.headers.host ?? ''}`);
    });
  });
  const network = namedNetwork(names, server.port);
  const folder = mkdtempSync(join(tmpdir(), 'weft-proxy-'));
  const path = join(folder, 'proxy.sock');
  const over = new AbortController();
  const gate = makeHostGate({decision: decisionBy(rules), ruleFor: hostRule, loopback, ask: answer}, over.signal);
  const proxy = await openProxy({path, gate, network, headMs}, over.signal);
  return {
    server,
    network,
    bodies,
    notes: () => gate.notes(),
    close: () => proxy.close(),
    /** Sends these bytes and says what came back until the proxy closed the connection. */
    exchange: (text: string, then: 'waits' | 'and ends' = 'waits'): Promise<string> => {
      const {promise, resolve} = Promise.withResolvers<string>();
      let got = '';
      const socket = connect(path);
      socket.on('error', () => {});
      socket.on('data', bytes => (got += bytes.toString()));
      socket.once('close', () => resolve(got));
      socket.write(text, () => then === 'and ends' && socket.end());
      return promise;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      proxy.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, {recursive: true, force: true});
    },
  };
}
