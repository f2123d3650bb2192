import {createServer} from 'node:http';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/client';
import {describe, expect, test} from 'vitest';
import {faultText} from '../../../../../src/domain/fault.ts';
import {type OAuthDeps, makeSessionAuth} from '../../../../../src/extensions/mcp/oauth/session-auth.ts';
import {emptyChallenge, SignInNeeded} from '../../../../../src/extensions/mcp/oauth/sign-in-needed.ts';
import {revokeCredential} from '../../../../../src/extensions/mcp/oauth/sign-out.ts';
import {defaultOAuthSettings} from '../../../../../src/extensions/mcp/oauth/oauth-settings.ts';
import {loopbackPort} from '../../../../support/loopback-port.ts';
import {browse, memoryCredentials, signInTo, userAtBrowser} from '../../../../support/oauth-client.ts';
import {type OAuthServer, startOAuthServer} from '../../../../support/oauth-server.ts';

const whyNot = async (outcome: ReturnType<typeof signInTo>): Promise<string> => {
  const settled = await outcome;
  return settled.tag === 'failed' ? faultText(settled.error) : 'it succeeded';
};

/** One request of a session to the MCP server; what it answers, or why it was not sent. */
async function ask(server: OAuthServer, deps: OAuthDeps, method = 'tools/list'): Promise<unknown> {
  const never = new AbortController().signal;
  const target = {name: 'protected', url: new URL(server.mcpUrl), oauth: defaultOAuthSettings};
  const transport = new StreamableHTTPClientTransport(target.url, await makeSessionAuth(target, deps, never));
  const {promise, resolve} = Promise.withResolvers<unknown>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
  transport.onmessage = resolve;
  await transport.start();
  try {
    await transport.send({jsonrpc: '2.0', id: 1, method, params: {}});
    return await promise;
  } catch (cause) {
    return cause;
  } finally {
    await transport.close();
  }
}

