import type {ModelEvent, ModelPort, Thinking} from '../../domain/model-stream.ts';
import type {WeftFolders} from '../../safety/paths/weft-files.ts';
import {deniedReadGlobs} from '../../safety/rules/denied-read-globs.ts';
import {
  type ChangeableRules,
  makeChangeableRules,
  parseRule,
  type PermissionRule,
  type PermissionRules,
} from '../../safety/rules/permission-rule.ts';
import {secretNamesIn} from '../../safety/secrets/placeholders.ts';
import {redactingCommands, redactingComputer, redactingPorts} from '../../safety/secrets/redacting-ports.ts';
import {redactingHarnesses} from '../../safety/secrets/redacting-harnesses.ts';
import {redactFault, makeRedactor, type Redactor} from '../../safety/secrets/redactor.ts';
import {isProtectedBelow} from '../../safety/paths/protected-paths.ts';
import {isSecretFile} from '../../safety/secrets/secret-files.ts';
import type {SessionInfo} from '../../actions/agent-event.ts';
import type {ArtifactUrl} from '../../actions/artifacts-port.ts';
import {noChanges} from '../../actions/changes-port.ts';
import type {CommandsPort} from '../../actions/commands-port.ts';
import type {McpPort} from '../../actions/mcp-port.ts';
import type {FilesPort} from '../../actions/files-port.ts';
import type {HarnessesPort} from '../../actions/harness-port.ts';
import type {SkillsPort} from '../../actions/skills-port.ts';
import {type AgentClient, answerOutcome, type ModelConnection} from '../../agent/client.ts';
import {gitBranch} from '../../workspace/files/git-branch.ts';
import {redactedKinds} from './agent-kinds.ts';
import type {PlanStore} from '../../store/plan-store.ts';
import type {RunningAgentStore} from '../../store/running-agent-store.ts';
import {usualLimits} from '../../agent/sub-agents/agent-limits.ts';
import {hostServices} from './host-services.ts';
import {
  lazyArtifacts,
  lazyComputer,
  lazyCheckpoints,
  lazyFinder,
  lazyImages,
  lazyImpact,
  lazyJudge,
  lazyMemory,
  lazyNetwork,
  lazyPlans,
  lazyReviewSource,
  lazySandbox,
  lazySearch,
  lazyWeb,
  lazyRunningAgents,
  lazyWorktrees,
  workspaceState,
} from './lazy-ports.ts';
import type {UserPorts} from './user-ports.ts';
import {createEngine, type EngineOptions} from '../../agent/create-engine.ts';
import {catalogueOnly, decodeAction} from '../../actions/decode-action.ts';
import type {HooksPort, RuleReach} from '../../actions/hooks-port.ts';
import type {ToolCallBlock} from '../../domain/conversation.ts';
import type {PromptLimits} from '../../agent/session-context.ts';
import {
  type AgentKindsPort,
  type JudgePort,
  type NoticesPort,
  type SessionsPort,
  unseenAgents,
  type WorkspaceStatePort,
} from '../../agent/ports.ts';
import type {SessionCheckpoints} from '../../domain/checkpoint.ts';
import type {HookCommand, HookOutput} from '../../domain/hook.ts';
import {messageId, planId, todoId} from '../../domain/ids.ts';
import {coversAll, type SandboxChoice} from '../../domain/sandbox.ts';
import type {OpenSession} from '../../domain/journal.ts';
import {type PermissionMode, type RuleList, ruleLists, type RuleScope} from '../../domain/risk.ts';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type Fault, faultText, rejected} from '../../domain/fault.ts';
import {makeCommands} from '../../workspace/exec/make-commands.ts';
import {keepLongAnswers} from '../../workspace/files/long-texts.ts';
import {makeOutputFolder} from '../../workspace/exec/output-folder.ts';
import {strayProgram, userPath} from '../../workspace/exec/trusted-path.ts';
import {listFolder} from '../../workspace/files/list-folder.ts';
import {makeFiles} from '../../workspace/files/make-files.ts';
import {readBytes} from '../../workspace/files/regular-files.ts';
import {watchSecretFiles} from '../../workspace/files/secret-files.ts';
import {watchMemory} from './watch-memory.ts';
import {randomUuid} from './random-uuid.ts';

