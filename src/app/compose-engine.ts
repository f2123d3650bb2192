import type {Profile} from '../domain/model-family.ts';
import type {ModelEvent, ModelPort} from '../domain/model-stream.ts';
import type {WeftFolders} from '../safety/paths/weft-files.ts';
import {namedChecks} from '../agent/session-context.ts';
import {deniedReadGlobs} from '../safety/rules/denied-read-globs.ts';
import {
  type AgentRules,
  makeChangeableRules,
  type PermissionRules,
  rulesOfAgent,
} from '../safety/rules/permission-rule.ts';
import {secretNamesIn} from '../safety/secrets/placeholders.ts';
import {redactingCommands, redactingComparison, redactingComputer, redactingPorts} from './redacting-ports.ts';
import {makeRedactor, redactDeep, type Redactor} from '../safety/secrets/redactor.ts';
import {isProtectedBelow} from '../safety/paths/protected-paths.ts';
import {isSecretFile} from '../safety/secrets/secret-files.ts';
import {isRunning} from '../actions/block-text.ts';
import type {ArtifactUrl} from '../actions/artifacts-port.ts';
import type {EditorFiles, FilesPort} from '../actions/files-port.ts';
import type {HarnessesPort} from '../actions/harness-port.ts';
import type {SkillsPort} from '../actions/skills-port.ts';
import {type AgentClient, answerOutcome, type ModelConnection} from '../agent/client.ts';
import {gitBranch} from '../workspace/files/git-branch.ts';
import {redactedKinds} from './agent-kinds.ts';
import type {PlanStore} from '../store/plan-store.ts';
import type {JobStore} from '../domain/job.ts';
import {defaultAgentLimits} from '../agent/sub-agents/agent-limits.ts';
import type {SaveRule} from './change-rules.ts';
import {hostServices} from './host-services.ts';
import {
  lazyArtifacts,
  lazyComputer,
  lazyCheckpoints,
  lazyFinder,
  lazyImages,
  lazyImpact,
  type HoldingBack,
  lazyJudge,
  outsideOptions,
  lazyMemory,
  lazyNetwork,
  lazyPlans,
  lazyReviewSource,
  lazySandbox,
  lazySearch,
  lazyWeb,
  lazyRunningAgents,
  lazyWorktrees,
  machineEnvironment,
  workspaceState,
  longTexts,
  savingLongAnswers,
} from './lazy-ports.ts';
import type {UserPorts} from './user-ports.ts';
import {createEngine, type EngineOptions} from '../agent/create-engine.ts';
import {type Action, judgedAction, ruleKinds} from '../actions/catalogue.ts';
import {defaultToolSources, decodeAction} from '../actions/decode-action.ts';
import type {HooksPort} from '../actions/hooks-port.ts';
import type {RuleReach} from '../domain/access.ts';
import {revealedWindow} from '../domain/compaction.ts';
import type {ToolCallBlock} from '../domain/conversation.ts';
import {type AgentPorts, type JudgePort, noopRunningAgents, type WorkspaceStatePort} from '../agent/ports.ts';
import type {OpenServers} from './open-servers.ts';
import type {SessionCheckpoints} from '../domain/checkpoint.ts';
import type {HookCommand, HookOutput} from '../domain/hook.ts';
import {blockId, messageId, planId, todoId, type BlockId} from '../domain/ids.ts';
import {sandboxesAllCommands, type SandboxChoice} from '../domain/sandbox.ts';
import type {JudgeOptions, OutsideOptions} from '../safety/judge.ts';
import {ruleLists} from '../domain/risk.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {makeCommands} from '../workspace/exec/make-commands.ts';
import {outputParent, makeOutputFolder} from '../workspace/exec/output-folder.ts';
import {findUntrustedProgram, userPath} from '../workspace/exec/trusted-path.ts';
import {listFolder} from '../workspace/files/list-folder.ts';
import {makeFiles} from '../workspace/files/make-files.ts';
import {readBytes} from '../workspace/files/regular-files.ts';
import {watchSecretFiles} from '../workspace/files/secret-files.ts';
import {watchMemory} from './watch-memory.ts';
import {randomUuid} from './clock-and-ids.ts';
import type {TerminalControl} from '../actions/ports.ts';