describe('signing in', () => {
  test('registers, opens the link, takes the code that comes back, and keeps what it got under the server’s address', async () => {
    await using server = await startOAuthServer();
    const credentials = memoryCredentials();
    const user = userAtBrowser(credentials);
    const settled = await signInTo(server.mcpUrl, user);
    const [access] = server.tokens.keys();
    const [refresh] = server.refreshTokens;
    expect(settled).toMatchObject({tag: 'ok', value: {place: 'memory'}});
    expect([...credentials.kept]).toEqual([
      [
        server.mcpUrl,
        {
          issuer: server.origin,
          client: expect.objectContaining({
            client_id: expect.stringMatching(/^client-/u),
            token_endpoint_auth_method: 'none',
          }),
          accessToken: access,
          refreshToken: refresh,
          expiresAt: 1_000_000 + 3_600_000,
          scope: 'mcp:basic mcp:admin',
          resource: server.mcpUrl,
          resourceMetadataUrl: '',
        },
      ],
    ]);
    expect(user.secrets).toEqual(new Set([access, refresh]));
    const [link] = user.links;
    expect(Object.fromEntries(new URL(link ?? '').searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: server.mcpUrl,
      state: expect.stringMatching(/^[\w-]{43}$/u),
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/u),
    });
    expect(await ask(server, user)).toMatchObject({result: {tools: [{name: 'whoami'}]}});
  });

  test('registers once: the next time the same client comes back to the same port', async () => {
    await using server = await startOAuthServer();
    const user = userAtBrowser(memoryCredentials());
    await signInTo(server.mcpUrl, user);
    await signInTo(server.mcpUrl, user);
    expect(server.seen.filter(({path}) => path === '/register')).toHaveLength(1);
    const [first, second] = user.links.map(link => new URL(link).searchParams);
    expect(second?.get('redirect_uri')).toBe(first?.get('redirect_uri'));
    expect(second?.get('state')).not.toBe(first?.get('state'));
  });

  test('takes the address that the user pastes, where the browser is on another machine', async () => {
    await using server = await startOAuthServer();
    const pasted = Promise.withResolvers<string>();
    const user = userAtBrowser(memoryCredentials(), url => {
      void fetch(url, {redirect: 'manual'}).then(({headers}) => pasted.resolve(headers.get('location') ?? ''));
    });
    const settled = await signInTo(server.mcpUrl, {
      ...user,
      async *typedLines() {
        yield 'no address';
        yield 'http://127.0.0.1/callback?code=guessed&state=guessed';
        yield ` ${await pasted.promise}\n`;
      },
    });
    expect(settled).toMatchObject({tag: 'ok'});
  });

  test('ends when nobody comes back', async () => {
    await using server = await startOAuthServer();
    const stop = new AbortController();
    const user = userAtBrowser(memoryCredentials(), () => stop.abort(new Error('nobody signed in within 5 minutes')));
    expect(await whyNot(signInTo(server.mcpUrl, user, {}, stop.signal))).toBe(
      'Signing in to protected failed: nobody signed in within 5 minutes',
    );
  });

  test('says that it was refused, not with the words of the authorization server', async () => {
    await using server = await startOAuthServer();
    server.behaviour.consent = 'no';
    const why = await whyNot(signInTo(server.mcpUrl, userAtBrowser(memoryCredentials())));
    expect(why).toBe('Signing in to protected failed: you or the authorization server refused it');
  });

  test('asks for more than before when the server wants more', async () => {
    await using server = await startOAuthServer();
    server.behaviour.neededScope = 'mcp:admin';
    const user = userAtBrowser(memoryCredentials());
    await signInTo(server.mcpUrl, user, {challenge: {scope: 'mcp:basic', resourceMetadataUrl: undefined}});
    expect([...server.tokens.values()]).toEqual(['mcp:basic']);
    const refused = await ask(server, user, 'tools/call');
    expect(refused).toMatchObject({requiredScope: 'mcp:admin'});
    await signInTo(server.mcpUrl, user, {moreScope: 'mcp:admin'});
    expect([...server.tokens.values()]).toEqual(['mcp:basic', 'mcp:basic mcp:admin']);
    expect(await ask(server, user, 'tools/call')).toMatchObject({
      result: {content: [{text: expect.stringContaining('you are signed in')}]},
    });
  });
});

