import {emptyChangesOutcome} from '../../src/actions/changes-port.ts';
import {terminalAbilities} from '../../src/actions/front-end.ts';
import type {ModelEvent, ModelPort, ModelRequest} from '../../src/domain/model-stream.ts';
import {reasonOf} from './reason.ts';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import type {Action} from '../../src/actions/catalogue.ts';
import {type CommandsPort, noopCommands} from '../../src/actions/commands-port.ts';
import type {ConversationsPort} from '../../src/actions/conversations-port.ts';
import {noopSkills, type SkillsPort} from '../../src/actions/skills-port.ts';
import {noopMcp, type McpPort} from '../../src/actions/mcp-port.ts';
import type {FilesPort} from '../../src/actions/files-port.ts';
import type {WebPort} from '../../src/actions/web-port.ts';
import {emptyImpactReport, type ActionPorts, type SearchPort, type ShellReport} from '../../src/actions/ports.ts';
import type {HostPorts} from '../../src/app/host-services.ts';
import {hostServices} from '../../src/app/host-services.ts';
import {blankHost} from './blank-host.ts';
import {noConversations} from './no-conversations.ts';
import {noComputer} from './no-computer.ts';
import {noWeb} from './no-web.ts';
import {createEngine, type EngineOptions} from '../../src/agent/create-engine.ts';
import type {AgentClient, Answer, AnswerOf, Query, QueryName} from '../../src/agent/client.ts';
import {noopHooks, type HooksPort} from '../../src/actions/hooks-port.ts';
import type {WorktreesPort} from '../../src/actions/worktrees-port.ts';
import {noopHarnesses, type HarnessesPort} from '../../src/actions/harness-port.ts';
import {noopAgentKinds, type AgentPorts, noopRunningAgents} from '../../src/agent/ports.ts';
import {emptyConditions} from '../../src/agent/session-context.ts';
import {defaultAgentLimits} from '../../src/agent/sub-agents/agent-limits.ts';
import type {Json} from '../../src/base/json.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {treeId, type CheckpointsPort} from '../../src/domain/checkpoint.ts';
import type {AssistantBlock} from '../../src/domain/conversation.ts';
import {faultText, rejected} from '../../src/domain/fault.ts';
import {actionId, messageId, parseSessionId, planId, type PlanId, todoId} from '../../src/domain/ids.ts';
import type {Plan} from '../../src/domain/plan.ts';
import type {JournalRecord, OpenSession} from '../../src/domain/journal.ts';
import {judgedFor} from '../../src/domain/executor.ts';
import type {Obligation} from '../../src/domain/obligation.ts';
import {noDetail, type Verdict} from '../../src/domain/risk.ts';

const none = failed(rejected('There are no worktrees here.'));

const noopWorktrees: WorktreesPort = {
  open: async () => none,
  changes: async () => none,
  merge: async () => none,
  release: async () => {},
  drop: async () => none,
};

/** One scripted answer of the model: its blocks, or events as they stand. */
export type ScriptedAnswer =
  | {readonly blocks: readonly AssistantBlock[]; readonly before?: Promise<void>}
  | {readonly events: readonly ModelEvent[]};

export const says = (text: string): ScriptedAnswer => ({blocks: [{kind: 'text', text}]});

let calls = 0;
export const callBlock = (name: string, input: Json, id = `call_${++calls}`): AssistantBlock => ({
  kind: 'tool-call',
  id: actionId(id),
  name,
  input,
});

export const callsTools = (...blocks: readonly AssistantBlock[]): ScriptedAnswer => ({blocks});

const usage = {inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0};

/** The names of the tools that a request offers. */
export const toolNames = ({tools}: ModelRequest): readonly string[] =>
  tools.map(tool => ('provided' in tool ? tool.provided : tool.name));

/** A model that answers from a script and keeps the requests; after an abort it ends at once. */
export function scriptedModel(
  script: readonly ScriptedAnswer[],
  contextWindow = 1000,
): ModelPort & {readonly requests: ModelRequest[]} {
  const requests: ModelRequest[] = [];
  return {
    provider: 'script',
    searchesWeb: false,
    requests,
    facts: () => ({
      profile: 'claude-5',
      contextWindow,
      images: 'unknown',
      pdfs: 'sent',
      effort: 'default',
      efforts: [],
      effortChange: 'cache-lost',
      costOf: ({inputTokens, cacheReadTokens}) => inputTokens / 1000 + cacheReadTokens / 10_000,
    }),
    async *stream(request, signal) {
      const answer = script[requests.length];
      requests.push(request);
      if (answer === undefined) {
        yield [
          {
            event: 'failed',
            fault: {kind: 'provider', message: 'The script has ended.', fix: '', status: 0, refusal: {kind: 'other'}},
          },
        ];
        return;
      }
      if ('events' in answer) {
        yield answer.events;
        return;
      }
      yield [{event: 'message-started', id: messageId(`answer_${requests.length}`), model: request.model, usage}];
      for (const [index, block] of answer.blocks.entries()) {
        if (answer.before !== undefined) await Promise.race([answer.before, aborted(signal)]);
        if (signal.aborted) return;
        yield blockEvents(index, block);
      }
      const stop = answer.blocks.some(({kind}) => kind === 'tool-call') ? 'tool-use' : 'end-turn';
      yield [{event: 'message-finished', stop, usage}];
    },
  };
}

