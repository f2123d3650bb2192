import {hash} from 'node:crypto';
import {expect, test} from 'vitest';
import {receiptStatement} from '../../../../../src/cli/commands/sessions/export-receipts.ts';
import {type Json, parseJson} from '../../../../../src/base/json.ts';
import {treeId} from '../../../../../src/domain/checkpoint.ts';
import type {CheckStatus, Receipt} from '../../../../../src/domain/receipt.ts';
import {compileSchema} from '../../../../../src/protocol/json-schema/compile-schema.ts';

const now = treeId('a'.repeat(64));
const before = treeId('b'.repeat(64));

const status = (receipt: Partial<Receipt>, isFresh = true): CheckStatus => ({
  receipt: {
    name: 'npm test',
    kind: 'test',
    command: 'npm test',
    directory: '/work/shop',
    paths: 'all',
    call: 'host',
    end: {kind: 'exited', code: 0},
    counts: {passed: 41, failed: 0},
    at: Date.UTC(2026, 0, 2),
    tree: now,
    isConfined: true,
    ...receipt,
  },
  isFresh,
});

const commit = {commit: 'c'.repeat(40), tree: 'd'.repeat(40)};

const write = (checks: readonly CheckStatus[], at: typeof commit | 'none' = commit): Json => {
  const read = parseJson(receiptStatement({directory: '/work/shop', checks, commit: at}) ?? 'null');
  return read.tag === 'ok' ? read.value : read.error;
};

test('a statement names the tree, the commit and each check', () => {
  const lint = {
    name: 'eslint .',
    kind: 'lint',
    command: 'npx eslint .',
    directory: '/work/shop/web',
    counts: {},
  } as const;
  expect(write([status({}), status(lint)])).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{name: 'shop', digest: {gitCommit: commit.commit, gitTree: commit.tree, weftTree: now}}],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: 'PASSED',
      configuration: [
        {
          name: 'npm test',
          digest: {sha256: hash('sha256', 'npm test')},
          annotations: {
            command: 'npm test',
            directory: '.',
            exit_code: 0,
            passed: 41,
            failed: 0,
            at: '2026-01-02T00:00:00.000Z',
            tree: now,
            fresh: true,
            sandboxed: true,
          },
        },
        {
          name: 'eslint .',
          digest: {sha256: hash('sha256', 'npx eslint .')},
          annotations: {
            command: 'npx eslint .',
            directory: 'web',
            exit_code: 0,
            at: '2026-01-02T00:00:00.000Z',
            tree: now,
            fresh: true,
            sandboxed: true,
          },
        },
      ],
      passedTests: ['npm test', 'eslint .'],
      warnedTests: [],
      failedTests: [],
    },
  });
});

test.each([
  ['a failed check', [status({end: {kind: 'exited', code: 1}})], ['FAILED', true]],
  ['a check on other files', [status({}), status({name: 'tsc', at: 0, tree: before}, false)], ['WARNED', true]],
  ['a hidden exit code', [status({end: {kind: 'hidden', by: 'pipe'}, counts: {}})], ['WARNED', true]],
  ['files that changed since', [status({}, false)], ['PASSED', false]],
] as const)('%s', (_, checks, expected) => {
  const statement = write(checks);
  expect(statement).toMatchObject({predicate: {result: expected[0]}});
  expect(JSON.stringify(statement).includes('gitCommit')).toBe(expected[1]);
});

test('equal receipts give equal text, and no known tree gives none', () => {
  const facts = {directory: '/work/shop', checks: [status({})], commit};
  expect(receiptStatement(facts)).toBe(receiptStatement({...facts, checks: [status({})]}));
  expect(write([])).toBe(null);
  expect(write([status({tree: 'unknown'})])).toBe(null);
});

test('every statement fits the schemas of in-toto Statement v1 and of test results v0.1', () => {
  const digest = {type: 'object', minProperties: 1, additionalProperties: {type: 'string', pattern: '^[0-9a-f]+$'}};
  const names = {type: 'array', items: {type: 'string'}};
  const schema = {
    type: 'object',
    required: ['_type', 'subject', 'predicateType', 'predicate'],
    additionalProperties: false,
    properties: {
      _type: {const: 'https://in-toto.io/Statement/v1'},
      subject: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['digest'],
          properties: {name: {type: 'string'}, digest},
          additionalProperties: false,
        },
      },
      predicateType: {const: 'https://in-toto.io/attestation/test-result/v0.1'},
      predicate: {
        type: 'object',
        required: ['result', 'configuration'],
        additionalProperties: false,
        properties: {
          result: {enum: ['PASSED', 'WARNED', 'FAILED']},
          configuration: {
            type: 'array',
            // A ResourceDescriptor has at least one of uri, digest and content.
            items: {
              type: 'object',
              required: ['name', 'digest'],
              properties: {name: {type: 'string'}, digest, annotations: {type: 'object'}},
              additionalProperties: false,
            },
          },
          passedTests: names,
          warnedTests: names,
          failedTests: names,
        },
      },
    },
  };
  const compiled = compileSchema(schema);
  if (compiled.tag === 'failed') throw new Error(compiled.error);
  for (const checks of [[status({})], [status({tree: before}, false), status({name: 'tsc'})]]) {
    for (const at of [commit, 'none'] as const) expect(compiled.value(write(checks, at))).toEqual([]);
  }
});
