import {readingOf} from '../../../src/safety/commands/effects.ts';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {readCorpus} from './support/corpus.ts';
import type {JudgeOptions} from '../../../src/safety/judge.ts';
import {bash, judgeOnDisk, inWords, overlayProof, type OwnJudge} from './support/judging.ts';
import {fileEffect} from '../../../src/workspace/impact/file-effect.ts';

const base = mkdtempSync(join(tmpdir(), 'weft-judge-'));
const outside = join(base, 'outside');
const plain = join(base, 'plain');
const trapped = join(base, 'trapped');

beforeAll(() => {
  write(join(outside, 'secret'), 'x');
  for (const root of [plain, trapped]) {
    for (const name of ['a', 'b', 'list', 'package.json', 'README.md', 'src/a.ts', 'src/b.ts', 'lib/c.py']) {
      write(join(root, name), 'foo\n');
    }
    write(join(root, '.env'), 'KEY=1\n');
    write(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(join(root, 'real/deep'), {recursive: true});
  }
  symlinkSync('real/deep', join(plain, 'alias'));
  symlinkSync('real/deep', join(trapped, 'alias'));
  symlinkSync('../outside', join(trapped, 'link'));
  symlinkSync('../outside/secret', join(trapped, 'seclink.txt'));
  symlinkSync('../../outside/secret', join(trapped, 'src/evil.ts'));
  write(join(trapped, 'credentials.json'), '{}');
  for (const name of ['HEAD', 'config', 'objects/x', 'refs/x', 'hooks/x']) write(join(trapped, 'bare', name), '');
  write(join(trapped, 'sub/rust-toolchain.toml'), '');
});

afterAll(() => {
  rmSync(base, {recursive: true, force: true});
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}

const home = join(base, 'home');

const judgeOf = (root: string, options: Partial<JudgeOptions> = {}): OwnJudge =>
  judgeOnDisk(root, home, {effectOf: command => fileEffect(command, {home, readCommand: readingOf}), ...options});

const decision = async (judge: OwnJudge, command: string): Promise<string> =>
  (await judge.assess(bash(command), 'default', new AbortController().signal)).decision;

describe('what a command would come upon on the disk', () => {
  test.each(readCorpus('on-disk'))('$command asks where that is a trap', async ({command}) => {
    expect(await decision(judgeOf(trapped), command)).toBe('ask');
    expect(await decision(judgeOf(trapped, {sandbox: async () => overlayProof}), command)).toBe('ask');
  });

  test.each([
    'cat *',
    'cat src/*.ts',
    'cat package*.json',
    'head -3 src/*',
    'ls | xargs cat',
    "find . -name '*.ts' -exec cat {} \\;",
    "find . -name '*.ts' | xargs head -5",
    'for f in src/*.ts; do cat $f; done',
    'diff -r src lib',
    'cd src && git status',
    'cd src; ls; cd ..; ls',
    'cd lib && cargo --version',
    'ls -d .*',
    'ls -lad .* */',
    'ls -d .[!.]*',
    "git ls-files '*.ts' | xargs cat",
    "for f in $(git ls-files 'src/*.ts' '*.py'); do head -3 $f; done",
    'cat /etc/os-release',
    'head -2 /proc/meminfo; grep -c processor /proc/cpuinfo',
    'git hash-object a src/a.ts',
    'git symbolic-ref refs/remotes/origin/HEAD',
  ])('%s goes through where there is none', async command => {
    expect(await decision(judgeOf(plain), command)).toBe('allow');
  });

  test.each([
    "git ls-files '*.ts' . | xargs cat",
    "git ls-files '*' | xargs cat",
    "git ls-files '*.env' | xargs cat",
    "git ls-files ':!*.ts' | xargs cat",
    'ls .*',
    'ls -dL .*',
    'ls -d .*/',
    'ls -d ../.*',
    'cat .*',
    'cat /etc/passwd',
    'cat /etc/os-release*',
    'cat /proc/self/environ',
  ])('%s asks also there', async command => {
    expect(await decision(judgeOf(plain), command)).toBe('ask');
  });

  test('of what agents send at most one in fifty is asked about', {tags: 'long'}, async () => {
    const judge = judgeOf(plain);
    const asked: string[] = [];
    const cases = readCorpus('everyday').map(({command}) => command.replaceAll(/(?<![\w.])\/w(?=[/ ";]|$)/gu, plain));
    for (const command of cases) if ((await decision(judge, command)) !== 'allow') asked.push(command);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(cases.length / 50);
  });
});

describe('only what exists can be lost', () => {
  const root = join(base, 'effects');
  beforeAll(() => {
    write(join(root, 'full.txt'), 'one\ntwo\n');
    write(join(root, 'other.txt'), 'other\n');
    write(join(root, 'empty.txt'), '');
    write(join(root, 'dir/full.txt'), 'kept\n');
    write(join(root, 'free/.keep'), '');
    symlinkSync('full.txt', join(root, 'link'));
    symlinkSync('nowhere', join(root, 'dangling'));
  });

  test.each<[command: string, risk: string]>([
    ['echo hi > new', 'local-change'],
    ['echo hi >| new', 'local-change'],
    ['echo hi > empty.txt', 'local-change'],
    ['echo hi > dangling', 'local-change'],
    ['echo hi > free/deep/new', 'local-change'],
    ['echo hi >> full.txt', 'local-change'],
    ["cat > src/new.js <<'EOF'\nconsole.log(1);\nEOF", 'local-change'],
    ["mkdir -p src && cd src && cat > new.js <<'EOF'\nx\nEOF", 'local-change'],
    ['{ echo a; echo b; } > new', 'local-change'],
    ['mv full.txt renamed.txt', 'local-change'],
    ['mv -n full.txt other.txt', 'local-change'],
    ['mv full.txt free', 'local-change'],
    ['mv *.txt free/', 'local-change'],
    ['mv dir renamed', 'local-change'],
    ['mv a b && mv c d', 'local-change'],
    ['echo hi > new; echo ho > new', 'local-change'],
    ['git mv full.txt renamed.txt', 'local-change'],
    ['cp full.txt copy.txt', 'local-change'],
    ['cp -f full.txt copy.txt', 'local-change'],
    ['cp -r dir free', 'local-change'],
    ['ln -s full.txt alias', 'local-change'],
    ['echo hi | tee new', 'local-change'],
    ['echo hi | tee -a full.txt', 'local-change'],
    ['truncate -s 10 new', 'local-change'],
    ['dd if=full.txt of=new', 'local-change'],
    ['curl -o new localhost:3000', 'local-change'],
    ['curl -so new http://127.0.0.1/x', 'local-change'],
    ['curl -o /dev/null localhost:3000', 'local-change'],
    ['curl -O http://localhost/new', 'local-change'],
    ['wget -qO- localhost:3000', 'local-change'],
    ['ln -sf full.txt alias', 'local-change'],
    ['cat full.txt | tee /dev/null', 'local-change'],
    ['git rm --cached full.txt', 'local-change'],
    ['gh issue list --search delete', 'external'],
    ['redis-cli get x', 'external'],
    ['curl -o new https://a.example', 'external'],
    ['curl -o full.txt localhost:3000', 'destructive'],
    ['curl -ofull.txt localhost:3000', 'destructive'],
    ['curl -sSfo full.txt localhost:3000', 'destructive'],
    ['curl --output=full.txt http://localhost', 'destructive'],
    ['curl -O http://localhost/full.txt', 'destructive'],
    ['curl --output-dir dir -O "http://localhost/a/full.txt?x"', 'destructive'],
    ['curl -o full.txt https://a.example', 'destructive'],
    ['wget -O full.txt localhost', 'destructive'],
    ['wget -qO full.txt localhost', 'destructive'],
    ['sort -u -o full.txt other.txt', 'destructive'],
    ['ln -sf other.txt full.txt', 'destructive'],
    ['ln -sf full.txt dir', 'destructive'],
    ['redis-cli -h x flushall', 'destructive'],
    ['gh repo delete x', 'destructive'],
    // Something is there.
    ['echo hi > full.txt', 'destructive'],
    ['echo hi > link', 'destructive'],
    ['echo hi > dir/../full.txt', 'destructive'],
    ['cd dir && echo hi > full.txt', 'destructive'],
    ['{ echo a; echo b; } > full.txt', 'destructive'],
    ['echo hi &> full.txt', 'destructive'],
    ['echo hi > "$TARGET"', 'destructive'],
    ['mv full.txt other.txt', 'destructive'],
    ['mv full.txt link', 'destructive'],
    ['mv full.txt dir', 'destructive'],
    ['mv *.txt dir/', 'destructive'],
    ['mv not-there-yet other.txt', 'destructive'],
    ['mv -t dir full.txt', 'destructive'],
    ['git mv -f full.txt other.txt', 'destructive'],
    ['cp full.txt other.txt', 'destructive'],
    ['cp full.txt dir', 'destructive'],
    ['cp -r dir/. .', 'destructive'],
    ['cp "$A" "$B"', 'local-change'],
    ['install -m 644 full.txt other.txt', 'destructive'],
    ['ln -sf full.txt other.txt', 'destructive'],
    ['echo hi | tee other.txt', 'destructive'],
    ['truncate -s 0 full.txt', 'destructive'],
    ['dd if=other.txt of=full.txt', 'destructive'],
    ['rm full.txt', 'destructive'],
    // Wrappers, paths of programs and abbreviated options hide nothing.
    ['time cp full.txt other.txt', 'destructive'],
    ['/bin/cp full.txt other.txt', 'destructive'],
    ['command /usr/bin/mv full.txt other.txt', 'destructive'],
    ['nice -n 5 cp full.txt other.txt', 'destructive'],
    ['sudo -u me cp full.txt other.txt', 'destructive'],
    ['timeout -s KILL 5 install full.txt other.txt', 'destructive'],
    ['env A=1 ln -sf other.txt full.txt', 'destructive'],
    ['echo hi | nohup tee other.txt', 'destructive'],
    ['stdbuf -oL dd if=other.txt of=full.txt', 'destructive'],
    ['time git mv --forc full.txt other.txt', 'destructive'],
    ['perf stat /usr/bin/sort -o full.txt other.txt', 'destructive'],
    ['time curl --outp full.txt localhost:3000', 'destructive'],
    ['bash -c "cp full.txt other.txt"', 'destructive'],
    ['mv --target=. dir/full.txt', 'destructive'],
    ['cp --targ . dir/full.txt', 'destructive'],
    ['sed --in-p s/a/b/ full.txt', 'destructive'],
    ['git reset --har', 'destructive'],
    ['rsync -a --del dir/ free/', 'destructive'],
    ['time cp full.txt new', 'local-change'],
    ['/bin/mv full.txt new', 'local-change'],
    ['cp --no-c full.txt other.txt', 'local-change'],
    ['mv --upd=none full.txt new', 'local-change'],
    ['ssh host cp full.txt other.txt', 'external'],
    ['git commit --no-verify -m x', 'local-change'],
    ['time git stash pop; echo hi > new', 'destructive'],
    // To delete is to destroy, whatever lies there.
    ['rm -rf build', 'destructive'],
    ['rm "$F"', 'destructive'],
    // What an earlier part has put there would be lost.
    ['mv full.txt new && mv other.txt new', 'destructive'],
    ['mv full.txt build/x; rm -rf build', 'destructive'],
    ['git stash pop; echo hi > new', 'destructive'],
    ['mv full.txt new; echo ho > new', 'destructive'],
  ])('%s: %s', async (command, risk) => {
    const verdict = await judgeOf(root).assess(bash(command), 'default', new AbortController().signal);
    expect({decision: verdict.decision, risk: verdict.risk}).toEqual({decision: 'ask', risk});
    // What loses nothing takes no word.
    if (risk === 'local-change') expect(verdict.detail.confirmWord).toBe('');
  });

  test.each<readonly [command: string, argv: readonly string[], word: string]>([
    ['time cp full.txt other.txt', ['cp', 'full.txt', 'other.txt'], 'other.txt'],
    ['sudo -u me /bin/cp full.txt other.txt', ['/bin/cp', 'full.txt', 'other.txt'], 'other.txt'],
    ['sh -c "cp full.txt other.txt"', ['cp', 'full.txt', 'other.txt'], 'other.txt'],
    ['sudo rm -rf dir', ['rm', '-rf', 'dir'], 'dir'],
  ])('the impact of %s is that of %j', async (command, argv, word) => {
    const {detail} = await judgeOf(root).assess(bash(command), 'default', new AbortController().signal);
    expect(detail.destructiveCommands.map(each => each.argv)).toEqual([argv]);
    expect(detail.confirmWord).toBe(word);
  });

  test.each(['ssh host rm -rf dir', 'env -C dir rm full.txt', 'chroot /x rm full.txt'])(
    'what %s deletes does not lie here',
    async command => {
      const {risk, detail} = await judgeOf(root).assess(bash(command), 'default', new AbortController().signal);
      expect([risk, detail.destructiveCommands]).toEqual(['destructive', []]);
    },
  );

  test('what is known of the new content goes with what would be overwritten', async () => {
    const verdict = await judgeOf(root).assess(
      bash("cat > full.txt <<'EOF'\none\nthree\nEOF"),
      'default',
      new AbortController().signal,
    );
    expect(verdict.detail.destructiveCommands).toEqual([
      {argv: ['cat'], directory: root, overwrites: ['full.txt'], content: {kind: 'text', text: 'one\nthree\n'}},
    ]);
    expect(inWords(verdict).reasons).toEqual(['Overwrites full.txt (2 lines)']);
  });

  test.each<readonly [command: string, reasons: readonly string[]]>([
    ['echo hi > new', ['Creates new']],
    ['cd dir && echo hi > new.txt', ['Creates dir/new.txt']],
    ['echo hi >> full.txt', ['Appends to full.txt']],
    ['echo hi > "$TARGET"', ['Writes a file (> "$TARGET")']],
    [
      'npm test > new; make',
      ['Runs code from this project (npm test > new)', 'Runs code from this project (make)', 'Creates new'],
    ],
    ['./unknown --fast', ['May do more than read (./unknown --fast)']],
  ])('%s: %j', async (command, reasons) => {
    const verdict = await judgeOf(root).assess(bash(command), 'default', new AbortController().signal);
    expect(inWords(verdict).reasons).toEqual(reasons);
  });
});
