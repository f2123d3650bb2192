import {judgedAction, ruleKinds} from '../../src/actions/catalogue.ts';
import {decodeAction} from '../../src/actions/decode-action.ts';
import {weftItself} from '../../src/domain/executor.ts';
import {makeJudge} from '../../src/safety/judge.ts';
import {unknownFileEffect} from '../../src/domain/risk.ts';

const everyday = [
  'git status',
  'ls -la src 2>/dev/null',
  'grep -rn "foo bar" src | head -20',
  "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
  'for f in a b c; do wc -l "$f"; done',
  "sed -n '1,20p' src/a.ts && git log --oneline -5",
  'npm run build && npm test',
  'rm -rf build; git push --force origin main',
  "cat <<'EOF' > out.txt\nhello\nEOF",
  "awk -F, '{print $2}' data.csv | sort | uniq -c | sort -rn",
];

/** Judgements of everyday commands, after the first: how many a second, and the slowest of a hundred. */
export async function judgements(): Promise<string> {
  const judge = makeJudge({
    sandbox: 'none',
    rules: {allow: [], ask: [], deny: []},
    roots: ['/w'],
    home: '/home/me',
    blockCommand: () => '',
    unasked: 'held-changes',
    excluded: [],
    ruleKinds,
    list: () => [],
    read: () => ({kind: 'missing'}),
    findWorkspaceProgram: () => undefined,
    effectOf: () => unknownFileEffect,
    secretNames: () => [],
    weftFolders: {folders: [], variables: {}, grantingSettings: new Set()},
    resolve: path => ({path, place: path.startsWith('/w/') ? 'inside-workspace' : 'outside-workspace'}),
  });
  const {signal} = new AbortController();
  const actions = [...everyday, `${'true && '.repeat(5000)}ls`].flatMap(command => {
    const action = decodeAction('Bash', {command});
    return action.tag === 'ok' ? [action.value] : [];
  });
  const timed = async (index: number): Promise<number> => {
    const action = actions[index];
    if (action === undefined) throw new Error('No such command');
    const start = performance.now();
    await judge.assess(judgedAction(action), {executor: weftItself('/w'), mode: 'default'}, signal);
    return performance.now() - start;
  };
  const first = await timed(0);
  const times: number[] = [];
  for (let round = 0; round < 3000; round += 1) times.push(await timed(round % everyday.length));
  await timed(everyday.length);
  const long = await timed(everyday.length);
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  const perSecond = (times.length / times.reduce((sum, ms) => sum + ms, 0)) * 1000;
  return `${perSecond.toFixed(0)} a second, p99 ${p99.toFixed(2)} ms; the first ${first.toFixed(0)} ms; 5,000 in a row ${long.toFixed(0)} ms`;
}