/** What hooks need of an engine's machine. */
export interface HookMachine {
  command(work: HookCommand, stdin: string, signal: AbortSignal): Promise<HookOutput>;
  /** Puts placeholders in the place of secrets. */
  readonly redact: (text: string) => string;
  /** How far a permission rule speaks of a call. */
  readonly reach: (rule: string, call: ToolCallBlock) => Promise<RuleReach>;
}

/** Everything that the engine of one session is composed of. */
export interface EngineSetup {
  readonly model: ModelPort;
  readonly modelId: string;
  readonly session: OpenSession;
  readonly origin: SessionInfo['origin'];
  readonly sessions: SessionsPort;
  /** The workspace folders. In the first, commands start and relative paths begin. */
  readonly roots: readonly [string, ...string[]];
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Variables that the user wants commands to have. */
  readonly ownVariables: Readonly<Record<string, string>>;
  /** Names of variables that commands get although they look like secrets. */
  readonly passedVariables: readonly string[];
  /** Secrets that are in no variable, by the name of one that they could be in. Commands do not get them. */
  readonly secretVariables: Readonly<Record<string, string>>;
  /** Where running commands are recorded, so that other runs of weft find them. */
  /** Where the sub-agents at work are shown to other processes. */
  readonly runningAgents: (() => Promise<RunningAgentStore>) | 'unseen';
  readonly blocksFolder: string;
  /** The file of the user's own notes for the project. */
  readonly notesFile: string;
  /** Where checkpoints of files are kept; `undefined` makes none. */
  readonly checkpointsFolder: string | undefined;
  /** Where files that are kept with sessions lie; `undefined` where no session is kept. */
  readonly artifactsFolder: string | undefined;
  readonly artifactUrl: ArtifactUrl;
  /** Where plans are kept. */
  readonly plans: () => Promise<PlanStore>;
  /** The checkpoints that saved sessions may rewind to. */
  readonly savedTrees: () => Promise<readonly SessionCheckpoints[]>;
  /** weft's own files, which hold its grants: not even a rule that allows everything lets them be changed unasked. */
  readonly weftFolders: WeftFolders;
  /** The key that placeholders of secrets are made with. */
  readonly placeholderKey: () => Uint8Array;
  /** Megabytes of its own memory near which weft warns the user. */
  readonly memoryCeiling: number;
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  readonly saveRule: SaveRule;
  readonly removeRule: SaveRule;
  readonly systemPrompt: string;
  /** The standing instructions as they are now; none where the system prompt is the user's own. */
  readonly instructions: Pick<WorkspaceStatePort, 'instructions' | 'instructionsBelow'>;
  /** The user's settings, history and kept sessions, as front ends ask for them. */
  readonly user: UserPorts;
  readonly limits: PromptLimits;
  readonly interaction: 'interactive' | 'unattended';
  readonly notices: NoticesPort;
  readonly mcp: McpPort;
  /** Tells of the tokens that MCP servers are given, as soon as they are known. */
  readonly learnTokens: (learn: (token: string) => void) => void;
  readonly commands: CommandsPort;
  readonly skills: SkillsPort;
  readonly agentKinds: AgentKindsPort;
  readonly harnesses: HarnessesPort;
  /** The folders of the user's skills, links followed: their files may be read unasked. */
  readonly skillFolders: () => readonly string[];
  readonly structuredOutput: EngineOptions['structuredOutput'];
  /** Makes the hooks, on the machine and with the secrets of this engine. */
  readonly hooks: (machine: HookMachine) => HooksPort;
  readonly thinking: Thinking;
  /** Tools that are not offered to the model. */
  readonly disabledTools: EngineOptions['disabledTools'];
  readonly sandbox: SandboxSetup;
}

