import {isAboutOutsideWorkspace} from '../../../src/domain/reason.ts';
import {realpathSync} from 'node:fs';
import {expect, test} from 'vitest';
import {action, bash, judge, judgeOnDisk} from './support/judging.ts';

test('a verdict says where it stands, what would be hit, what to type and what to keep', async () => {
  const {detail} = await judge(bash('ls && cd src && rm -rf build; git log | head'));
  expect(detail).toEqual({
    highlights: [{from: 16, to: 28}],
    criticalRanges: [{from: 16, to: 28}],
    rules: ['Bash(ls && cd src && rm -rf build; git log | head)'],
    destructiveCommands: [
      {argv: ['rm', '-rf', 'build'], directory: '/w/src', overwrites: [], content: {kind: 'unknown'}},
    ],
    confirmWord: 'build',
    pagers: ['git log'],
    mayMove: true,
  });
});

test.each<[command: string, mayMove: boolean]>([
  ['ls', false],
  ['cd src', true],
  ['ls && cd src', true],
  ['cd .', false],
  ['cd /w && ls', false],
  ['(cd src && ls)', false],
  ['cd src | cat', false],
  ['x=cd; $x src', true],
  ['for d in a b; do cd $d; done', true],
  ['if ls; then cd src; fi', true],
  ['echo "cd src"', false],
  ['"unclosed', true],
])('whether %s may end in another folder: %s', async (command, mayMove) => {
  expect((await judge(bash(command))).detail.mayMove).toBe(mayMove);
});

test('what is appended to keeps what it holds', async () => {
  expect((await judge(bash('echo more >> notes'))).detail.destructiveCommands).toEqual([]);
  expect((await judge(bash('echo more >> notes > log'))).detail.destructiveCommands).toEqual([
    {argv: ['echo', 'more'], directory: '/w', overwrites: ['log'], content: {kind: 'unknown'}},
  ]);
});

test.each([
  ['echo new > src/existing', 'existing'],
  ['rm -rf build > log', 'build'],
  ['cat a > "two words"; sort x > y.txt', 'y.txt'],
])('for %s one types %s', async (command, word) => {
  expect((await judge(bash(command))).detail.confirmWord).toBe(word);
});

test.each<[string, readonly string[]]>([
  ['npm run test -- --watch', ['Bash(npm run test -- --watch)', 'Bash(npm run test:*)', 'Bash(npm run:*)']],
  ['git push origin main', ['Bash(git push origin main)', 'Bash(git push origin:*)', 'Bash(git push:*)']],
  ['mkdir a', ['Bash(mkdir a)', 'Bash(mkdir:*)']],
  ['bash -c "make"', ['Bash(bash -c "make")']],
  ['sudo make', ['Bash(sudo make)']],
  ['rm a', ['Bash(rm a)']],
  ['http :3000', ['Bash(http :3000)']],
  ['ping localhost', ['Bash(ping localhost)']],
  ['telnet localhost 25', ['Bash(telnet localhost 25)']],
  ['crontab x', ['Bash(crontab x)']],
  ['git checkout -b x', ['Bash(git checkout -b x)']],
  ['git stash', ['Bash(git stash)']],
  ['make a && make b', ['Bash(make a && make b)']],
])('%s can be kept as %j', async (command, rules) => {
  expect((await judge(bash(command))).detail.rules).toEqual(rules);
});

test.each<[command: string, sessionApproval: 'kind' | 'exact']>([
  ['python3', 'kind'],
  ['python3 -i setup.py', 'kind'],
  ['/usr/bin/node', 'kind'],
  ['psql shop', 'kind'],
  ['bash', 'exact'],
  ['ssh host', 'exact'],
  ['sudo python3', 'exact'],
  ['./python3', 'exact'],
  ['tools/node', 'exact'],
  ['../python3 -i', 'exact'],
  ['dc', 'exact'],
  ['python3; bash', 'exact'],
  ['python3 | sh', 'exact'],
  ['npm run dev', 'exact'],
  ['', 'exact'],
])('more input to a block that runs %j may be allowed at once: %s', async (command, sessionApproval) => {
  const given = {blocks: {b3: command}};
  expect((await judge(action('BashInput', {block_id: 'b3', input: '1 + 1'}), given)).sessionApproval).toBe(
    sessionApproval,
  );
  const asked = await judge(action('BashInput', {block_id: 'b3', input: '1 + 1'}), {...given, ask: ['BashInput']});
  expect(asked.sessionApproval).toBe('exact');
});

