import {randomBytes, randomUUID} from 'node:crypto';
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {homedir, tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {defaultPreferences} from '../../config/preferences.ts';
import {openReplay} from '../../models/replay.ts';
import {failed} from '../../base/outcome.ts';
import {causeText, faultText, rejected} from '../../domain/fault.ts';
import {noHooks} from '../../agent/hooks-port.ts';
import {defaultCeiling} from '../../config/settings-file.ts';
import {systemPrompt} from '../../agent/system-prompt.ts';
import {setTimeout as wait} from 'node:timers/promises';
import {noMcp} from '../../actions/mcp-port.ts';
import {composeEngine, type ComposedEngine} from '../compose-engine.ts';
import {commandPorts} from '../command-ports.ts';
import {exitCode, type ExitCode} from '../exit-code.ts';
import {isStdoutTerminal, print} from '../say.ts';
import {stopOnSignals} from '../stop-on-signals.ts';
import {newSessionId, unkeptSession, unkeptSessions} from '../unkept-session.ts';
import type {TerminalJob} from '../run-terminal.ts';
import {accessibleWanted} from '../settings-layers.ts';
import {loadTerminalUi} from '../terminal-ui.ts';
import {ownPlaces, userPlaces} from '../user-places.ts';
import {UsageError} from '../usage-error.ts';
import {demoProject, demoPrompt} from './project.ts';
import {demoRecording} from './recording.ts';

/**
 * Plays the embedded recording in a real folder: only the model's words are recorded, every action runs. In a terminal it is
 * the UI with real confirmations; elsewhere the demo itself confirms, and prints what happens. To a visitor from a conversation it
 * looks as that did.
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
    const wanted = accessibleWanted(process.env) === true;
    const isDumb = process.env['TERM'] === 'dumb' && visitor === undefined && !wanted;
    if (!isStdoutTerminal() || !process.stdin.isTTY || isDumb) return await report(place);
    const [shown, {startTerminalGuard}, {lookOf, runTerminal}] = await Promise.all([
      visitor?.ui ?? loadTerminalUi({accessible: wanted}),
      import('../../workspace/terminal-guard.ts'),
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
        `This is a recording: only the model's words are played, every action really runs, in ${place.directory}. /exit or Ctrl+C twice leaves it.`,
      ],
      lateNotices: async () => [],
      listSessions: () => [],
      history: {load: () => [], add: () => {}},
      permissions: () => [],
      trust: {state: 'nothing', text: () => nothingToTrust, accept: async () => nothingToTrust},
      guard: startTerminalGuard(process.stdout.fd),
      outside: commandPorts({engine, directory: place.directory, home: homedir(), store: 'none'}),
      preferences: visitor?.preferences ?? defaultPreferences,
      look: visitor?.look ?? lookOf(process.env, {color: true, theme: defaultPreferences.theme}),
      demo: 'none',
    });
    return end.kind === 'signalled' ? end.code : exitCode.done;
  } finally {
    place.leave();
  }
}

const nothingToTrust = 'The demo brings no settings.';

async function report(place: DemoPlace): Promise<ExitCode> {
  const {directory} = place;
  const {runReport} = await import('../../headless/demo-report.ts');
  const engine = demoEngine(place, 'at-once');
  const stopper = stopOnSignals(engine);
  printLine(`weft demo: a recorded model repairs a small project; every action really runs, in ${directory}`);
  const end = await Promise.race([
    runReport({engine, prompt: demoPrompt, print: printLine, uuid: randomUUID}),
    stopper.given,
  ]);
  await engine.close('finished');
  return stopper.stopped() ?? end?.exitCode ?? exitCode.failed;
}

function demoEngine({directory, blocks}: DemoPlace, pace: 'lively' | 'at-once'): ComposedEngine {
  const opened = openReplay(demoRecording, {
    variables: {directory},
    ...(pace === 'lively' ? {pace: {msPerBatch: 25, sleep}} : {}),
  });
  if (opened.tag === 'failed') throw new Error(faultText(opened.error));
  return composeEngine({
    model: opened.value,
    modelId: 'demo recording',
    session: unkeptSession(newSessionId()),
    origin: 'new',
    sessions: unkeptSessions,
    roots: [directory],
    home: homedir(),
    environment: process.env,
    ownVariables: {},
    passedVariables: [],
    checkpointsFolder: undefined,
    keptTrees: async () => [],
    blocksFolder: blocks,
    own: ownPlaces(userPlaces(), process.env),
    placeholderKey: () => randomBytes(32),
    memoryCeiling: defaultCeiling,
    mode: 'default',
    rules: {allow: [], ask: [], deny: []},
    keepRule: async () => failed(rejected('The demo keeps no rules.')),
    systemPrompt: systemPrompt({
      directory,
      platform: process.platform,
      date: new Date().toISOString().slice(0, 10),
      instructions: [],
      replacement: undefined,
      addition: '',
    }),
    instructions: () => [],
    limits: {maxTurns: 'unlimited', maxCostUsd: 'unlimited'},
    asking: 'somebody',
    mcp: noMcp,
    hooks: noHooks,
    thinking: {kind: 'default'},
    structured: {kind: 'none'},
    withheld: new Map(),
  });
}

const sleep = async (ms: number, signal: AbortSignal): Promise<void> => wait(ms, undefined, {signal}).catch(() => {});

interface DemoPlace {
  readonly directory: string;
  /** What is noted of commands that go on: not in the project, which the user may keep. */
  readonly blocks: string;
  leave(): void;
}

/** Writes the project into a temporary folder that is removed afterwards, or into a folder of the user's that stays. */
function layOut(dir: string | undefined): DemoPlace {
  const directory = dir === undefined ? mkdtempSync(join(tmpdir(), 'weft-demo-')) : emptyFolder(resolve(dir));
  for (const {path, text} of demoProject) {
    const file = join(directory, path);
    mkdirSync(dirname(file), {recursive: true});
    writeFileSync(file, text);
  }
  const blocks = mkdtempSync(join(tmpdir(), 'weft-demo-blocks-'));
  const own = dir === undefined ? [directory, blocks] : [blocks];
  return {directory, blocks, leave: () => own.forEach(folder => rmSync(folder, {recursive: true, force: true}))};
}

function emptyFolder(directory: string): string {
  try {
    mkdirSync(directory, {recursive: true});
    if (readdirSync(directory).length === 0) return directory;
  } catch (cause) {
    throw new UsageError(`The demo's folder cannot be made: ${causeText(cause)}`);
  }
  throw new UsageError(`${directory} is not empty. Give --dir a new or empty folder.`);
}

const printLine = (line: string): void => print(`${line}\n`);
