// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';
import {openScene, toldPrompt, toldResults} from '../support/scene.ts';
import {putFile} from '../support/put-file.ts';
import {isType, prompt, startRpc} from './support/rpc-client.ts';

const write = (path: string, ...lines: readonly string[]): void => putFile(path, lines.join('\n'));

const skill = (name: string, description: string, ...body: readonly string[]): readonly string[] => [
  '---',
  `name: ${name}`,
  `description: ${description}`,
  '---',
  ...body,
];

describe('skills and commands', () => {
  test('are listed with where they come from and why one is not offered', async () => {
    using place = new TempPlace();
    const [ofProject, agents, claude] = [
      join(place.work, '.claude/skills/deploy/SKILL.md'),
      join(place.home, '.agents/skills/pdf/SKILL.md'),
      join(place.home, '.claude/skills/pdf/SKILL.md'),
    ];
    write(ofProject, ...skill('deploy', 'Deploys'));
    write(agents, ...skill('pdf', 'Reads PDF files: all of them', 'Body'));
    write(
      claude,
      '---',
      'name: pdf',
      'description: An older one',
      'when_to_use: Never.',
      'context: fork',
      'agent: Explore',
      '---',
      'Body',
    );
    const listed = await runWeft(['skills', 'list', '--json'], {place});
    expect([listed.code, JSON.parse(listed.stdout)]).toEqual([
      0,
      [
        {
          name: 'deploy',
          description: 'Deploys',
          scope: 'project',
          path: ofProject,
          offered: false,
          reason: 'you have not trusted this project (review and trust it: weft permissions trust)',
        },
        {name: 'pdf', description: 'Reads PDF files: all of them', scope: 'user', path: agents, offered: true},
        {
          name: 'pdf',
          description: 'An older one Never.',
          scope: 'user',
          path: claude,
          offered: false,
          reason: `${agents} has the same name and comes first`,
          note: 'Ignored: agent, context.',
        },
      ],
    ]);
    const unknown = await runWeft(['skills', 'show', 'dpf'], {place});
    expect([unknown.code, unknown.stderr]).toEqual([2, 'weft: Unknown skill "dpf". Did you mean pdf?\n']);
  });

  test(
    'the model is told of a skill in one line, reads it on use, and its files without asking',
    {tags: 'smoke'},
    async () => {
      await using scene = await openScene([
        call('Skill', {name: 'pdf', arguments: 'a.pdf'}),
        call('Skill', {name: 'pdf', arguments: 'a.pdf'}),
        call('Read', {file_path: '~/.claude/skills/pdf/more.md'}),
        say('Done.'),
      ]);
      write(
        join(scene.place.home, '.claude/skills/pdf/SKILL.md'),
        ...skill('pdf', 'Reads PDF files', 'Read $0 with care.'),
      );
      write(join(scene.place.home, '.claude/skills/pdf/more.md'), 'More about it.');
      const done = await scene.run(['--prompt', 'read a.pdf']);
      expect([done.code, done.stdout]).toEqual([0, 'Done.\n']);
      const tool = scene.server.requests[0]?.body.tools?.find(({name}) => name === 'Skill');
      expect(tool).toMatchObject({
        description: expect.stringMatching(/:\n- pdf: Reads PDF files$/u),
        input_schema: {properties: {name: {enum: ['pdf']}}},
      });
      const [first, second, file] = scene.server.requests.slice(1).map(request => toldResults(request).at(-1));
      expect(first).toBe(
        `<skill name="pdf" folder="${join(scene.place.home, '.claude/skills/pdf')}">\nRead a.pdf with care.\n</skill>`,
      );
      expect(second).toBe('The instructions of pdf are above in this conversation. Follow them.');
      expect(file).toContain('More about it.');
    },
  );

  test('a skill of a trusted project is used; a rule for its name denies it', async () => {
    await using scene = await openScene([
      call('Skill', {name: 'house'}),
      call('Read', {file_path: '.claude/skills/house/more.md'}),
      say('Done.'),
      call('Skill', {name: 'house'}),
      say('Denied.'),
    ]);
    write(join(scene.place.work, '.claude/skills/house/SKILL.md'), ...skill('house', 'House style', 'Be kind.'));
    write(join(scene.place.work, '.claude/skills/house/more.md'), 'And brief.');
    await scene.run(['permissions', 'trust', '--yes']);
    expect((await scene.run(['--prompt', 'go'])).stdout).toBe('Done.\n');
    expect(scene.server.requests.slice(1, 3).map(request => toldResults(request).at(-1))).toEqual([
      expect.stringContaining('Be kind.'),
      expect.stringContaining('And brief.'),
    ]);
    const denied = await scene.run(['--prompt', 'go', '--disallowed-tools', 'Skill(house)']);
    expect(denied.stdout).toBe('Denied.\n');
    expect(toldResults(scene.server.requests[4])).toEqual([expect.stringContaining('Denied by the rule Skill(house)')]);
  });

  test('a command of the user runs headless; an unknown one exits with 2 and sends nothing', async () => {
    await using scene = await openScene([say('Fine.')]);
    write(
      join(scene.place.home, '.claude/commands/git/pr.md'),
      '---',
      'description: Reviews a pull request',
      'allowed-tools: Bash(expr:*)',
      '---',
      'Review $1: !`expr 40 + 2`',
    );
    const unknown = await scene.run(['--prompt', '/git:rp 7']);
    expect([unknown.code, unknown.stdout, unknown.stderr, scene.server.requests.length]).toEqual([
      2,
      '',
      'weft: Unknown command /git:rp. Did you mean /git:pr?\n',
      0,
    ]);
    const done = await scene.run(['--prompt', '/git:pr 7']);
    expect([done.code, done.stdout, done.stderr]).toEqual([0, 'Fine.\n', '']);
    expect(toldPrompt(scene.server.requests[0])).toContain('<command name="/git:pr">\nReview 7: 42\n</command>');
  });
});

