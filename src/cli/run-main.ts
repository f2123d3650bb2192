import {terminalAbilities} from '../actions/front-end.ts';
import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {basename} from 'node:path';
import type {AgentClient} from '../agent/client.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Places} from '../config/places.ts';
import {causeText} from '../domain/fault.ts';
import {messageId} from '../domain/ids.ts';
import type {Plan} from '../domain/plan.ts';
import {noUsage} from '../domain/usage.ts';
import {
  configuredProvider,
  isConfigured,
  providerNamed,
  loadForFirstRequest,
  type ModelChoice,
  noModelNotice,
  noModelText,
  requireModel,
  modelChoice,
  connectModel,
} from '../app/choose-model.ts';
import {openApiKeys} from '../app/api-keys.ts';
import {composeSession, defaultDriver, applyNamedAgent} from '../app/compose-session.ts';
import type {ExchangeableModel} from '../app/model-setup.ts';
import type {WantedSession} from '../app/open-sessions.ts';
import {openServers} from '../app/open-servers.ts';
import {requireSession} from '../app/open-session.ts';
import {contextFor, type RunContext} from '../app/run-context.ts';
import {codeOfFailure, exitCode, type ExitCode, timeLimitText, UsageError} from '../app/exit-code.ts';
import {leftoverNotices, noteFindings} from '../app/leftovers.ts';
import type {MainOptions} from '../app/main-options.ts';
import {joinPipedText} from '../domain/slash-command.ts';
import {readStdin} from './stdin.ts';
import {isStdoutTerminal, logEvents, note, print, printJson} from '../app/output.ts';
import {normalizeOptions} from './sdk-options.ts';
import {loadTerminalUi} from './terminal-ui.ts';
import {version} from '../app/version.ts';

/** A plan that the prompt carries out. */
interface PlanToRun {
  /** Claims the plan, or returns why that is not possible. */
  readonly begin: () => Outcome<Plan, string>;
  /** Describes the steps that are left after the prompt; empty if there are none. */
  readonly unfinished: () => string;
}

/**
 * Runs weft without a command: answers on stdout or opens the terminal UI. Without arguments, a terminal and a configured model,
 * it plays the demo.
 */
export async function runMain(
  words: readonly string[],
  given: MainOptions,
  plan: PlanToRun | 'none' = 'none',
): Promise<ExitCode> {
  const start = new StartLimit();
  try {
    return await Promise.race([chooseFrontEnd(words, given, {start, plan}), start.tooLong]);
  } catch (cause) {
    if (cause instanceof StartTimeout) {
      await printFailureResult(given, {message: cause.message, code: exitCode.timeLimit});
      note(cause.message);
      return exitCode.timeLimit;
    }
    // Once a prompt runs, it prints its own result.
    if (start.state === 'starting') {
      await printFailureResult(given, {message: causeText(cause), code: codeOfFailure(cause)});
    }
    throw cause;
  }
}

class StartTimeout extends Error {}

/**
 * Applies the time limit (`--timeout`) until the prompt runs: reading stdin and connecting to a model count, too. After that,
 * `runPrint` applies the limit and lets running actions settle. A run that is not ready when the limit passes never begins.
 */
class StartLimit {
  state: 'starting' | 'begun' | 'too-late' = 'starting';
  readonly tooLong: Promise<never>;
  readonly #end: (cause: StartTimeout) => void;
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
      this.#end(new StartTimeout(timeLimitText(timeout)));
    };
    this.#timer = setTimeout(end, Math.max(0, timeout * 1000 - performance.now()));
  }

  /** Stops the time limit, because the prompt now runs under its own. */
  begin(): void {
    clearTimeout(this.#timer);
    this.state = 'begun';
  }
}

/**
 * Prints a JSON result with the error of a run that could not begin, if the output format is JSON. A program that sends stream-json gets
 * its result from `runRpc` instead.
 */
export async function printFailureResult(
  {
    outputFormat = 'text',
    inputFormat,
    seedMessages,
  }: Pick<MainOptions, 'outputFormat' | 'inputFormat' | 'seedMessages'>,
  {message, code}: {readonly message: string; readonly code: ExitCode},
): Promise<void> {
  if (outputFormat === 'text' || inputFormat === 'stream-json') return;
  const [{failureResult}, {toOneShotResult}, lineOf] = await Promise.all([
    import('../headless/rpc/failure-results.ts'),
    import('../protocol/rpc/result-message.ts'),
    import('../headless/stdout-writer.ts').then(({messageLines}) =>
      messageLines(outputFormat === 'json' || seedMessages === undefined ? 'without' : 'with'),
    ),
  ]);
  printJson(
    lineOf(
      toOneShotResult(
        failureResult(message, () => randomUUID()),
        {exitCode: code, notes: []},
      ),
    ),
  );
}

