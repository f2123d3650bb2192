import {setImmediate as nextTurn, setTimeout as pause} from 'node:timers/promises';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import type {DiffLine} from '../../src/actions/preview.ts';
import {messageId} from '../../src/domain/ids.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {runTui} from '../../src/tui/run-tui.tsx';
import {blankOptions} from '../tui/support/blank-options.ts';
import {finished} from '../tui/support/events.ts';
import {scriptedEngine} from '../tui/support/scripted-engine.ts';
import {commandEvents, editEvents} from '../tui/support/work-events.ts';
import {openBlindTerminal} from './blind-terminal.ts';

/**
 * Memory of the terminal UI over a long session: 1,000 turns, each with a streamed answer, a command of 2,000 lines and an edit of
 * 60. What is left after a collection is looked at every hundred turns: the growth from the second hundred to the last is what the
 * UI keeps of what is over. To be bundled first, as `tui-stream.ts`; `--expose-gc`, and `fullscreen` for that.
 */
const turns = 1000;
const display = process.argv[2] === 'fullscreen' ? 'fullscreen' : 'inline';
const terminal = openBlindTerminal();
const engine = scriptedEngine();
const blank = blankOptions({engine, ...terminal});
const exit = runTui(
  {...blank, look: 'color', preferences: {...blank.preferences, tui: display}},
  new AbortController().signal,
);
await pause(300);

const looks: {readonly rss: number; readonly heap: number}[] = [];
for (let turn = 0; turn < turns; turn++) {
  for (const events of turnEvents(turn)) {
    engine.emit(...events);
    await nextTurn();
  }
  await pause(20);
  if ((turn + 1) % 100 === 0) looks.push(look());
}
terminal.type('\u0004');
await exit;

const [, second, ...later] = looks;
const last = later.at(-1);
const mebi = (bytes: number): number => Number((bytes / 2 ** 20).toFixed(1));
const figures = {
  turns,
  writtenMb: Math.round(terminal.writtenBytes() / 1e6),
  rssMiB: looks.map(({rss}) => Math.round(rss / 2 ** 20)),
  heapMiB: looks.map(({heap}) => mebi(heap)),
  heapGrowthMiB: mebi((last?.heap ?? 0) - (second?.heap ?? 0)),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);

function look(): {readonly rss: number; readonly heap: number} {
  globalThis.gc?.();
  const {rss, heapUsed} = process.memoryUsage();
  return {rss, heap: heapUsed};
}

function turnEvents(turn: number): readonly (readonly AgentEvent[])[] {
  const message = messageId(`m${turn}`);
  const answer = `## Turn ${turn}\n\nThe **result** of step ${turn} is in \`src/step-${turn}.ts\`:\n\n\`\`\`ts\nexport const step = ${turn};\n\`\`\`\n\n- one\n- two\n\n`;
  const output = Array.from({length: 2000}, (_, at) => `ok ${at} of turn ${turn}`).join('\n');
  const lines = Array.from({length: 60}, (_, at): DiffLine => ({
    kind: 'added',
    text: `export const line${at} = ${turn};`,
    changed: [],
  }));
  const pieces = answer.match(/[^]{1,40}/gu) ?? [];
  return [
    [
      {event: 'prompt-accepted', id: messageId(`p${turn}`), text: `Do step ${turn}.`, attached: []},
      {event: 'message-started', message, model: 'bench', usage: noUsage},
      {event: 'block-started', message, index: 0, block: {kind: 'text'}},
    ],
    ...pieces.map(text => [{event: 'block-delta', message, index: 0, delta: {kind: 'text', text}}] as const),
    [{event: 'block-finished', message, index: 0, block: {kind: 'text', text: answer}}],
    ...commandEvents(`c${turn}`, `npm test -- step-${turn}`, output).map(event => [event]),
    ...editEvents(`e${turn}`, `src/step-${turn}.ts`, lines).map(event => [event]),
    [finished({kind: 'done'})],
  ];
}
