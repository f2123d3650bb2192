/**
 * `npm run soak -- 10`: works for that many minutes in the terminal UI, by a program and over HTTP side by side, on one home and workspace. Each front
 * end is one process for the whole time. Its work comes in rounds: prompts with commands, edits, background commands, sub-agents and an MCP
 * server that dies; then the conversation ends by /clear or /compact, or another session is resumed. After each round memory, open files,
 * processor time and disk are measured. A line through the figures of the second half of the rounds must be flat. Linux only.
 */
import {mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {agentEvents} from '../support/agent-server.ts';
import {scriptedServer} from '../support/mcp-server.ts';
import {call, type Part, say, usage} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {heapInUse, openHandles, withSnapshots} from '../support/open-handles.ts';
import {processorMs} from '../support/processes.ts';
import {openPty, type PtyTerminal} from '../support/pty-terminal.ts';
import {openScene, pointedAt, type Scene} from '../support/scene.ts';
import {WeftServer} from '../support/weft-server.ts';
import {rpcArgs, prompt as rpcPrompt} from '../e2e/support/rpc-client.ts';
import {type Measured, plot} from './plot.ts';

const minutes = Number(process.argv[2] ?? 10);
const report = process.argv[3] ?? join(tmpdir(), 'weft-soak.svg');

/** A user who works without a pause sends about this many prompts in an hour. */
const promptsPerHour = 60;
/** The kinds of work, each twice a round. */
const kinds = ['command', 'edit', 'block', 'agent', 'server'] as const;
const promptsPerRound = 2 * kinds.length;

/** A front end that works for the whole time in one process. */
interface FrontEnd {
  readonly name: string;
  readonly pid: number;
  /** Where it runs. */
  readonly folder: string;
  /** Sends a prompt and waits for its end. */
  prompt(text: string, number: number): Promise<void>;
  /** Ends a round: what it keeps of the conversation is over. */
  endRound(round: number): Promise<void>;
}

/** The model. A compaction stays only if it makes the conversation shorter, so the usage is that of the request. */
const script = ({body}: ReceivedRequest): readonly Part[] => [
  answerTo(body),
  usage({input: Math.ceil(JSON.stringify(body).length / charactersPerToken)}),
];

const charactersPerToken = 4;

/** Does what the latest prompt says, and answers with its number. */
function answerTo({messages}: ReceivedRequest['body']): Part {
  const texts = messages
    .map(message => JSON.stringify(message))
    .filter(text => !text.startsWith('{"role":"user","content":[{"type":"text","text":"<reminder>'))
    .slice(-4);
  const isResult = texts.at(-1)?.includes('"tool_result"') === true;
  const asked = texts.toReversed().map(text => /Go (?<kind>\w+) (?<number>\d+)/u.exec(text)?.groups);
  const {kind, number} = (isResult ? asked.find(groups => groups !== undefined) : asked[0]) ?? {};
  if (kind === undefined) return say('A summary of the work so far.');
  if (isResult) return say(`Answer ${number}.`);
  switch (kind) {
    case 'command':
      return call('Bash', {command: `seq ${number} ${Number(number) + 3000}`});
    case 'edit':
      return call('Write', {file_path: `made-${number}.txt`, content: `line ${number}\n`.repeat(200)});
    case 'block':
      return call('Bash', {command: `sleep 0.1; echo late ${number}`, run_in_background: true});
    case 'agent':
      return call('Agent', {description: 'counts', prompt: `Go command ${number}`});
    default:
      return call('mcp__dying__call', {});
  }
}

/** A program: one conversation, compacted after each round. */
function program(scene: Scene): FrontEnd {
  const child = scene.start(rpcArgs, {stdin: 'open', environment: withSnapshots});
  let onResult: ((line: string) => void) | undefined;
  createInterface({input: child.stdout}).on('line', line => {
    if (line.startsWith('{"type":"result"')) onResult?.(line);
  });
  child.stderr.resume();
  const prompt = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      onResult = line =>
        line.includes('"subtype":"success"') ? resolve() : reject(new Error(`${text}: ${line.slice(0, 500)}`));
      child.stdin.write(`${JSON.stringify(rpcPrompt(text))}\n`);
    });
  return {name: 'program', pid: child.pid ?? 0, folder: scene.place.work, prompt, endRound: () => prompt('/compact')};
}

