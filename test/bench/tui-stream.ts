import {messageId} from '../../src/domain/ids.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {runTui} from '../../src/tui/run-tui.tsx';
import {scriptedEngine} from '../tui/support/scripted-engine.ts';
import {blankOptions} from '../tui/support/blank-options.ts';
import {openBlindTerminal} from './blind-terminal.ts';

/**
 * CPU time of the terminal UI for a streamed answer: 300 kB of markdown in deltas of 40 characters, as many a turn of the
 * event loop as fit in `batch`. To be bundled first, because Node runs no JSX:
 *   rolldown test/bench/tui-stream.ts --platform node --format esm -d DIR && NODE_ENV=production node DIR/tui-stream.js
 */
const paragraph =
  'The quick brown fox **jumps** over the `lazy` dog, and _then_ it writes a test.\n\n- item one\n- item two\n\n' +
  '```ts\nconst x: number = 1;\nfunction f(a: string) { return a.length + x; }\n```\n\n';
const bytes = 300_000;
const batch = Number(process.argv[2] ?? 10);
const markdown = paragraph.repeat(Math.ceil(bytes / paragraph.length)).slice(0, bytes);

const terminal = openBlindTerminal();
const engine = scriptedEngine();
const options = {...blankOptions({engine, ...terminal}), look: 'color' as const};

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const exit = runTui(options, new AbortController().signal);
await new Promise(resolve => setTimeout(resolve, 300));

const message = messageId('m1');
const start = process.cpuUsage();
const wall = performance.now();
engine.emit({event: 'prompt-accepted', id: messageId('p1'), text: 'go on', attached: []});
engine.emit({event: 'message-started', message, model: 'test', usage: noUsage});
engine.emit({event: 'block-started', message, index: 0, block: {kind: 'text'}});
let sent = 0;
for (let at = 0; at < markdown.length; at += 40) {
  engine.emit({
    event: 'block-delta',
    message,
    index: 0,
    delta: {kind: 'text', text: markdown.slice(at, at + 40)},
  });
  if (++sent % batch === 0) await turn();
}
await new Promise(resolve => setTimeout(resolve, 200));
const used = process.cpuUsage(start);
const figures = {
  cpuMs: Math.round((used.user + used.system) / 1000),
  wallMs: Math.round(performance.now() - wall),
  writtenKb: Math.round(terminal.writtenBytes() / 1000),
  rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
};
terminal.type('\u0004');
await exit;
process.stdout.write(`${JSON.stringify(figures)}\n`);
