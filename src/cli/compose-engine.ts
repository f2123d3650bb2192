import {randomUUID} from 'node:crypto';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setFlagsFromString} from 'node:v8';
import type {SessionInfo} from '../actions/agent-event.ts';
import type {EditDesk} from '../actions/files-port.ts';
import type {FileFinder} from '../actions/file-finder.ts';
import type {McpPort} from '../actions/mcp-port.ts';
import type {ActionPorts, BlockDesk, VictimsPort} from '../actions/ports.ts';
import {createEngine, type EngineOptions} from '../agent/create-engine.ts';
import type {Engine} from '../agent/engine.ts';
import type {HooksPort} from '../agent/hooks-port.ts';
import type {JudgePort, ModelPort, PresentPort, SessionsPort} from '../agent/ports.ts';
import type {PromptLimits} from '../agent/run-prompt.ts';
import type {SessionTrees} from '../domain/checkpoint.ts';
import {messageId, todoId} from '../domain/ids.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';
import type {Thinking} from '../domain/model-stream.ts';
import {unknownEffect, type PermissionMode} from '../domain/risk.ts';
import {deniedReads} from '../safety/denied-reads.ts';
import type {GroundOptions} from '../safety/ground.ts';
import type {Judge, JudgeOptions} from '../safety/judge.ts';
import {makeLiveRules} from '../safety/live-rules.ts';
import type {OwnPlaces} from '../safety/own-places.ts';
import type {PermissionRules} from '../safety/rules.ts';
import {concealDiff, guardMachine} from '../safety/secrets/guard-machine.ts';
import {makeSecrets, type Secrets} from '../safety/secrets/make-secrets.ts';
import {isSecretFile} from '../safety/secrets/secret-file-name.ts';
import {concealModel} from './conceal-model.ts';
import {changeRules, type KeepRule} from './change-rules.ts';
import {followSessions} from './follow-sessions.ts';
import {lazyFinder} from './lazy-finder.ts';
import {lazyCheckpoints} from './lazy-checkpoints.ts';
import {makePresent} from './make-present.ts';
import {watchMemory} from './watch-memory.ts';
import {makeFiles} from '../workspace/files.ts';
import {listFolder} from '../workspace/files/list-folder.ts';
import {readBytes} from '../workspace/files/read-bytes.ts';
import {makeCommands} from '../workspace/make-commands.ts';
import {strayProgram, userPath} from '../workspace/trusted-path.ts';
import {makeOutputFolder} from '../workspace/output-folder.ts';
import {makeSearch} from '../workspace/search.ts';
import type {VictimPlace} from '../workspace/victims/make-victims.ts';
import {watchSecretFiles} from '../workspace/secret-files.ts';

export interface EngineParts {
  readonly model: ModelPort;
  readonly modelId: string;
  readonly session: OpenSession;
  readonly origin: SessionInfo['origin'];
  readonly sessions: SessionsPort;
  /** The first is where commands start and relative paths begin. */
  readonly roots: readonly [string, ...string[]];
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Variables that the user wants commands to have. */
  readonly ownVariables: Readonly<Record<string, string>>;
  /** Names of variables that commands get although they look like secrets. */
  readonly passedVariables: readonly string[];
  /** Where blocks are written down for other runs of weft to find. */
  readonly blocksFolder: string;
  /** Where the files are kept as they were before prompts changed them; `undefined` keeps none. */
  readonly checkpointsFolder: string | undefined;
  /** What the kept sessions may go back to. */
  readonly keptTrees: () => Promise<readonly SessionTrees[]>;
  /** Where weft keeps its grants: not even a rule that allows everything lets them be changed unasked. */
  readonly own: OwnPlaces;
  /** What placeholders of secrets are made with. */
  readonly placeholderKey: () => Uint8Array;
  /** Megabytes of its own memory near which weft tells the user. */
  readonly memoryCeiling: number;
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  readonly keepRule: KeepRule;
  readonly systemPrompt: string;
  /** The standing instructions as they are now; none where the system prompt is the user's own. */
  readonly instructions: PresentPort['instructions'];
  readonly limits: PromptLimits;
  readonly asking: 'somebody' | 'nobody';
  readonly mcp: McpPort;
  readonly structured: EngineOptions['structured'];
  readonly hooks: HooksPort;
  readonly thinking: Thinking;
  /** Tools that the user does not want. */
  readonly withheld: EngineOptions['withheld'];
}

/** Closing it also ends every command that is not kept. */
export interface ComposedEngine extends Engine {
  readonly desk: BlockDesk;
  /** Shows placeholders in the place of secrets, as the model reads them. */
  readonly edits: EditDesk;
  /** For people who mention files. */
  readonly finder: FileFinder;
  /** Puts placeholders in the place of secrets. */
  readonly conceal: (text: string) => string;
  /** All that is kept of the open session, oldest first. */
  readonly records: () => readonly JournalRecord[];
}