export interface HookMachine {
  command(work: HookCommand, stdin: string, signal: AbortSignal): Promise<HookOutput>;
  readonly redact: (text: string) => string;
  readonly reach: (rule: string, call: ToolCallBlock) => Promise<RuleReach>;
}

export interface EngineSetup
  extends
    Pick<AgentPorts, 'sessions' | 'endKilledSessions' | 'notices' | 'commands' | 'agentKinds' | 'harnesses'>,
    Pick<OutsideOptions, 'workspace'> {
  readonly engine: Omit<EngineOptions, 'ports' | 'directory' | 'systemPrompt' | 'place' | 'host' | 'agentLimits'>;
  readonly systemPrompt: EngineOptions['systemPrompt'];
  readonly model: ModelPort;
  /** The workspace folders. Commands start in the first one, and relative paths resolve from it. */
  readonly roots: readonly [string, ...string[]];
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly ownVariables: Readonly<Record<string, string>>;
  /** Names of variables that commands get even though they look like secrets. */
  readonly passedVariables: readonly string[];
  /** Secrets from outside the environment, by the variable that could hold them. Commands do not get them. */
  readonly secretVariables: Readonly<Record<string, string>>;
  /** Calls back with each secret that turns up, until the function that it returns is called. */
  readonly learnSecrets: (learn: (secret: string) => void) => () => void;
  /** The store that shows running sub-agents to other processes. */
  readonly runningAgents: (() => Promise<JobStore>) | 'unseen';
  /** The folder that records running commands, so that other runs of weft find them. */
  readonly blocksFolder: string;
  /** Returns the file with the user's notes for the project. */
  readonly notesFile: () => string;
  /**
   * The folders for file checkpoints and for files saved with sessions. `undefined` saves none, because a killed weft could not remove these
   * copies of an unsaved session.
   */
  readonly checkpointsFolder: string | undefined;
  readonly artifactsFolder: string | undefined;
  readonly artifactUrl: ArtifactUrl;
  /** The files that are open in the editor that drives weft. */
  readonly editor: EditorFiles | 'none';
  readonly plans: () => Promise<PlanStore>;
  /** Returns the checkpoints that saved sessions can rewind to. */
  readonly savedTrees: () => Promise<readonly SessionCheckpoints[]>;
  /** weft's own files, which grant permissions. weft always asks before it changes them, even under a rule that allows everything. */
  readonly weftFolders: WeftFolders;
  readonly placeholderKey: () => Uint8Array;
  /** weft warns the user when its own memory comes near this many megabytes. */
  readonly memoryCeiling: number;
  readonly rules: PermissionRules;
  readonly saveRule: SaveRule;
  readonly removeRule: SaveRule;
  /** The current instructions; none if the user replaced the system prompt. */
  readonly instructions: Pick<WorkspaceStatePort, 'instructions' | 'instructionsBelow'>;
  /** The user's settings, history and saved sessions, for front ends. */
  readonly user: UserPorts;
  readonly servers: Pick<OpenServers, 'mcp' | 'learnTokens' | 'close'>;
  readonly skills: SkillsPort;
  /** The folders of the user's skills, with links resolved. weft never asks about reading their files. */
  readonly skillFolders: () => readonly string[];
  /** Makes the hooks with this engine's machine and secrets. */
  readonly hooks: (machine: HookMachine) => HooksPort;
  readonly sandbox: SandboxSetup;
}

/** The confinement of commands. */
interface SandboxSetup
  extends HoldingBack, Pick<JudgeOptions, 'unasked' | 'excluded'>, Pick<JudgePort, 'unsandboxedRetry'> {
  readonly choice: SandboxChoice;
  readonly proofFolder: string;
  /** Whether commands in the sandbox can reach ports of this machine. */
  readonly loopback: 'closed' | 'open';
}

/**
 * Connects the engine to this machine. This is the only function that joins ports and their implementations. Closing the engine also ends
 * every command, except those that the user keeps running.
 */
