// @module-tag long
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {processEnds, running} from '../support/processes.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, toldPrompt, toldResults, type Scene} from '../support/scene.ts';

/** Hooks that settings name, run by the built program. */

const touch = (name: string) => call('Bash', {command: `touch ${name}`});
const command = (text: string, more: object = {}) => ({type: 'command', command: text, ...more});
const answer = (decision: object) =>
  command(`echo '${JSON.stringify({hookSpecificOutput: {hookEventName: 'PermissionRequest', decision}})}'`);
const log = (name: string) => `cat >> ${name}.log`;
const on = (event: string, ...hooks: readonly object[]) => ({hooks: {[event]: [{matcher: '', hooks}]}});

function userSettings({place}: Scene, settings: object): void {
  putFile(join(place.home, 'weft', 'settings.json'), JSON.stringify(settings));
}

function projectFile({place}: Scene, name: string, text: string): void {
  const path = join(place.work, name);
  mkdirSync(join(path, '..'), {recursive: true});
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const isThere = ({place}: Scene, name: string): boolean => existsSync(join(place.work, name));

const settingsFlag = (settings: object): readonly string[] => ['--settings', JSON.stringify(settings)];
const bypass = ['--permission-mode', 'bypassPermissions'];

describe('a guard', () => {
  test('blocks by exit code and by JSON, and where it breaks in any way', async () => {
    const broken = [
      'echo not today >&2; exit 2',
      `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"by JSON"}}'`,
      'exit 1',
      'echo not json',
      './nope.sh',
      'sleep 60',
    ];
    await using scene = await openScene([...broken.map((_, at) => touch(`f${at}`)), say('Done.')]);
    const hooks = broken.map((text, at) =>
      command(`grep -q '"touch f${at}"' || exit 0; ${text}`, text === 'sleep 60' ? {timeout: 0.5} : {}),
    );
    const run = await scene.run(['-p', 'x', ...bypass, ...settingsFlag(on('PreToolUse', ...hooks))]);
    expect(scene.server.requests.slice(1).flatMap(request => toldResults(request))).toEqual([
      expect.stringMatching(/^PreToolUse:Bash hook error: \[grep .*\]: not today\n$/u),
      'PreToolUse:Bash hook error: by JSON',
      expect.stringMatching(
        /exit 1 \(--settings\) failed: exit code 1\..*"onFailure": "continue" if a failure should not block/u,
      ),
      expect.stringMatching(/gave an unreadable answer: it printed text that is not JSON: not json/u),
      expect.stringMatching(/did not start: exit code 127, .*nope\.sh.*Check that the program exists/u),
      expect.stringMatching(/took too long: it did not answer within 0\.5 s/u),
    ]);
    expect(broken.filter((_, at) => isThere(scene, `f${at}`))).toEqual([]);
    expect(run).toMatchObject({code: 0, stdout: 'Done.\n'});
  });

  test('for Edit and Write blocks a patch, file by file, and allows no whole one', async () => {
    const patch = '*** Begin Patch\n*** Add File: n.txt\n+x\n*** Delete File: old.txt\n*** End Patch';
    const patching = call('apply_patch', {input: patch});
    await using scene = await openScene([patching, patching, say('Done.')]);
    projectFile(scene, 'old.txt', 'old');
    const allow = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`;
    const text = `cat >> seen.jsonl; echo >> seen.jsonl; if [ -e blocked ]; then ${allow}; else touch blocked; exit 2; fi`;
    const hooks = {hooks: {PreToolUse: [{matcher: 'Edit|Write', hooks: [command(text)]}]}};
    const run = await scene.run(['-p', 'x', '--output-format', 'json', ...settingsFlag(hooks)]);
    expect([isThere(scene, 'n.txt'), isThere(scene, 'old.txt'), run.code]).toEqual([false, true, 3]);
    const seen = scene.read('seen.jsonl').split('\n').filter(Boolean);
    expect(
      seen
        .map(line => JSON.parse(line))
        .map(({tool_name, tool_input}) => [tool_name, tool_input])
        .slice(0, 2),
    ).toEqual([
      ['Edit', {file_path: 'n.txt', old_string: '', new_string: 'x\n'}],
      ['Edit', {file_path: 'old.txt', patch: '*** Begin Patch\n*** Delete File: old.txt\n*** End Patch'}],
    ]);
  });

  test('lets pass what it was told to when it breaks, and tells the user', async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const hooks = on('PreToolUse', command('exit 1', {onFailure: 'allow'}));
    const run = await scene.run(['-p', 'x', ...bypass, ...settingsFlag(hooks)]);
    expect([isThere(scene, 'a'), run.stderr]).toEqual([true, expect.stringContaining('failed: exit code 1')]);
  });

  test('reads the call, decides about it, and is told no secret', async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const allow = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: {command: 'touch b'},
      },
      systemMessage: 'Changed it.',
    };
    const hook = command(`cat > seen.json; env > env.txt; echo '${JSON.stringify(allow)}'`);
    userSettings(scene, {hooks: {PreToolUse: [{matcher: 'Bash|Edit', hooks: [hook, hook]}]}});
    const run = await scene.run(['-p', 'x', '--output-format', 'stream-json', '--verbose', '--include-hook-events']);
    expect([isThere(scene, 'a'), isThere(scene, 'b')]).toEqual([false, true]);
    const messages = run.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(JSON.parse(scene.read('seen.json'))).toEqual({
      session_id: messages[0].session_id,
      transcript_path: expect.stringMatching(new RegExp(`/transcripts/${messages[0].session_id}\\.jsonl$`, 'u')),
      cwd: scene.place.work,
      prompt_id: expect.any(String),
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: {command: 'touch a'},
      tool_use_id: expect.any(String),
    });
    expect(scene.read('env.txt')).toContain(`CLAUDE_PROJECT_DIR=${scene.place.work}\n`);
    expect(scene.read('env.txt')).not.toContain('sk-scripted');
    const told = messages.filter(({subtype}) => ['hook_started', 'hook_response', 'informational'].includes(subtype));
    expect(told).toMatchObject([
      {subtype: 'hook_started', hook_name: 'PreToolUse:Bash', hook_event: 'PreToolUse'},
      {subtype: 'hook_response', exit_code: 0, outcome: 'success', stdout: `${JSON.stringify(allow)}\n`, stderr: ''},
      {subtype: 'informational', content: 'Changed it.'},
    ]);
  });

  test('with a condition runs where its rule speaks of the call, and its yes is for the whole of it', async () => {
    const commands = ['mkdir a', 'touch b', 'mkdir c && touch d'];
    await using scene = await openScene([...commands.map(text => call('Bash', {command: text})), say('Done.')]);
    const yes = {hookSpecificOutput: {hookEventName: 'PreToolUse', permissionDecision: 'allow'}};
    const allowing = command(`cat >> seen.log; echo '${JSON.stringify(yes)}'`, {if: 'Bash(mkdir *)'});
    const broken = command('exit 2', {if: 'Bash(mkdir *)|Bash(rm *)'});
    const settings = {
      hooks: {
        PreToolUse: [
          {matcher: 'Bash', hooks: [allowing]},
          {matcher: 'Read', hooks: [broken]},
        ],
        Stop: [{hooks: [broken]}],
      },
    };
    const run = await scene.run(['-p', 'x', ...settingsFlag(settings)]);
    expect(['a', 'b', 'c', 'd'].map(name => isThere(scene, name))).toEqual([true, false, false, false]);
    expect(scene.read('seen.log').match(/"command":"[^"]*"/gu)).toEqual([
      '"command":"mkdir a"',
      '"command":"mkdir c && touch d"',
    ]);
    expect(run.stderr).toContain('A Stop hook with "if" never runs');
    expect(run.stderr).toContain(
      'The "if" of a PreToolUse hook is not a permission rule: "Bash(mkdir *)|Bash(rm *)" is more than one rule',
    );
  });

  test('of a permission decides where nobody can be asked', async () => {
    await using scene = await openScene([touch('a'), say('1'), touch('b'), say('2')]);
    const yes = await scene.run(['-p', 'x', ...settingsFlag(on('PermissionRequest', answer({behavior: 'allow'})))]);
    const no = await scene.run([
      '-p',
      'x',
      ...settingsFlag(on('PermissionRequest', answer({behavior: 'deny', message: 'never'}))),
    ]);
    expect([yes.code, no.code, isThere(scene, 'a'), isThere(scene, 'b')]).toEqual([0, 0, true, false]);
    expect(toldResults(scene.server.requests[3])).toEqual(['never']);
  });
});

test('a prompt, the start of a session and a result get context; a prompt can be blocked; an end can be put off', async () => {
  await using scene = await openScene([call('Glob', {pattern: '*'}), say('One.'), say('Two.')]);
  const stop = `grep -q '"stop_hook_active":true' || { echo 'Count on.' >&2; exit 2; }`;
  const settings = {
    hooks: {
      SessionStart: [{matcher: 'startup', hooks: [command('echo It is raining.')]}],
      UserPromptSubmit: [{hooks: [command('echo In a hurry.')]}],
      PostToolUse: [
        {matcher: 'Glob', hooks: [command('echo Look twice. >&2; exit 2'), command(log('late'), {async: true})]},
      ],
      Stop: [{hooks: [command(stop)]}],
      SessionEnd: [{hooks: [command(log('end'))]}],
      NoSuchEvent: [{hooks: [command('true')]}],
    },
  };
  const run = await scene.run(['-p', 'x', ...settingsFlag(settings)]);
  expect([run.code, run.stdout]).toEqual([0, 'Two.\n']);
  expect(run.stderr).toContain('"hooks.NoSuchEvent" is not an event');
  const first = toldPrompt(scene.server.requests[0]);
  expect([first.includes('It is raining.'), first.includes('In a hurry.')]).toEqual([true, true]);
  expect(JSON.stringify(scene.server.requests[1]?.body.messages.at(-1))).toContain('Look twice.');
  expect(toldPrompt(scene.server.requests[2])).toContain('Count on.');
  expect(JSON.parse(scene.read('end.log'))).toMatchObject({hook_event_name: 'SessionEnd', reason: 'other'});
  const blocked = await scene.run(['-p', 'x', ...settingsFlag(on('UserPromptSubmit', command('echo no >&2; exit 2')))]);
  expect([scene.server.requests.length, blocked.stderr]).toEqual([3, expect.stringContaining('no')]);
});

test('a stop hook that is never content, and one that is broken, end', async () => {
  await using scene = await openScene(Array.from({length: 3}, (_, at) => say(String(at))));
  const run = await scene.run(['-p', 'x', ...settingsFlag(on('Stop', command('./nope.sh')))]);
  expect([run.code, run.stdout, scene.server.requests.length]).toEqual([0, '2\n', 3]);
  expect(run.stderr).toContain('The prompt ended although its stop hook failed 3 times');
});

test('hooks that cannot be read stop weft before anything runs', async () => {
  await using scene = await openScene([]);
  const bad = [
    {hooks: {PreToolUse: [{matcher: '(', hooks: [command('true')]}]}},
    {hooks: {PreToolUse: [{hooks: [{type: 'prompt', prompt: 'x'}]}]}},
    {hooks: {PreToolUse: 'x'}},
  ];
  for (const settings of bad) {
    const run = await scene.run(['-p', 'x', ...settingsFlag(settings)]);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('"hooks" must be events')]);
  }
  expect(scene.server.requests).toEqual([]);
});

describe('hooks of a project', () => {
  const script = '#!/bin/sh\necho ran >> ran.log\n';
  const settings = JSON.stringify(
    on('PreToolUse', command('"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh'), command('true')),
  );

  test('run only after trust, and only with the script that was trusted', async () => {
    await using scene = await openScene([touch('a'), say('1'), touch('b'), say('2'), touch('c'), say('3')]);
    projectFile(scene, '.weft/settings.json', settings);
    projectFile(scene, '.claude/hooks/check.sh', script);
    const untrusted = await scene.run(['-p', 'x', ...bypass]);
    expect([isThere(scene, 'a'), isThere(scene, 'ran.log')]).toEqual([true, false]);
    expect(untrusted.stderr).toContain('"hooks" is ignored: this folder is not trusted');
    const trusted = await scene.run(['permissions', 'trust', '--yes']);
    expect(trusted.stdout).toContain('run on PreToolUse: "$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh');
    expect(trusted.stdout).toContain('script .claude/hooks/check.sh');
    await scene.run(['-p', 'x', ...bypass]);
    expect([isThere(scene, 'b'), scene.read('ran.log')]).toEqual([true, 'ran\n']);
    projectFile(scene, '.claude/hooks/check.sh', `${script}echo more >> ran.log\n`);
    const changed = await scene.run(['-p', 'x', ...bypass]);
    expect([isThere(scene, 'c'), scene.read('ran.log')]).toEqual([false, 'ran\n']);
    expect(toldResults(scene.server.requests.at(-1))).toEqual([
      expect.stringContaining('its script .claude/hooks/check.sh changed since you trusted this project'),
    ]);
    expect(changed.stderr).toContain('changed since you trusted this project');
  });
});

test('what a hook leaves running ends with weft, a waiting hook with a weft that is killed', async () => {
  await using scene = await openScene([touch('a'), say('Done.'), touch('b')]);
  const hook = command('sleep 3007 & exit 0');
  await scene.run(['-p', 'x', ...bypass, ...settingsFlag(on('PreToolUse', hook))]);
  expect(running('sleep 3007')).toEqual([]);
  const waiting = command('(setsid sleep 3008 &); sleep 3008');
  const weft = scene.start(['-p', 'x', ...bypass, ...settingsFlag(on('PreToolUse', waiting))]);
  await lookUntil(
    () => running('sleep 3008').length >= 2,
    () => 'the hook did not start',
  );
  weft.kill('SIGKILL');
  await processEnds('sleep 3008');
});

test('a hook that says that it goes on by itself is not waited for, and ends with weft', {tags: 'smoke'}, async () => {
  await using scene = await openScene([say('Done.')]);
  const hook = command(`echo '{"async": true}'; sleep 3013; echo late`, {timeout: 600});
  const run = await scene.run(['-p', 'x', ...settingsFlag(on('SessionStart', hook))]);
  expect([run.code, run.stdout, run.stderr, running('sleep 3013')]).toEqual([0, 'Done.\n', '', []]);
});

test('weft hooks list and test: what there is, what each says to a sample, and no secret of the folder', async () => {
  await using scene = await openScene([]);
  const hook = 'cat .env >&2; exit 2';
  userSettings(scene, on('PreToolUse', command(hook)));
  const secret = 'tok-51fa0c7be2d94';
  projectFile(scene, '.env', `MY_API_TOKEN=${secret}\n`);
  const listed = await scene.run(['hooks', 'list']);
  expect(listed).toMatchObject({code: 0, stdout: expect.stringMatching(/^PreToolUse {2}cat .*settings\.json\)\n$/u)});
  const tested = await scene.run(['hooks', 'test', 'PreToolUse', '--json']);
  expect(JSON.parse(tested.stdout)).toEqual([
    expect.objectContaining({
      event: 'PreToolUse',
      text: hook,
      runs: 1,
      last: expect.stringMatching(/^deny: \[cat .*\]: MY_API_TOKEN=\[\[secret:MY_API_TOKEN:\w+\]\]\s*$/u),
    }),
  ]);
  expect(tested.code).toBe(0);
});

const keeps = (event: string) => `cat >> ${event}.log; echo "formatted 1 file"`;

test('hooks as people wrote them for Claude Code: the transcript, a command that fails, the file that was written, printed text', async () => {
  await using scene = await openScene([
    call('Bash', {command: 'echo out; exit 3'}),
    call('Write', {file_path: 'n.txt', content: 'hi\n'}),
    say('Done.'),
  ]);
  const file = join(scene.place.home, 'transcripts.log');
  const hooks = {
    PostToolUse: [{matcher: 'Write|Edit', hooks: [command(keeps('PostToolUse'))]}],
    PostToolUseFailure: [{matcher: 'Bash', hooks: [command(keeps('PostToolUseFailure'))]}],
    Stop: [
      {
        hooks: [
          command(
            `path=$(sed -n 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/p'); cat "$path" > ${file}; echo "$path" > path.log`,
          ),
        ],
      },
    ],
  };
  const run = await scene.run(['-p', 'go on', ...bypass, ...settingsFlag({hooks})]);
  expect([run.code, run.stdout, run.stderr]).toEqual([0, 'Done.\n', '']);
  const told = (event: string) => JSON.parse(readFileSync(join(scene.place.work, `${event}.log`), 'utf8'));
  expect(told('PostToolUseFailure')).toMatchObject({tool_name: 'Bash', error: 'Exit code 3\nout', is_interrupt: false});
  expect(told('PostToolUse')).toMatchObject({
    tool_name: 'Write',
    tool_response: {filePath: 'n.txt', success: true, content: expect.stringContaining('n.txt')},
  });
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    {type: 'user', message: {role: 'user', content: 'go on'}},
    {type: 'assistant', message: {role: 'assistant', content: [{type: 'tool_use', name: 'Bash'}]}},
    {type: 'user', message: {content: [{type: 'tool_result', content: expect.stringContaining('exit code 3')}]}},
    {type: 'assistant', message: {content: [{type: 'tool_use', name: 'Write'}]}},
    {type: 'user', message: {content: [{type: 'tool_result'}]}},
    {type: 'assistant', message: {content: [{type: 'text', text: 'Done.'}]}},
  ]);
  const path = readFileSync(join(scene.place.work, 'path.log'), 'utf8').trim();
  const [session] = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  await scene.run(['sessions', 'delete', session.id]);
  expect([path.includes(session.id), existsSync(path)]).toEqual([true, false]);
});
