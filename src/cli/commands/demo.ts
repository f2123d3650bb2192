import type {Command} from 'commander';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {emptyAbilities} from '../../actions/front-end.ts';
import {notesName} from '../../config/instructions.ts';
import {passingDatabase} from '../../config/places.ts';
import {noopHarnesses} from '../../actions/harness-port.ts';
import {noopAgentKinds} from '../../agent/ports.ts';
import {systemPrompt} from '../../agent/context/system-prompt.ts';
import {noopHooks} from '../../actions/hooks-port.ts';
import {failed} from '../../base/outcome.ts';
import {defaultCeiling, defaultPreferences} from '../../config/settings-schema.ts';
import {causeText, faultText, rejected} from '../../domain/fault.ts';
import {programPath, userPath} from '../../workspace/exec/trusted-path.ts';
import {openReplay} from '../../models/replay.ts';
import {randomBytes, randomUUID} from 'node:crypto';
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {homedir, tmpdir} from 'node:os';
import {delimiter, dirname, join, resolve} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {noopCommands} from '../../actions/commands-port.ts';
import {noopSkills} from '../../actions/skills-port.ts';
import {emptyServers} from '../../app/open-servers.ts';
import {emptyConditions} from '../../agent/session-context.ts';
import {composeEngine} from '../../app/compose-engine.ts';
import type {AgentClient} from '../../agent/client.ts';
import {demoUserPorts} from '../../app/user-ports.ts';
import {isStdoutTerminal, print} from '../../app/output.ts';
import {untilStopped} from '../signals.ts';
import {newSessionId, unsavedSession, unsavedSessions} from '../../app/open-session.ts';
import type {TerminalJob} from '../run-terminal.ts';
import {requestsScreenReaderMode} from '../../app/settings-layers.ts';
import {loadTerminalUi} from '../terminal-ui.ts';
import {openLog} from '../../app/log-file.ts';
import {weftFolders, userPlaces} from '../../app/user-data.ts';
import {weftCommand} from '../../app/weft-command.ts';
import {demoProject, demoPrompt, demoRecording} from './demo/demo-recording.ts';

export function add(command: Command): void {
  command.option('--dir <dir>', 'Create the project in this folder (new or empty)').action(exiting(runDemo));
}

/**
 * Plays the embedded recording in a real folder. Only the model's words are recorded; every action runs. In a terminal it opens the UI
 * with real approvals. Elsewhere the demo approves for itself and prints what happens. `visitor` is the UI of a conversation that starts
 * the demo; the demo then looks the same.
 */
export async function runDemo({
  dir,
  visitor,
}: {
  readonly dir?: string;
  readonly visitor?: Pick<TerminalJob, 'ui' | 'preferences' | 'look'>;
}): Promise<ExitCode> {
  const place = layOut(dir);
  try {
    const wanted = requestsScreenReaderMode(process.env) === true;
    const isDumb = process.env['TERM'] === 'dumb' && visitor === undefined && !wanted;
    if (!isStdoutTerminal() || !process.stdin.isTTY || isDumb) return await report(place);
    const [shown, {startTerminalWatchdog}, {lookOf, runTerminal}] = await Promise.all([
      visitor?.ui ?? loadTerminalUi({accessible: wanted}, ''),
      import('../../workspace/exec/watchdog.ts'),
      import('../run-terminal.ts'),
    ]);
    const engine = demoEngine(place, 'lively');
    const end = await runTerminal({
      ui: shown,
      engine,
      directory: place.directory,
      firstPrompt: demoPrompt,
      opening: 'composer',
      notices: [
        `Demo: only the model's answers are recorded. Every command and edit is real, in ${dir === undefined ? 'a temporary' : 'this'} folder. /exit leaves.`,
      ],
      instructions: [],
      lateNotices: () => [],
      log: openLog(userPlaces().log),
      watchdog: startTerminalWatchdog(process.stdout.fd),
      preferences: visitor?.preferences ?? defaultPreferences,
      look: visitor?.look ?? lookOf(process.env, {color: true, theme: 'auto'}),
      effort: 'default',
      demo: 'none',
      workAfter: 'stops',
      runningSessions: () => [],
    });
    return end.kind === 'signalled' ? end.code : exitCode.done;
  } finally {
    place.leave();
  }
}

async function report(place: DemoPlace): Promise<ExitCode> {
  const {directory} = place;
  const {runReport} = await import('../../headless/demo-report.ts');
  const engine = demoEngine(place, 'at-once');
  const end = await untilStopped(engine, () => {
    printLine(`weft demo: a recorded model fixes a small project. Every action really runs, in ${directory}`);
    return runReport({engine, prompt: demoPrompt, print: printLine, uuid: randomUUID});
  });
  return end.tag === 'ok' ? end.value.exitCode : end.error;
}