export function composeEngine(setup: EngineSetup): AgentClient {
  const {roots, home, environment} = setup;
  const changeableRules = makeChangeableRules(setup.rules);
  const rulesOfMain = rulesOfAgent(changeableRules.rules);
  const [directory] = roots;
  const outputs = makeOutputFolder({parent: outputParent()});
  const secrets = makeRedactor({
    environment: {...setup.ownVariables, ...setup.secretVariables, ...environment},
    files: watchSecretFiles({roots, isSecretFile}),
    key: setup.placeholderKey,
  });
  const endLearning = setup.learnSecrets(secret => secrets.addSecret(secret, 'MODEL_KEY'));
  setup.servers.learnTokens(token => secrets.addSecret(token, 'MCP_SERVER_TOKEN'));
  const outside = outsideOptions({roots, workspace: setup.workspace, outputs: outputs.folders});
  let blocks = 0;
  const {checkpointsFolder: folder} = setup;
  const checkpointsIn = (folders: readonly string[]) =>
    lazyCheckpoints({roots: folders, folder, environment, now: () => Date.now()}, setup.savedTrees);
  const checkpoints = checkpointsIn(roots);
  const {noteWrites: beforeWrite} = checkpoints;
  const fileOptions = {home, alsoReadable: outputs.folders, editor: setup.editor, beforeWrite};
  const workspaceOf = (folders: EngineSetup['roots'], {rules}: AgentRules) => {
    const newFiles = (): FilesPort => makeFiles({roots: folders, ...fileOptions});
    const files = newFiles();
    // Judge a path as it will be used: with secrets instead of placeholders.
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
        // Worktrees can read the packages installed in the project.
        readable: folders === roots ? outputs.folders : () => [...outputs.folders(), ...roots],
        isProtected: isProtectedBelow,
        isSecret: isSecretFile,
        network: lazyNetwork({
          rules,
          loopback: setup.sandbox.loopback,
          // If every command runs in the sandbox, ask the user about hosts without a rule.
          asking:
            sandboxesAllCommands(setup.sandbox.choice) && setup.engine.interaction === 'interactive'
              ? 'open'
              : 'by-rule',
        }),
      });
      const commands = makeCommands({
        roots: folders,
        // Find programs on the user's PATH.
        environment: {...environment, PATH: userPath()},
        ownVariables: setup.ownVariables,
        passedVariables: setup.passedVariables,
        outputs,
        filter: secrets.filter,
        redact: secrets.redact,
        registryFolder: setup.blocksFolder,
        checkpointsFolder: folder,
        waits: 'usual',
        newId: () => blockId(`b${++blocks}`),
        sandbox,
      });
      return {sandbox, commands};
    };
    return {newFiles, files, pathContext, excluded, newCommands};
  };
  const workspace = workspaceOf(roots, rulesOfMain);
  const {files, pathContext, excluded} = workspace;
  const main = workspace.newCommands();
  const {sandbox, commands} = main;
  const terminals = sessionTerminals(commands.control);
  const plainPorts: Parameters<typeof redactingPorts>[0] = {
    shell: commands.shell,
    blocks: commands.blocks,
    files,
    search: lazySearch({roots, home, environment, excluded}),
    mcp: setup.servers.mcp,
    web: lazyWeb({environment, rules: rulesOfMain.rules, newFile: outputs.newPage, redact: secrets.redact}),
    skills: setup.skills,
    conversations: {fetch: (request, signal) => setup.user.fetchConversation(request, signal)},
  };
  const finder = lazyFinder({roots, home, environment, excluded});
  /** Makes the machine of a workspace. `running` returns the current commands, which are replaced when they are stopped. */
  const machineOf = (
    {pathContext: place}: Pick<typeof workspace, 'pathContext'>,
    {
      rules: {rules, allowForPrompt},
      running,
      ...ports
    }: Partial<typeof plainPorts> & {
      readonly rules: AgentRules;
      readonly running: () => typeof main;
    },
  ) => {
    const hiding = redactingPorts({...plainPorts, ...ports}, secrets);
    const machine = {...hiding, mcp: savingLongAnswers(hiding.mcp, outputs.newAnswer)};
    const own = lazyJudge({
      ...place,
      alsoReadable: setup.skillFolders,
      weftFolders: setup.weftFolders,
      ruleKinds,
      secretNames: text => secretNamesIn(secrets.redact(text)),
      list: listFolder,
      read: readBytes,
      findWorkspaceProgram: (name, from) => findUntrustedProgram(name, {directory: from, roots: place.roots}),
      rules,
      checks: namedChecks(setup.engine.conditions),
      outside,
      unasked: setup.sandbox.unasked,
      heldBack: setup.sandbox.heldBack,
      choice: setup.sandbox.choice,
      excluded: setup.sandbox.excluded,
      sandbox: setup.sandbox.choice === 'native' ? 'none' : () => running().sandbox.proof(),
      blockCommand: id =>
        running()
          .commands.control.list()
          .find(block => block.id === id)?.command ?? '',
    });
    const judge: JudgePort = {
      ...own,
      assess: (action, by, signal) => own.assess(judgedAction(action), by, signal),
      deniesAnything: () => rules.deny.length > 0,
      sandbox: () => sandbox.known(),
      unsandboxedRetry: setup.sandbox.unsandboxedRetry,
      async changeRules(change) {
        const {changeRules} = await import('./change-rules.ts');
        return changeRules({...changeableRules, allowForPrompt}, setup.saveRule)(change);
      },
    };
    const reach = (rule: string, action: Action): Promise<RuleReach> =>
      own.reach(rule, judgedAction(action), machine.shell.directory);
    return {ports: {machine, judge, separateMachine: separateMachines(rules)}, reach};
  };
  /** Functions that stop the machines of sub-agents in their own folders. */
  const machines = new Set<() => Promise<void>>();
  /** Makes machines for sub-agents. The rules of their own prompts add to the rules `above`. */
  const separateMachines =
    (above: PermissionRules): AgentPorts['separateMachine'] =>
    place => {
      const rules = rulesOfAgent(above);
      if (place === 'same') {
        const own = {shell: commands.newShell(), files: workspace.newFiles()};
        const {ports} = machineOf(workspace, {rules, ...own, running: () => main});
        return {...ports, stop: async () => {}};
      }
      const apart = workspaceOf([place.in], rules);
      let running = apart.newCommands();
      let unlist = terminals.add(running.commands.control);
      const {ports} = machineOf(apart, {
        rules,
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
        running: () => running,
      });
      const stop = async (): Promise<void> => {
        const [{commands: before}, forget] = [running, unlist];
        running = apart.newCommands();
        unlist = terminals.add(running.commands.control);
        await before.close();
        forget();
      };
      machines.add(stop);
      return {...ports, stop, takeStep: checkpointsIn([place.in]).take};
    };
  const {ports: portsOfMain, reach} = machineOf(workspace, {rules: rulesOfMain, running: () => main});
  const {machine} = portsOfMain;
  const harnesses: HarnessesPort = {
    ...setup.harnesses,
    async start(request, host, signal) {
      const {redactingHarnesses} = await import('./redacting-harnesses.ts');
      return redactingHarnesses(setup.harnesses, secrets).start(request, host, signal);
    },
  };
  const {history, exportSession, fetchConversation: _, ...user} = setup.user;
  const plans = lazyPlans(setup.plans);
  const engine: AgentClient = createEngine({
    host: hostServices({
      ...user,
      sessions: {
        ...user.sessions,
        blame: async (target, signal) => redactDeep(await user.sessions.blame(target, signal), secrets),
      },
      async permissionRules() {
        const kept = await user.permissionRules();
        const own = ruleLists
          .toReversed()
          .flatMap(list =>
            rulesOfMain.rules[list]
              .filter(({text}) => !kept.some(row => row.list === list && row.rule.trim() === text))
              .map(({text}) => ({list, rule: text, source: changeableRules.scopeOf(list, text), reason: ''})),
          );
        return [...own, ...kept];
      },
      async changeRule({change: kind, list, rule, scope}) {
        const isOfSession = scope === 'session' || kind === 'add';
        const done = await (isOfSession
          ? portsOfMain.judge.changeRules(
              kind === 'add' ? {change: 'add', list, rule, scope} : {change: 'remove', list, rule},
            )
          : setup.removeRule({list, rule, scope}));
        if (done.tag === 'failed') return done;
        const where = scope === 'session' ? 'for this session' : `in your ${scope} settings`;
        if (kind === 'add') return ok(`Added ${list} ${rule} ${where}`);
        if (!isOfSession) changeableRules.setScope(list, rule, 'session');
        return ok(`Removed ${list} ${rule}${scope === 'session' ? '' : `; it applies until weft exits`}`);
      },
      // The history is stored on disk, and a prompt may contain a secret.
      history: {load: () => history.load(), add: prompt => history.add(secrets.redact(prompt))},
      terminals,
      // Front ends show placeholders instead of secrets, like the text that the model reads.
      edits: machine.files,
      mcp: machine.mcp,
      untrustedServers: () => user.untrustedServers(),
      finder: finder.finder,
      images: lazyImages(directory),
      async addNote(note) {
        const {addInstructionNote: addNote} = await import('../workspace/files/instruction-files.ts');
        return addNote(note, directory);
      },
      memory: lazyMemory(setup.notesFile, secrets),
      async exportText(work) {
        const {exportText} = await import('./export-session.ts');
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
        useWay: async (given, signal) => connected(await user.models.useWay(given, signal)),
        useEffort: async (given, signal) => connected(await user.models.useEffort(given, signal)),
      },
      async diagnostics() {
        const {doctorText} = await import('./diagnostics.ts');
        return doctorText();
      },
      branch: () => gitBranch(directory),
    }),
    ports: {
      ...portsOfMain,
      impact: lazyImpact({roots, home, environment}, {...pathContext, weftFolders: setup.weftFolders}, secrets),
      checkpoints,
      comparison: redactingComparison(checkpoints, secrets),
      workspaceState: workspaceState(setup.instructions, commands.control),
      environment: machineEnvironment({
        environment,
        roots,
        sandbox: setup.sandbox.choice,
        prompt:
          setup.engine.interaction === 'unattended' && setup.engine.environment === 'included' ? 'at-once' : 'later',
      }),
      notices: {listen: listener => setup.notices.listen(text => listener(secrets.redact(text)))},
      memory: watchMemory({
        ceiling: setup.memoryCeiling,
        used: () => process.memoryUsage.rss(),
        saveMemory() {
          const {setFlagsFromString} = process.getBuiltinModule('node:v8');
          // Otherwise the young generation would take 128 MB, even if little of it is alive.
          setFlagsFromString('--semi-space-growth-factor=1');
          // Each request's body is a large string that becomes garbage at once. Collect it before many more follow.
          setFlagsFromString('--heap-growing-percent=30');
        },
        drop: () => finder.drop(),
      }),
      computer: redactingComputer(lazyComputer({environment, newFile: outputs.newScreenshot}), secrets),
      artifacts: lazyArtifacts(setup, secrets),
      plans,
      reviewSource: lazyReviewSource({directory, environment}, secrets),
      async replaceText(text, replacement) {
        const {applyReplacement} = await import('../workspace/files/apply-replacement.ts');
        const replaced = applyReplacement(text, {...replacement, occurrence: 'only'}, 'quotes');
        return replaced.tag === 'ok' ? ok(replaced.value.text) : replaced;
      },
      saveText: async text => (await longTexts()).saveText(text, outputs.newPrompt),
      secrets: {redact: secrets.redact, redactDeep: value => redactDeep(value, secrets)},
      commands: redactingCommands(setup.commands, secrets),
      hooks: setup.hooks({
        command: (work, stdin, signal) => commands.hooks.run(work, stdin, signal),
        redact: secrets.redact,
        async reach(rule, {name, input}) {
          const action = decodeAction(name, input, {...defaultToolSources, mcpTools: machine.mcp.tools()});
          return action.tag === 'ok' ? reach(rule, action.value) : 'part';
        },
      }),
      model: modelOfSession(setup.model, secrets),
      worktrees: lazyWorktrees(environment, secrets),
      runningAgents: setup.runningAgents === 'unseen' ? noopRunningAgents : lazyRunningAgents(setup.runningAgents),
      sessions: setup.sessions,
      endKilledSessions: setup.endKilledSessions,
      harnesses,
      agentKinds: redactedKinds(setup.agentKinds, secrets.redact),
      clock: {now: () => Date.now()},
      ids: {
        message: () => messageId(randomUuid()),
        todo: () => todoId(randomUuid()),
        plan: () => planId(`plan_${randomUuid().slice(0, 8)}`),
      },
    },
    ...setup.engine,
    directory,
    systemPrompt: redactedOnce(setup.systemPrompt, secrets),
    place: {kind: 'top'},
    agentLimits: defaultAgentLimits,
  });
  function connected(done: Outcome<ModelConnection, Fault>): Outcome<ModelConnection, Fault> {
    if (done.tag === 'ok') engine.submit({op: 'set-model', model: done.value.model});
    return done.tag === 'ok' ? done : redactDeep(done, secrets);
  }
  return {
    submit: op => engine.submit(op),
    subscribe: listener => engine.subscribe(listener),
    query: (request, signal) => engine.query(request, signal),
    watch: (request, listener, signal) => engine.watch(request, listener, signal),
    async close(reason) {
      await engine.close(reason);
      endLearning();
      finder.drop();
      await plans.close();
      await harnesses.close();
      await Promise.all([...machines].map(async stop => stop()));
      await commands.close();
      await setup.servers.close();
    },
  };
}