test.each<[input: string, why: string]>([
  ['import os; os.system("rm -rf build")', 'Types into a running program; Can run programs (`os.system`)'],
  ['!ls', 'Types into a running program; Can run programs (`!`)'],
  ['.shell rm x', 'Types into a running program; Can run programs (`.shell`)'],
  ['DROP TABLE users;', 'Types into a running program; Changes or deletes data (`DROP`)'],
  ['shutil.rmtree("a")', 'Types into a running program; Can delete files (`rmtree(`)'],
  ['require("child_process")', 'Types into a running program; Can run programs (`child_process`)'],
  ['__import__("o" + "s")', 'Types into a running program; Runs code that it makes up (`__import__(`)'],
  ['fetch("http://x.y")', 'Types into a running program; Can talk to another machine (`fetch`)'],
])('an allowed interpreter does not cover %s', async (input, why) => {
  const {decision, sessionApproval, reasons} = await judge(action('BashInput', {block_id: 'b3', input}), {
    blocks: {b3: 'python3'},
  });
  expect({decision, sessionApproval, reasons: reasons.join('; ')}).toEqual({
    decision: 'ask',
    sessionApproval: 'exact',
    reasons: why,
  });
});

test.each([
  'from os import system as s',
  'f = o.system',
  'import os as o',
  "vars(os)['sys' + 'tem']('rm -rf x')",
  "os.__dict__['sys' + 'tem']('x')",
  '\u{1d530}\u{1d536}\u{1d530}\u{1d531}\u{1d522}\u{1d52a}("rm -rf x")',
  '\uFF4F\uFF53.\uFF53\uFF59\uFF53\uFF54\uFF45\uFF4D("x")',
  'import evil',
  'from . import evil',
  'import math, evil',
  'x = 1; import evil',
  'open("/home/me/.bashrc", "a").write("x")',
  'open("x", m)',
  'Path("x").write_text("y")',
  'print(open("/home/me/.ssh/id_rsa").read())',
  'os.environ',
  'x = !rm -rf y',
  'rm -rf y',
  '%run evil.py',
  "ev\\u0061l('x')",
  "this.constructor.constructor('x')()",
  "const {execSync: e} = require('child_' + 'process')",
  "require('./evil')",
  "import('fs')",
  'const e = cp.execSync',
  "require('fs').writeFileSync('x', 'y')",
  'select 1 \\! rm -rf x',
  'select 1 \\g |sh',
  '\\i evil.sql',
  '.sh rm x',
  '.import "|rm x" t',
  'pager sh',
  'source evil.sql',
  'Sys.command "rm"',
  'System.cmd("rm", ["x"])',
  '(system* "/bin/rm" "x")',
  ';rm -rf x',
  'File.delete("x")',
  'system2("rm", "x")',
  'line one\n!rm -rf x',
  'x = 1\u0008\u0008os.sys',
  '\u001b[A',
  'os.sys\t("x")',
  '1 + 1\r!rm -rf x',
])('an allowed interpreter does not cover %j', async input => {
  const verdict = await judge(action('BashInput', {block_id: 'b3', input}), {blocks: {b3: 'python3'}});
  expect({decision: verdict.decision, sessionApproval: verdict.sessionApproval}).toEqual({
    decision: 'ask',
    sessionApproval: 'exact',
  });
});

test.each([
  '1 + 1',
  'round(2.675, 2)',
  'import math',
  'import json, re',
  'from decimal import Decimal',
  'for x in range(3):\n\tprint(x)\n',
  'print("a\\n")',
  'open("data.csv").read()',
  'open("data.csv", "r", encoding="utf-8").read()',
  '[x * 2 for x in [1, 2]]',
  "const path = require('node:path')",
  'select * from orders where total > 3;',
  '\\d orders',
  '.tables',
  'const y = !done',
  'items.map(item => item.price)',
])('an allowed interpreter covers %j', async input => {
  const verdict = await judge(action('BashInput', {block_id: 'b3', input}), {blocks: {b3: 'python3'}});
  expect(verdict.sessionApproval).toBe('kind');
});

test('pieces of a line are asked about one by one, since none says what they make together', async () => {
  const approvals = await Promise.all(
    ['os.sys', 'tem("rm -rf x")', '1 + 1\r', '\u0003'].map(async input => {
      const typedRaw = action('BashInput', {block_id: 'b3', input, mode: 'raw'});
      return (await judge(typedRaw, {blocks: {b3: 'python3'}})).sessionApproval;
    }),
  );
  expect(approvals).toEqual(['exact', 'exact', 'exact', 'kind']);
});

