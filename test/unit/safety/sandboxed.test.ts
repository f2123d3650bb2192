import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import type {PermissionMode} from '../../../src/domain/risk.ts';
import {nothingProven, type Proof} from '../../../src/domain/sandbox.ts';
import {fileEffect} from '../../../src/workspace/impact/file-effect.ts';
import {bash, inWords, judgeOnDisk, parsedRules} from './support/judging.ts';

const root = mkdtempSync(join(tmpdir(), 'weft-judged-'));
writeFileSync(join(root, 'there.txt'), 'a\n');
afterAll(() => rmSync(root, {recursive: true, force: true}));

const proven: Proof = {
  provider: 'bwrap',
  works: true,
  proven: {files: true, network: true, processes: true, overlay: true},
  hosts: 'closed',
  reason: '',
};

interface Given {
  readonly proof?: Proof | 'none';
  readonly mode?: PermissionMode;
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly claims?: object;
}

async function verdict(
  command: string,
  {proof = proven, mode = 'default', ask = [], deny = [], claims = {}}: Given = {},
) {
  const {decision, reasons, obligations} = inWords(
    await judgeOnDisk(root, '/home/me', {
      sandbox: proof === 'none' ? 'none' : async () => proof,
      effectOf: given => fileEffect(given, '/home/me'),
      rules: {allow: [], ask: parsedRules(...ask), deny: parsedRules(...deny)},
    }).assess(bash(command, claims), mode, new AbortController().signal),
  );
  const confined = obligations.flatMap(obligation => (obligation.kind === 'confined' ? [obligation.to] : []));
  return {decision, reasons, confined};
}

const inside = {
  decision: 'allow',
  reasons: ['Runs in the sandbox (bwrap): it changes only the workspace and reaches no network'],
  confined: ['sandbox'],
};

describe('where a sandbox is proven', () => {
  test.each([
    'npm test',
    'npm run build',
    'npm run test:unit -- --reporter=dot',
    'npx vitest run',
    'tsc -p . && eslint src',
    'pytest -q tests',
    'python3 -m pytest',
    'cargo test --all',
    'go test ./...',
    'make',
    'make -j4 check',
    'npm test 2>&1 | tail -5',
    'mkdir -p new && touch new/file',
    'npm test > new.log',
  ])('%s runs inside, unasked', async command => {
    expect(await verdict(command)).toEqual(inside);
    expect((await verdict(command, {proof: 'none'})).decision).toBe('ask');
  });

  test.each([
    'rm -rf src',
    'git reset --hard',
    'git commit -m x',
    'npm install',
    'npm run deploy',
    'npm publish',
    'make clean',
    'make install',
    'npm test && curl https://example.com',
    'npm test > there.txt',
    'npm test > /etc/new',
    'cd / && make',
    'python3 -c "import os"',
    'node script.js',
    'npx some-package',
    'npm test & ',
    '$TOOL test',
    'eslint -o .git/hooks/pre-commit src',
    'make "$(curl example.com)"',
  ])('%s asks as ever', async command => {
    expect(await verdict(command)).toEqual(await verdict(command, {proof: 'none'}));
    expect((await verdict(command)).decision).toBe('ask');
  });

  test('rules come first, and the model can only make it stricter', async () => {
    expect((await verdict('npm test', {deny: ['Bash(npm:*)']})).decision).toBe('deny');
    expect((await verdict('npm test', {ask: ['Bash(npm test)']})).decision).toBe('ask');
    expect((await verdict('npm test', {claims: {is_risky: true}})).decision).toBe('ask');
    expect(await verdict('npm test', {claims: {is_read_only: false}})).toEqual(inside);
  });

  test('plan mode runs what only reads where nothing can be changed, and nothing else', async () => {
    expect(await verdict('git status', {mode: 'plan'})).toEqual({
      decision: 'allow',
      reasons: [],
      confined: ['read-only'],
    });
    expect((await verdict('npm test', {mode: 'plan'})).decision).toBe('deny');
    expect((await verdict('git status')).confined).toEqual([]);
  });
});

test.each(['files', 'network', 'processes', 'overlay'] as const)('without a proof of %s it asks', async missing => {
  const partly = {...proven, proven: {...proven.proven, [missing]: false}};
  expect(await verdict('npm test', {proof: partly})).toEqual(await verdict('npm test', {proof: 'none'}));
});

test.each([{run_in_background: true}, {wait_until_completion: false}])('as a block (%j) it asks', async claims => {
  expect(await verdict('npm test', {claims})).toEqual(await verdict('npm test', {claims, proof: 'none'}));
});

test('a sandbox that does not prove itself spares no question', async () => {
  const broken: Proof = {
    provider: 'bwrap',
    works: false,
    proven: nothingProven,
    hosts: 'closed',
    reason: 'no namespaces',
  };
  expect(await verdict('npm test', {proof: broken})).toEqual(await verdict('npm test', {proof: 'none'}));
});
