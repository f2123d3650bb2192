import {expect, test} from 'vitest';
import {whyRuleIsBroad} from '../../../../src/safety/rules/suggested-rules.ts';
import {parseRule} from '../../../../src/safety/rules/permission-rule.ts';

const broad = (text: string): string | undefined => {
  const rule = parseRule(text);
  if (rule.tag === 'failed') throw new Error(rule.error.message);
  return whyRuleIsBroad(rule.value);
};

test.each([
  ['Bash', 'it lets every command through'],
  ['Bash(*)', 'it lets every command through'],
  ['Bash(*:*)', 'it lets any program through'],
  ['Bash(ba*)', 'it lets any program through'],
  ['Bash(bash:*)', 'bash runs whatever it is given'],
  ['Bash(/bin/bash -c:*)', 'bash runs whatever it is given'],
  ['Bash("sh" -c *)', 'sh runs whatever it is given'],
  ['Bash(python3.12:*)', 'python3.12 runs whatever it is given'],
  ['Bash(node -e:*)', 'node runs whatever it is given'],
  ['Bash(sudo:*)', 'sudo runs any other program'],
  ['Bash(env *)', 'env runs any other program'],
  ['Bash(npm exec:*)', 'npm exec runs any other program'],
  ['Bash(npx:*)', 'npx runs any other program'],
  ['Bash(docker run:*)', 'docker run runs any other program'],
  ['Bash(git:*)', 'git can run programs by its configuration, rewrite history and push'],
  ['Bash(find:*)', 'find can run programs and delete files'],
])('%s: %s', (rule, reason) => {
  expect(broad(rule)).toBe(reason);
});

test.each([
  'Bash(git status:*)',
  'Bash(npm test)',
  'Bash(npm run:*)',
  'Bash(python manage.py:*)',
  'Bash(node scripts/build.js:*)',
  'Bash(sudo apt update)',
  'Bash(bash)',
  'Bash(constructor:*)',
  'Bash(__proto__ x:*)',
  'Edit',
  'Read(**)',
  'WebFetch(domain:example.com)',
])('%s is not', rule => {
  expect(broad(rule)).toBeUndefined();
});
