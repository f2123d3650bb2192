// @module-tag long
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {putFile} from '../support/put-file.ts';
import {runWeft, TempPlace, type Finished} from '../support/run-weft.ts';

class Config extends TempPlace {
  readonly user = join(this.home, 'weft', 'settings.json');
  readonly project = join(this.work, '.weft', 'settings.json');

  run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return runWeft(['config', ...args], {place: this, environment});
  }

  /** What is printed to stdout, and the exit code. */
  async answer(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const {code, stdout} = await this.run(args, environment);
    return `${stdout}${code}`;
  }
}

describe('weft config', () => {
  test('what is set is read back, explained and taken out again; the rest of the file stays', async () => {
    using place = new Config();
    mkdirSync(join(place.home, 'weft'), {recursive: true});
    writeFileSync(place.user, '{\n    "theirs": 1e3,\n    "env": {"A": "1"}\n}\n');
    expect(await place.answer(['get', 'model'])).toBe('1');
    expect(await place.answer(['set', 'model', 'm-1'])).toBe('0');
    expect(await place.answer(['set', 'env.CI', '1'])).toBe('0');
    expect(await place.answer(['set', 'permissions.allow', '["Read"]'])).toBe('0');
    expect(await place.answer(['get', 'env'])).toBe('{"A":"1","CI":"1"}\n0');
    expect(await place.answer(['get', 'model'], {WEFT_MODEL: 'other'})).toBe('other\n0');
    expect(await place.answer(['explain', 'model'], {WEFT_MODEL: 'other'})).toBe(
      `model = other   (environment)\nmodel = m-1   (user, ${place.user})   overridden\n0`,
    );
    expect(await place.answer(['explain', 'apiKey'], {ANTHROPIC_API_KEY: 'sk-ant-0'})).toBe(
      'apiKey: key from ANTHROPIC_API_KEY (Anthropic)\n0',
    );
    for (const name of ['model', 'env.CI', 'permissions']) {
      expect(await place.answer(['unset', name])).toBe('0');
    }
    expect(readFileSync(place.user, 'utf8')).toBe('{\n    "theirs": 1e3,\n    "env": {"A": "1"}\n}\n');
    expect(await place.answer(['unset', 'model'])).toBe('1');
    expect(await place.answer(['path'])).toBe(`${place.user}\n0`);
  });

  test('a variable of the environment counts as it does for a session', {tags: 'smoke'}, async () => {
    using place = new Config();
    expect(await place.answer(['get', 'accessible'])).toBe('false\n0');
    expect(await place.answer(['explain', 'accessible'], {ACCESSIBLE: '1'})).toBe(
      'accessible = true   (environment)\n0',
    );
  });

  test('what the folder may not set without trust is left out, and said so', {tags: 'smoke'}, async () => {
    using place = new Config();
    mkdirSync(join(place.work, '.weft'));
    writeFileSync(
      place.project,
      '{"permissionMode": "acceptEdits", "model": "theirs", "permissions": {"deny": ["Write"]}}',
    );
    expect(await place.answer(['get', 'permissionMode'])).toBe('default\n0');
    const {stdout} = await place.run(['list', '--json']);
    const listed: readonly {readonly name: string; readonly source: string}[] = JSON.parse(stdout);
    expect(
      listed.filter(({name, source}) => !['default', 'environment'].includes(source) || name === 'permissionMode'),
    ).toEqual([
      {name: 'model', value: 'theirs', source: 'project', path: place.project, state: 'left-out'},
      {name: 'permissionMode', value: 'acceptEdits', source: 'project', path: place.project, state: 'left-out'},
      {name: 'permissionMode', value: 'default', source: 'default', path: '', state: 'counts'},
      {name: 'permissions', value: {deny: ['Write']}, source: 'project', path: place.project, state: 'counts'},
    ]);
  });

  test.each([
    [['set', 'modle', 'x'], '"modle" is not a setting. Did you mean model?'],
    [['set', 'model.x', 'x'], 'model has no part "x"'],
    [['set', 'permissions.alow', '[]'], 'Its parts: allow, ask, deny.'],
    [['set', 'wireApi', 'x'], '"x" is invalid; wireApi must be one of'],
    [['set', 'permissionMode', 'bypassPermissions'], 'Only the flag --permission-mode can choose bypassPermissions'],
    [['get', 'nothing'], '"nothing" is not a setting'],
    [['set', 'model', 'x', '--user', '--project'], 'Use only one of --user, --project and --local.'],
  ])('%j is refused and changes nothing', async (args, words) => {
    using place = new Config();
    const {code, stdout, stderr} = await place.run(args);
    expect([code, stdout, existsSync(place.user)]).toEqual([2, '', false]);
    expect(stderr).toContain(words);
  });
});

