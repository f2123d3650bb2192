import {existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, toldResults} from '../support/scene.ts';

const id = '0f9a1a34-1111-4222-8333-444455556666';

test('a file is kept with its session until that is deleted; one with a secret, or outside of the workspace, is not', async () => {
  await using scene = await openScene([
    [
      call('UploadArtifact', {file_path: 'report.txt', description: 'The report'}),
      call('UploadArtifact', {file_path: 'keys.txt'}),
      call('UploadArtifact', {file_path: '../outside.txt'}),
    ],
    say('Kept.'),
  ]);
  writeFileSync(join(scene.place.work, 'report.txt'), 'All is well.\n');
  writeFileSync(join(scene.place.work, 'keys.txt'), 'the token is s3cr3t-t0ken-0123456789\n');
  await scene.run(['--prompt', 'x', '--session-id', id], {environment: {API_TOKEN: 's3cr3t-t0ken-0123456789'}});
  const [kept = '', secret, outside] = toldResults(scene.server.requests[1]);
  expect([secret, outside]).toEqual([
    expect.stringMatching(/Can't keep .*keys\.txt: it contains secrets\. Upload a copy without them\.$/u),
    expect.stringMatching(/^Not permitted: /u),
  ]);
  const path = /^Kept report\.txt \(13 bytes, sha256 [\da-f]{64}\) at (.+)$/u.exec(kept)?.[1] ?? kept;
  rmSync(join(scene.place.work, 'report.txt'));
  expect(readFileSync(path, 'utf8')).toBe('All is well.\n');
  await scene.run(['sessions', 'delete', id]);
  expect(existsSync(path)).toBe(false);
});
