// @module-tag long
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openScene} from '../support/scene.ts';

test('weft agents list tells which harnesses are installed, and how to sign in; a program of the workspace is none', async () => {
  await using scene = await openScene([]);
  const {home, work} = scene.place;
  for (const [folder, name] of [
    [join(home, 'bin'), 'codex'],
    [join(work, 'bin'), 'claude'],
  ] as const) {
    mkdirSync(folder);
    writeFileSync(join(folder, name), '#!/bin/sh\necho "$0 1.2.3"\n');
    chmodSync(join(folder, name), 0o755);
  }
  const path = [join(work, 'bin'), join(home, 'bin'), '/usr/bin', '/bin'].join(':');
  const environment = {PATH: path};
  const {stdout, code} = await scene.run(['agents', 'list', '--json'], {environment});
  expect(code).toBe(0);
  const rows: readonly {readonly kind: string}[] = JSON.parse(stdout);
  const harnesses = rows.filter(({kind}) => kind === 'harness');
  expect(harnesses[0]).toMatchObject({kind: 'harness', name: 'claude', acts: 'with-approvals', resumes: true});
  expect(stdout).not.toContain(work);
  expect(harnesses[1]).toEqual({
    kind: 'harness',
    name: 'codex',
    installed: true,
    acts: 'with-approvals',
    resumes: true,
    path: join(home, 'bin', 'codex'),
    version: '1.2.3',
    signIn: 'signed-out',
    advice: 'Sign in: run codex login.',
  });
  const text = await scene.run(['agents', 'list'], {environment});
  expect(text.stdout).toContain('codex  (1.2.3, not signed in: ~/bin/codex)\n    Sign in: run codex login.\ngemini  (');
  const doctor = await scene.run(['doctor'], {environment});
  expect(doctor.stdout).toMatch(/^. agents {4}weft's own, (?:.*, )?codex 1\.2\.3 \(not signed in\)/mu);
});
