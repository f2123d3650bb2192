import {ruleKinds} from '../../../../src/actions/catalogue.ts';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {permissionModes} from '../../../../src/domain/risk.ts';
import {matchesDomain, parseDomainPattern} from '../../../../src/safety/rules/domain-pattern.ts';
import {parseRule} from '../../../../src/safety/rules/permission-rule.ts';
import {action, type Given, judge} from '../support/judging.ts';

const verdictOn = async (url: string, given: Given = {}) => {
  const {decision, reasons} = await judge(action('WebFetch', {url}), given);
  return [decision, ...reasons];
};

describe('a page', () => {
  test('is asked about in every mode that asks; plan mode asks, too', async () => {
    const verdicts = await Promise.all(
      permissionModes.map(async mode => [mode, ...(await verdictOn('https://example.com/', {mode}))]),
    );
    expect(verdicts).toEqual([
      ['default', 'ask', 'Reads from example.com'],
      ['acceptEdits', 'ask', 'Reads from example.com'],
      ['plan', 'ask', 'Reads from example.com'],
      ['dontAsk', 'ask', 'Reads from example.com'],
      ['bypassPermissions', 'allow'],
    ]);
  });

  test('is allowed by a rule of its host, also in plan mode, at the ports of the web alone', async () => {
    const allow = ['WebFetch(domain:example.com)'];
    expect(await verdictOn('https://example.com/a', {allow})).toEqual(['allow']);
    expect(await verdictOn('http://EXAMPLE.com.:80/a', {allow, mode: 'plan'})).toEqual(['allow']);
    expect(await verdictOn('http://example.com:443/a', {allow})).toEqual(['allow']);
    expect(await verdictOn('https://example.com:8443/', {allow: [...allow, 'WebFetch']})).toEqual([
      'ask',
      'Reads from example.com',
      "Port 8443 is not one of the web's (80, 443)",
    ]);
    expect((await verdictOn('https://example.com.evil.test/', {allow}))[0]).toBe('ask');
    expect((await verdictOn('https://evilexample.com/', {allow}))[0]).toBe('ask');
    expect((await verdictOn('https://www.example.com/', {allow}))[0]).toBe('ask');
    expect(await verdictOn('https://www.example.com/', {allow: ['WebFetch(domain:*.example.com)']})).toEqual(['allow']);
    expect((await verdictOn('https://example.com/', {allow: ['WebFetch(domain:*.example.com)']}))[0]).toBe('ask');
  });

  test('is denied by a rule at every port and in every mode', async () => {
    const deny = ['WebFetch(domain:example.com)'];
    for (const mode of permissionModes)
      expect((await verdictOn('https://example.com:8443/', {deny, allow: ['WebFetch'], mode}))[0]).toBe('deny');
  });
});