/** Wires the engine to this machine: the one place where ports meet what implements them. */
export function composeEngine(parts: EngineParts): ComposedEngine {
  const {roots, home, environment} = parts;
  const followed = followSessions(parts.session, parts.sessions);
  const live = makeLiveRules(parts.rules);
  const {rules} = live;
  const [directory] = roots;
  const outputs = makeOutputFolder({parent: join(tmpdir(), `weft-output-${process.getuid?.() ?? 'user'}`)});
  const files = makeFiles({roots, home, alsoReadable: outputs.folders});
  const secrets = makeSecrets({
    environment: {...parts.ownVariables, ...environment},
    files: watchSecretFiles({roots, isSecretFile}),
    key: parts.placeholderKey,
  });
  const commands = makeCommands({
    roots,
    // What the user has run is looked for where the user would.
    environment: {...environment, PATH: userPath()},
    ownVariables: parts.ownVariables,
    passedVariables: parts.passedVariables,
    outputs,
    filter: secrets.filter,
    conceal: secrets.conceal,
    registryFolder: parts.blocksFolder,
  });
  // What is judged is the path that is used: with the secrets that placeholders in it stand for.
  const ground = {roots, home, resolve: (path: string) => files.resolve(secrets.reveal(path))};
  const excluded = (): readonly string[] => deniedReads({...ground, rules});
  const bare: Pick<ActionPorts, 'shell' | 'files' | 'search' | 'blocks' | 'mcp'> = {
    shell: commands.shell,
    blocks: commands.blocks,
    files,
    search: makeSearch({roots, home, environment, excluded}),
    mcp: parts.mcp,
  };
  const finder = lazyFinder({roots, home, environment, excluded});
  const machine = guardMachine(bare, secrets);
  const engine = createEngine({
    ports: {
      machine,
      victims: lazyVictims({roots, home, environment}, {...ground, own: parts.own}, secrets),
      checkpoints: lazyCheckpoints(
        parts.checkpointsFolder === undefined
          ? undefined
          : {roots, folder: parts.checkpointsFolder, environment, now: () => Date.now()},
        parts.keptTrees,
      ),
      present: makePresent(parts.instructions, commands.desk),
      memory: watchMemory({
        ceiling: parts.memoryCeiling,
        used: () => process.memoryUsage.rss(),
        economise() {
          // What is young would otherwise take 128 MB, however little of it lives.
          setFlagsFromString('--semi-space-growth-factor=1');
          // Each request's body is a large string, garbage at once: the old ones are to go before many more have come.
          setFlagsFromString('--heap-growing-percent=30');
        },
        drop: () => finder.drop(),
      }),
      secrets,
      hooks: parts.hooks,
      model: concealModel(parts.model, secrets),
      judge: {
        assess: lazyJudge({
          ...ground,
          own: parts.own,
          list: listFolder,
          read: readBytes,
          strayProgram: (name, from) => strayProgram(name, {directory: from, roots}),
          rules,
          directory: () => machine.shell.directory,
          blockCommand: id => commands.desk.list().find(block => block.id === id)?.command ?? '',
        }),
        changeRules: changeRules(live, parts.keepRule),
      },
      sessions: followed.sessions,
      clock: {now: () => Date.now()},
      ids: {message: () => messageId(randomUUID()), todo: () => todoId(randomUUID())},
    },
    session: followed.session,
    directory,
    origin: parts.origin,
    model: parts.modelId,
    mode: parts.mode,
    systemPrompt: secrets.conceal(parts.systemPrompt),
    limits: parts.limits,
    asking: parts.asking,
    structured: parts.structured,
    thinking: parts.thinking,
    withheld: parts.withheld,
  });
  return {
    desk: commands.desk,
    edits: machine.files,
    finder: finder.finder,
    conceal: secrets.conceal,
    records: followed.records,
    submit: op => engine.submit(op),
    subscribe: listener => engine.subscribe(listener),
    async close(reason) {
      await engine.close(reason);
      finder.drop();
      await commands.close();
    },
  };
}

/** Loaded with the first action: an answer without one needs no judge. */
function lazyJudge(options: Omit<JudgeOptions, 'effectOf'>): JudgePort['assess'] {
  let judge: Promise<Judge> | undefined;
  const load = async (): Promise<Judge> => {
    const [{makeJudge}, {fileEffect}] = await Promise.all([
      import('../safety/judge.ts'),
      import('../workspace/victims/file-effect.ts'),
    ]);
    return makeJudge({...options, effectOf: command => fileEffect(command, options.home)});
  };
  return async (action, mode, signal) => (await (judge ??= load())).assess(action, mode, signal);
}

/** Looked for by what is loaded with the first command that destroys. */
const lazyVictims = (
  place: Omit<VictimPlace, 'mayAskGit'>,
  ground: Pick<GroundOptions, 'roots' | 'home' | 'resolve' | 'own'>,
  secrets: Secrets,
): VictimsPort => ({
  async find(commands, signal) {
    const [{makeVictims}, {makeGround}, {repositoryFinding}] = await Promise.all([
      import('../workspace/victims/make-victims.ts'),
      import('../safety/ground.ts'),
      import('../safety/git-repository.ts'),
    ]);
    const disk = {list: listFolder, read: readBytes, strayProgram: () => undefined, effectOf: () => unknownEffect};
    const mayAskGit = (directory: string): boolean =>
      repositoryFinding(directory, makeGround({...ground, ...disk})).reason === undefined;
    const report = await makeVictims({...place, mayAskGit}).find(commands, signal);
    const {conceal} = secrets;
    return {
      ...report,
      summary: conceal(report.summary),
      paths: report.paths.map(conceal),
      diffs: report.diffs.map(diff => concealDiff(diff, secrets)),
    };
  },
});