async function chooseFrontEnd(
  words: readonly string[],
  given: MainOptions,
  {start, plan}: {readonly start: StartLimit; readonly plan: PlanToRun | 'none'},
): Promise<ExitCode> {
  const options = normalizeOptions(given);
  const promptText = promptFromCommandLine(words, options);
  if (options.inputFormat === 'stream-json') {
    if (promptText !== '') throw new UsageError('With --input-format stream-json, send prompts as messages on stdin.');
    return (await import('./run-rpc.ts')).runRpc(options);
  }
  const context = await applyNamedAgent(contextFor(options));
  if (
    options.prompt === undefined &&
    options.print === undefined &&
    options.outputFormat === undefined &&
    hasTerminal()
  ) {
    return apart(
      context,
      line => print(`${line}\n`),
      at => openTerminal(promptText, at),
    );
  }
  start.limit(options.timeout);
  const prompt = await withPipedText(words, {promptText, options});
  if (prompt.trim() !== '') return apart(context, note, at => answer(prompt, {context: at, start, plan}));
  if (isWithoutArguments(words, options) && !isConfigured(modelChoice(context))) {
    note(`${noModelText()}.`);
    note('Playing the demo …');
    return (await import('./commands/demo.ts')).runDemo({});
  }
  requireSessionId(options);
  await requireSession(context);
  throw new UsageError('No prompt. Give one: weft --prompt "…", or pipe it in: … | weft --print');
}

