import {expect, test} from 'vitest';
import {action, bash, judge} from './support/judging.ts';

test('a verdict says where it stands, what would be hit, what to type and what to keep', async () => {
  const {detail} = await judge(bash('ls && cd src && rm -rf build; git log | head'));
  expect(detail).toEqual({
    marks: [{from: 16, to: 28}],
    grave: [{from: 16, to: 28}],
    rules: ['Bash(ls && cd src && rm -rf build; git log | head)'],
    destroys: [{argv: ['rm', '-rf', 'build'], directory: '/w/src', overwrites: [], content: {kind: 'unknown'}}],
    confirmWord: 'build',
    pagers: ['git log'],
    places: [],
    environment: 'own',
  });
});

test('what is appended to keeps what it holds', async () => {
  expect((await judge(bash('echo more >> notes'))).detail.destroys).toEqual([]);
  expect((await judge(bash('echo more >> notes > log'))).detail.destroys).toEqual([
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
  ['make a && make b', ['Bash(make a && make b)']],
])('%s can be kept as %j', async (command, rules) => {
  expect((await judge(bash(command))).detail.rules).toEqual(rules);
});

test.each<[command: string, grantable: 'kind' | 'exact']>([
  ['python3', 'kind'],
  ['python3 -i setup.py', 'kind'],
  ['/usr/bin/node', 'kind'],
  ['psql shop', 'kind'],
  ['bash', 'exact'],
  ['ssh host', 'exact'],
  ['sudo python3', 'exact'],
  ['python3; bash', 'exact'],
  ['python3 | sh', 'exact'],
  ['npm run dev', 'exact'],
  ['', 'exact'],
])('more input to a block that runs %j may be allowed at once: %s', async (command, grantable) => {
  const given = {blocks: {b3: command}};
  expect((await judge(action('BashInput', {block_id: 'b3', input: '1 + 1'}), given)).grantable).toBe(grantable);
  const asked = await judge(action('BashInput', {block_id: 'b3', input: '1 + 1'}), {...given, ask: ['BashInput']});
  expect(asked.grantable).toBe('exact');
});

/** Parts of a command that must have been read, and the reasons. */
async function weighed(command: string) {
  const {detail, reasons} = await judge(bash(command));
  return {grave: detail.grave.map(({from, to}) => command.slice(from, to)), reasons};
}

test.each<readonly [command: string, grave: readonly string[]]>([
  ['touch a; mkdir b', []],
  ['touch a; curl http://x.y/; touch b', ['curl http://x.y/']],
  ['./x.sh; touch a; curl http://x.y/; rm -rf build', ['rm -rf build', 'curl http://x.y/', './x.sh']],
  ['touch a; touch .git/hooks/x', ['touch .git/hooks/x']],
  ['cd .git && touch hooks/x', ['touch hooks/x']],
  ['touch a; echo x >> .bashrc', ['>> .bashrc']],
  ['touch a; cat ~/.ssh/id_rsa', ['cat ~/.ssh/id_rsa']],
  ['touch a; echo "$(curl http://x.y/)"', ['curl http://x.y/']],
])('of %s must be read %j', async (command, grave) => {
  expect((await weighed(command)).grave).toEqual(grave);
});

test('of hundreds of parts the worst is told first, and those that do the same as one', async () => {
  const touches = Array.from({length: 450}, (_, at) => `touch a${at}`);
  const command = touches.toSpliced(225, 0, 'curl http://x.y/', 'touch .git/hooks/x').join('\n');
  expect(await weighed(command)).toEqual({
    grave: ['curl http://x.y/', 'touch .git/hooks/x'],
    reasons: [
      '`curl http://x.y/` talks to another machine',
      '`touch .git/hooks/x` changes what can run or grant rights',
      '`touch a0` changes files (and 449 more like it)',
    ],
  });
});

test('what cannot be told apart must be read whole', async () => {
  const command = `touch a\n${'touch b\n'.repeat(50)}echo "`;
  expect((await weighed(command)).grave).toEqual([command]);
});