describe('weft config import', () => {
  const theirs = {
    model: 'opus',
    permissions: {allow: ['Bash(make:*)', 'NoTool(x)'], deny: ['Read(./.env)'], defaultMode: 'plan'},
    env: {FOO: 'bar', ANTHROPIC_MODEL: 'm'},
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            {type: 'command', command: './check.sh', timeout: 5},
            {type: 'prompt', prompt: 'Is it safe?'},
          ],
        },
      ],
      Setup: [{hooks: [{type: 'command', command: 'true'}]}],
    },
  };
  const check = {matcher: 'Bash', hooks: [{type: 'command', command: './check.sh', timeout: 5}]};

  test('takes over what Claude Code’s settings say, keeps what is here, and says what is left out', async () => {
    using place = new Config();
    putFile(join(place.home, '.claude', 'settings.json'), JSON.stringify(theirs));
    mkdirSync(join(place.home, 'weft'), {recursive: true});
    writeFileSync(place.user, '{"permissionMode": "default", "permissions": {"deny": ["Read(./.env)"]}}');
    const listed = await runWeft(['hooks', 'list'], {place});
    expect(listed.stderr).toContain('~/.claude/settings.json has 1 hook and 1 permission rule that weft does not use');
    const {rows} = JSON.parse((await place.run(['import', '--json'])).stdout);
    expect(rows).toEqual([
      {kind: 'rule', text: 'deny Read(./.env)', outcome: 'exists', why: ''},
      {kind: 'rule', text: 'allow Bash(make:*)', outcome: 'new', why: ''},
      {kind: 'rule', text: 'allow NoTool(x)', outcome: 'left-out', why: expect.stringContaining('NoTool')},
      {kind: 'mode', text: 'plan', outcome: 'exists', why: ''},
      {kind: 'variable', text: 'FOO', outcome: 'new', why: ''},
      {kind: 'variable', text: 'ANTHROPIC_MODEL', outcome: 'left-out', why: 'it is for Claude Code'},
      {kind: 'hook', text: 'PreToolUse(Bash)  ./check.sh', outcome: 'new', why: ''},
      {
        kind: 'hook',
        text: 'PreToolUse(Bash)  Is it safe?',
        outcome: 'left-out',
        why: 'weft runs only hooks of the types command and http',
      },
      {kind: 'hook', text: 'Setup  true', outcome: 'left-out', why: 'weft has no hooks for this event'},
      {kind: 'setting', text: 'model', outcome: 'left-out', why: 'it is not imported'},
    ]);
    const written = {
      permissionMode: 'default',
      permissions: {deny: ['Read(./.env)'], allow: ['Bash(make:*)']},
      env: {FOO: 'bar'},
      hooks: {PreToolUse: [check]},
    };
    expect(JSON.parse(readFileSync(place.user, 'utf8'))).toEqual(written);
    const again = await place.run(['import']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('imported 0 from')]);
    expect(JSON.parse(readFileSync(place.user, 'utf8'))).toEqual(written);
  });

  test('what a clone brings counts only after trust; a dry run and a missing file change nothing', async () => {
    using place = new Config();
    expect(await place.answer(['import'])).toBe('1');
    putFile(join(place.work, '.claude', 'settings.json'), JSON.stringify({hooks: {PreToolUse: [check]}}));
    expect(await place.answer(['import', '--project', '--dry-run'])).toBe(
      'hook  PreToolUse(Bash)  ./check.sh  would be imported\n0',
    );
    expect(existsSync(place.project)).toBe(false);
    expect((await place.run(['import', '--project'])).stderr).toContain('weft permissions trust');
    const listed = await runWeft(['hooks', 'list'], {place});
    expect([listed.stdout, listed.stderr]).toEqual(['', expect.stringContaining('1 of this project do not run')]);
  });
});
