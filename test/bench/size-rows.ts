import {execFile} from 'node:child_process';
import {appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {rgPath} from '@vscode/ripgrep';
import {messageId} from '../../src/domain/ids.ts';
import type {JournalRecord} from '../../src/domain/journal.ts';
import {Store} from '../../src/store/open-store.ts';
import {openSqlite} from '../../src/store/sqlite-database.ts';
import {StackStore} from '../../src/store/stack-store.ts';
import {prompt as rpcPrompt, isType, startRpc} from '../e2e/support/rpc-client.ts';
import {call, say, sayPieces, type Answer} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {heapInUse, withSnapshots} from '../support/open-handles.ts';
import {processorMs} from '../support/processes.ts';
import {processorClock} from '../support/processor-clock.ts';
import {openPtyOf} from '../support/pty-terminal.ts';
import {weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt, type Scene} from '../support/scene.ts';

/**
 * A cost that must not grow with the user's history, repository, output or session. It is a ratio to something that was measured in the same run,
 * so that it depends little on the machine. It is above its budget if its work grows again with what was kept.
 */
export interface SizeRow {
  readonly name: string;
  readonly ratio: number;
  /** Name of the cost that it is a ratio to. */
  readonly basis: string;
  readonly budget: number;
}

export type BenchSize = 'short' | 'full';

interface Scale {
  readonly sessions: number;
  /** The number of records of a session. */
  readonly records: number;
  readonly outputMb: number;
  /** The numbers of files of repositories. */
  readonly files: readonly number[];
  readonly messages: number;
  readonly tasks: number;
  /** How often each program runs. */
  readonly runs: number;
}

/** `short` takes about a minute. `full` has the sizes of a heavy user. */
const sizes: Readonly<Record<BenchSize, Scale>> = {
  short: {sessions: 250, records: 20, outputMb: 40, files: [500, 20_000], messages: 12_000, tasks: 8000, runs: 5},
  full: {
    sessions: 5000,
    records: 20,
    outputMb: 200,
    files: [1000, 20_000, 100_000],
    messages: 10_000,
    tasks: 50_000,
    runs: 5,
  },
};

const filler = 'All work and no play makes Jack a dull boy. '.repeat(230);
const id = messageId('m');
const storedPrompt = (text: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id, blocks: [{kind: 'text', text}]},
});
const storedAnswer = (text: string): JournalRecord => ({
  kind: 'answer',
  message: {role: 'assistant', id, model: 'claude-sonnet-5', stop: 'end-turn', usage, blocks: [{kind: 'text', text}]},
});
const usage = {inputTokens: 100, outputTokens: 50, cacheReadTokens: 1000, cacheWriteTokens: 10};