test("a user's command file wins over a name that only the terminal has", async () => {
  await using scene = await openScene(() => say('Done.'));
  const folder = join(scene.place.home, '.claude', 'commands');
  mkdirSync(folder, {recursive: true});
  for (const name of ['review', 'model', 'compact'])
    writeFileSync(join(folder, `${name}.md`), `Do ${name}: $ARGUMENTS`);
  for (const name of ['review', 'model']) {
    expect(await scene.run(['--prompt', `/${name} now`])).toMatchObject({code: 0, stdout: 'Done.\n', stderr: ''});
    expect(JSON.stringify(scene.server.requests.at(-1)?.body.messages)).toContain(`Do ${name}: now`);
  }
  // weft has /compact in every front end.
  expect((await scene.run(['--prompt', '/compact'])).stdout).toContain('Nothing to compact yet');
  const cleared = await scene.run(['--prompt', '/clear']);
  expect(cleared).toMatchObject({code: 1, stderr: expect.stringContaining('Start a new session instead.')});
  expect(scene.server.requests).toHaveLength(2);
});

test('piped text goes beside a command, not into its arguments and command lines', async () => {
  await using scene = await openScene(() => say('Done.'));
  const folder = join(scene.place.home, '.claude', 'commands');
  putFile(join(folder, 'twice.md'), 'First $ARGUMENTS, then $ARGUMENTS\n!`echo $ARGUMENTS`\n');
  const run = await scene.run(['--prompt', '/twice x', '--allowed-tools', 'Bash(echo:*)'], {
    stdin: {text: 'piped $(touch it-ran)\n'},
  });
  expect(run).toMatchObject({code: 0, stdout: 'Done.\n', stderr: ''});
  const sent = JSON.stringify(scene.server.requests[0]?.body.messages);
  expect(sent.match(/piped/gu)).toHaveLength(1);
  expect(sent).toContain('First x, then x');
});

test('a text that a program attaches to a command is no argument of it', async () => {
  await using scene = await openScene(() => say('Done.'));
  putFile(
    join(scene.place.home, '.claude', 'commands', 'twice.md'),
    'First $ARGUMENTS, then $ARGUMENTS\n!`echo $ARGUMENTS`\n',
  );
  const client = startRpc(scene, ['--permission-mode', 'bypassPermissions']);
  const content = ['/twice x', 'attached $(touch it-ran)\ntouch it-ran'].map(text => ({type: 'text', text}));
  client.send({type: 'user', message: {role: 'user', content}});
  await client.next(isType('result'));
  await client.finish();
  const sent = JSON.stringify(scene.server.requests[0]?.body.messages);
  expect([sent.match(/attached \$/gu)?.length, sent.includes('First x, then x')]).toEqual([1, true]);
  expect(existsSync(join(scene.place.work, 'it-ran'))).toBe(false);
});

test('an untrusted project with many files is named, although the answer comes sooner', async () => {
  await using scene = await openScene([say('Done.'), say('Done.')]);
  const skills = join(scene.place.work, '.claude', 'skills');
  for (let at = 0; at < 400; at++) {
    putFile(join(skills, `s${at}`, 'SKILL.md'), `---\ndescription: x\n---\n${'x'.repeat(20_000)}`);
  }
  const named = 'and 397 more are not used: you have not trusted this project';
  const printed = await scene.run(['--prompt', 'x']);
  expect(printed).toMatchObject({code: 0, stdout: 'Done.\n', stderr: expect.stringContaining(named)});
  const client = startRpc(scene);
  client.send(prompt('x'));
  await client.next(isType('result'));
  expect(await client.finish()).toMatchObject({code: 0, stderr: expect.stringContaining(named)});
});

test('a command, skill or agent of a project that is not trusted says so', async () => {
  await using scene = await openScene([call('Skill', {name: 'ship'}), say('Done.')]);
  const folder = (...parts: readonly string[]): string => {
    const path = join(scene.place.work, '.claude', ...parts);
    mkdirSync(path, {recursive: true});
    return path;
  };
  const matter = '---\nname: ship\ndescription: Ships.\n---\nShip.\n';
  writeFileSync(join(folder('commands'), 'deploy.md'), 'Deploy.');
  writeFileSync(join(folder('skills', 'ship'), 'SKILL.md'), matter);
  writeFileSync(join(folder('agents'), 'ship.md'), matter);
  const why = 'you have not trusted this project (review and trust it: weft permissions trust)';
  for (const args of [
    ['--prompt', '/deploy now'],
    ['--prompt', '/ship'],
    ['--prompt', 'x', '--agent', 'ship'],
  ]) {
    const {code, stderr} = await scene.run(args);
    expect({args, code, stderr}).toEqual({args, code: 2, stderr: expect.stringContaining(why)});
  }
  expect(scene.server.requests).toHaveLength(0);
  await scene.run(['--prompt', 'x']);
  expect(toldResults(scene.server.requests[1])[0]).toContain(why);
});