/** Redacts the prompt of each profile once. */
function redactedOnce(systemPrompt: EngineOptions['systemPrompt'], secrets: Redactor): EngineOptions['systemPrompt'] {
  const known = new Map<Profile, string>();
  return profile => {
    const prompt = known.get(profile) ?? secrets.redact(systemPrompt(profile));
    known.set(profile, prompt);
    return prompt;
  };
}

/**
 * Redacts the errors of a model, because servers may quote the key in them. Remembers the context window that a refusal or an answer reveals:
 * a gateway or a local server often has a smaller one than the model.
 */
function modelOfSession(model: ModelPort, secrets: Redactor): ModelPort {
  const windows = new Map<string, number>();
  return {
    get provider() {
      return model.provider;
    },
    get searchesWeb() {
      return model.searchesWeb;
    },
    facts(name) {
      const facts = model.facts(name);
      return {...facts, contextWindow: windows.get(name) ?? facts.contextWindow};
    },
    async *stream(request, signal) {
      for await (const batch of model.stream(request, signal)) {
        yield batch.map(event => {
          const window = revealedWindow(event, request);
          if (window > 0) windows.set(request.model, window);
          return redacted(event, secrets, window);
        });
      }
    },
  };
}

function redacted(event: ModelEvent, secrets: Redactor, window: number): ModelEvent {
  if (event.event === 'message-finished') return window === 0 ? event : {...event, stop: 'context-full'};
  if (event.event === 'failed') return {...event, fault: redactDeep(event.fault, secrets)};
  if (event.event === 'repaired') return {...event, text: secrets.redact(event.text)};
  return event.event === 'retrying' || event.event === 'fell-back'
    ? {...event, message: secrets.redact(event.message)}
    : event;
}