/** The model does what the last prompt says, and answers. */
function script({body: {messages}}: ReceivedRequest): Answer {
  const last = JSON.stringify(messages.at(-1));
  if (last.includes('"tool_result"')) return say('Done.');
  const [, work, path = ''] = /Go (edit|print|tell) ([^"\\]+)/u.exec(last) ?? [];
  if (work === 'tell') return sayPieces(`${filler.repeat(40)}\n\nThe end of ${path}.`);
  if (work === 'edit') return call('Write', {file_path: path, content: `${Date.now()}\n`});
  return work === 'print' ? call('Bash', {command: `cat ${path}`}) : say('Done.');
}

/** One line for a row. */
export const rowText = ({name, ratio, basis, budget}: SizeRow): string =>
  `${name.padEnd(52)} ${ratio.toFixed(2)} × ${basis} (budget ${budget})`;

/** Adds the rows of a run to the file with those of earlier runs. */
export function addToHistory(size: BenchSize, rows: readonly SizeRow[]): void {
  const ratios = Object.fromEntries(rows.map(({name, ratio}) => [name, Number(ratio.toFixed(3))]));
  const line = {at: new Date().toISOString(), size, node: process.version, ratios};
  appendFileSync(fileURLToPath(new URL('../../.bench-history.jsonl', import.meta.url)), `${JSON.stringify(line)}\n`);
}

/** Measures all rows. */
export async function measureSizes(
  size: BenchSize,
  report: (row: SizeRow) => void = () => {},
): Promise<readonly SizeRow[]> {
  const scale = sizes[size];
  const folder = mkdtempSync(join(tmpdir(), 'weft-sizes-'));
  try {
    await using scene = await openScene(script);
    const bench = new Bench(scene, folder, scale.runs);
    const rows: SizeRow[] = [];
    const add = (name: string, ratio: number, basis: string, budget: number): void => {
      const row = {name, ratio, basis, budget};
      rows.push(row);
      report(row);
    };
    const node = await bench.processor(['node', '-e', '0']);
    const [small = 0, ...larger] = scale.files;
    const folders = new Map(
      await Promise.all(scale.files.map(async count => [count, await bench.repository(count)] as const)),
    );
    const [empty, work] = [bench.home('empty'), folders.get(small) ?? ''];
    const large = folders.get(larger.at(-1) ?? small) ?? '';
    const history = bench.home('history');
    fillHome(history, large, scale);

    const [neither, both] = [
      {home: empty, cwd: work},
      {home: history, cwd: large},
    ];
    const sessions = (where: Where) => () => bench.once([weftBin, 'sessions', 'list'], where);
    const [noSessions = 0, manySessions = 0] = await bench.least(sessions(neither), sessions(both));
    add(`list ${scale.sessions} sessions`, manySessions / noSessions, 'the list of an empty home', 1.5);
    const hi = (where: Where) => () => bench.once([weftBin, '--prompt', 'Hi'], where);
    const [answer = 0, answerWithBoth = 0] = await bench.least(hi(neither), hi(both));
    add('an answer with a long history in a large repository', answerWithBoth / answer, 'an answer with neither', 1.12);
    const start = (where: Where) => () => bench.terminal(where);
    const [ready = 0, readyWithBoth = 0] = await bench.least(start(neither), start(both));
    add('the terminal UI with the same', readyWithBoth / ready, 'the terminal UI with neither', 1.3);

    const output = join(folder, 'output.txt');
    writeFileSync(output, '');
    for (let megabytes = 0; megabytes < scale.outputMb; megabytes += 1)
      appendFileSync(
        output,
        Array.from(
          {length: 16_000},
          (_, line) => `line ${line} of the output says a lot: token for password=none, secret key: user\n`,
        )
          .join('')
          .slice(0, 1e6),
      );
    const copied = await bench.processor(['bash', '-c', `cat ${output} > ${output}.copy`]);
    const searched = await bench.processor([rgPath, '--count', 'a lot|sk-ant-|AKIA', output]);
    const printed = await bench.weft(['--permission-mode', 'bypassPermissions', '--prompt', `Go print ${output}`], {
      home: empty,
      cwd: work,
    });
    add(
      `${scale.outputMb} MB of output`,
      (printed - answer) / (node + copied + searched),
      'bare Node, the disk and rg',
      8,
    );

    if (!JSON.stringify(scene.server.requests.at(-1)?.body).includes('line 1 of the output'))
      throw new Error('The command did not run.');

    const edit = async (cwd: string): Promise<number> => {
      const used = await bench.weft(['--permission-mode', 'acceptEdits', '--prompt', 'Go edit made.txt'], {
        home: empty,
        cwd,
      });
      rmSync(join(cwd, 'made.txt'));
      return used;
    };
    const few = await edit(work);
    for (const count of larger)
      add(
        `an edit among ${count} files`,
        1 + Math.max(0, (await edit(folders.get(count) ?? '')) - few) / node,
        `bare Node, beyond an edit among ${small} files`,
        4,
      );

    const turn = await bench.turn([]);
    add(
      `a turn after ${scale.messages} messages`,
      (await bench.turn(messagesFor(scale.messages))) / turn,
      'a first turn',
      8,
    );
    add('memory after /clear', await bench.memoryAfterClear(), 'the memory before it', 0.5);

    const stack = stackCosts(folder, scale.tasks);
    add(`a task on a stack of ${scale.tasks}`, stack.last / stack.first, 'a first task', 2.5);
    add('a new task', stack.last / stack.insert, 'an insertion by SQLite', 5);
    add('opening a stack after as many changes', stack.changed / stack.unchanged, 'before them', 10);
    return rows;
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

interface Where {
  readonly home: string;
  readonly cwd: string;
}

const model = 'bench-model';

/** Runs programs and returns how much processor time they took. */
class Bench {
  readonly #scene: Scene;
  readonly #folder: string;
  readonly #runs: number;

  constructor(scene: Scene, folder: string, runs: number) {
    this.#scene = scene;
    this.#folder = folder;
    this.#runs = runs;
  }

  /** Returns a new home of weft. */
  home(name: string): string {
    const home = join(this.#folder, name);
    mkdirSync(home);
    const models = {[model]: {contextWindow: 100_000_000}};
    writeFileSync(join(home, 'settings.json'), JSON.stringify({model, models}));
    return home;
  }

  /** Returns a new repository with so many files. */
  async repository(files: number): Promise<string> {
    const folder = join(this.#folder, `files-${files}`);
    for (let file = 0; file < files; file += 1) {
      const parent = join(folder, `d${Math.floor(file / 2000)}`, `e${Math.floor(file / 50) % 40}`);
      if (file % 50 === 0) mkdirSync(parent, {recursive: true});
      writeFileSync(join(parent, `file${file}.ts`), `export const v${file} = ${file};\n`);
    }
    const name = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
    await run('bash', ['-c', 'git init -q && git add -A && git "$@" commit -qm all', 'bash', ...name], {cwd: folder});
    return folder;
  }

  /**
   * The least result of each piece of work, since other work on the machine only adds. They take turns, so that a busy minute is one for all.
   * The first results, with empty caches, do not count.
   */
  async least(...works: readonly (() => Promise<number>)[]): Promise<readonly number[]> {
    const rounds: (readonly number[])[] = [];
    for (let round = 0; round <= this.#runs; round += 1) {
      const results: number[] = [];
      for (const work of works) results.push(await work());
      rounds.push(results);
    }
    return works.map((_, at) => Math.min(...rounds.slice(1).map(results => results[at] ?? 0)));
  }

  /** The least milliseconds of a program and its children. */
  async processor(command: readonly string[], where?: Where): Promise<number> {
    const [least = 0] = await this.least(() => this.once(command, where));
    return least;
  }

  weft(args: readonly string[], where: Where): Promise<number> {
    return this.processor([weftBin, ...args], where);
  }

  /** The milliseconds of one run of a program and its children. */
  async once(
    command: readonly string[],
    {home, cwd}: Where = {home: this.#folder, cwd: this.#folder},
  ): Promise<number> {
    const timed = `TIMEFORMAT='%3U %3S'; time "$@" </dev/null >/dev/null 2>&1`;
    const {stderr} = await run('bash', ['-c', timed, 'bash', ...command], {cwd, env: this.#environment(home)});
    const seconds = stderr.trim().split(' ').map(Number);
    return seconds.reduce((all, each) => all + each * 1000, 0);
  }

  /** The milliseconds until the terminal UI shows a key. */
  async terminal({home, cwd}: Where): Promise<number> {
    const env = {...this.#environment(home), TERM: 'xterm-256color'};
    using pty = openPtyOf(weftBin, [], {cols: 100, rows: 30, cwd, env, answers: 'all'});
    await pty.until(/Ask weft/u);
    pty.type('zq');
    await pty.until(/zq/u);
    const used = processorMs(pty.pid);
    pty.type('\u0015');
    await pty.until(/Ask weft/u);
    pty.type('\u0004');
    await pty.exited;
    return used;
  }

  /** The milliseconds of a turn in a session with these records. */
  async turn(records: readonly JournalRecord[]): Promise<number> {
    const home = this.home(`turns-${records.length}`);
    const session = keepSession(home, this.#scene.place.work, records);
    const args = records.length === 0 ? [] : ['--resume', session];
    const client = startRpc(this.#scene, args, this.#environment(home));
    const turns = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) {
        client.send(rpcPrompt('Hi'));
        await client.next(isType('result'));
      }
    };
    await turns(20);
    const [used = 0] = await this.least(async () => {
      const before = processorMs(client.child.pid ?? 0);
      await turns(30);
      return (processorMs(client.child.pid ?? 0) - before) / 30;
    });
    await client.finish();
    return used;
  }

  /** The memory that a conversation leaves after /clear, as a part of what it took. */
  async memoryAfterClear(): Promise<number> {
    const cwd = this.#scene.place.work;
    const env = {...this.#environment(this.home('clear')), ...withSnapshots, TERM: 'xterm-256color'};
    using pty = openPtyOf(weftBin, [], {cols: 100, rows: 30, cwd, env, answers: 'all'});
    const heap = (): Promise<number> => heapInUse(pty.pid, cwd, 120_000);
    const enter = async (text: string, shown: RegExp): Promise<void> => {
      pty.type(text);
      await pty.until(new RegExp(text, 'u'));
      pty.type('\r');
      await pty.until(shown);
    };
    const converse = async (): Promise<void> => {
      for (let at = 0; at < 12; at += 1) await enter(`Go tell ${at}`, new RegExp(`end of ${at}\\.`, 'u'));
    };
    await pty.until(/Ask weft/u);
    // Some memory of the first conversation stays. Later ones must add nothing.
    await converse();
    await enter('/clear', /New session/u);
    const start = await heap();
    await converse();
    const full = await heap();
    await enter('/clear', /New session/u);
    return ((await heap()) - start) / (full - start);
  }

  #environment(home: string): Record<string, string> {
    const {place, server} = this.#scene;
    return place.environment({
      ...pointedAt(server),
      WEFT_HOME: home,
      WEFT_COMPILE_CACHE: join(this.#folder, 'compiled'),
    });
  }
}

const run = promisify(execFile);

/** Saves a session and returns its id. */
function keepSession(home: string, directory: string, records: readonly JournalRecord[]): string {
  const database = openHome(home);
  const store = new Store(database, {now: Date.now, uuid: () => crypto.randomUUID()});
  const session = store.create({directory, model});
  for (const record of records) session.append(record);
  store.close();
  return session.id;
}

function openHome(home: string) {
  const opened = openSqlite(join(home, 'weft.db'), {now: Date.now, process});
  if (opened.tag === 'failed') throw new Error(opened.error.message);
  opened.value.run('PRAGMA synchronous = OFF');
  return opened.value;
}

const messagesFor = (count: number): readonly JournalRecord[] =>
  Array.from({length: count / 2}, (_, at) => [storedPrompt(`Hi ${at}`), storedAnswer('Done.')]).flat();

/** The number of sessions with one prompt. */
const shortSessions = 2000;

/** Fills a home with sessions of a folder, permission rules and sent prompts. */
function fillHome(
  home: string,
  directory: string,
  {sessions, records}: {readonly sessions: number; readonly records: number},
): void {
  const database = openHome(home);
  const store = new Store(database, {now: Date.now, uuid: () => crypto.randomUUID()});
  for (let at = 0; at < sessions; at += 1) {
    const session = store.create({directory, model});
    session.append(storedPrompt(`prompt ${at} ${filler}`));
    for (let record = 1; record < records; record += 1) session.append(storedAnswer(filler.repeat(5)));
    session.close();
  }
  for (let at = 0; at < shortSessions; at += 1) {
    const session = store.create({directory, model});
    session.append(storedPrompt(`short ${at}`));
    session.close();
  }
  store.close();
  const settings: object = JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8'));
  const allow = Array.from({length: 200}, (_, at) =>
    at % 2 === 0 ? `Bash(tool${at} run *)` : `Edit(src/part${at}/**)`,
  );
  writeFileSync(join(home, 'settings.json'), JSON.stringify({...settings, permissions: {allow}}));
  const prompts = Array.from({length: 10 * shortSessions}, (_, at) =>
    JSON.stringify({prompt: `Prompt ${at}: ${filler.slice(0, 200)}`, directory: '/elsewhere'}),
  );
  writeFileSync(join(home, 'history.jsonl'), `${prompts.join('\n')}\n`);
}

interface StackCosts {
  /** Milliseconds of processor time for a task among the first and last ones, and for a row of SQLite. */
  readonly first: number;
  readonly last: number;
  readonly insert: number;
  /** The same for opening a stack of some tasks, and after many changes of these. */
  readonly unchanged: number;
  readonly changed: number;
}

function stackCosts(folder: string, tasks: number): StackCosts {
  const database = openHome(folder);
  const deps = {now: Date.now, digits: () => 'aaaaaa'};
  const stack = new StackStore(database, deps);
  const text = filler.slice(0, 300);
  const description = {overall_description: text, input: {}, requirements: [], additional_notes: ''};
  const some = Array.from({length: 500}, (_, at) => at);
  const create = () => stack.perform(each => each.createTask({description}));
  // Often, because some systems count processor time in steps of ten milliseconds.
  const open = (): number =>
    usedMs(() => {
      for (let at = 0; at < 50; at += 1) new StackStore(database, deps).read(each => each.size);
    });
  const ids = some.map(() => create().id);
  const unchanged = open();
  for (let at = 0; at < tasks; at += 1) {
    const task = ids[at % ids.length] ?? create().id;
    stack.perform(each => each.changeTask(task, {progress: {percent: at, text}}));
  }
  const changed = open();
  const first = usedMs(() => some.map(create));
  for (let at = 3 * some.length; at < tasks; at += 1) create();
  const last = usedMs(() => some.map(create));
  database.run('CREATE TABLE bench (seq INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  const insert = usedMs(() =>
    some.map(() => database.transaction('bench', () => database.run('INSERT INTO bench (text) VALUES (?)', text))),
  );
  database.close();
  return {first, last, insert, unchanged, changed};
}

function usedMs(work: () => unknown): number {
  const clock = processorClock();
  work();
  return clock();
}
