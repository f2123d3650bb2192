// @module-tag long
import {existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import type {Script} from '../support/model-server.ts';
import {putFile} from '../support/put-file.ts';
import {runWeft, startWeft, TempPlace, weftBin, type Finished} from '../support/run-weft.ts';
import {openScene, type Scene} from '../support/scene.ts';

class Permissions extends TempPlace {
  readonly settings = join(this.home, 'weft', 'settings.json');
  readonly project = join(this.work, '.weft', 'settings.json');

  run(args: readonly string[], stdin = ''): Promise<Finished> {
    return runWeft(['permissions', ...args], {place: this, stdin: {text: stdin}});
  }

  write(path: string, value: unknown): void {
    mkdirSync(dirname(path), {recursive: true});
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  }
}

const linesOf = (text: string): readonly unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

const verdicts = (text: string): readonly string[] =>
  linesOf(text).map(line =>
    typeof line === 'object' && line !== null && 'verdict' in line ? String(line.verdict) : 'none',
  );

describe('permissions check', () => {
  test('one command, as words or as a text', async () => {
    using place = new Permissions();
    place.write(place.settings, {permissions: {allow: ['Bash(make:*)'], deny: ['Bash(git push:*)']}});
    const allowed = {command: 'make all', verdict: 'allow', risk: expect.any(String), reasons: []};
    for (const args of [['make', 'all'], ['make all']]) {
      const {code, stdout, stderr} = await place.run(['check', '--json', ...args]);
      expect([code, stderr, linesOf(stdout)]).toEqual([0, '', [allowed]]);
    }
    const denied = await place.run(['check', 'git', '-C', 'sub', 'push', '--force', '--json']);
    expect(linesOf(denied.stdout)).toEqual([
      {
        command: 'git -C sub push --force',
        verdict: 'deny',
        risk: expect.any(String),
        reasons: expect.arrayContaining([expect.stringContaining('Bash(git push:*)')]),
      },
    ]);
    expect(denied.code).toBe(0);
  });

  test('several texts are several commands; people get words', {tags: 'smoke'}, async () => {
    using place = new Permissions();
    const {code, stdout} = await place.run(['check', 'rm -rf build', 'frobnicate --all\u{1b}[31m']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ask +destructive +rm -rf build\n {10,}\S[^]*\nask +unknown +frobnicate --all\^\[\[31m\n {10,}\S/u,
    );
  });

  test(
    'JSON lines, in order, claims make it stricter, a bad line does not stop the rest',
    {tags: 'smoke'},
    async () => {
      using place = new Permissions();
      place.write(place.settings, {permissions: {allow: ['Bash(make:*)']}});
      const lines = [
        '"make"',
        '{"command":"make a","is_read_only":true}',
        'make',
        '',
        '{"command":3}',
        '{"command":"make","is_risky":"yes"}',
        '[]',
        '""',
        '{"command":"rm -rf /","is_read_only":true,"is_risky":false,"more":1}\r',
        '"no line end \\u2028\\ud800"',
      ];
      const {code, stdout, stderr} = await place.run(['check', '--json'], lines.join('\n'));
      expect(code).toBe(1);
      expect(verdicts(stdout)).toEqual(['allow', 'allow', 'ask', 'ask']);
      expect(stderr.split('\n').map(line => /^weft: (line \d+): ./u.exec(line)?.[1])).toEqual([
        'line 3',
        'line 5',
        'line 6',
        'line 7',
        'line 8',
        undefined,
      ]);
    },
  );

  test('a verdict comes before the next command is there', async () => {
    using place = new Permissions();
    const child = startWeft(['permissions', 'check', '--json'], {place, stdin: 'open'});
    const told: string[] = [];
    for (const command of ['rm a', 'rm b']) {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      const chunk = await new Promise<Buffer>(resolve => child.stdout.once('data', resolve));
      told.push(...verdicts(chunk.toString()));
    }
    child.stdin.end();
    await new Promise(resolve => child.once('close', resolve));
    expect(told).toEqual(['ask', 'ask']);
  });

  test('many commands in one go', async () => {
    using place = new Permissions();
    place.write(place.settings, {permissions: {deny: ['Bash(rm:*)', 'Read(secret/**)']}});
    const commands = Array.from({length: 3000}, (_, at) =>
      JSON.stringify(at % 2 === 0 ? `rm ${String(at)}` : 'frobnicate'),
    );
    const {code, stdout} = await place.run(['check', '--json'], commands.join('\n'));
    expect(code).toBe(0);
    expect(verdicts(stdout)).toEqual(commands.map((_, at) => (at % 2 === 0 ? 'deny' : 'ask')));
  });

  test('the mode counts when it is given; the folder is the one named', async () => {
    using place = new Permissions();
    place.write(join(place.work, 'sub', '.weft', 'settings.json'), {permissions: {deny: ['Bash(make:*)']}});
    const plan = await place.run(['check', '--json', '--permission-mode', 'plan', 'touch', 'x']);
    const sub = await place.run(['check', '--json', '--cwd', 'sub', 'make']);
    const none = await place.run(['check', '--cwd', 'none', 'make']);
    expect([verdicts(plan.stdout), verdicts(sub.stdout), none.code]).toEqual([['deny'], ['deny'], 2]);
  });
});

describe('permissions list, add, remove', () => {
  test('a rule is added once, listed with its file, found by check, and removed', async () => {
    using place = new Permissions();
    place.write(place.settings, '{\n    "theirs": 1.50,\n    "permissions": {"allow": ["Read"]}\n}\n');
    await place.run(['add', 'allow', 'Bash(make:*)']);
    const again = await place.run(['add', 'allow', 'Bash(make:*)']);
    expect([again.code, again.stdout, again.stderr]).toEqual([
      0,
      '',
      `weft: allow Bash(make:*) is already in ${place.settings}\n`,
    ]);
    expect(readFileSync(place.settings, 'utf8')).toBe(
      '{\n    "theirs": 1.50,\n    "permissions": {"allow": ["Read", "Bash(make:*)"]}\n}\n',
    );
    const [first, second] = linesOf(JSON.stringify(JSON.parse((await place.run(['list', '--json'])).stdout))).flat();
    const line = {behaviour: 'allow', source: 'user', path: place.settings, effective: true, reason: ''};
    expect([first, second]).toEqual([
      {...line, rule: 'Read'},
      {...line, rule: 'Bash(make:*)'},
    ]);
    expect(verdicts((await place.run(['check', '--json', 'make x'])).stdout)).toEqual(['allow']);
    await place.run(['remove', 'allow', 'Bash(make:*)']);
    expect(verdicts((await place.run(['check', '--json', 'make x'])).stdout)).toEqual(['ask']);
    const gone = await place.run(['remove', 'allow', 'Bash(make:*)']);
    expect([gone.code, gone.stderr]).toEqual([
      1,
      `weft: No rule allow Bash(make:*) in ${place.settings}. List the rules: weft permissions list\n`,
    ]);
  });

  test.each([
    [['add', 'allow', 'bash(rm:*)'], 2, 'The rule bash(rm:*) names an unknown tool. Did you mean Bash?'],
    [['add', 'allow', 'Frobnicate'], 2, 'The rule Frobnicate names an unknown tool. Tools: '],
    [['add', 'allow', 'Bash(rm'], 2, '"Bash(rm" is not a rule.'],
    [['add', 'permit', 'Bash'], 2, "is invalid for argument 'list'. Allowed choices are allow, ask, deny."],
    [['add', 'allow', 'Bash', '--user', '--local'], 2, 'Use only one of --user, --project and --local.'],
    [['frob'], 2, 'too many arguments'],
    [[], 2, 'Usage: weft permissions'],
    [['check'], 0, ''],
  ])('%j is answered with %i: %s', async (args, code, told) => {
    using place = new Permissions();
    const finished = await place.run(args);
    expect([finished.code, finished.stderr]).toEqual([code, expect.stringContaining(told)]);
    expect(existsSync(place.settings)).toBe(false);
  });

  const perfRunsAny = 'perf runs any other program, so the rule has to name that program, too';

  test('rules that do nothing say why; those that do all are warned of', async () => {
    using place = new Permissions();
    place.write(place.settings, {
      permissions: {allow: ['Bash(make)', 'Bash(perf:*)', 'WebFetch(x)', 'Nothing', 'Edit(src/**)'], deny: ['Bash']},
    });
    place.write(place.project, {permissions: {allow: ['Read']}});
    const {stdout} = await place.run(['list']);
    expect(stdout.split('\n').map(line => line.replace(/\(\/[^)]*\)/u, '(file)'))).toEqual([
      'deny   Bash   (file)',
      'allow  Bash(make)   (file)   not effective: overridden by deny Bash',
      `allow  Bash(perf:*)   (file)   not effective: ${perfRunsAny}`,
      expect.stringMatching(
        /^allow {2}WebFetch\(x\) {3}\(file\) {3}not effective: The rule WebFetch\(x\) cannot be used: write it as domain:/u,
      ),
      expect.stringMatching(
        /^allow {2}Nothing {3}\(file\) {3}not effective: The rule Nothing names an unknown tool\./u,
      ),
      'allow  Edit(src/**)   (file)',
      'allow  Read   (file)   not effective: this folder is not trusted',
      '',
    ]);
    const {stderr} = await place.run(['add', 'allow', 'Bash(bash:*)']);
    expect(stderr).toContain('warning: Bash(bash:*) is broad: bash runs whatever it is given');
    const refused = await place.run(['add', 'allow', 'Bash(perf:*)']);
    expect([refused.code, refused.stderr]).toEqual([2, `weft: The rule Bash(perf:*) was not added: ${perfRunsAny}.\n`]);
    expect((await place.run(['check', 'ls'])).stderr).toContain(
      `The rule Bash(perf:*) (${place.settings}) allows nothing: ${perfRunsAny}.`,
    );
  });

  test('a broken file is told and kept', async () => {
    using place = new Permissions();
    place.write(place.settings, '{"permissions": {');
    const {code, stderr} = await place.run(['add', 'allow', 'Read']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('settings.json is not JSON')]);
    expect(readFileSync(place.settings, 'utf8')).toBe('{"permissions": {');
  });

  test('a link in a project leads weft nowhere else', async () => {
    using place = new Permissions();
    mkdirSync(join(place.work, '.weft'));
    symlinkSync(join(place.home, 'victim.json'), place.project);
    place.write(join(place.home, 'victim.json'), '{}');
    const {code} = await place.run(['add', 'deny', 'Read', '--project']);
    expect([code, readFileSync(join(place.home, 'victim.json'), 'utf8')]).toEqual([1, '{}']);
  });

  test('every class that may be asked about is listed', async () => {
    using place = new Permissions();
    const [short, long, json] = await Promise.all([
      place.run(['--list']),
      place.run(['list', '--classes']),
      place.run(['--list', '--json']),
    ]);
    expect(short).toEqual(long);
    const classes: readonly {readonly name: string}[] = JSON.parse(json.stdout);
    expect(classes.map(({name}) => name)).toEqual(
      expect.arrayContaining(['command', 'edit', 'edit-protected', 'read-outside']),
    );
    for (const {name} of classes) expect(short.stdout).toContain(`${name} `);
  });
});

const touch = (): Script => [call('Bash', {command: 'touch made'}), say('done')];

/** A scene with the project's own settings. */
async function openProject(settings: object, script: Script = touch()): Promise<Scene> {
  const scene = await openScene(script);
  putFile(join(scene.place.work, '.weft', 'settings.json'), JSON.stringify(settings));
  return scene;
}

describe('trust', () => {
  const allow = {permissions: {allow: ['Bash(touch:*)']}};

  test('lets the settings of the folder act until a byte changes', async () => {
    await using scene = await openProject(allow);
    const trusted = await scene.run(['permissions', 'trust', '--yes']);
    expect([trusted.code, trusted.stdout]).toEqual([0, expect.stringContaining('allow without asking: Bash(touch:*)')]);
    const check = async (): Promise<readonly string[]> =>
      verdicts((await scene.run(['permissions', 'check', '--json', 'touch x'])).stdout);
    expect(await check()).toEqual(['allow']);
    const file = join(scene.place.work, '.weft', 'settings.json');
    writeFileSync(file, `${JSON.stringify(allow)} `);
    expect(await check()).toEqual(['ask']);
    const told = await scene.run(['permissions', 'trust']);
    expect([told.code, told.stdout]).toEqual([2, expect.stringContaining('changed since you trusted them')]);
    writeFileSync(file, JSON.stringify(allow));
    expect(await check()).toEqual(['allow']);
    await scene.run(['permissions', 'untrust']);
    expect(await check()).toEqual(['ask']);
  });

  test('a run in a trusted folder takes its rules, its variables and its mode', async () => {
    await using scene = await openProject({...allow, env: {FROM_PROJECT: 'yes'}, permissionMode: 'acceptEdits'}, [
      call('Bash', {command: 'touch made'}),
      call('Write', {file_path: 'new', content: 'x'}),
      say('done'),
    ]);
    await scene.run(['permissions', 'trust', '--yes']);
    expect(await scene.run(['--prompt', 'x'])).toEqual({code: 0, signal: null, stdout: 'done\n', stderr: ''});
    expect([scene.read('made'), scene.read('new')]).toEqual(['', 'x']);
  });

  test('without trust a run goes on without them and says so in one line', async () => {
    await using scene = await openProject({...allow, env: {A: '1'}, baseUrl: 'http://127.0.0.1:9'});
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect([code, stdout]).toEqual([3, 'done\n']);
    expect(stderr.split('\n').filter(line => line.includes('settings.json'))).toEqual([
      `weft: ${join(scene.place.work, '.weft', 'settings.json')}: "baseUrl", "env", "permissions.allow" are ignored: ` +
        'this folder is not trusted (review and trust it: weft permissions trust).',
    ]);
    expect(existsSync(join(scene.place.work, 'made'))).toBe(false);
  });

  test("a copy of a trusted folder is not trusted, nor is the folder's word for itself", async () => {
    await using scene = await openProject(allow);
    await scene.run(['permissions', 'trust', '--yes']);
    const copy = join(scene.place.work, 'copy');
    putFile(join(copy, '.weft', 'settings.json'), JSON.stringify(allow));
    writeFileSync(join(copy, '.weft', 'trust.json'), readFileSync(join(scene.place.home, 'weft', 'trust.json')));
    const {stdout} = await scene.run(['permissions', 'check', '--json', '--cwd', 'copy', 'touch x']);
    expect(verdicts(stdout)).toEqual(['ask']);
  });

  test('what the user adds to a project by command is trusted, what was there untrusted is not', async () => {
    using place = new Permissions();
    await place.run(['add', 'allow', 'Bash(make:*)', '--local']);
    await place.run(['add', 'deny', 'Bash(rm:*)', '--project']);
    expect(verdicts((await place.run(['check', '--json', 'make'])).stdout)).toEqual(['allow']);
    place.write(place.project, {permissions: {allow: ['Bash(touch:*)']}});
    await place.run(['add', 'allow', 'Bash(cc:*)', '--local']);
    expect(verdicts((await place.run(['check', '--json'], '"make"\n"touch x"\n"cc"')).stdout)).toEqual([
      'allow',
      'ask',
      'allow',
    ]);
  });

  test('files of the project reach neither the environment of weft nor its folders', async () => {
    await using scene = await openProject({env: {WEFT_HOME: '.', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9'}}, [
      say('ok'),
    ]);
    const {work} = scene.place;
    for (const name of ['.env', '.env.local']) {
      writeFileSync(join(work, name), 'WEFT_HOME=.\nANTHROPIC_BASE_URL=http://127.0.0.1:9\nWEFT_MODEL=evil\n');
    }
    writeFileSync(join(work, 'settings.json'), JSON.stringify({permissionMode: 'acceptEdits', model: 'evil'}));
    await scene.run(['permissions', 'trust', '--yes']);
    const {code, stdout} = await scene.run(['--prompt', 'x']);
    expect([code, stdout, scene.server.requests.length]).toEqual([0, 'ok\n', 1]);
    expect(scene.server.requests[0]?.body.model).not.toBe('evil');
    expect(existsSync(join(work, 'weft.db'))).toBe(false);
  });
});

test("what weft is granted is not for weft's own commands to change, however they call it", async () => {
  const allow = {permissions: {allow: ['Bash(touch:*)']}};
  await using scene = await openProject(allow, [call('Bash', {command: 'sh ./grant.sh'}), say('done')]);
  const {home, work} = scene.place;
  const weft = `'${process.execPath}' '${weftBin}'`;
  const bare = `env -i WEFT_HOME='${join(home, 'weft')}' ${weft}`;
  writeFileSync(
    join(work, 'grant.sh'),
    `export WEFT_HOME='${join(home, 'weft')}'
try() { name=$1; shift; out=$("$@" 2>&1); echo "$name $? $out" | tr '\\n' ' ' >> told; echo >> told; }
try trust ${weft} permissions trust --yes
try add ${bare} permissions add allow Bash
try set ${bare} config set permissionMode acceptEdits
unset WEFT_ACTIVE WEFT_RUN
try bare ${bare} permissions add allow Bash --local
try get ${bare} config get theme
try theme ${bare} config set theme dark
'${process.execPath}' far.cjs
until [ -e ended ]; do sleep 0.1; done
echo "far $(cat ended) $(head -c 300 far | tr '\\n' ' ')" >> told
`,
  );
  // A session of its own, no variables, and a parent that has ended.
  const far = `'${process.execPath}' '${weftBin}' permissions trust --yes > far 2>&1; echo $? > ended`;
  writeFileSync(
    join(work, 'far.cjs'),
    `require('node:child_process').spawn('/bin/sh', ['-c', ${JSON.stringify(far)}],
      {detached: true, stdio: 'ignore', env: {WEFT_HOME: ${JSON.stringify(join(home, 'weft'))}}}).unref();`,
  );
  const ran = await scene.run(['--prompt', 'x', '--allowed-tools', 'Bash']);
  expect([ran.code, ran.stdout]).toEqual([0, 'done\n']);
  const told = Object.fromEntries(
    scene
      .read('told')
      .split('\n')
      .map(line => [line.split(' ')[0], line.split(' ').slice(1).join(' ').trim()]),
  );
  const refused = /^1 .*so a command that weft runs can/u;
  expect(told).toMatchObject({
    trust: expect.stringMatching(refused),
    add: expect.stringMatching(refused),
    set: expect.stringMatching(refused),
    bare: expect.stringMatching(refused),
    get: '0 auto',
    theme: expect.stringMatching(/^0 /u),
  });
  if (process.platform === 'linux') expect(told['far']).toMatch(refused);
  expect(verdicts((await scene.run(['permissions', 'check', '--json', 'touch x'])).stdout)).toEqual(['ask']);
  // The user's own shell and scripts may.
  expect((await scene.run(['permissions', 'trust', '--yes'])).code).toBe(0);
});

test('what weft keeps lies in the workspace: neither a mode nor a rule writes it unasked', async () => {
  await using scene = await openScene([
    call('Write', {file_path: '~/weft/trust.json', content: '{"folders":{}}'}),
    call('Bash', {command: 'mkdir -p ~/weft; echo x > ~/weft/trust.json'}),
    call('Write', {file_path: 'note.md', content: 'x'}),
    say('done'),
  ]);
  const {home, work} = scene.place;
  const ran = await scene.run([
    '--prompt',
    'x',
    '--add-dir',
    home,
    '--permission-mode',
    'acceptEdits',
    '--allowed-tools',
    'Write,Bash',
  ]);
  expect([ran.code, ran.stdout]).toEqual([3, 'done\n']);
  expect([existsSync(join(home, 'weft/trust.json')), existsSync(join(work, 'note.md'))]).toEqual([false, true]);
});

test('a pattern in a script of sed is no path of the settings', async () => {
  const edit = {command: "sed -i 's/version=.*/version=2/' t.txt && cat t.txt"};
  for (const args of [
    ['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash(sed:*)'],
    ['--permission-mode', 'bypassPermissions'],
  ]) {
    await using scene = await openProject({}, [call('Bash', edit), say('done')]);
    putFile(join(scene.place.work, 't.txt'), 'version=1\n');
    const {code, stdout} = await scene.run(['--prompt', 'x', ...args]);
    expect([code, stdout, scene.read('t.txt')]).toEqual([0, 'done\n', 'version=2\n']);
  }
});
