import {expect, test} from 'vitest';
import {readCorpus, type Case} from './support/corpus.ts';
import {bash, type Given, judge, overlayProof} from './support/judging.ts';

interface Judged extends Case {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly reasons: readonly string[];
}

async function judgeAll(cases: readonly Case[], given: Given = {}): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const each of cases) {
    const {decision, reasons} = await judge(bash(each.command), given);
    judged.push({...each, decision, reasons});
  }
  return judged;
}

const listed = (cases: readonly Judged[]): string =>
  cases.map(({file, command, reasons}) => `${file}: ${JSON.stringify(command)} ${reasons.join('; ')}`).join('\n');

test('of the commands that must not run by themselves none does', {tags: 'long'}, async () => {
  const judged = await judgeAll(readCorpus('bypass'));
  const allowed = judged.filter(({decision}) => decision === 'allow');
  console.info(`bypass corpus: ${allowed.length} of ${judged.length} let through`);
  expect(judged.length).toBeGreaterThanOrEqual(400);
  expect(listed(allowed)).toBe('');
});

test('with a proven overlay only those run that run code or change the workspace inside', {tags: 'long'}, async () => {
  const judged = await judgeAll(readCorpus('bypass'), {proof: overlayProof});
  const allowed = judged.filter(({decision}) => decision === 'allow');
  expect(new Set(allowed.flatMap(({reasons}) => reasons))).toEqual(
    new Set(['Runs in the sandbox without asking; weft asks about its changes']),
  );
  // Each line was read: what is new here has to be read, too.
  const lines = allowed.map(({file, command}) => `${file}: ${JSON.stringify(command)}\n`);
  await expect(lines.join('')).toMatchFileSnapshot('../../golden/held-by-overlay.txt');
});

test.each([':*', ' *'])('nor does one after an approval of runs with any arguments, written with %j', async end => {
  const runs = ['npm test', 'npm run lint', 'pnpm test', 'pytest', 'cargo test', 'go test'];
  const cases = readCorpus('bypass').filter(({file}) => file === 'around-granted-runs.txt');
  const judged = await judgeAll(cases, {allow: runs.map(run => `Bash(${run}${end})`)});
  expect(judged.length).toBeGreaterThanOrEqual(60);
  expect(listed(judged.filter(({decision}) => decision === 'allow'))).toBe('');
});

test('of everyday commands that only read at most one in fifty is asked about', async () => {
  const judged = await judgeAll(readCorpus('everyday'));
  const asked = judged.filter(({decision}) => decision !== 'allow');
  console.info(`everyday corpus: ${asked.length} of ${judged.length} asked about\n${listed(asked)}`);
  expect(judged.length).toBeGreaterThanOrEqual(300);
  expect(asked.length).toBeLessThanOrEqual(judged.length / 50);
});