describe.each(permissionModes)('in mode %s', mode => {
  const allow = ['WebFetch', 'WebFetch(domain:*)', 'WebFetch(domain:localhost)', 'WebFetch(domain:127.0.0.1)'];

  test.each([
    'http://localhost:3000/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::1]:8080/',
    'http://[::ffff:127.0.0.1]/',
    'http://app.localhost/',
  ])('%s is asked about, whatever rules allow', async url => {
    const [decision, reason] = await verdictOn(url, {mode, allow});
    expect([decision, reason]).toEqual(['ask', expect.stringMatching(/^Reads from this machine: /u)]);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://0.0.0.0:8080/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[::ffff:10.0.0.1]/',
    'http://0xa9fea9fe/',
  ])('%s is denied', async url => {
    const [decision, reason] = await verdictOn(url, {mode, allow});
    expect([decision, reason]).toEqual(['deny', expect.stringMatching(/^weft can't read this address: /u)]);
  });

  test.each([
    'https://example.com/?k=[[secret:API_KEY:0123abcd]]',
    'https://example.com/[[secret:API_KEY:0123abcd]]/x',
    'https://example.com/?k=%5B%5Bsecret%3AAPI_KEY%3A0123abcd%5D%5D',
  ])('%s carries a secret: it is asked about, whatever rules allow', async url => {
    expect(await verdictOn(url, {mode, allow})).toEqual([
      'ask',
      'Reads from example.com',
      'Sends the secret API_KEY to example.com',
    ]);
  });

  test('a query that carries a secret is asked about, whatever rules allow', async () => {
    const search = action('WebSearch', {query: 'what is [[secret:API_KEY:0123abcd]]'});
    expect(await judge(search, {mode, allow: ['WebSearch']})).toMatchObject({
      decision: 'ask',
      reasons: ['Sends the query to a search engine', 'Sends the secret API_KEY to a search engine'],
    });
  });
});

test.each([
  ['WebFetch', {url: 'http://localhost:3000/'}, 'none'],
  ['WebFetch', {url: 'https://example.com/?k=[[secret:API_KEY:0123abcd]]'}, 'none'],
  ['WebSearch', {query: 'what is [[secret:API_KEY:0123abcd]]'}, 'none'],
  ['WebFetch', {url: 'https://example.com:8443/'}, 'exact'],
  ['WebFetch', {url: 'https://example.com/'}, 'kind'],
  ['WebSearch', {query: 'tea'}, 'exact'],
] as const)('%s %j: an approval for the session covers %s', async (tool, input, covered) => {
  expect((await judge(action(tool, input))).sessionApproval).toBe(covered);
});

test('a search is asked about, and allowed by its rule', async () => {
  const search = action('WebSearch', {query: 'tea'});
  expect(await judge(search)).toMatchObject({decision: 'ask', reasons: ['Sends the query to a search engine']});
  expect((await judge(search, {allow: ['WebSearch'], mode: 'plan'})).decision).toBe('allow');
  expect((await judge(search, {deny: ['WebSearch'], mode: 'bypassPermissions'})).decision).toBe('deny');
});

describe('rules of hosts', () => {
  test.each([
    ['domain:example.com', {kind: 'host', host: 'example.com'}],
    ['domain: EXAMPLE.com. ', {kind: 'host', host: 'example.com'}],
    ['domain:*.example.com', {kind: 'below', host: 'example.com'}],
    ['domain:bücher.example', {kind: 'host', host: 'xn--bcher-kva.example'}],
    ['domain:*', {kind: 'every-host'}],
    ['domain:[2606:4700::1111]', {kind: 'host', host: '2606:4700::1111'}],
  ])('%s', (text, pattern) => {
    expect(parseDomainPattern(text)).toEqual({tag: 'ok', value: pattern});
  });

  test.each([
    'example.com',
    'domain:',
    'domain:https://example.com',
    'domain:example.com/path',
    'domain:example.com:8080',
    'domain:*example.com',
    'domain:ex*.com',
    'domain:*.',
    'domain:*.*.com',
    'domain:a b',
    'domain:user@example.com',
    'domain:a%2eb',
  ])('WebFetch(%s) is no rule, and what stands for it is stricter', text => {
    expect(parseRule(`WebFetch(${text})`, ruleKinds)).toEqual({
      tag: 'failed',
      error: {
        kind: 'unread-pattern',
        message: `The rule WebFetch(${text}) cannot be used: write it as domain:example.com, or domain:*.example.com for all names below.`,
        strict: {text: `WebFetch(${text})`, tool: 'WebFetch', ruleKind: 'domain', about: {kind: 'other'}},
      },
    });
  });

  const label = fc.stringMatching(/^[a-z]{1,6}$/u);
  const host = fc.array(label, {minLength: 1, maxLength: 4}).map(labels => labels.join('.'));

  test('match exactly the hosts whose labels they name', () => {
    fc.assert(
      fc.property(host, host, (named, asked) => {
        const exact = parseDomainPattern(`domain:${named}`);
        const below = parseDomainPattern(`domain:*.${named}`);
        if (exact.tag === 'failed' || below.tag === 'failed') throw new Error('no pattern');
        const isBelow =
          labels(asked).length > labels(named).length &&
          labels(named).every((each, at) => each === labels(asked).at(at - labels(named).length));
        expect([matchesDomain(exact.value, asked), matchesDomain(below.value, asked)]).toEqual([
          asked === named,
          isBelow,
        ]);
        for (const more of [`${asked}.${named}`, `${asked}${named}`, `${named}.${asked}`])
          expect(matchesDomain(below.value, more)).toBe(more.endsWith(`.${named}`));
      }),
    );
  });
});

const labels = (text: string): readonly string[] => text.split('.');
