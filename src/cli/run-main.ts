import {randomUUID} from 'node:crypto';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {causeText} from '../domain/fault.ts';
import {noUsage} from '../domain/usage.ts';
import type {HistoryPort} from '../tui/options.ts';
import type {SessionSummary} from '../domain/journal.ts';
import {isConfigured} from './choose-model.ts';
import {blocksFolder, choiceOf, composeSession, configuredModel, undriven} from './compose-session.ts';
import {commandPorts} from './command-ports.ts';
import {directoryOf} from './directory-of.ts';
import {exitCode, timeLimitText, type ExitCode} from './exit-code.ts';
import {leftoverNotices} from './leftover-notices.ts';
import {loadSurroundings, type Surroundings} from './load-surroundings.ts';
import {noModelNotice, noModelText} from './no-model.ts';
import type {MainOptions} from './program.ts';
import {joinPrompt, readStdin} from './read-stdin.ts';
import {isStdoutTerminal, note as say, printJson} from './say.ts';
import {takeProgramOptions} from './take-program-options.ts';
import {loadTerminalUi} from './terminal-ui.ts';
import {UsageError} from './usage-error.ts';
import {version} from './version.ts';

/** weft without a command: answers on stdout, opens the terminal UI, or, with nothing to do and no terminal, plays the demo. */
export async function runMain(words: readonly string[], given: MainOptions): Promise<ExitCode> {
  const {outputFormat = 'text', inputFormat} = given;
  const tell = async (cause: unknown): Promise<void> => {
    // What serves a program tells it itself.
    if (outputFormat !== 'text' && inputFormat !== 'stream-json') await tellFailure(cause);
  };
  const start = new Start();
  try {
    return await Promise.race([begin(words, given, start), start.tooLong]);
  } catch (cause) {
    if (cause instanceof TooLong) {
      await tell(cause);
      say(cause.message);
      return exitCode.timeLimit;
    }
    // Once a prompt runs its result is on stdout.
    if (start.state === 'starting') await tell(cause);
    throw cause;
  }
}

class TooLong extends Error {}

/**
 * Until the prompt runs, which has a limit of its own that lets things settle: reading stdin and finding a model count too. What
 * was not ready when the limit passed does not begin any more.
 */
class Start {
  state: 'starting' | 'begun' | 'too-late' = 'starting';
  readonly tooLong: Promise<never>;
  readonly #end: (cause: TooLong) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    const {promise, reject} = Promise.withResolvers<never>();
    this.tooLong = promise;
    this.#end = reject;
  }

  limit(timeout: number | undefined): void {
    if (timeout === undefined) return;
    const end = (): void => {
      this.state = 'too-late';
      this.#end(new TooLong(timeLimitText(timeout)));
    };
    this.#timer = setTimeout(end, Math.max(0, timeout * 1000 - performance.now()));
  }

  /** Whether the prompt may run. */
  begin(): 'now' | 'too-late' {
    clearTimeout(this.#timer);
    if (this.state === 'too-late') return 'too-late';
    this.state = 'begun';
    return 'now';
  }
}

/** Whoever reads JSON gets a result, also of a run that could not begin. */
async function tellFailure(cause: unknown): Promise<void> {
  const [{startFailure}, {jsonLine}] = await Promise.all([
    import('../headless/rpc/start-failure.ts'),
    import('../protocol/rpc/json-line.ts'),
  ]);
  const failure = {initializeId: undefined, message: causeText(cause), uuid: () => randomUUID()};
  for (const message of startFailure(failure)) printJson(jsonLine(message));
}

async function begin(words: readonly string[], given: MainOptions, start: Start): Promise<ExitCode> {
  const options = takeProgramOptions(given);
  const asked = promptOf(words, options);
  if (options.inputFormat === 'stream-json') {
    if (asked !== '') throw new UsageError('With --input-format stream-json the prompts come on stdin, as messages.');
    return (await import('./run-rpc.ts')).runRpc(options);
  }
  const surroundings = loadSurroundings({
    directory: directoryOf(options.cwd ?? '.'),
    added: (options.addDir ?? []).map(directoryOf),
    options,
  });
  if (
    options.prompt === undefined &&
    options.print === undefined &&
    options.outputFormat === undefined &&
    hasTerminal()
  ) {
    return openTerminal(asked, surroundings);
  }
  start.limit(options.timeout);
  const prompt = await fullPrompt(words, {asked, options, note: surroundings.note});
  if (prompt.trim() !== '') return answer(prompt, {surroundings, start});
  if (isBare(words, options) && !isConfigured(choiceOf(surroundings))) {
    surroundings.note(`${noModelText} Playing the demo.`);
    return (await import('./demo/run-demo.ts')).runDemo({});
  }
  throw new UsageError('There is no prompt. Give one: weft --prompt "…", or pipe it in: … | weft --print');
}

const hasTerminal = (): boolean => process.stdin.isTTY && isStdoutTerminal();

/** Nothing was asked for at all: no prompt and no option that would mean something for one. */
const isBare = (words: readonly string[], options: MainOptions): boolean =>
  words.length === 0 && Object.keys(options).every(name => name === 'sessionPersistence' || name === 'color');

function promptOf(words: readonly string[], {prompt}: MainOptions): string {
  if (prompt !== undefined && words.length > 0) {
    throw new UsageError('There are two prompts. Give it once: with --prompt, or as arguments.');
  }
  return prompt ?? words.join(' ');
}

