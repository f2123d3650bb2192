import {copyFileSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {dryRunsFolder} from '../../../../src/config/places.ts';
import {
  type DryRun,
  dryRunsIn,
  removeDryRun,
  saveDryRun,
  treesOfDryRuns,
} from '../../../../src/workspace/checkpoints/dry-runs.ts';

const begun: DryRun = {
  plan: 'p1',
  session: 's1',
  owner: '1 2 3 4',
  text: 'Plan',
  was: 'approved',
  at: 1,
  roots: ['/w'],
  before: 'tree1',
};

test('a file that a killed process had not renamed yet is no dry run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-dry-'));
  try {
    saveDryRun(folder, begun);
    const [name = ''] = readdirSync(dryRunsFolder(folder));
    copyFileSync(join(dryRunsFolder(folder), name), join(dryRunsFolder(folder), `${name}.new`));
    expect(dryRunsIn(folder)).toEqual([begun]);
    const ended: DryRun = {...begun, end: {after: 'tree2', state: 'completed', steps: ['completed']}};
    saveDryRun(folder, ended);
    expect([dryRunsIn(folder), treesOfDryRuns(folder)]).toEqual([[ended], ['tree1', 'tree2']]);
    removeDryRun(folder, ended);
    expect(dryRunsIn(folder)).toEqual([]);
  } finally {
    rmSync(folder, {recursive: true});
  }
});