/** How commands are confined, and what a sandbox hides besides. */
export interface SandboxSetup {
  readonly choice: SandboxChoice;
  /** Where proofs are kept. */
  readonly proofFolder: string;
  /** Whether commands inside reach this machine's own ports. */
  readonly loopback: 'closed' | 'open';
}

/**
 * Wires the engine to this machine: the one place where ports meet what implements them. Closing the engine also ends every command
 * that the user does not keep.
 */
export function composeEngine(setup: EngineSetup): AgentClient {
  const {roots, home, environment} = setup;
  const changeableRules = makeChangeableRules(setup.rules);
  const {rules} = changeableRules;
  const [directory] = roots;
  const outputs = makeOutputFolder({parent: join(tmpdir(), `weft-output-${process.getuid?.() ?? 'user'}`)});
  const secrets = makeRedactor({
    environment: {...setup.ownVariables, ...setup.secretVariables, ...environment},
    files: watchSecretFiles({roots, isSecretFile}),
    key: setup.placeholderKey,
  });
  setup.learnTokens(token => secrets.addSecret(token, 'MCP_SERVER_TOKEN'));
  /** What depends on which folders are the workspace. */
  const workspaceOf = (folders: EngineSetup['roots']) => {
    const newFiles = (): FilesPort => makeFiles({roots: folders, home, alsoReadable: outputs.folders});
    const files = newFiles();
    // A path is judged as it will be used: placeholders in it are replaced by their secrets.
    const pathContext = {roots: folders, home, resolve: (path: string) => files.resolve(secrets.restore(path))};
    const excluded = (): readonly string[] => deniedReadGlobs({...pathContext, rules});
    const newCommands = () => {
      const sandbox = lazySandbox({
        ...setup.sandbox,
        roots: folders,
        home,
        environment,
        ownFolders: setup.weftFolders.folders,
        deniedReads: excluded,
        // What is installed in the project is found from its worktrees.
        readable: folders === roots ? outputs.folders : () => [...outputs.folders(), ...roots],
        isProtected: isProtectedBelow,
        network: lazyNetwork({
          rules,
          loopback: setup.sandbox.loopback,
          // Where every command runs inside, a person is asked about what no rule speaks of.
          asking: coversAll(setup.sandbox.choice) && setup.interaction === 'interactive' ? 'open' : 'by-rule',
        }),
      });
      const commands = makeCommands({
        roots: folders,
        // Programs are found where the user would find them.
        environment: {...environment, PATH: userPath()},
        ownVariables: setup.ownVariables,
        passedVariables: setup.passedVariables,
        outputs,
        filter: secrets.filter,
        redact: secrets.redact,
        registryFolder: setup.blocksFolder,
        blockWaits: 'usual',
        sandbox,
      });
      return {sandbox, commands};
    };
    return {newFiles, files, pathContext, excluded, newCommands};
  };
  const workspace = workspaceOf(roots);
  const {files, pathContext, excluded} = workspace;
  const main = workspace.newCommands();
  const {sandbox, commands} = main;
  const checkpoints = lazyCheckpoints(
    setup.checkpointsFolder === undefined
      ? undefined
      : {roots, folder: setup.checkpointsFolder, environment, now: () => Date.now()},
    setup.savedTrees,
  );
  const plainPorts: Parameters<typeof redactingPorts>[0] = {
    shell: commands.shell,
    blocks: commands.blocks,
    files,
    search: lazySearch({roots, home, environment, excluded}),
    mcp: setup.mcp,
    web: lazyWeb({environment, rules, newFile: outputs.newPage, redact: secrets.redact}),
    skills: setup.skills,
    conversations: {fetch: (request, signal) => setup.user.fetchConversation(request, signal)},
    changes: checkpoints,
  };
  const finder = lazyFinder({roots, home, environment, excluded});
  /** The machine in a workspace. What it runs on may be replaced by a new one once it is stopped, so that is asked for each time. */
  const machineOf = (
    {pathContext: place}: Pick<typeof workspace, 'pathContext'>,
    {running, ...ports}: Partial<typeof plainPorts> & {readonly running: () => typeof main},
  ) => {
    const hiding = redactingPorts({...plainPorts, ...ports}, secrets);
    const own = {...hiding, mcp: keepLongAnswers(hiding.mcp, outputs.newAnswer)};
    const judge = lazyJudge({
      ...place,
      alsoReadable: setup.skillFolders,
      weftFolders: setup.weftFolders,
      secretNames: text => secretNamesIn(secrets.redact(text)),
      list: listFolder,
      read: readBytes,
      strayProgram: (name, from) => strayProgram(name, {directory: from, roots: place.roots}),
      rules,
      directory: () => own.shell.directory,
      sandbox: setup.sandbox.choice === 'native' ? 'none' : () => running().sandbox.proof(),
      blockCommand: id =>
        running()
          .commands.control.list()
          .find(block => block.id === id)?.command ?? '',
    });
    return {machine: own, judge};
  };
  const {machine, judge} = machineOf(workspace, {running: () => main});
  const judgePort = ({assess}: Pick<JudgePort, 'assess'>): JudgePort => ({
    assess,
    sandbox: () => sandbox.known(),
    changeRules: change,
  });
  const harnesses = redactingHarnesses(setup.harnesses, secrets);
  const {history, exportSession, fetchConversation: _, ...user} = setup.user;
  const change = changeRules(changeableRules, setup.saveRule);
  const plans = lazyPlans(setup.plans);
  /** Those that agents have in folders of their own. */
  const machines = new Set<() => Promise<void>>();
  const engine: AgentClient = createEngine({
    host: hostServices({
      ...user,
      async permissionRules() {
        const kept = await user.permissionRules();
        const own = ruleLists
          .toReversed()
          .flatMap(list =>
            changeableRules.rules[list]
              .filter(({text}) => !kept.some(row => row.list === list && row.rule.trim() === text))
              .map(({text}) => ({list, rule: text, source: 'session', reason: ''})),
          );
        return [...own, ...kept];
      },
      async changeRule({change: kind, list, rule, scope}) {
        const isOfSession = scope === 'session' || kind === 'add';
        const done = await (isOfSession
          ? change(kind === 'add' ? {change: 'add', list, rule, scope} : {change: 'remove', list, rule})
          : setup.removeRule({list, rule, scope}));
        if (done.tag === 'failed') return done;
        const where = scope === 'session' ? 'for this session' : `in your ${scope} settings`;
        if (kind === 'add') return ok(`Added ${list} ${rule} ${where}`);
        return ok(`Removed ${list} ${rule}${scope === 'session' ? '' : `; it counts until weft ends`}`);
      },
      // A prompt may hold a secret, and the history is stored on disk.
      history: {load: () => history.load(), add: prompt => history.add(secrets.redact(prompt))},
      terminals: commands.control,
      // Front ends show placeholders for secrets, as the model reads them.
      edits: machine.files,
      mcp: machine.mcp,
      untrustedServers: () => user.untrustedServers(),
      finder: finder.finder,
      images: lazyImages(directory),
      async addNote(note) {
        const {addInstructionNote: addNote} = await import('../../workspace/files/instruction-files.ts');
        return addNote(note, directory);
      },
      memory: lazyMemory(setup.notesFile, secrets),
      async exportText(work) {
        const {exportText} = await import('../commands/sessions/export-session.ts');
        return exportText(work, {directory, home});
      },
      async exportSession(work) {
        const records = answerOutcome(await engine.query({query: 'records', from: 0}, new AbortController().signal));
        return records.tag === 'ok' ? exportSession(work, records.value) : records;
      },
      models: {
        ...user.models,
        async useKey(given, signal) {
          secrets.addSecret(given.key, 'API_KEY');
          return connected(await user.models.useKey(given, signal));
        },
        useServer: async (given, signal) => connected(await user.models.useServer(given, signal)),
        useEffort: async (given, signal) => connected(await user.models.useEffort(given, signal)),
      },
      async diagnostics() {
        const {doctorText} = await import('../commands/doctor/run-doctor.ts');
        return doctorText();
      },
      branch: () => gitBranch(directory),
    }),
    ports: {
      machine,
      impact: lazyImpact({roots, home, environment}, {...pathContext, weftFolders: setup.weftFolders}, secrets),
      checkpoints,
      workspaceState: workspaceState(setup.instructions, commands.control),
      notices: {listen: listener => setup.notices.listen(text => listener(secrets.redact(text)))},
      memory: watchMemory({
        ceiling: setup.memoryCeiling,
        used: () => process.memoryUsage.rss(),
        saveMemory() {
          const {setFlagsFromString} = process.getBuiltinModule('node:v8');
          // Else the young generation would take 128 MB, however little of it is alive.
          setFlagsFromString('--semi-space-growth-factor=1');
          // Each request's body is a large string that is garbage at once: it is collected before many more come.
          setFlagsFromString('--heap-growing-percent=30');
        },
        drop: () => finder.drop(),
      }),
      computer: redactingComputer(lazyComputer({environment, newFile: outputs.newScreenshot}), secrets),
      artifacts: lazyArtifacts(setup, secrets),
      plans,
      reviewSource: lazyReviewSource({directory, environment}, secrets),
      async replaceText(text, replacement) {
        const {applyReplacement} = await import('../../workspace/files/apply-replacement.ts');
        const replaced = applyReplacement(text, {...replacement, occurrence: 'only'}, 'quotes');
        return replaced.tag === 'ok' ? ok(replaced.value.text) : replaced;
      },
      secrets,
      commands: redactingCommands(setup.commands, secrets),
      hooks: setup.hooks({
        command: (work, stdin, signal) => commands.hooks.run(work, stdin, signal),
        redact: secrets.redact,
        async reach(rule, {name, input}) {
          const action = decodeAction(name, input, {...catalogueOnly, mcpTools: machine.mcp.tools()});
          return action.tag === 'ok' ? judge.reach(rule, action.value) : 'part';
        },
      }),
      model: redactModel(setup.model, secrets),
      judge: judgePort(judge),
      separateMachine(place) {
        if (place === 'same') {
          const shell = commands.newShell();
          const own = machineOf(workspace, {shell, files: workspace.newFiles(), running: () => main});
          return {machine: own.machine, judge: judgePort(own.judge), stop: async () => {}};
        }
        const apart = workspaceOf([place.in]);
        let running = apart.newCommands();
        const own = machineOf(apart, {
          shell: {
            get directory() {
              return running.commands.shell.directory;
            },
            run: (request, observe, signal) => running.commands.shell.run(request, observe, signal),
          },
          blocks: {
            find: id => running.commands.blocks.find(id),
            start: (request, signal) => running.commands.blocks.start(request, signal),
            read: (request, signal) => running.commands.blocks.read(request, signal),
            write: (request, signal) => running.commands.blocks.write(request, signal),
          },
          files: apart.files,
          search: lazySearch({roots: [place.in], home, environment, excluded: apart.excluded}),
          changes: {watch: async () => async () => noChanges},
          running: () => running,
        });
        const stop = async (): Promise<void> => {
          const {commands: before} = running;
          running = apart.newCommands();
          await before.close();
        };
        machines.add(stop);
        return {machine: own.machine, judge: judgePort(own.judge), stop};
      },
      worktrees: lazyWorktrees(environment, secrets),
      runningAgents: setup.runningAgents === 'unseen' ? unseenAgents : lazyRunningAgents(setup.runningAgents),
      sessions: setup.sessions,
      harnesses,
      agentKinds: redactedKinds(setup.agentKinds, secrets.redact),
      clock: {now: () => Date.now()},
      ids: {
        message: () => messageId(randomUuid()),
        todo: () => todoId(randomUuid()),
        plan: () => planId(`plan_${randomUuid().slice(0, 8)}`),
      },
    },
    session: setup.session,
    directory,
    origin: setup.origin,
    model: setup.modelId,
    mode: setup.mode,
    systemPrompt: secrets.redact(setup.systemPrompt),
    limits: setup.limits,
    interaction: setup.interaction,
    structuredOutput: setup.structuredOutput,
    thinking: setup.thinking,
    disabledTools: setup.disabledTools,
    place: {kind: 'top'},
    agentLimits: usualLimits,
  });
  function connected(done: Outcome<ModelConnection, Fault>): Outcome<ModelConnection, Fault> {
    if (done.tag === 'ok') engine.submit({op: 'set-model', model: done.value.model});
    return done.tag === 'ok' ? done : failed(redactFault(done.error, secrets));
  }
  return {
    submit: op => engine.submit(op),
    subscribe: listener => engine.subscribe(listener),
    query: (request, signal) => engine.query(request, signal),
    watch: (request, listener, signal) => engine.watch(request, listener, signal),
    async close(reason) {
      await engine.close(reason);
      finder.drop();
      await plans.close();
      await harnesses.close();
      await Promise.all([...machines].map(async stop => stop()));
      await commands.close();
    },
  };
}

