import {execFile} from 'node:child_process';
import {createServer, request, type Server} from 'node:http';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {beforeEach, expect, test} from 'vitest';
import {loopbackPort} from '../../support/loopback-port.ts';
import {mcpServeOnHttp} from '../../support/mcp-serve.ts';
import {openScene} from '../../support/scene.ts';

/*
 * The protocol's own conformance suite, @modelcontextprotocol/conformance, run on weft's own connection and sign-in code
 * (`test/support/conformance-client.ts`) and on the built program (`test/support/conformance-cli.ts`). It is too large for a dependency: WEFT_CONFORMANCE names a folder that it is installed in.
 */

const folder = process.env['WEFT_CONFORMANCE'] ?? '';
const suite = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const support = join(import.meta.dirname, '..', '..', 'support');
const ownCode = join(support, 'conformance-client.ts');
const program = join(support, 'conformance-cli.ts');
/** For one scenario; far more than it takes, since the machine may have other things to do. */
const limitMs = 120_000;

/** In the revision 2025-11-25, or the last one that has it. */
const legacy = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'json-schema-2020-12-preservation',
] as const;

const modern = [
  'request-metadata',
  'sep-2322-client-request-state',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
] as const;

const signIn = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
  '2025-03-26-oauth-metadata-backcompat',
  '2025-03-26-oauth-endpoint-fallback',
  'client-credentials-jwt',
  'client-credentials-basic',
  'enterprise-managed-authorization',
].map(name => `auth/${name}`);

const modernSignIn = [
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
].map(name => `auth/${name}`);

/** What the built program can't pass in a run that asks nobody and whose model sees no `$schema`. */
const ownCodeOnly = new Set<string>(['elicitation-sep1034-client-defaults', 'json-schema-2020-12-preservation']);

/** What weft does not have, so that no scenario of it can pass. */
const leftOut = {
  'auth/dpop': 'weft binds no token to a key (RFC 9449): no server asks for it yet',
  'auth/dpop-nonce': 'the same',
  'auth/wif-jwt-bearer':
    'weft has no identity of a workload: it runs for a person, or with the credentials of its settings',
  'sep-2640-client-no-prefetch': 'weft takes skills from folders, not from MCP servers',
  'sep-2640-client-verify-digest': 'the same',
  'sep-2640-client-verify-size': 'the same',
  'sep-2640-client-verify-frontmatter': 'the same',
} as const;

beforeEach(({skip}) => {
  skip(folder === '', 'need WEFT_CONFORMANCE, a folder with @modelcontextprotocol/conformance');
});

