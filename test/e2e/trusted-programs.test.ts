// @module-tag long
import {chmodSync, existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, toldResults} from '../support/scene.ts';

test(
  "programs of the workspace in PATH run for what the user allows, not for what runs unasked nor for weft's own",
  {tags: 'smoke'},
  async () => {
    await using scene = await openScene([
      call('Bash', {command: 'ls made 2>/dev/null; git status --short; which tool'}),
      call('Bash', {command: 'tool'}),
      call('Bash', {command: 'rm -f x'}),
      say('done'),
    ]);
    const {work} = scene.place;
    const log = join(work, 'ran.log');
    mkdirSync(join(work, '.venv/bin'), {recursive: true});
    for (const name of ['ls', 'git', 'bash', 'sh', 'stty', 'mkfifo', 'ps', 'rg', 'which', 'tool']) {
      writeFileSync(join(work, '.venv/bin', name), `#!/bin/sh\necho ${name} >>${log}\necho I am ${name}\n`);
      chmodSync(join(work, '.venv/bin', name), 0o755);
    }
    const path = `.venv/bin:${join(work, '.venv/bin')}:/proc/self/cwd/.venv/bin:${scene.place.environment()['PATH'] ?? ''}`;
    await scene.run(['--prompt', 'x', '--allowed-tools', 'Bash(tool:*)'], {environment: {PATH: path}});
    const [first, second] = scene.server.requests.slice(1).map(toldResults);
    expect(first?.[0]).not.toContain('I am');
    expect(first?.[0]).toContain(
      `[the command ran without approval, so PATH left out .venv/bin, ${join(work, '.venv/bin')}`,
    );
    expect(second?.[0]).toContain('I am tool');
    expect(existsSync(log)).toBe(true);
    expect(scene.read('ran.log')).toBe('tool\n');
  },
);
