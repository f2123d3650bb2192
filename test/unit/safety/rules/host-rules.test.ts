import {ruleKinds} from '../../../../src/actions/catalogue.ts';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {readHostPlace} from '../../../../src/domain/web-url.ts';
import {hostDecision, hostRule, canReachSomeHost} from '../../../../src/safety/rules/host-rules.ts';
import {parseRule, type PermissionRule} from '../../../../src/safety/rules/permission-rule.ts';
import {broadRuleProblem} from '../../../../src/safety/rules/suggested-rules.ts';

/** A rule as it takes effect: one that cannot be read is as strict as it can be. */
function ruleOf(text: string): PermissionRule {
  const read = parseRule(text, ruleKinds);
  if (read.tag === 'ok') return read.value;
  if (read.error.kind !== 'unread-pattern') throw new Error(read.error.message);
  return read.error.strict;
}

const rules = (given: Partial<Record<'allow' | 'ask' | 'deny', readonly string[]>>) => ({
  allow: (given.allow ?? []).map(ruleOf),
  ask: (given.ask ?? []).map(ruleOf),
  deny: (given.deny ?? []).map(ruleOf),
});

/** What is decided about a place as a program names it. */
function decided(place: string, given: Parameters<typeof rules>[0]): string {
  const read = readHostPlace(place);
  return read.tag === 'ok' ? hostDecision(read.value.host, rules(given)).kind : 'unreadable';
}

describe('a rule that allows', () => {
  test.each([
    ['Network(domain:example.com)', 'example.com:443', 'allowed'],
    ['Network(domain:example.com)', 'example.com:22', 'allowed'],
    ['Network(domain:example.com)', 'EXAMPLE.com.:443', 'allowed'],
    ['Network(domain:Example.COM.)', 'example.com:443', 'allowed'],
    ['Network(domain:example.com)', 'www.example.com:443', 'open'],
    ['Network(domain:example.com)', 'example.com.evil.test:443', 'open'],
    ['Network(domain:example.com)', 'evilexample.com:443', 'open'],
    ['Network(domain:example.com)', 'example.co:443', 'open'],
    // A small i without its dot, a Cyrillic a: other names, which look alike.
    ['Network(domain:example.com)', 'exаmple.com:443', 'open'],
    ['Network(domain:github.com)', 'gıthub.com:443', 'open'],
    ['Network(domain:*.example.com)', 'a.b.example.com:443', 'allowed'],
    ['Network(domain:*.example.com)', 'example.com:443', 'open'],
    ['Network(domain:*.example.com)', 'evilexample.com:443', 'open'],
    ['Network(domain:bücher.example)', 'xn--bcher-kva.example:443', 'allowed'],
    ['Network(domain:xn--bcher-kva.example)', 'BÜCHER.example:443', 'allowed'],
    ['Network(domain:93.184.215.14)', '93.184.215.14:443', 'allowed'],
    ['Network(domain:93.184.215.14)', '1572394766:443', 'allowed'],
    ['Network(domain:93.184.215.14)', '0x5db8d70e:443', 'allowed'],
    ['Network(domain:93.184.215.14)', 'a.93.184.215.14:443', 'unreadable'],
    ['Network(domain:[2606:2800::1])', '[2606:2800:0::1]:443', 'allowed'],
    ['Network(domain:example.com)', '93.184.215.14:443', 'open'],
    ['Network(domain:*)', 'example.com:443', 'allowed'],
    ['Network', 'example.com:443', 'allowed'],
    ['Network(*)', 'example.com:443', 'allowed'],
    ['WebFetch(domain:example.com)', 'example.com:443', 'open'],
    // Not rules that can be read: they allow nothing.
    ['Network(domain:example.com:443)', 'example.com:443', 'open'],
    ['Network(domain:https://example.com)', 'example.com:443', 'open'],
    ['Network(domain:ex*mple.com)', 'example.com:443', 'open'],
    ['Network(domain:*.*.com)', 'a.b.com:443', 'open'],
    ['Network(example.com)', 'example.com:443', 'open'],
    ['Network(domain:)', 'example.com:443', 'open'],
  ])('%s and %s: %s', (rule, place, expected) => {
    expect(decided(place, {allow: [rule]})).toBe(expected);
  });
});