/** The names of the suite's scenarios. */
async function listed(of: '--client' | '--server'): Promise<readonly string[]> {
  const {stdout} = await promisify(execFile)(process.execPath, [suite, 'list', of]);
  return [...stdout.matchAll(/^ {2}- (\S+) \[/gmu)].map(([, name = '']) => name);
}

test('every scenario of the suite is run, or left out for a reason', {tags: 'long'}, async () => {
  expect(new Set(await listed('--client'))).toEqual(
    new Set([...legacy, ...modern, ...signIn, ...modernSignIn, ...Object.keys(leftOut)]),
  );
});

test.each([
  {of: 'connections', names: legacy, revision: [], client: ownCode},
  {of: 'connections of 2026-07-28', names: modern, revision: ['--spec-version', '2026-07-28'], client: ownCode},
  {of: 'signing in', names: signIn, revision: [], client: ownCode},
  {of: 'signing in of 2026-07-28', names: modernSignIn, revision: ['--spec-version', '2026-07-28'], client: ownCode},
  {of: 'the built program', names: legacy.filter(name => !ownCodeOnly.has(name)), revision: [], client: program},
  {of: 'the built program of 2026-07-28', names: modern, revision: ['--spec-version', '2026-07-28'], client: program},
])('scenarios of $of pass', {tags: 'long', timeout: signIn.length * limitMs}, async ({names, ...how}) => {
  const verdicts = new Map<string, string>();
  for (const name of names) {
    verdicts.set(name, await verdictOn(name, how));
  }
  expect(verdicts).toEqual(new Map(names.map(name => [name, 'passed'])));
});

/** `passed` where a check passed and none failed; the suite is content with a client that does nothing at all in some scenarios. */
async function verdictOn(
  scenario: string,
  {revision, client}: {readonly revision: readonly string[]; readonly client: string},
): Promise<string> {
  const command = `"${process.execPath}" "${client}"`;
  const args = ['client', '--command', command, '--scenario', scenario, '--timeout', String(limitMs), ...revision];
  const said = await new Promise<string>(resolve => {
    execFile(process.execPath, [suite, ...args], (_failure, stdout, stderr) => resolve(`${stdout}\n${stderr}`));
  });
  const [, passed = '0', failed = '0'] = /^Passed: (\d+)\/\d+, (\d+) failed/mu.exec(said) ?? [];
  return Number(passed) > 0 && Number(failed) === 0 ? 'passed' : said;
}

const ofServers = [
  'server-initialize',
  'server-session-lifecycle',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

/** The scenarios for servers that `weft mcp serve` can't pass, by the beginnings of their names. */
const leftOutOfServers: readonly (readonly [begins: RegExp, why: string])[] = [
  [/^(?:tools-call|elicitation|json-schema|input-required|server-sse-polling)/u, "they call tools of the suite's own"],
  [/^(?:prompts|resources|completion|sep-2164|sep-2640)/u, 'weft serves tools, and no prompts, resources or skills'],
  [/^tasks-/u, 'weft serves no tasks: run_agent reports progress'],
  [/^logging-/u, 'weft sends no log messages to its clients'],
  [/^(?:server-stateless|caching|http-)/u, 'weft serves the revisions up to 2025-11-25'],
];

test('every scenario for servers is run, or left out for a reason', {tags: 'long'}, async () => {
  const names = await listed('--server');
  const isLeftOut = (name: string): boolean => leftOutOfServers.some(([begins]) => begins.test(name));
  expect(names.filter(name => !isLeftOut(name)).toSorted()).toEqual(ofServers.toSorted());
  expect(leftOutOfServers.filter(([begins]) => !names.some(name => begins.test(name)))).toEqual([]);
});

test(
  'weft mcp serve passes the scenarios of servers',
  {tags: 'long', timeout: ofServers.length * limitMs},
  async () => {
    await using scene = await openScene([]);
    const {url, token} = await mcpServeOnHttp(scene);
    const proxy = withToken(url, token);
    const port = await loopbackPort(proxy);
    const verdicts = new Map<string, string>();
    for (const name of ofServers) {
      const args = ['server', '--url', `http://localhost:${port}/mcp`, '--scenario', name];
      const said = await new Promise<string>(resolve => {
        execFile(process.execPath, [suite, ...args], (_failure, stdout, stderr) => resolve(`${stdout}\n${stderr}`));
      });
      const [, passed = '0', failed = '0'] = /^Passed: (\d+)\/\d+, (\d+) failed/mu.exec(said) ?? [];
      verdicts.set(name, Number(passed) > 0 && Number(failed) === 0 ? 'passed' : said);
    }
    proxy.close();
    proxy.closeAllConnections();
    expect(verdicts).toEqual(new Map(ofServers.map(name => [name, 'passed'])));
  },
);

/** Adds the token, which the suite can't send. A page of this machine is a valid origin for the suite, and not for weft. */
const withToken = ({hostname, port, host}: URL, token: string): Server =>
  createServer((incoming, outgoing) => {
    const {origin, ...headers} = incoming.headers;
    const isLocal = /^(?:localhost|127\.0\.0\.1)(?::|$)/u.test(headers.host ?? '');
    const sent = {...headers, ...(isLocal ? {host} : {origin}), authorization: `Bearer ${token}`};
    const {method = 'GET', url: path = '/'} = incoming;
    const passed = request({hostname, port, path, method, headers: sent}, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