describe('a session', () => {
  test('says that the user has to sign in, and registers nothing', async () => {
    await using server = await startOAuthServer();
    const refused = await ask(server, userAtBrowser(memoryCredentials()));
    expect(refused).toBeInstanceOf(SignInNeeded);
    expect(String(refused)).toBe('SignInNeeded: needs sign-in: weft mcp login protected');
    expect(server.seen.map(({path}) => path)).toEqual(['/mcp']);
  });

  test('says so with a command that is safe to paste, whatever the server is called', () => {
    const needed = new SignInNeeded("x; rm -rf ~ 'y'", {challenge: emptyChallenge, why: 'no-token'});
    expect(needed.message).toBe(String.raw`needs sign-in: weft mcp login 'x; rm -rf ~ '\''y'\'''`);
  });

  test('refreshes a token that the server refuses, once for all requests that wait, and keeps the new one', async () => {
    await using server = await startOAuthServer();
    const credentials = memoryCredentials();
    const user = userAtBrowser(credentials);
    await signInTo(server.mcpUrl, user);
    server.expireTokens();
    const target = {name: 'protected', url: new URL(server.mcpUrl), oauth: defaultOAuthSettings};
    const auth = await makeSessionAuth(target, user, new AbortController().signal);
    const transport = new StreamableHTTPClientTransport(target.url, auth);
    await transport.start();
    await Promise.all([1, 2, 3].map(id => transport.send({jsonrpc: '2.0', id, method: 'tools/list', params: {}})));
    await transport.close();
    expect(server.seen.filter(({path, body}) => path === '/token' && body.includes('refresh_token'))).toHaveLength(1);
    expect(credentials.kept.get(server.mcpUrl)?.accessToken).toBe([...server.tokens.keys()][0]);
    expect(user.secrets).toContain([...server.tokens.keys()][0]);
  });

  test('of two wefts one refreshes, and the other takes what it got', async () => {
    await using server = await startOAuthServer();
    const credentials = memoryCredentials();
    const wefts = [userAtBrowser(credentials), userAtBrowser(credentials)];
    await signInTo(server.mcpUrl, userAtBrowser(credentials));
    server.expireTokens();
    const answers = await Promise.all(wefts.map(user => ask(server, user)));
    expect(answers).toMatchObject([{result: {}}, {result: {}}]);
    expect(server.seen.filter(({body}) => body.includes('refresh_token='))).toHaveLength(1);
  });

  test('refreshes before a token runs out', async () => {
    await using server = await startOAuthServer();
    server.behaviour.expiresIn = 20;
    const user = userAtBrowser(memoryCredentials());
    await signInTo(server.mcpUrl, user);
    expect(await ask(server, user)).toMatchObject({result: {}});
    expect(server.seen.filter(({path}) => path === '/mcp')).toHaveLength(1);
    expect(server.tokens.size).toBe(2);
  });

  test('asks to sign in again where refreshing is refused, and does not try a second time', async () => {
    await using server = await startOAuthServer();
    const user = userAtBrowser(memoryCredentials());
    await signInTo(server.mcpUrl, user);
    server.expireTokens();
    server.behaviour.refresh = 'refused';
    expect(String(await ask(server, user))).toBe('SignInNeeded: needs sign-in: weft mcp login protected');
    expect(server.seen.filter(({body}) => body.includes('refresh_token='))).toHaveLength(1);
  });

  test('gives a refresh token to no other authorization server than the one it came from', async () => {
    await using server = await startOAuthServer();
    await using other = await startOAuthServer();
    const user = userAtBrowser(memoryCredentials());
    await signInTo(server.mcpUrl, user);
    server.expireTokens();
    server.behaviour.resourceMetadata = {authorization_servers: [other.origin]};
    expect(await ask(server, user)).toBeInstanceOf(SignInNeeded);
    expect(other.seen.map(({path, body}) => [path, body])).toEqual([['/.well-known/oauth-authorization-server', '']]);
  });

  test('sends a token to no host that the server redirects to', async () => {
    await using server = await startOAuthServer();
    const arrived: (string | undefined)[] = [];
    const thief = createServer((request, response) => {
      arrived.push(request.headers.authorization);
      response.writeHead(200).end();
    });
    const port = await loopbackPort(thief);
    const user = userAtBrowser(memoryCredentials());
    await signInTo(server.mcpUrl, user);
    server.behaviour.redirectTo = `http://127.0.0.1:${port}/mcp`;
    expect(await ask(server, user)).toBeInstanceOf(Error);
    expect(arrived).toEqual([]);
    thief.close();
  });
});