test('deny stands before ask, ask before allow; what cannot be read denies and asks for every host', () => {
  const allow = ['Network(domain:*.example.com)', 'Network(domain:example.com)'];
  const ask = ['Network(domain:new.example.com)'];
  const deny = ['Network(domain:bad.example.com)'];
  const all = {allow, ask, deny};
  expect(
    ['example.com:1', 'a.example.com:1', 'new.example.com:1', 'bad.example.com:1'].map(place => decided(place, all)),
  ).toEqual(['allowed', 'allowed', 'asked', 'denied']);
  expect(decided('new.example.com:1', {...all, deny: ask})).toBe('denied');
  expect(decided('example.com:1', {...all, deny: ['Network(domain:exa_*)']})).toBe('denied');
  expect(decided('example.com:1', {...all, ask: ['Network(domain:exa_*)']})).toBe('asked');
});

test.each([
  '',
  'example.com',
  ':443',
  'example.com:',
  'example.com:0',
  'example.com:65536',
  'example.com:443:443',
  'user@example.com:443',
  'example.com/x:443',
  'example.com%2eevil.test:443',
  'example.com\\.evil.test:443',
  'example.com\u0000.evil.test:443',
  'exa mple.com:443',
  '...:443',
  '[::1:443',
  '::1:443',
  `${'a'.repeat(300)}:443`,
])('%j is no place', place => {
  expect(readHostPlace(place).tag).toBe('failed');
});

const scopeOf = (place: string): string => {
  const read = readHostPlace(place);
  return read.tag === 'ok' ? read.value.scope : read.error;
};

test('places in this machine and in private networks are known by their addresses, however they are written', () => {
  expect(
    [
      '127.1:1',
      '2130706433:1',
      '[::ffff:127.0.0.1]:1',
      'LOCALHOST.:1',
      'a.localhost:1',
      '169.254.169.254:80',
      '[fe80::1]:1',
      '10.1:1',
    ].map(scopeOf),
  ).toEqual(['loopback', 'loopback', 'loopback', 'loopback', 'loopback', 'private', 'private', 'private']);
});

const label = fc.stringMatching(/^[a-z][a-z\d-]{0,8}[a-z\d]$/u).filter(text => !text.startsWith('xn'));
const name = fc.array(label, {minLength: 2, maxLength: 4}).map(labels => `${labels.join('.')}.test`);

test('the rule that is offered for a host allows this host and no other', () => {
  fc.assert(
    fc.property(name, name, (host, other) => {
      const allow = [hostRule(host)];
      expect(decided(`${host}:443`, {allow})).toBe('allowed');
      expect(decided(`${host.toUpperCase()}.:80`, {allow})).toBe('allowed');
      expect(decided(`${other}:443`, {allow})).toBe(other === host ? 'allowed' : 'open');
      expect(decided(`${other}.${host}:443`, {allow})).toBe('open');
      expect(decided(`x${host}:443`, {allow})).toBe('open');
      expect(decided(`${other}.${host}:443`, {allow: [`Network(domain:*.${host})`]})).toBe('allowed');
    }),
  );
  expect(hostRule('2606:2800::1')).toBe('Network(domain:[2606:2800::1])');
  expect(decided('[2606:2800::1]:1', {allow: [hostRule('2606:2800::1')]})).toBe('allowed');
});

test('no text of a program is read as another host than the URL standard has it', () => {
  fc.assert(
    fc.property(fc.string({unit: 'grapheme', maxLength: 30}), text => {
      const read = readHostPlace(`${text}:443`);
      if (read.tag === 'failed') return;
      const {host} = read.value;
      expect(host).toMatch(/^[^\s/@?#%\\A-Z]+$/u);
      expect(new URL(`http://${host.includes(':') ? `[${host}]` : host}/`).hostname).toBe(
        host.includes(':') ? `[${host}]` : host,
      );
    }),
  );
});

test('a rule for every host is said to be broad; only rules that may let something through open the network', () => {
  expect(['Network', 'Network(domain:*)'].map(text => broadRuleProblem(ruleOf(text)))).toEqual([
    expect.stringContaining('anywhere'),
    expect.stringContaining('anywhere'),
  ]);
  expect(broadRuleProblem(ruleOf('Network(domain:*.example.com)'))).toBeUndefined();
  expect(canReachSomeHost(rules({deny: ['Network'], allow: ['WebFetch']}))).toBe(false);
  expect(canReachSomeHost(rules({ask: ['Network']}))).toBe(true);
  expect(canReachSomeHost(rules({allow: ['Network(domain:a.test)']}))).toBe(true);
});