/** Redacts the errors of a model, since servers may quote the key that they were given. */
const redactModel = (model: ModelPort, secrets: Redactor): ModelPort => ({
  get provider() {
    return model.provider;
  },
  get searchesWeb() {
    return model.searchesWeb;
  },
  facts: name => model.facts(name),
  async *stream(request, signal) {
    for await (const batch of model.stream(request, signal)) yield batch.map(event => redacted(event, secrets));
  },
});

function redacted(event: ModelEvent, secrets: Redactor): ModelEvent {
  if (event.event === 'failed') return {...event, fault: redactFault(event.fault, secrets)};
  return event.event === 'retrying' || event.event === 'fell-back'
    ? {...event, message: secrets.redact(event.message)}
    : event;
}

/** Writes a rule into a settings file, where the next run of weft finds it. */
export type SaveRule = (rule: SavedRule) => Promise<Outcome<unknown, Fault>>;

export interface SavedRule {
  readonly list: RuleList;
  readonly rule: string;
  readonly scope: Exclude<RuleScope, 'session'>;
}

/** Changes the rules as an approval decision says. They hold at once; a rule that cannot be saved holds until weft ends. */
export const changeRules =
  (changeableRules: ChangeableRules, keep: SaveRule): JudgePort['changeRules'] =>
  async change => {
    switch (change.change) {
      case 'add': {
        const {list, rule, scope} = change;
        const read = ruleFrom(rule);
        if (read.tag === 'failed') return read;
        changeableRules.add(list, read.value);
        if (scope === 'session') return ok(undefined);
        const kept = await keep({list, rule: read.value.text, scope});
        if (kept.tag === 'ok') return ok(undefined);
        return failed({kind: 'needs-user', message: faultText(kept.error), fix: 'The rule applies until weft exits.'});
      }
      case 'remove': {
        const {list, rule} = change;
        if (changeableRules.remove(list, rule)) return ok(undefined);
        return failed(rejected(`No rule ${rule} in this session (${list}). Nothing was removed.`));
      }
      case 'replace': {
        const rules: PermissionRule[] = [];
        for (const text of change.rules) {
          const read = ruleFrom(text);
          if (read.tag === 'failed') return read;
          rules.push(read.value);
        }
        changeableRules.replace(change.list, rules);
        return ok(undefined);
      }
      case 'prompt': {
        const read = change.rules.map(ruleFrom);
        changeableRules.allowForPrompt(read.flatMap(rule => (rule.tag === 'ok' ? [rule.value] : [])));
        const wrong = read.flatMap(rule => (rule.tag === 'failed' ? [faultText(rule.error)] : []));
        return wrong.length === 0 ? ok(undefined) : failed(rejected(wrong.join(' ')));
      }
      default:
        return unreachable(change);
    }
  };

function ruleFrom(text: string): Outcome<PermissionRule, Fault> {
  const rule = parseRule(text);
  return rule.tag === 'ok' ? rule : failed(rejected(rule.error.message));
}