/** The terminal UI: a new conversation after each round, after every third one its earlier conversation. */
async function terminal(pty: PtyTerminal, folder: string): Promise<FrontEnd> {
  await pty.until(/Ask weft/u);
  const enter = async (text: string): Promise<void> => {
    pty.type(text);
    await pty.until(new RegExp(text, 'u'));
    pty.type('\r');
  };
  let first = '';
  return {
    name: 'terminal UI',
    pid: pty.pid,
    folder,
    async prompt(text, number) {
      if (first === '') first = text;
      await enter(text);
      await pty.until(new RegExp(`Answer ${number}\\.`, 'u'));
    },
    async endRound(round) {
      await enter('/clear');
      await pty.until(/New session/u);
      const own = first;
      first = '';
      if (round % 3 !== 0) return;
      await enter('/resume');
      await pty.until(/Resume a session[^]*\d+ messages?/u);
      // The other front ends work in theirs.
      pty.type(own);
      await pty.until(new RegExp(`❯ 1 +${own} `, 'u'));
      pty.type('\r');
      await pty.until(/^(?!.*Resume a session)/su);
      await enter('/clear');
      await pty.until(/New session/u);
    },
  };
}

/** Shows a session of the server in a terminal until the answer is there, and then leaves it. */
async function attach(server: WeftServer, sessionId: string, number: number): Promise<void> {
  using pty = openPty({
    place: server.place,
    environment: {WEFT_SERVER_TOKEN: server.token, TMPDIR: server.place.home},
    size: [100, 30],
    args: ['attach', server.url.origin, sessionId],
    answers: 'all',
  });
  await pty.until(new RegExp(`Answer ${number}\\.`, 'u'));
  pty.type('\u0004');
  await pty.exited;
}

/** `weft serve`: two prompts for each session. One client in five leaves in the middle; it or `weft attach` comes back. */
function served(server: WeftServer, folder: string): FrontEnd {
  let sessionId = '';
  let returns = 0;
  return {
    name: 'weft serve',
    pid: server.pid,
    folder,
    async prompt(prompt, number) {
      const body = {prompt, ...(sessionId === '' ? {workDir: folder} : {sessionId})};
      let current = '';
      for await (const event of agentEvents(server, 'POST', '/agent/', {body})) {
        if (event.isError === true && !prompt.includes('server'))
          throw new Error(`${prompt}: ${JSON.stringify(event)}`);
        current = event.sessionId ?? current;
        if (number % 5 === 0) break;
      }
      if (number % 5 === 0) {
        returns += 1;
        if (returns % 2 === 0) await attach(server, current, number);
        // A terminal shows the answer before the prompt has ended.
        for await (const event of agentEvents(server, 'GET', `/agent/sessions/${current}/events`))
          if (event.type === 'done') break;
      }
      sessionId = sessionId === '' ? current : '';
    },
    async endRound() {
      sessionId = '';
    },
  };
}

const megabyte = 1e6;

/** Bytes of all files in a folder. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, {recursive: true, withFileTypes: true}).reduce((all, entry) => {
    const stats = entry.isFile() ? statSync(join(entry.parentPath, entry.name), {throwIfNoEntry: false}) : undefined;
    return all + (stats?.size ?? 0);
  }, 0);

const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(?<kilobytes>\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.groups?.['kilobytes']) * 1024;

const mean = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0) / values.length;

/** The slope of the straight line that fits the values best, for one step. */
function slopeOf(values: readonly number[]): number {
  const [middle, average] = [(values.length - 1) / 2, mean(values)];
  const above = values.reduce((all, value, at) => all + (at - middle) * (value - average), 0);
  return above / values.reduce((all, _, at) => all + (at - middle) ** 2, 0);
}

/** The rounds of a day's work of eight hours. */
const dayRounds = (8 * promptsPerHour) / promptsPerRound;

/** Returns how much more processor time a prompt takes at the end of the day than at its start, as a part of the mean. */
function cpuGrowth(day: readonly Measured[]): number {
  const cpu = day.slice(1).map(figures => figures.cpu);
  return (slopeOf(cpu) * cpu.length) / mean(cpu);
}

/**
 * Returns what grows in the second half of the last day's work, in words. A faster machine works for more days. `common` is the middle
 * of the front ends' growths of processor time, since a busy machine slows all of them down.
 */