function blockEvents(index: number, block: AssistantBlock): readonly ModelEvent[] {
  switch (block.kind) {
    case 'text':
      return [
        {event: 'block-started', index, block: {kind: 'text'}},
        {event: 'block-delta', index, delta: {kind: 'text', text: block.text}},
        {event: 'block-finished', index, block},
      ];
    case 'tool-call':
      return [
        {event: 'block-started', index, block: {kind: 'tool-call', id: block.id, name: block.name}},
        {event: 'block-delta', index, delta: {kind: 'tool-input', json: JSON.stringify(block.input)}},
        {event: 'block-finished', index, block},
      ];
    default:
      return [{event: 'block-finished', index, block}];
  }
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), {once: true});
  });

/** A session in memory whose records a test can read. */
/** `kept` leaves out the tools and the system prompt of requests. */
export function memorySession(records: readonly JournalRecord[] = []): OpenSession & {readonly kept: JournalRecord[]} {
  const id = parseSessionId('00000000-0000-4000-8000-000000000001');
  if (id === undefined) throw new Error('the fixed id is a UUID');
  const kept: JournalRecord[] = [];
  const append = (record: JournalRecord): void => {
    if (record.kind !== 'request-prefix') kept.push(record);
  };
  return {id, records, kept, append, close: () => {}};
}

/** The verdict on a command in a mode that asks. */
export const asks: Verdict = {
  decision: 'ask',
  risk: 'unknown',
  reasons: [reasonOf('commands need your approval')],
  sessionApproval: 'exact',
  detail: noDetail,
};

export const finishedReport = (text: string, code = 0): ShellReport => ({
  end: {kind: 'exited', code},
  output: {text, totalBytes: text.length, leftOutLines: 0, file: undefined},
  durationMs: 1,
  directory: '/work',
  nextDirectory: '/work',
  leftRunning: [],
  blocked: '',
  changes: emptyChangesOutcome,
  notes: [],
});

/** Keeps nothing: every checkpoint is the same, and nothing goes back. */
export const noCheckpoints: CheckpointsPort = {
  prefetch: async () => {},
  uncoveredFiles: async () => [],
  take: async () => ok(treeId('same')),
  preview: async () => ok({files: [], conflicts: [], excluded: [], coverage: 'all files' as const}),
  revert: async () =>
    ok({
      report: {files: [], conflicts: [], excluded: [], coverage: 'all files' as const},
      change: {before: treeId('same'), after: treeId('same')},
    }),
};

const noBlocks = failed(rejected('no such block'));

let prompts = 0;
export const promptOp = (text: string, when: 'queued' | 'steering' = 'queued', id = `p${++prompts}`) =>
  ({op: 'prompt', id: messageId(id), text, images: [], when}) as const;

export interface Bench {
  readonly engine: AgentClient;
  readonly events: AgentEvent[];
  readonly session: ReturnType<typeof memorySession>;
  readonly model: ReturnType<typeof scriptedModel>;
  /** Submits a prompt and waits for its end. */
  prompt(text: string): Promise<Extract<AgentEvent, {event: 'prompt-finished'}>['summary']>;
  /** Asks the engine, and never takes that back. */
  query<Name extends QueryName>(request: Query<Name>): Promise<Answer<Name>>;
  /** The next event of that kind, past or future, that has not been asked for. */
  next<K extends AgentEvent['event']>(kind: K): Promise<Extract<AgentEvent, {event: K}>>;
}

/** The value of an answer that must be there. */
export function valueOf<T>(answer: AnswerOf<T>): T {
  if (answer.tag === 'ok') return answer.value;
  throw new Error(answer.tag === 'failed' ? faultText(answer.error) : 'it was cancelled');
}