/**
 * With what was piped in. Without a prompt stdin is the prompt and is read to its end; beside one, and where nothing was asked
 * for at all, a silent pipe is given up.
 */
async function fullPrompt(
  words: readonly string[],
  {
    asked,
    options,
    note,
  }: {readonly asked: string; readonly options: MainOptions; readonly note: (line: string) => void},
): Promise<string> {
  if (options.prompt === '-') return readStdin(process.stdin, {until: 'end', note});
  const until = asked === '' && !isBare(words, options) ? 'end' : 'first-silence';
  return joinPrompt(asked, await readStdin(process.stdin, {until, note}));
}

async function answer(
  prompt: string,
  {surroundings, start}: {readonly surroundings: Surroundings; readonly start: Start},
): Promise<ExitCode> {
  const {options, note} = surroundings;
  if (options.resume === true) throw new UsageError('--resume needs a session id here. List them: weft sessions list');
  const [chosen, {runPrint}] = await Promise.all([configuredModel(surroundings), import('./run-print.ts')]);
  if (chosen.state === 'missing') throw new Error(noModelText);
  for (const notice of [...surroundings.notices, ...surroundings.startInstructions().skipped]) note(notice);
  if (options.maxCost !== undefined && chosen.port.facts(chosen.model).costOf(noUsage) === 'unknown') {
    note(`the price of ${chosen.model} is not known: --max-cost cannot stop it`);
  }
  if (options.verbose !== undefined)
    note(`the model is ${chosen.model} (${chosen.port.provider}), in ${surroundings.directory}`);
  const engine = await composeSession(chosen, {surroundings, asking: 'nobody', driven: undriven});
  if (options.debug !== undefined || options.debugFile !== undefined) {
    (await import('./debug-log.ts')).logEvents(engine, options.debugFile);
  }
  if (start.begin() === 'too-late') return exitCode.timeLimit;
  void leftoverNotices(blocksFolder(surroundings)).then(notices => notices.forEach(note));
  return runPrint({
    engine,
    prompt,
    format: options.outputFormat ?? 'text',
    partials: options.includePartialMessages === undefined ? 'without' : 'with',
    version,
    timeoutSeconds: options.timeout ?? 'none',
    note,
  });
}

const dumbText =
  'TERM is dumb: the terminal UI needs a terminal that can move its cursor. Start weft --accessible, which only adds lines; or ask without it: weft --prompt "…"';

async function openTerminal(firstPrompt: string, surroundings: Surroundings): Promise<ExitCode> {
  const {options, directory} = surroundings;
  if (options.jsonSchema !== undefined) throw new UsageError('--json-schema needs --prompt or --print.');
  const {preferences} = surroundings.settings;
  if (process.env['TERM'] === 'dumb' && !preferences.accessible) throw new UsageError(dumbText);
  const [guard, chosen, ui, {lookOf, runTerminal}, {openHistory}, {ruleLines, ruleText}] = await Promise.all([
    // Before the terminal's settings are changed.
    import('../workspace/terminal-guard.ts').then(({startTerminalGuard}) => startTerminalGuard(process.stdout.fd)),
    configuredModel(surroundings),
    loadTerminalUi(preferences),
    import('./run-terminal.ts'),
    import('./prompt-history.ts'),
    import('./permissions/rule-lines.ts'),
  ]);
  const notices = [...surroundings.notices, ...surroundings.startInstructions().skipped];
  if (chosen.state === 'missing') notices.push(noModelNotice);
  const engine = await composeSession(chosen, {surroundings, asking: 'somebody', driven: undriven});
  const job = {
    ui,
    engine,
    directory,
    firstPrompt,
    opening: options.resume === true ? 'sessions' : 'composer',
    notices,
    lateNotices: () => leftoverNotices(blocksFolder(surroundings)),
    listSessions: await sessionLister(surroundings),
    history: concealed(openHistory(join(surroundings.places.data, 'history.jsonl'), directory), engine.conceal),
    preferences,
    outside: commandPorts({
      engine,
      directory,
      home: homedir(),
      store: options.sessionPersistence ? await surroundings.store() : 'none',
    }),
    permissions: () => ruleLines(surroundings.permissions).map(ruleText),
    trust: surroundings.trust,
    guard,
    look: lookOf(process.env, {color: options.color, theme: preferences.theme}),
    demo: 'offered',
  } as const;
  let end = await runTerminal(job);
  while (end.kind === 'demo') {
    await (await import('./demo/run-demo.ts')).runDemo({visitor: job});
    if (chosen.state === 'missing') return exitCode.done;
    end = await runTerminal({...job, firstPrompt: '', opening: 'composer', notices: [], lateNotices: async () => []});
  }
  return end.kind === 'signalled' ? end.code : exitCode.done;
}

/** What is typed may hold a secret, and the history lies on the disk. */
const concealed = (history: HistoryPort, conceal: (text: string) => string): HistoryPort => ({
  load: () => history.load(),
  add: prompt => history.add(conceal(prompt)),
});

/** Sessions of this folder, for `/resume`; read when asked for. */
async function sessionLister({options, directory, store}: Surroundings): Promise<() => readonly SessionSummary[]> {
  if (!options.sessionPersistence) return () => [];
  const opened = await store();
  return () => opened.list({directory});
}