function growthIn(name: string, all: readonly Measured[], common: number): readonly string[] {
  const earlier = all.slice(0, Math.ceil(all.length / 2));
  const later = all.slice(earlier.length);
  const slope = (read: (figures: Measured) => number, of = later): number => slopeOf(of.map(read));
  const memory = (slope(({heap}) => heap) / promptsPerRound) * (promptsPerHour / megabyte);
  const handles = slope(figures => figures.handles) * later.length;
  const cpu = cpuGrowth(all);
  const disk = slope(figures => figures.disk) / slope(figures => figures.disk, earlier);
  console.log(
    `${name}: memory ${memory.toFixed(2)} MB an hour; open files ${handles.toFixed(1)}; processor time a prompt ${percent(cpu)}; disk × ${disk.toFixed(2)}`,
  );
  return [
    ...(memory > 3 ? [`${name}: memory grows by ${memory.toFixed(1)} MB an hour`] : []),
    ...(handles > 5 ? [`${name}: ${handles.toFixed(0)} files stay open`] : []),
    ...(cpu > 0.6 || cpu > common + 0.4 ? [`${name}: the processor time of a prompt changes by ${percent(cpu)}`] : []),
    ...(disk > 1.5 ? [`${name}: the disk fills ${disk.toFixed(1)} times as fast as it did`] : []),
  ];
}

const percent = (part: number): string => `${part < 0 ? '' : '+'}${(100 * part).toFixed(0)} %`;

await using scene = await openScene(script);
const {place} = scene;
const dying = scriptedServer({tools: [{name: 'call', does: 'crash'}]});
mkdirSync(join(place.home, 'weft'));
writeFileSync(
  join(place.home, 'weft', 'settings.json'),
  JSON.stringify({
    permissionMode: 'acceptEdits',
    permissions: {allow: ['mcp__dying__call', 'Agent']},
    loopGuard: false,
    mcpServers: {dying},
  }),
);
await using server = await WeftServer.start({
  place,
  environment: {...pointedAt(scene.server), ...withSnapshots, TMPDIR: place.home},
});
using pty = openPty({
  place,
  environment: {...pointedAt(scene.server), ...withSnapshots, TMPDIR: place.home},
  size: [100, 30],
  args: [],
  answers: 'all',
});
const frontEnds = [program(scene), await terminal(pty, place.work), served(server, place.work)];
const figures = new Map<string, Measured[]>(frontEnds.map(({name}) => [name, []]));
const end = performance.now() + minutes * 60_000;
let number = 0;
// In the first rounds, what is kept of earlier ones fills up: 20 ended background commands, for example.
for (let round = 1; performance.now() < end || round <= 20; round += 1) {
  const used = await Promise.all(
    frontEnds.map(async frontEnd => {
      const before = processorMs(frontEnd.pid);
      for (let at = 0; at < promptsPerRound; at += 1) {
        number += 1;
        await frontEnd.prompt(`Go ${kinds[at % kinds.length]} ${number}`, number);
      }
      const cpu = (processorMs(frontEnd.pid) - before) / promptsPerRound;
      await frontEnd.endRound(round);
      return cpu;
    }),
  );
  const disk = bytesIn(join(place.home, 'weft'));
  for (const [at, {name, pid, folder}] of frontEnds.entries()) {
    const rss = residentBytes(pid);
    const handles = Object.values(openHandles(pid)).reduce((all, count) => all + count, 0);
    figures.get(name)?.push({heap: await heapInUse(pid, folder, 120_000), rss, handles, cpu: used[at] ?? 0, disk});
  }
  const row = [...figures].map(([name, all]) => {
    const last = all.at(-1);
    return last === undefined
      ? ''
      : `${name} ${(last.heap / megabyte).toFixed(1)} MB ${last.cpu.toFixed(0)} ms ${last.handles}`;
  });
  console.log(`round ${round}: ${row.join(' · ')} · disk ${(disk / megabyte).toFixed(1)} MB`);
}
writeFileSync(report, plot(figures, promptsPerRound / promptsPerHour));
const days = [...figures].map(([name, all]) => [name, all.slice(-dayRounds)] as const);
const common = days.map(([, all]) => cpuGrowth(all)).toSorted((a, b) => a - b)[Math.floor(days.length / 2)] ?? 0;
const growth = days.flatMap(([name, all]) => growthIn(name, all, common));
console.log(
  `${number} prompts, ${(number / frontEnds.length / promptsPerHour).toFixed(1)} hours of work each. Picture: ${report}`,
);
for (const line of growth) console.error(line);
process.exitCode = growth.length === 0 ? 0 : 1;
