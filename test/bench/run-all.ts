// The project's own figures: `npm run bench`, and with the sizes of a heavy user `npm run bench -- full`. Ratios of one run compare; absolute times belong to the machine and the day.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {rolldown} from 'rolldown';
import type {ModelEvent} from '../../src/domain/model-stream.ts';
import {protoAsText} from '../../.config/proto-as-text.ts';
import {AnthropicDecoder} from '../../src/models/anthropic-decoder.ts';
import {checkpointCost} from './checkpoints.ts';
import {judgements} from './judgements.ts';
import {addToHistory, measureSizes, rowText} from './size-rows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const weft = join(root, 'bin', 'weft.js');

/** Median of the wall times of whole processes, in milliseconds. */
function processMs(args: readonly string[], runs = 15): number {
  const times = Array.from({length: runs}, () => {
    const start = performance.now();
    spawnSync(process.execPath, args, {stdio: 'ignore', env: {...process.env, WEFT_HOME: home}});
    return performance.now() - start;
  });
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
}

/** CPU of the second pass over one streamed megabyte: the first one warms up. */
function decodeMs(): number {
  const delta = JSON.stringify({
    type: 'content_block_delta',
    index: 0,
    delta: {type: 'text_delta', text: 'forty bytes of text, as models send them'},
  });
  const start = JSON.stringify({type: 'content_block_start', index: 0, content_block: {type: 'text', text: ''}});
  const pass = (): number => {
    const endpoint = {name: 'bench', baseUrl: 'http://bench', keyVariable: 'KEY', urlVariable: 'URL'};
    const decoder = new AnthropicDecoder({endpoint, model: 'bench', newId: () => 'id'});
    const before = process.cpuUsage();
    decoder.take(start, []);
    for (let chunk = 0; chunk < 100; chunk += 1) {
      const events: ModelEvent[] = [];
      for (let at = 0; at < 250; at += 1) decoder.take(delta, events);
    }
    const used = process.cpuUsage(before);
    return (used.user + used.system) / 1000;
  };
  pass();
  return pass();
}

interface Run {
  readonly nodeFlags?: readonly string[];
  readonly args?: readonly string[];
}

/** What a file of this folder prints that Node cannot run as it stands. */
async function bundled(name: string, {nodeFlags = [], args = []}: Run = {}): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: `test/bench/${name}.ts`,
    platform: 'node',
    plugins: [protoAsText],
    external: ['react-devtools-core'],
    transform: {define: {'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"'}},
  });
  await bundle.write({dir: join(home, name), format: 'esm'});
  await bundle.close();
  const script = join(home, name, `${name}.js`);
  return spawnSync(process.execPath, [...nodeFlags, script, ...args], {encoding: 'utf8'}).stdout.trim();
}

if (process.platform === 'linux') {
  const size = process.argv[2] === 'full' ? 'full' : 'short';
  addToHistory(size, await measureSizes(size, row => console.log(rowText(row))));
}

const row = (what: string, figure: string): void => console.log(`${what.padEnd(52)} ${figure}`);
const home = mkdtempSync(join(tmpdir(), 'weft-bench-'));
try {
  processMs([weft, '--help'], 2);
  const node = processMs(['-e', '0']);
  row('bare Node, start to end', `${node.toFixed(0)} ms`);
  for (const args of [['--version'], ['--help'], ['sessions', 'list']]) {
    const ms = processMs([weft, ...args]);
    row(`weft ${args.join(' ')}`, `${ms.toFixed(0)} ms, ${(ms / node).toFixed(2)} × bare Node`);
  }

  row('decode 1 MB in 25,000 stream events', `${decodeMs().toFixed(0)} ms CPU`);

  row('judge a command', await judgements());

  row('a prompt that only reads: checkpoints', 'none is taken');
  for (const files of [1000, 10_000, 50_000]) {
    row(`checkpoint of ${files} files`, await checkpointCost(files));
  }

  row('terminal UI, 300 kB of markdown in 40-byte deltas', await bundled('tui-stream'));
  for (const display of ['inline', 'fullscreen']) {
    const figures = await bundled('tui-memory', {nodeFlags: ['--expose-gc'], args: [display]});
    row(`terminal UI, 1,000 turns, ${display}`, figures);
  }
  row('read and fold 50 MB of the task protocol', await bundled('task-log'));
} finally {
  rmSync(home, {recursive: true, force: true});
}