/** The background commands of a session in one list: its own, and those of sub-agents in their own folders. Ids are unique. */
export interface SessionTerminals extends TerminalControl {
  /** Adds a sub-agent's commands to the list. The returned function removes them. */
  add(others: TerminalControl): () => void;
}

export function sessionTerminals(own: TerminalControl): SessionTerminals {
  const all = new Set([own]);
  /** The functions that unsubscribe each listener, per terminal control. */
  const listeners = new Map<() => void, Map<TerminalControl, () => void>>();
  /** Returns the control whose list has the block. Blocks in no list are the session's own: commands that the user runs and waits for. */
  const holderOf = (id: BlockId): TerminalControl =>
    [...all].find(each => each.list().some(block => block.id === id)) ?? own;
  return {
    list() {
      const blocks = [...all].flatMap(each => each.list());
      return [...blocks.filter(({state}) => isRunning(state)), ...blocks.filter(({state}) => !isRunning(state))];
    },
    watch(listener) {
      listeners.set(listener, new Map([...all].map(each => [each, each.watch(listener)])));
      return () => {
        for (const end of listeners.get(listener)?.values() ?? []) end();
        listeners.delete(listener);
      };
    },
    stop: async id => holderOf(id).stop(id),
    keep: id => holderOf(id).keep(id),
    attach: (id, terminal) => holderOf(id).attach(id, terminal),
    add(others) {
      all.add(others);
      for (const [listener, heard] of listeners) heard.set(others, others.watch(listener));
      return () => {
        all.delete(others);
        for (const [listener, heard] of listeners) {
          heard.get(others)?.();
          heard.delete(others);
          listener();
        }
      };
    },
  };
}