describe('attacks on signing in', () => {
  test.each([
    [
      'the answer comes from another authorization server (mix-up)',
      {iss: 'https://evil.example'},
      'the answer came from a different authorization server',
    ],
    ['the answer does not say where it comes from', {iss: ''}, 'the answer came from a different authorization server'],
    [
      'the metadata are those of another server',
      {metadata: {issuer: 'https://evil.example'}},
      'different authorization server',
    ],
    [
      'the metadata of the resource are those of another one',
      {resourceMetadata: {resource: 'https://evil.example/mcp'}},
      'does not match',
    ],
    ['the link runs a script', {metadata: {authorization_endpoint: 'javascript:alert(1)'}}, ''],
    ['the link is a file', {metadata: {authorization_endpoint: 'file:///etc/passwd'}}, 'unencrypted address'],
    [
      'the link is not encrypted',
      {metadata: {authorization_endpoint: 'http://evil.example/authorize'}},
      'unencrypted address',
    ],
    [
      'the token is to be sent in the clear',
      {metadata: {token_endpoint: 'http://evil.example/token'}},
      'unencrypted address',
    ],
    [
      'weft is to register in the clear',
      {metadata: {registration_endpoint: 'http://evil.example/'}},
      'unencrypted address',
    ],
    [
      'the link hides its host behind a user name',
      {metadata: {authorization_endpoint: 'https://good.example@evil.example/'}},
      'unsafe link (https://evil.example)',
    ],
  ])('%s: nothing is kept and no code is exchanged', async (_what, behaviour, words) => {
    await using server = await startOAuthServer();
    Object.assign(server.behaviour, behaviour);
    const credentials = memoryCredentials();
    const user = userAtBrowser(credentials);
    expect(await whyNot(signInTo(server.mcpUrl, user))).toContain(words);
    expect(credentials.kept.size).toBe(0);
    expect(server.seen.filter(({path}) => path === '/token')).toEqual([]);
    expect(server.tokens.size).toBe(0);
  });

  test('an answer with a wrong state, or by another name of this machine, is not listened to', async () => {
    await using server = await startOAuthServer();
    const pages: number[] = [];
    const user = userAtBrowser(memoryCredentials(), (url, redirectUrl) => {
      void (async () => {
        const state = new URL(url).searchParams.get('state') ?? '';
        const forged = [
          '?code=stolen&state=guessed',
          '?code=stolen',
          `?code=a&code=b&state=${state}`,
          `?state=${state}`,
        ];
        for (const query of forged) pages.push((await fetch(redirectUrl + query)).status);
        pages.push((await fetch(`${redirectUrl}?code=x&state=${state}`, {method: 'POST'})).status);
        pages.push(
          (
            await fetch(`${redirectUrl.replace('127.0.0.1', 'localhost')}?code=x&state=${state}`).catch(() => ({
              status: 404,
            }))
          ).status,
        );
        await browse(url);
      })();
    });
    expect(await signInTo(server.mcpUrl, user)).toMatchObject({tag: 'ok'});
    expect(pages).toEqual([404, 404, 404, 404, 404, 404]);
  });

  test('the link that is shown has no control characters and no other alphabet', async () => {
    await using server = await startOAuthServer();
    const stop = new AbortController();
    server.behaviour.metadata = {authorization_endpoint: `https://раypal.example/a\u001B]0;x\u0007\u202Eb?\u009Bq=1`};
    const user = userAtBrowser(memoryCredentials(), () => stop.abort(new Error('seen')));
    await signInTo(server.mcpUrl, user, {}, stop.signal);
    expect(user.links).toEqual([expect.stringMatching(/^https:\/\/xn--[!-~]+$/u)]);
  });

  test('a server without encryption is not signed in to', async () => {
    const user = userAtBrowser(memoryCredentials());
    expect(await whyNot(signInTo('http://mcp.example/mcp', user))).toBe(
      "mcp.example is not encrypted, so weft won't send a token to it.",
    );
  });
});

describe('signing out', () => {
  test('revokes both tokens where the authorization server offers that', async () => {
    await using server = await startOAuthServer();
    const credentials = memoryCredentials();
    const user = userAtBrowser(credentials);
    await signInTo(server.mcpUrl, user);
    const credential = credentials.kept.get(server.mcpUrl);
    if (credential === undefined) throw new Error('not signed in');
    const given = {url: new URL(server.mcpUrl), credential};
    const signal = AbortSignal.timeout(10_000);
    expect(await revokeCredential(given, user.fetchFor(), signal)).toBe('revoked');
    expect([server.tokens.size, server.refreshTokens.size]).toEqual([0, 0]);
    server.behaviour.metadata = {revocation_endpoint: undefined};
    expect(await revokeCredential(given, user.fetchFor(), signal)).toBe('not-offered');
    server.behaviour.metadata = {revocation_endpoint: 'http://evil.example/'};
    expect(await revokeCredential(given, user.fetchFor(), signal)).toEqual({failed: 'its address is not encrypted'});
  });
});