function demoEngine({directory, blocks, checkpoints}: DemoPlace, pace: 'lively' | 'at-once'): AgentClient {
  const opened = openReplay(demoRecording, {
    variables: {directory, next: `${pace === 'lively' ? '`/exit`, then ' : ''}\`${weftCommand()}\``},
    ...(pace === 'lively' ? {pace: {msPerBatch: 25, sleep}} : {}),
  });
  if (opened.tag === 'failed') throw new Error(faultText(opened.error));
  return composeEngine({
    sandbox: {
      choice: 'native',
      unasked: 'nothing',
      unsandboxedRetry: 'never',
      excluded: [],
      proofFolder: blocks,
      loopback: 'closed',
    },
    workspace: 'own',
    agentKinds: noopAgentKinds,
    learnSecrets: () => () => {},
    plans: async () =>
      (await (await import('../../app/user-jobs.ts')).openUserStores({database: passingDatabase})).plans,
    harnesses: noopHarnesses,
    engine: {
      session: unsavedSession(newSessionId()),
      origin: 'new',
      model: 'demo recording',
      mode: 'default',
      environment: 'included',
      limits: {maxTurns: 'unlimited', maxCostUsd: 'unlimited'},
      interaction: 'interactive',
      frontEnd: emptyAbilities,
      backgroundAgents: 'left',
      structuredOutput: {kind: 'none'},
      conditions: emptyConditions,
      loopGuard: 'on',
      selfReports: 'left-out',
      thinking: {kind: 'default'},
      compaction: 'off',
      disabledTools: new Map(),
    },
    model: opened.value,
    sessions: unsavedSessions,
    roots: [directory],
    home: homedir(),
    environment: process.env,
    ownVariables: nodeOnPath(),
    passedVariables: [],
    secretVariables: {},
    artifactsFolder: undefined,
    artifactUrl: () => '',
    editor: 'none',
    checkpointsFolder: checkpoints,
    savedTrees: async () => [],
    runningAgents: 'unseen',
    blocksFolder: blocks,
    notesFile: () => join(blocks, notesName),
    weftFolders: weftFolders(userPlaces(), process.env),
    placeholderKey: () => randomBytes(32),
    memoryCeiling: defaultCeiling,
    rules: {allow: [], ask: [], deny: []},
    saveRule: async () => failed(rejected('The demo saves no rules.')),
    removeRule: async () => failed(rejected('The demo saves no rules.')),
    systemPrompt: profile => systemPrompt({instructions: [], replacement: undefined, addition: ''}, profile),
    instructions: {instructions: () => [], instructionsBelow: () => []},
    user: demoUserPorts(directory),
    notices: {listen: () => {}},
    servers: emptyServers,
    commands: noopCommands,
    skills: noopSkills,
    skillFolders: () => [],
    hooks: () => noopHooks,
  });
}

/** Returns a PATH that ends with weft's own Node.js if there is no other: the demo runs tests with it. */
function nodeOnPath(): Readonly<Record<string, string>> {
  const path = userPath();
  if (programPath('node', path) !== undefined) return {};
  return {PATH: [path, dirname(process.execPath)].join(delimiter)};
}

const sleep = async (ms: number, signal: AbortSignal): Promise<void> => wait(ms, undefined, {signal}).catch(() => {});

interface DemoPlace {
  readonly directory: string;
  /** The folder that records running commands. It and `checkpoints` are outside the project, which the user may keep. */
  readonly blocks: string;
  readonly checkpoints: string;
  leave(): void;
}

/** Writes the project into a temporary folder that is removed afterwards, or into the user's folder, which stays. */
function layOut(dir: string | undefined): DemoPlace {
  const own = mkdtempSync(join(tmpdir(), 'weft-demo-'));
  const directory = dir === undefined ? join(own, 'corner-shop') : emptyFolder(resolve(dir));
  for (const {path, text} of demoProject) {
    const file = join(directory, path);
    mkdirSync(dirname(file), {recursive: true});
    writeFileSync(file, text);
  }
  const [blocks, checkpoints] = [join(own, 'blocks'), join(own, 'checkpoints')];
  return {directory, blocks, checkpoints, leave: () => rmSync(own, {recursive: true, force: true})};
}

function emptyFolder(directory: string): string {
  try {
    mkdirSync(directory, {recursive: true});
    if (readdirSync(directory).length === 0) return directory;
  } catch (cause) {
    throw new UsageError(`Can't create the demo's folder: ${causeText(cause)}`);
  }
  throw new UsageError(`${directory} is not empty. Use --dir with a new or empty folder.`);
}

const printLine = (line: string): void => print(`${line}\n`);
