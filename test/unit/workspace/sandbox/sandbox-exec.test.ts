import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {emptyChangesOutcome} from '../../../../src/actions/changes-port.ts';
import {confines} from '../../../../src/domain/sandbox.ts';
import {makeSandboxExec} from '../../../../src/workspace/sandbox/sandbox-exec.ts';
import {isInstalled} from '../../../support/programs.ts';
import {never} from '../temporary-folder.ts';
import {sandboxPlace} from './sandbox-place.ts';

test.for(['native', 'bwrap'] as const)('%s: commands and script files run to their end', async (choice, {skip}) => {
  skip(choice === 'bwrap' && !isInstalled('bwrap'), 'needs bwrap');
  await using place = await sandboxPlace(choice);
  const proof = await place.sandbox.proof();
  skip(choice === 'bwrap' && !confines(proof), proof.reason);
  const port = makeSandboxExec({
    sandbox: place.sandbox,
    directory: place.root,
    confinement: 'chosen',
    changes: 'none',
    environment: {PATH: process.env['PATH'] ?? '', OUT: place.outside},
  });
  expect(await port.exec({command: 'echo out; echo err >&2; pwd; exit 3', timeoutMs: 60_000}, never)).toEqual({
    tag: 'ok',
    value: {
      end: {kind: 'exited', code: 3},
      output: expect.stringContaining(place.root),
      stdout: `out\n${place.root}\n`,
      stderr: 'err\n',
      notes: [],
      changes: emptyChangesOutcome,
    },
  });
  const contents = Buffer.from('cat; echo "$1" >made; echo x >"$OUT/new"; exit 4');
  const script = {name: '../../own.sh', contents, args: ['a b']};
  expect(await port.runFile({...script, timeoutMs: 60_000}, never)).toMatchObject({
    value: {end: {kind: 'exited', code: 4}},
  });
  expect(place.text(join(place.root, 'made'))).toBe('a b\n');
  expect(existsSync(join(place.outside, 'new'))).toBe(choice === 'native');
  expect(await port.runFile({...script, name: 'own.exe', timeoutMs: 1}, never)).toMatchObject({tag: 'failed'});
  expect(await port.exec({command: 'sleep 60', timeoutMs: 200}, never)).toMatchObject({
    value: {end: {kind: 'timed-out'}},
  });
  expect(await port.exec({command: 'true', timeoutMs: 60_000}, AbortSignal.abort())).toMatchObject({
    value: {end: {kind: 'aborted'}},
  });
});