test.each([
  ['bt', 'kind'],
  ['print items[2]', 'kind'],
  ['break main.c:12', 'kind'],
  ['she rm x', 'exact'],
  ['print system("rm x")', 'exact'],
  ['run', 'exact'],
  ['source evil.gdb', 'exact'],
])('a debugger that is allowed: %s is covered as %s', async (input, sessionApproval) => {
  const verdict = await judge(action('BashInput', {block_id: 'b3', input}), {blocks: {b3: 'gdb ./app'}});
  expect(verdict.sessionApproval).toBe(sessionApproval);
});

/** The verdict on a line for a shell in a container. */
async function typed(input: string) {
  const {decision, risk, sessionApproval, reasons, detail} = await judge(action('BashInput', {block_id: 'b3', input}), {
    blocks: {b3: 'docker exec -it web bash'},
  });
  return {decision, risk, sessionApproval, reasons: reasons.join('; '), word: detail.confirmWord};
}

test('a line for a shell is judged as the command that it is, and always asked about', async () => {
  expect(await typed('ls')).toEqual({
    decision: 'ask',
    risk: 'unknown',
    sessionApproval: 'exact',
    reasons: 'Types into a running program',
    word: '',
  });
  expect(await typed('rm -rf build')).toEqual({
    decision: 'ask',
    risk: 'destructive',
    sessionApproval: 'exact',
    reasons: 'Types into a running program; Deletes files (rm -rf build)',
    word: 'build',
  });
});

test.each<[command: string, sessionApproval: 'kind' | 'exact']>([
  ['npm test', 'kind'],
  ['npm run test:unit -- --watch', 'kind'],
  ['cargo test', 'kind'],
  ['npm test && rm -rf x', 'exact'],
  ['npm test > out.txt', 'exact'],
  ['npm install left-pad', 'exact'],
  ['git push origin main', 'exact'],
  ['git checkout main', 'exact'],
  ['node --test', 'exact'],
  ['make test', 'exact'],
])('a run of %s may be allowed with other arguments: %s', async (command, sessionApproval) => {
  expect((await judge(bash(command))).sessionApproval).toBe(sessionApproval);
  expect((await judge(bash(command), {ask: ['Bash']})).sessionApproval).toBe('exact');
});

/** Parts of a command that must have been read, and the reasons. */
async function weighed(command: string) {
  const {detail, reasons} = await judge(bash(command));
  return {criticalRanges: detail.criticalRanges.map(({from, to}) => command.slice(from, to)), reasons};
}

test.each<readonly [command: string, criticalRanges: readonly string[]]>([
  ['touch a; mkdir b', []],
  ['touch a; curl http://x.y/; touch b', ['curl http://x.y/']],
  ['./x.sh; touch a; curl http://x.y/; rm -rf build', ['rm -rf build', 'curl http://x.y/', './x.sh']],
  ['touch a; touch .git/hooks/x', ['touch .git/hooks/x']],
  ['cd .git && touch hooks/x', ['touch hooks/x']],
  ['touch a; echo x >> .bashrc', ['>> .bashrc']],
  ['touch a; cat ~/.ssh/id_rsa', ['cat ~/.ssh/id_rsa']],
  ['touch a; echo "$(curl http://x.y/)"', ['curl http://x.y/']],
])('of %s must be read %j', async (command, criticalRanges) => {
  expect((await weighed(command)).criticalRanges).toEqual(criticalRanges);
});

test('of hundreds of parts the worst is told first, and those that do the same as one', async () => {
  const touches = Array.from({length: 450}, (_, at) => `touch a${at}`);
  const command = touches.toSpliced(225, 0, 'curl http://x.y/', 'touch .git/hooks/x').join('\n');
  expect(await weighed(command)).toEqual({
    criticalRanges: ['curl http://x.y/', 'touch .git/hooks/x'],
    reasons: [
      'Talks to another machine (curl http://x.y/)',
      'Changes files that can run code or grant permissions (touch .git/hooks/x)',
      'Changes files (touch a0, and 449 more like it)',
    ],
  });
});

test('what cannot be told apart must be read whole', async () => {
  const command = `touch a\n${'touch b\n'.repeat(50)}echo "`;
  expect((await weighed(command)).criticalRanges).toEqual([command]);
});

test.each(['cd ..', 'cd /etc && ls', 'cd', 'git -C .. status'])(
  '%s is asked about because of what is outside',
  async command => {
    const root = realpathSync('test');
    const {reasons} = await judgeOnDisk(root, '/home/me').assess(
      bash(command),
      'default',
      new AbortController().signal,
    );
    expect(reasons.some(isAboutOutsideWorkspace)).toBe(true);
  },
);
