import {homedir} from 'node:os';
import {join} from 'node:path';
import {noUsage} from '../domain/usage.ts';
import type {HistoryPort} from '../tui/options.ts';
import {systemPrompt} from '../agent/system-prompt.ts';
import type {SessionSummary} from '../domain/journal.ts';
import {chooseModel, isConfigured, type ChosenModel, type ModelChoice} from './choose-model.ts';
import {chooseSession, sessionWish} from './choose-session.ts';
import {composeEngine} from './compose-engine.ts';
import {directoryOf} from './directory-of.ts';
import {exitCode, timeLimitText, type ExitCode} from './exit-code.ts';
import {leftoverNotices} from './leftover-notices.ts';
import {loadSurroundings, type Surroundings} from './load-surroundings.ts';
import {noModelNotice, noModelText} from './no-model.ts';
import {placeholderKey} from './placeholder-key.ts';
import type {MainOptions} from './program.ts';
import {joinPrompt, readStdin} from './read-stdin.ts';
import {UsageError} from './usage-error.ts';
import {version} from './version.ts';

/** weft without a command: answers on stdout, opens the terminal UI, or, with nothing to do and no terminal, plays the demo. */
export async function runMain(words: readonly string[], options: MainOptions): Promise<ExitCode> {
  const asked = promptOf(words, options);
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
  const late = timeLimit(options, surroundings.note);
  const prompt = await fullPrompt(words, {asked, options, note: surroundings.note});
  if (prompt.trim() !== '') return answer(prompt, {surroundings, late});
  if (isBare(words, options) && !isConfigured(choiceOf(surroundings))) {
    surroundings.note(`${noModelText} Playing the demo.`);
    return (await import('./demo/run-demo.ts')).runDemo({});
  }
  throw new UsageError('There is no prompt. Give one: weft --prompt "…", or pipe it in: … | weft --print');
}

/** Until the prompt runs, which has a limit of its own that lets things settle: reading stdin and finding a model count too. */
function timeLimit({timeout}: MainOptions, note: (line: string) => void): NodeJS.Timeout | undefined {
  if (timeout === undefined) return undefined;
  const stop = (): void => {
    note(timeLimitText(timeout));
    process.exit(exitCode.timeLimit);
  };
  return setTimeout(stop, Math.max(0, timeout * 1000 - performance.now()));
}

const hasTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

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
  {surroundings, late}: {readonly surroundings: Surroundings; readonly late: NodeJS.Timeout | undefined},
): Promise<ExitCode> {
  const {options, note} = surroundings;
  if (options.resume === true) throw new UsageError('--resume needs a session id here. List them: weft sessions list');
  const [chosen, {runPrint}] = await Promise.all([model(surroundings), import('./run-print.ts')]);
  if (chosen.state === 'missing') throw new Error(noModelText);
  for (const notice of surroundings.notices) note(notice);
  if (options.maxCost !== undefined && chosen.port.facts(chosen.model).costOf(noUsage) === 'unknown') {
    note(`the price of ${chosen.model} is not known: --max-cost cannot stop it`);
  }
  if (options.verbose !== undefined)
    note(`the model is ${chosen.model} (${chosen.port.provider}), in ${surroundings.directory}`);
  const engine = await compose(chosen, {surroundings, asking: 'nobody'});
  if (options.debug !== undefined) (await import('./debug-log.ts')).logEvents(engine);
  clearTimeout(late);
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

async function openTerminal(firstPrompt: string, surroundings: Surroundings): Promise<ExitCode> {
  const {options, directory} = surroundings;
  const [chosen, {lookOf, runTerminal}, {openHistory}, {ruleLines, ruleText}] = await Promise.all([
    model(surroundings),
    import('./run-terminal.ts'),
    import('./prompt-history.ts'),
    import('./permissions/rule-lines.ts'),
  ]);
  const notices = [...surroundings.notices];
  if (chosen.state === 'missing') notices.push(noModelNotice);
  const engine = await compose(chosen, {surroundings, asking: 'somebody'});
  const job = {
    engine,
    directory,
    firstPrompt,
    opening: options.resume === true ? 'sessions' : 'composer',
    notices,
    lateNotices: () => leftoverNotices(blocksFolder(surroundings)),
    listSessions: await sessionLister(surroundings),
    history: concealed(openHistory(join(surroundings.places.data, 'history.jsonl')), engine.conceal),
    permissions: () => ruleLines(surroundings.permissions).map(ruleText),
    trust: surroundings.trust,
    look: lookOf(process.env, options.color),
    demo: 'offered',
  } as const;
  let end = await runTerminal(job);
  while (end.kind === 'demo') {
    await (await import('./demo/run-demo.ts')).runDemo({});
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

const blocksFolder = ({places}: Surroundings): string => join(places.data, 'blocks');

/** Sessions of this folder, for `/resume`; read when asked for. */
async function sessionLister({options, directory, store}: Surroundings): Promise<() => readonly SessionSummary[]> {
  if (!options.sessionPersistence) return () => [];
  const opened = await store();
  return () => opened.list({directory});
}

const model = (surroundings: Surroundings): Promise<ChosenModel> =>
  chooseModel(choiceOf(surroundings), AbortSignal.timeout(10_000));

const choiceOf = ({options, settings}: Surroundings): ModelChoice => ({
  provider: settings.provider,
  model: settings.model,
  baseUrl: settings.baseUrl,
  replay: options.replay,
  record: options.record,
  environment: process.env,
});

async function compose(
  chosen: ChosenModel,
  {surroundings, asking}: {readonly surroundings: Surroundings; readonly asking: 'somebody' | 'nobody'},
) {
  const {options, settings, directory, roots} = surroundings;
  const store = options.sessionPersistence ? await surroundings.store() : ('none' as const);
  const {session, origin, sessions, skipped} = chooseSession(sessionWish(options), {
    store,
    directory,
    model: chosen.model,
  });
  if (skipped > 0) surroundings.note(`${skipped} records of this session cannot be read and are left out`);
  return composeEngine({
    session,
    origin,
    sessions,
    model: chosen.port,
    modelId: chosen.model,
    roots,
    home: homedir(),
    environment: process.env,
    ownVariables: settings.env,
    passedVariables: settings.passEnv,
    blocksFolder: blocksFolder(surroundings),
    checkpointsFolder: options.sessionPersistence ? join(surroundings.places.data, 'checkpoints') : undefined,
    placeholderKey: placeholderKey(
      join(surroundings.places.data, 'placeholder.key'),
      options.sessionPersistence ? 'keep' : 'leave-no-trace',
    ),
    mode: settings.permissionMode,
    rules: settings.rules,
    keepRule: async rule =>
      (await import('../config/edit-rules.ts')).addRule({path: surroundings.places.settings, list: 'allow', rule}),
    systemPrompt: systemPrompt({
      directory,
      platform: process.platform,
      date: new Date().toISOString().slice(0, 10),
      instructions: surroundings.instructions(),
      replacement: options.systemPrompt,
      addition: options.appendSystemPrompt ?? '',
    }),
    limits: {maxTurns: options.maxTurns ?? 'unlimited', maxCostUsd: options.maxCost ?? 'unlimited'},
    asking,
  });
}
