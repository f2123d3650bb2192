import {expect, test} from 'vitest';
import type {SearchPort} from '../../../src/actions/ports.ts';
import {definitions} from '../../../src/actions/catalogue.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import {plainTerms} from '../../../src/domain/executor.ts';
import {noDetail} from '../../../src/domain/risk.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {blockTexts} from '../../../src/domain/conversation.ts';
import type {ActionPorts} from '../../../src/actions/ports.ts';

const definition = definitions['init-project'];

/** Runs the action where a search answers so; no other port may be used. */
async function lookOver(
  glob: SearchPort['glob'],
  signal = new AbortController().signal,
  grep: SearchPort['grep'] = async () => failed(rejected('not asked')),
) {
  const search: SearchPort = {
    limitedTo: () => search,
    grep,
    glob,
    codebase: async () => failed(rejected('not asked')),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the action uses the search alone; another port would throw
  const ports = {search} as unknown as ActionPorts;
  const nothing = new AbortController().signal;
  return definition.run(
    {},
    {
      ports,
      signal,
      approval: 'not-asked',
      shown: {kind: 'none'},
      detail: noDetail,
      terms: plainTerms('/work'),
      observe: () => {},
      background: nothing,
      terminal: 'none',
    },
  );
}

test('names the files that tell, bounded, behind what is to be written', async () => {
  const asked: unknown[] = [];
  const settled = await lookOver(async ({path, limit, maxDepth, patterns}) => {
    asked.push({path, limit, maxDepth, hasReadme: patterns.includes('**/README*')});
    return ok({paths: ['README.md', 'package.json'], omitted: 3});
  });
  expect(asked).toEqual([{path: '.', limit: 60, maxDepth: 3, hasReadme: true}]);
  expect(settled).toEqual({state: 'success', output: {found: ['README.md', 'package.json'], omitted: 3, checks: []}});
  if (settled.state !== 'success') return;
  const text = blockTexts(definition.modelContent(settled.output)).join('');
  expect(text).toMatch(/^Explore this project and propose its AGENTS\.md/u);
  expect(text).toMatch(/Files to start with:\nREADME\.md\npackage\.json\n\[3 more\]$/u);
});

test('says that an empty folder has none of them', () => {
  expect(blockTexts(definition.modelContent({found: [], omitted: 0, checks: []})).join('')).toMatch(
    /None of the usual files exist yet/u,
  );
});

test('fails where the folder cannot be searched', async () => {
  expect(await lookOver(async () => failed(rejected('No such folder.')))).toEqual({
    state: 'error',
    fault: rejected('No such folder.'),
  });
});

test('ends as cancelled when it is interrupted', async () => {
  const abort = new AbortController();
  const settled = await lookOver(async () => {
    abort.abort();
    return ok({paths: [], omitted: 0});
  }, abort.signal);
  expect(settled).toEqual({state: 'cancelled', why: {reason: 'interrupted', message: ''}, partial: undefined});
});

test('offers the setting for the checks that the manifests name', async () => {
  const settled = await lookOver(
    async () => ok({paths: ['package.json', 'pnpm-lock.yaml', 'Makefile', 'go.mod', 'pyproject.toml'], omitted: 0}),
    undefined,
    async () =>
      ok({
        lines: [
          'Makefile:3:lint: deps',
          'go.mod:1:module example.com/a',
          'package.json:4:    "test": "vitest run",',
          'package.json:5:    "build": "tsc -b"',
          'package.json:9:    "check": "^1.2.0"',
          'pyproject.toml:2:[tool.pytest.ini_options]',
        ],
        omitted: {count: 0, exact: 'exact'},
      }),
  );
  const checks = [
    'make lint',
    'go test ./...',
    'go vet ./...',
    'go build ./...',
    'pnpm test',
    'pnpm run build',
    'pytest',
  ];
  expect(settled).toEqual({
    state: 'success',
    output: {found: ['package.json', 'Makefile', 'go.mod', 'pyproject.toml'], omitted: 0, checks},
  });
  if (settled.state !== 'success') return;
  const text = blockTexts(definition.modelContent(settled.output)).join('');
  expect(text).toContain('If .weft/settings.json has no `checks`, also propose it');
  expect(text).toContain('"checks": [{"name":"make lint","command":"make lint"},');
});