/** An engine on ports that live in memory; every part can be replaced. */
export function engineBench(
  script: readonly ScriptedAnswer[],
  given: {
    readonly host?: Partial<HostPorts>;
    readonly shell?: ActionPorts['shell']['run'];
    readonly codebase?: ActionPorts['search']['codebase'];
    readonly blocks?: ActionPorts['blocks'];
    readonly read?: ActionPorts['files']['read'];
    readonly files?: Partial<ActionPorts['files']>;
    readonly assess?: (action: Action) => Verdict;
    readonly learn?: AgentPorts['judge']['learn'];
    readonly obligations?: (action: Action) => readonly Obligation[];
    readonly checkpoints?: CheckpointsPort;
    readonly mcp?: McpPort;
    readonly web?: Partial<WebPort>;
    readonly workspaceState?: Partial<AgentPorts['workspaceState']>;
    readonly environment?: Partial<AgentPorts['environment']>;
    readonly session?: ReturnType<typeof memorySession>;
    readonly memoryWarning?: () => string;
    readonly listenToNotices?: AgentPorts['notices']['listen'];
    readonly hooks?: Partial<HooksPort>;
    readonly commands?: CommandsPort;
    readonly skills?: SkillsPort;
    readonly plans?: AgentPorts['plans'];
    readonly runningAgents?: AgentPorts['runningAgents'];
    readonly saveText?: AgentPorts['saveText'];
    readonly artifacts?: AgentPorts['artifacts'];
    readonly computer?: AgentPorts['computer'];
    readonly clock?: AgentPorts['clock'];
    readonly reviewSource?: AgentPorts['reviewSource'];
    readonly conversations?: ConversationsPort;
    readonly changeRules?: AgentPorts['judge']['changeRules'];
    readonly sandbox?: AgentPorts['judge']['sandbox'];
    readonly unsandboxedRetry?: AgentPorts['judge']['unsandboxedRetry'];
    readonly harnesses?: HarnessesPort;
    readonly worktrees?: WorktreesPort;
    readonly sessions?: Partial<AgentPorts['sessions']>;
    readonly options?: Partial<EngineOptions>;
    /** Tokens of the model's context window. */
    readonly window?: number;
    /** Answers in place of the script. */
    readonly port?: ModelPort;
  } = {},
): Bench {
  const model = scriptedModel(script, given.window);
  const session = given.session ?? memorySession();
  let ids = 0;
  const allow: Verdict = {
    decision: 'allow',
    risk: 'read-only',
    reasons: [],
    sessionApproval: 'exact',
    detail: noDetail,
  };
  const search: SearchPort = {
    limitedTo: () => search,
    grep: async () => ok({lines: [], omitted: {count: 0, exact: 'exact'}} as const),
    glob: async () => ok({paths: [], omitted: 0}),
    codebase: given.codebase ?? (async () => ok({places: [], terms: [], files: 0, searched: 'whole'} as const)),
  };
  const files: FilesPort = {
    limitedTo: () => files,
    resolve: path => ({path, place: 'inside-workspace'}),
    read:
      given.read ??
      (async ({path}) =>
        ok({kind: 'text', path, lines: [`text of ${path}`], firstLine: 1, totalLines: 1, notes: []} as const)),
    plan: async () => ok([]),
    apply: async () => ok({files: [], userChanged: []}),
    draft: async () => ok([]),
    ...given.files,
  };
  const ports: AgentPorts = {
    model: given.port ?? model,
    judge: {
      assess: async (action, {executor}) =>
        judgedFor(
          {verdict: (given.assess ?? (() => allow))(action), obligations: given.obligations?.(action) ?? []},
          executor,
        ),
      deniesAnything: () => true,
      sandbox: given.sandbox ?? (() => 'unknown'),
      unsandboxedRetry: given.unsandboxedRetry ?? 'offered',
      learn: given.learn ?? (async () => {}),
      writes: async () => 'any',
      checksIn: async () => [],
      hidingIn: async () => 'passed',
      ranIn: async command => command,
      changeRules: given.changeRules ?? (async () => ok(undefined)),
    },
    hooks: {...noopHooks, ...given.hooks},
    commands: given.commands ?? noopCommands,
    impact: {find: async () => emptyImpactReport},
    checkpoints: given.checkpoints ?? noCheckpoints,
    workspaceState: {
      instructions: () => [],
      instructionsBelow: () => [],
      runningCommands: () => [],
      text: async () => undefined,
      fingerprints: async () => [],
      ...given.workspaceState,
    },
    environment: {
      machine: () => ({platform: 'linux', shell: 'bash'}),
      date: () => '2026-11-29, UTC+00:00',
      sandbox: 'native',
      branch: () => 'main',
      repository: async () => undefined,
      ...given.environment,
    },
    notices: {listen: given.listenToNotices ?? (() => {})},
    memory: {warning: given.memoryWarning ?? (() => '')},
    plans: given.plans ?? memoryPlans(),
    computer: given.computer ?? noComputer,
    artifacts: given.artifacts ?? {keep: async () => failed(rejected('Nothing is kept here.'))},
    reviewSource: given.reviewSource ?? {read: async () => failed(rejected('There is no repository here.'))},
    replaceText: async (text, {oldText, newText}) =>
      text.split(oldText).length === 2
        ? ok(text.replace(oldText, () => newText))
        : failed('it does not stand there once.'),
    saveText: given.saveText ?? (async () => '/outputs/prompt-1.txt'),
    secrets: {redact: text => text, redactDeep: value => value},
    harnesses: given.harnesses ?? noopHarnesses,
    agentKinds: noopAgentKinds,
    separateMachine: () => ({...ports, stop: async () => {}}),
    worktrees: given.worktrees ?? noopWorktrees,
    runningAgents: given.runningAgents ?? noopRunningAgents,
    comparison: {
      compare: async () => ok({files: [], more: 0, coverage: 'all files' as const}),
      stateNow: async () => failed(rejected('there are no states')),
      unchangedSince: async receipts => ok(receipts.map(({tree}) => tree !== 'unknown')),
    },
    sessions: {
      create: () => memorySession(),
      createSubSession: () => memorySession(),
      branch: () => ok(memorySession(session.kept)),
      resume: () => failed(rejected('no such session')),
      changesAlongside: () => [],
      ...given.sessions,
    },
    machine: {
      blocks: given.blocks ?? {
        find: () => noBlocks,
        start: async () => noBlocks,
        read: async () => noBlocks,
        write: async () => noBlocks,
      },
      shell: {directory: '/work', run: given.shell ?? (async ({command}) => finishedReport(`ran ${command}`))},
      files,
      search,
      skills: given.skills ?? noopSkills,
      conversations: given.conversations ?? noConversations,
      mcp: given.mcp ?? noopMcp,
      web: {...noWeb, ...given.web},
    },
    clock: given.clock ?? {now: () => 0},
    ids: {message: () => messageId(`m${++ids}`), todo: () => todoId(`t${++ids}`), plan: () => planId(`plan_${++ids}`)},
  };
  const engine = createEngine({
    ports,
    host: hostServices({...blankHost, ...given.host}),
    session,
    directory: '/work',
    origin: 'new',
    model: 'scripted',
    mode: 'default',
    systemPrompt: () => 'You are a test.',
    environment: 'left-out',
    limits: {maxTurns: 'unlimited', maxCostUsd: 'unlimited'},
    interaction: 'interactive',
    frontEnd: terminalAbilities,
    backgroundAgents: 'left',
    thinking: {kind: 'default'},
    compaction: 'off',
    structuredOutput: {kind: 'none'},
    conditions: emptyConditions,
    loopGuard: 'on',
    selfReports: 'left-out',
    disabledTools: new Map(),
    place: {kind: 'top'},
    agentLimits: defaultAgentLimits,
    ...given.options,
  });
  const events: AgentEvent[] = [];
  const taken = new Set<AgentEvent>();
  let wake: (() => void)[] = [];
  engine.subscribe(batch => {
    events.push(...batch);
    const waiting = wake;
    wake = [];
    for (const go of waiting) go();
  });
  const next = async <K extends AgentEvent['event']>(kind: K): Promise<Extract<AgentEvent, {event: K}>> => {
    for (;;) {
      const found = events.find(event => event.event === kind && !taken.has(event));
      if (found !== undefined) {
        taken.add(found);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- found by its kind on the line above
        return found as Extract<AgentEvent, {event: K}>;
      }
      await new Promise<void>(resolve => wake.push(resolve));
    }
  };
  return {
    engine,
    events,
    session,
    model,
    next,
    query: request => engine.query(request, new AbortController().signal),
    async prompt(text) {
      engine.submit(promptOp(text));
      return (await next('prompt-finished')).summary;
    },
  };
}

/** How the next call of a bench has ended, and what the model reads of it. */
export async function settled(bench: Bench) {
  const {result, toolResult} = await bench.next('action-settled');
  return {
    state: result.tag === 'action' ? result.result.settled.state : result.tag,
    text: toolResult.content.map(block => (block.kind === 'text' ? block.text : '')).join(),
  };
}

/** Plans that are gone with the test. */
export function memoryPlans(): AgentPorts['plans'] & {readonly kept: Map<PlanId, Plan>} {
  const kept = new Map<PlanId, Plan>();
  return {
    kept,
    async add(plan) {
      kept.set(plan.id, plan);
    },
    async change(id, work) {
      const plan = kept.get(id);
      if (plan === undefined) return failed('unknown');
      const changed = work(plan);
      if (changed.tag === 'ok') kept.set(id, changed.value);
      return changed;
    },
  };
}
