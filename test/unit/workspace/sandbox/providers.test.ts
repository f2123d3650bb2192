import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {confines} from '../../../../src/domain/sandbox.ts';
import {needs} from '../../../support/programs.ts';
import {attacks} from './attacks.ts';
import {sandboxPlace, withBriefSecrets} from './sandbox-place.ts';

beforeEach(needs('git'));

/** The program of each backend. */
const backends = {bwrap: 'bwrap', codex: 'codex', claude: 'srt'} as const;

const providers = ['bwrap', 'codex', 'claude'] as const;

describe.each(providers)('what must not be possible in %s', provider => {
  beforeEach(needs(backends[provider]));
  const often = attacks.filter((_attack, at) => at % 5 === 0);
  for (const attack of attacks)
    test(attack.name, {tags: provider === 'bwrap' && often.includes(attack) ? [] : ['long']}, async ({skip}) => {
      const {command, succeeded, outside} = attack;
      await using place = await sandboxPlace(provider);
      const proof = await place.sandbox.proof();
      skip(!confines(proof), proof.reason);
      await using free = await sandboxPlace('native');
      for (const {root} of [place, free]) writeFileSync(join(root, 'denied.txt'), 'denied text');
      await free.run(command(free));
      if (outside === 'works') expect(await succeeded(free)).toBe(true);
      await place.run(command(place));
      expect(await succeeded(place)).toBe(false);
      expect(readFileSync(join(place.outside, 'file'), 'utf8')).toBe('as it was');
    });
});

describe.each(providers)('what must be possible in %s', provider => {
  beforeEach(needs(backends[provider]));

  test(
    'files of the workspace, commits, exit codes, output, its folder, temporary files that stay',
    {tags: 'long'},
    async ({skip}) => {
      await using place = await sandboxPlace(provider);
      const proof = await place.sandbox.proof();
      skip(!confines(proof), proof.reason);
      const first = await place.run(
        'mkdir sub && cd sub && echo out; echo err >&2; echo x >"$TMPDIR/kept"; echo y >"$OLDPWD/made"; exit 7',
      );
      expect([first.end, first.output.text, first.nextDirectory, first.notes]).toEqual([
        {kind: 'exited', code: 7},
        'out\nerr\n',
        join(place.root, 'sub'),
        [],
      ]);
      const second = await place.run(
        'pwd; cat "$TMPDIR/kept"; git add -A && git -c user.name=a -c user.email=a@b commit -qm first; git status --short',
      );
      expect([second.end, second.output.text]).toEqual([{kind: 'exited', code: 0}, `${place.root}/sub\nx\n`]);
      expect(readdirSync(place.root).toSorted()).toEqual(['.git', 'made', 'sub']);
      await place.run('cd ..; echo x >more; rm made', 'read-only');
      expect(readdirSync(place.root).toSorted()).toEqual(['.git', 'made', 'sub']);
      await place.run('mv .git moved; echo x >.envrc');
      expect(readdirSync(place.root).toSorted()).toEqual(['.envrc', '.git', 'made', 'sub']);
    },
  );

  test('a command runs once where what was to be hidden vanishes before it is', async ({skip}) => {
    await using place = await sandboxPlace(provider, withBriefSecrets({left: 2}));
    const proof = await place.sandbox.proof();
    skip(!confines(proof), proof.reason);
    const {end, output} = await place.run('echo ran | tee -a runs');
    expect([end, output.text, place.text(join(place.root, 'runs'))]).toEqual([
      {kind: 'exited', code: 0},
      'ran\n',
      'ran\n',
    ]);
  });
});