/** Runs in a separate worktree if the flags ask for one. At the end, `tell` gets lines about a worktree that is kept. */
async function apart(
  context: RunContext,
  tell: (line: string) => void,
  run: (context: RunContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const {worktree} = context.options;
  if (worktree === undefined) return run(context);
  const own = await (await import('../app/session-worktree.ts')).inWorktree(context, worktree);
  try {
    return await run(own.context);
  } finally {
    for (const line of await own.leave()) tell(line);
  }
}

const hasTerminal = (): boolean => process.stdin.isTTY && isStdoutTerminal();

/** Returns notices about scheduled runs that have ended since weft was last open. */
async function scheduleNotices(places: Pick<Places, 'database'>): Promise<readonly string[]> {
  if (places.database.kind === 'sqlite' && !existsSync(places.database.file)) return [];
  const {scheduleNews} = await import('../app/schedule-news.ts');
  return scheduleNews(places);
}

/** Suggests an import from another agent to a user who has no settings yet. */
async function importNotices(settings: string): Promise<readonly string[]> {
  if (existsSync(settings)) return [];
  const {importAdvice} = await import('../app/import-settings.ts');
  return [importAdvice()].filter(advice => advice !== '');
}

/** True if the command line is just `weft`, without a prompt and without a flag that affects one. */
const isWithoutArguments = (words: readonly string[], options: MainOptions): boolean =>
  words.length === 0 &&
  Object.entries(options).every(
    ([name, value]) => value === undefined || ['sessionPersistence', 'color'].includes(name),
  );

function promptFromCommandLine(words: readonly string[], {prompt}: MainOptions): string {
  if (prompt !== undefined && words.length > 0) {
    throw new UsageError('Two prompts. Give one: with --prompt, or as arguments.');
  }
  return prompt ?? words.join(' ');
}

/**
 * Returns the prompt joined with the piped text. Without a prompt, stdin is the prompt and is read to its end. With a prompt, and
 * if the command line is just `weft`, it gives up on a silent pipe.
 */
async function withPipedText(
  words: readonly string[],
  {promptText, options}: {readonly promptText: string; readonly options: MainOptions},
): Promise<string> {
  if (options.prompt === '-') return readStdin('end');
  const until = promptText === '' && !isWithoutArguments(words, options) ? 'end' : 'first-silence';
  return joinPipedText(promptText, await readStdin(until));
}

/** Requires a session id for `--resume`: without a terminal, the user can't choose one. */
function requireSessionId({resume}: MainOptions): void {
  if (resume === true) throw new UsageError('--resume needs a session id here. List them: weft sessions list');
}

async function answer(
  prompt: string,
  {context, start, plan}: {readonly context: RunContext; readonly start: StartLimit; readonly plan: PlanToRun | 'none'},
): Promise<ExitCode> {
  const {options} = context;
  requireSessionId(options);
  const [chosen, {runPrint}] = await Promise.all([connectModel(context), import('./run-print.ts')]);
  requireModel(chosen);
  for (const notice of [...(await context.notices()), ...context.startInstructions().skipped]) note(notice);
  if (options.maxCost !== undefined && chosen.port.facts(chosen.model).costOf(noUsage) === 'unknown') {
    note(`the price of ${chosen.model} is unknown, so --max-cost counts only costs that the provider reports`);
  }
  if (options.verbose !== undefined) note(`${chosen.model} (${chosen.port.provider}), in ${context.directory}`);
  const servers = await openServers({context, log: note, newServers: 'awaited'});
  const engine = await composeSession(chosen, context, {
    ...defaultDriver,
    frontEnd: new Set(['shows-suggestions']),
    servers,
  });
  logEvents(engine, options);
  if (start.state === 'too-late') return exitCode.timeLimit;
  if (plan !== 'none') {
    const begun = plan.begin();
    if (begun.tag === 'failed') {
      await engine.close('finished');
      throw new Error(begun.error);
    }
    engine.submit({op: 'start-plan', plan: begun.value});
  }
  start.begin();
  const noted = noteFindings(context, note);
  const extensions =
    options.outputFormat === 'stream-json'
      ? (await (await import('../app/offered-extensions.ts')).offeredExtensions(context, servers.commands)).init
      : () => ({slash_commands: [], skills: [], agents: [], plugins: []});
  const code = await runPrint({
    engine,
    extensions,
    mcp: servers.mcp,
    prompt,
    format: options.outputFormat ?? 'text',
    partials: options.includePartialMessages === undefined ? 'without' : 'with',
    hooks: options.includeHookEvents === undefined ? 'without' : 'with',
    agentTexts: options.forwardSubagentText === undefined ? 'without' : 'with',
    seedMessages: options.seedMessages === undefined ? 'without' : 'with',
    version,
    timeoutSeconds: options.timeout ?? 'none',
    costLimitOn: options.maxCost === undefined ? '' : chosen.model,
    unfinished: plan === 'none' ? () => '' : plan.unfinished,
    note,
  });
  await noted;
  return code;
}

const dumbText =
  'This terminal can\'t show the terminal UI (TERM is dumb). Use weft --accessible, or weft --prompt "…"';

async function openTerminal(firstPrompt: string, context: RunContext): Promise<ExitCode> {
  const {options, directory} = context;
  if (options.jsonSchema !== undefined) throw new UsageError('--json-schema needs --prompt or --print.');
  const {preferences} = context.settings;
  if (process.env['TERM'] === 'dumb' && !preferences.accessible) throw new UsageError(dumbText);
  const [
    watchdog,
    chosen,
    ui,
    {chosenTheme, lookOf, runTerminal},
    {exchangeableModel},
    {ExitSummary},
    {withEarlierEvents, OpenSessions},
    {logProblems, openLog},
  ] = await Promise.all([
    // Before the terminal's settings are changed.
    import('../workspace/exec/watchdog.ts').then(({startTerminalWatchdog}) => startTerminalWatchdog(process.stdout.fd)),
    // Don't wait for a slow server: every prompt connects again.
    connectModel(context, 1500),
    loadTerminalUi(preferences, context.places.keyBindings),
    import('./run-terminal.ts'),
    import('../app/model-setup.ts'),
    import('./exit-summary.ts'),
    import('../app/open-sessions.ts'),
    import('../app/log-file.ts'),
  ]);
  const notices = [...(await context.notices()), ...context.startInstructions().skipped, ...ui.notices];
  const {theme, notices: themeNotices} = await chosenTheme(preferences.theme);
  notices.push(...themeNotices);
  if (chosen.state === 'missing' && preferences.accessible) notices.push(noModelNotice());
  if (chosen.state === 'unreachable') notices.push(`${chosen.reason} Send a prompt to try again.`);
  // A session that is not saved leaves no trace in the log either.
  const log = options.sessionPersistence ? openLog(context.places.log) : () => {};
  const logged = (client: AgentClient): AgentClient => {
    logProblems(client, log);
    logEvents(client, {debugFile: options.debugFile});
    return client;
  };
  const {choice} = chosen;
  const apiKeys = openApiKeys(context.places, process.env);
  const model = exchangeableModel(chosen, {choice, apiKeys, settingsFile: context.places.settings});
  const compose = async (
    of: RunContext,
    {port, setup}: ExchangeableModel,
    tell?: (text: string) => void,
  ): Promise<AgentClient> =>
    logged(
      withEarlierEvents(
        await composeSession({...chosen, port}, of, {
          ...defaultDriver,
          interaction: 'interactive',
          newServers: 'join-later',
          frontEnd: terminalAbilities,
          models: setup,
          ...(tell && {tell}),
        }),
      ),
    );
  // The terminal UI shows these as soon as it is open; a notice of the session would come too early for it.
  const first = await compose(context, model, text => void notices.push(text));
  const engine = new OpenSessions(first, {
    // An unsaved session would be lost when another one opens.
    open: async wanted =>
      options.sessionPersistence ? ok(await compose(contextOf(context, wanted), model.apart())) : failed(stillRuns),
    engineWhenIdle: 'reuse',
    newPromptId: () => messageId(randomUUID()),
    now: Date.now,
  });
  if (chosen.state === 'unreachable') {
    void chosen.found.then(found => engine.submit({op: 'set-model', model: found}));
  }
  const job = {
    ui,
    engine,
    directory,
    firstPrompt,
    opening: options.resume === true ? 'sessions' : 'composer',
    instructions: [...new Set(context.startInstructions().found.map(({path}) => basename(path)))],
    notices,
    async *lateNotices() {
      yield* await leftoverNotices(context.places.blocks);
      yield* await scheduleNotices(context.places);
      yield* await context.trust.untrustedFiles();
      if (chosen.state === 'ready') yield* await serverNotices(choice);
      if (context.settingSources.has('user')) yield* await importNotices(context.places.settings);
      // Load these while the user reads or types, so that the first request does not wait for them.
      // The request itself reports what can't be loaded.
      void loadForFirstRequest(choice).catch(() => {});
      const {dailyPrune, dailyUpdateCheck, doDaily} = await import('../app/daily-work.ts');
      yield* doDaily([
        ...(options.sessionPersistence ? dailyPrune(context.places) : []),
        ...(context.settings.updateCheck === 'daily' ? dailyUpdateCheck(context.places) : []),
      ]);
    },
    preferences,
    watchdog,
    log,
    look: lookOf(process.env, {color: options.color, theme}),
    demo: 'offered',
    workAfter: 'stops',
    runningSessions: () => engine.running(),
    effort: chosen.port.facts(chosen.model).effort,
  } as const;
  const exitSummary = new ExitSummary(engine, {
    persistence: options.sessionPersistence,
    running: () => engine.running(),
  });
  try {
    let end = await runTerminal(job);
    while (end.kind === 'demo') {
      await (await import('./commands/demo.ts')).runDemo({visitor: job});
      end = await runTerminal({
        ...job,
        firstPrompt: end.draft,
        opening: 'composer',
        notices: [],
        lateNotices: () => [],
      });
    }
    if (end.kind === 'signalled') return end.code;
  } catch (cause) {
    printLines(exitSummary.lines());
    throw cause;
  }
  printLines(exitSummary.lines());
  return exitCode.done;
}

const stillRuns = 'This session is still running and is not saved. Press Esc to stop it first.';

/** Returns the context for a session other than the one that the command line requests. */
function contextOf(context: RunContext, wanted: WantedSession): RunContext {
  const {
    continue: _newest,
    resume: _resumed,
    sessionId: _id,
    forkSession: _fork,
    name: _name,
    ...options
  } = context.options;
  const {resumeSessionAt: _behind, resumeDropsTurn: _drops, branchAt: _at, ...rest} = options;
  const branch = wanted.kind === 'branch' ? {branchAt: wanted.to} : {};
  return {...context, options: wanted.kind === 'new' ? rest : {...rest, ...branch, resume: wanted.id}};
}

const printLines = (lines: readonly string[]): void => {
  for (const line of lines) print(`${line}\n`);
};

/** Returns a notice if the model's server is on this machine and is not running. */
async function serverNotices(choice: ModelChoice): Promise<readonly string[]> {
  const name = configuredProvider(choice) ?? 'replay';
  const {dialect, baseUrl} = name === 'replay' ? {} : await providerNamed(name, choice);
  if (dialect !== 'openai' || baseUrl === undefined) return [];
  const {isLocalServerDown} = await import('../models/local-servers.ts');
  if (!(await isLocalServerDown(baseUrl, AbortSignal.timeout(1000)))) return [];
  return [`Nothing listens at ${baseUrl}. Start the model server, or choose another model with /login.`];
}
