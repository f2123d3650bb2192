import type {AgentEvent, Denial, SessionInfo} from '../actions/agent-event.ts';
import type {AgentsPort} from '../actions/agents-port.ts';
import {type Action, withProgramName} from '../actions/catalogue.ts';
import {decodeAction, type ToolSources} from '../actions/decode-action.ts';
import type {SelfReports} from '../actions/define-action.ts';
import type {FrontEndAbilities} from '../actions/front-end.ts';
import {emptyChangesOutcome} from '../actions/changes-port.ts';
import type {ActionPorts, AnswerPort} from '../actions/ports.ts';
import type {SamplingPort} from '../actions/sampling-port.ts';
import type {Json} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {CompactionMode} from '../domain/compaction.ts';
import type {TextBlock} from '../domain/conversation.ts';
import {faultText, type Fault} from '../domain/fault.ts';
import type {SkillsPort} from '../actions/skills-port.ts';
import {activeSkills} from '../domain/slash-command.ts';
import type {ActionId, SessionId} from '../domain/ids.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';
import type {Profile} from '../domain/model-family.ts';
import type {ModelRequest, Thinking} from '../domain/model-stream.ts';
import {type CheckSetting, type CheckTracker, commandIn} from '../domain/receipt.ts';
import type {PermissionMode} from '../domain/risk.ts';
import {confines, holdsChanges, type Proof} from '../domain/sandbox.ts';
import type {Cancellation} from '../domain/settled.ts';
import type {AgentRow, Asker} from '../domain/sub-agent.ts';
import {hostsPort} from './ask-host.ts';
import type {PromptCheckpoints} from './checkpoint-recorder.ts';
import type {CostBudget} from './cost-budget.ts';
import type {ComputerUse} from './computer-use.ts';
import type {OpenConversation} from './conversation.ts';
import type {ForegroundCommands} from './foreground-commands.ts';
import type {LoopGuard} from './loop-guard.ts';
import type {Interaction, PendingRequests} from './pending-requests.ts';
import type {AgentPorts} from './ports.ts';
import type {PromptHooks} from './prompt-hooks.ts';
import {makeReviewStore, type ReviewStore} from './review-store.ts';
import type {StructuredAnswer, StructuredOutput} from './structured-output.ts';
import type {SessionPlans} from './session-plans.ts';
import type {ToolRegistry} from './tool-registry.ts';
import type {WorkQueue} from './work-queue.ts';

/** Limits that end a prompt before the model is done. */
export interface PromptLimits {
  readonly maxTurns: number | 'unlimited';
  readonly maxCostUsd: number | 'unlimited';
}

/** The conditions that the command line and the settings set. */
export interface GivenConditions {
  /** The goal that the first prompt sets, as the user wrote it. Empty if there is none. */
  readonly goal: string;
  /** Commands and names of checks, from the settings and from the caller. In a conversation, an answer without work needs no `usual` ones. */
  readonly required: readonly {readonly text: string; readonly when: 'usual' | 'always'}[];
  /** The checks that the settings name. */
  readonly checks: readonly CheckSetting[];
}

/** Returns the check that a required text names. Only one word can be a name: several words are the command that the person wrote. */
const checkNamed = (text: string, checks: readonly CheckSetting[]): CheckSetting | undefined =>
  /\s/u.test(text) ? undefined : checks.find(({name}) => name === text);

/** Returns the command of the check that a required text names, as it runs in the workspace. */
export function commandNamed(text: string, checks: readonly CheckSetting[]): string | undefined {
  const named = checkNamed(text, checks);
  return named === undefined ? undefined : commandIn(named);
}

/** Returns the checks that the judge knows by their commands: those that the settings name, and those that are required. A name stands for one command. */
export function namedChecks({checks, required}: GivenConditions): readonly CheckSetting[] {
  const commands = required.map(({text}) => text).filter(text => checkNamed(text, checks) === undefined);
  return [
    ...checks.filter(({name}, at) => !commands.includes(name) && checks.findIndex(each => each.name === name) === at),
    ...commands.map(text => ({name: text, command: text})),
  ];
}

export const emptyConditions: GivenConditions = {goal: '', required: [], checks: []};

/** The engine's state for its whole life, and the open conversation. */
export interface SessionContext {
  readonly ports: AgentPorts;
  readonly directory: string;
  /** Returns the system prompt for the models of a profile. It is the same for the whole session. */
  readonly systemPrompt: (profile: Profile) => string;
  /**
   * `portable`: only facts that don't differ between machines. `left-out`: the user replaced weft's prompt, so weft tells the model only
   * about plan mode.
   */
  readonly environment: 'included' | 'portable' | 'left-out';
  readonly limits: PromptLimits;
  readonly interaction: Interaction;
  readonly frontEnd: FrontEndAbilities;
  /**
   * `waited-for`: a prompt ends only when its background sub-agents have ended and the model has read about their end.
   * `left`: a front end decides when the model learns of their end.
   */
  readonly backgroundAgents: 'waited-for' | 'left';
  readonly structuredOutput: StructuredOutput;
  readonly conditions: GivenConditions;
  /** Whether weft stops a model that repeats a failing call. */
  readonly loopGuard: 'on' | 'off';
  /** Whether the model is asked to describe its calls. */
  readonly selfReports: SelfReports;
  readonly tools: ToolRegistry;
  readonly pending: PendingRequests;
  readonly asker: Asker;
  /**
   * Returns the session whose documents, code review and artifacts the user sees. For a sub-agent, this is the session
   * of the user's own agent.
   */
  readonly owner: () => SessionContext;
  readonly agents: SessionAgents;
  /** The cost limit, shared by a session and its sub-agents. */
  readonly budget: CostBudget;
  readonly sampling: SamplingPort;
  readonly plans: SessionPlans;
  readonly computer: ComputerUse;
  readonly foreground: ForegroundCommands;
  readonly checks: CheckTracker;
  readonly publish: (events: readonly AgentEvent[]) => void;
  /** Settles when every listener can take more events. `undefined` if all already can. */
  readonly listenersReady: () => Promise<unknown> | undefined;
  /** Context added since the last prompt. The next prompt takes it and empties the list. */
  readonly addedContext: TextBlock[];
  /** Replaced as a whole when another session is opened, and after a rewind or a compaction. Never while a prompt runs. */
  conversation: OpenConversation;
  model: string;
  /** The model of the running prompt, if a command names one or `model` did not answer. `undefined` for `model`. */
  promptModel: string | undefined;
  /** The rules that commands add for the running prompt. */
  promptRules: readonly string[];
  mode: PermissionMode;
  thinking: Thinking;
  /** The reaction to a conversation that is too long. */
  compaction: CompactionMode;
  /** The summary for a new conversation to begin with, once the running prompt has succeeded. Empty if there is none. */
  continuation: string;
  /** The sandbox proof that front ends last received. */
  sandbox: Proof | 'unknown';
}

/** The sub-agents of one agent: of the session's own agent, or of a sub-agent. */
export interface SessionAgents {
  /** Returns the port through which a call starts and addresses sub-agents. */
  portFor(call: ActionId): AgentsPort;
  /** Loads the module that runs sub-agents, because a call will need it. */
  preload(): void;
  /** Returns all sub-agents of the session, including those that sub-agents have started. */
  rows(): readonly AgentRow[];
  stop(id: SessionId): void;
  message(id: SessionId, text: string): void;
  /** Assigns file changes of sub-agents to this prompt from now on. */
  beginPrompt(checkpoints: PromptCheckpoints): void;
  /** Adds a note for the model about background work that has ended. */
  addNote(note: string): void;
  /** Returns the notes that the model has not seen. Returns each note once. */
  takeNotes(): readonly string[];
  /** Returns the refused calls of sub-agents since the last call. */
  takeDenials(): readonly Denial[];
  /**
   * Returns whether there are notes for the model. With `wait`, waits until a background sub-agent has ended. Settles at once if none runs.
   */
  hasNotes(wait: 'wait' | 'look', signal: AbortSignal): Promise<boolean>;
  /** Sets the mode of the agent that started them. */
  setMode(mode: PermissionMode): void;
  close(): Promise<void>;
}

export interface EngineSetup extends Pick<
  SessionContext,
  | 'ports'
  | 'directory'
  | 'systemPrompt'
  | 'environment'
  | 'limits'
  | 'interaction'
  | 'frontEnd'
  | 'backgroundAgents'
  | 'structuredOutput'
  | 'conditions'
  | 'loopGuard'
  | 'selfReports'
  | 'model'
  | 'mode'
  | 'thinking'
  | 'compaction'
> {
  /** The first session, which the caller has opened. */
  readonly session: OpenSession;
  readonly origin: SessionInfo['origin'];
  /** Tools that are not offered to the model. */
  readonly disabledTools: ToolSources['disabled'];
  readonly place: EnginePlace;
}

/** Whether the engine belongs to a session or to a sub-agent. A sub-agent asks through its session and shares its grants. */
export type EnginePlace =
  | {readonly kind: 'top'}
  | {
      readonly kind: 'sub-agent';
      readonly asker: Asker;
      readonly pending: PendingRequests;
      readonly owner: SessionContext['owner'];
      readonly grants: Set<string>;
      /** Whether the agent may call a tool. */
      readonly canCall: (tool: string) => boolean;
      readonly agents: (session: () => SessionContext) => SessionAgents;
    };

/** The context of one prompt and those that join it, in addition to its session. */
export interface PromptContext {
  readonly session: SessionContext;
  /** The queue in which prompts wait to join this one. */
  readonly queue: WorkQueue;
  readonly hooks: PromptHooks;
  readonly checkpoints: PromptCheckpoints;
  readonly structured: StructuredAnswer;
  /** The guard. The first call creates it. */
  readonly loopGuard: {made: LoopGuard | undefined};
  /** Why the prompt is being stopped, once its signal has fired. */
  readonly cancellation: () => Cancellation;
  /** Tells the hooks that the conversation starts again from a summary. */
  readonly compacted: () => void;
}

/** Appends to the journal of the open conversation. The record is written when this returns. Throws if that fails. */
export function journal({conversation}: SessionContext, record: JournalRecord): void {
  conversation.journal.append(record);
}

/** Counts and publishes usage outside the conversation. Throws if the journal can't be written. */
export function countAgentUsage(
  used: Omit<Extract<JournalRecord, {kind: 'agent-usage'}>, 'kind'>,
  session: SessionContext,
): void {
  const {usage} = session.conversation;
  usage.addAgentUsage(used);
  try {
    journal(session, {kind: 'agent-usage', ...used});
  } finally {
    session.publish([{event: 'usage-changed', usage: usage.report()}]);
  }
}

export function warn({publish}: Pick<SessionContext, 'publish'>, text: string): void {
  publish([{event: 'notice', level: 'warning', text}]);
}

/** Publishes what the sandbox blocks, once that is known, and why weft asks about commands if the sandbox can't hold their changes. */
export function publishSandbox(session: SessionContext): void {
  const proof = session.ports.judge.sandbox();
  if (proof === 'unknown' || proof === session.sandbox) return;
  session.sandbox = proof;
  session.publish([{event: 'sandbox-proven', proof}]);
  const {provider, reason} = proof;
  if (provider === 'native' || holdsChanges(proof)) return;
  if (!confines(proof)) {
    warn(session, `No sandbox: commands run as you, and ask first unless they only read (${provider}: ${reason}).`);
  } else if (provider === 'bwrap') {
    warn(
      session,
      `Commands ask first unless they only read: the sandbox can't hold their changes (${provider}: ${reason}).`,
    );
  }
}

export function nextRequest(session: SessionContext): ModelRequest {
  const model = session.promptModel ?? session.model;
  return {
    model,
    system: session.systemPrompt(session.ports.model.facts(model).profile),
    tools: offeredTools(session),
    messages: [...session.conversation.messages],
    thinking: session.thinking,
    maxTokens: 'default',
  };
}

/** Lets the provider search the web if weft has no search engine and a rule allows it. Such searches can't ask the user. */
function offeredTools({ports, tools}: SessionContext): ModelRequest['tools'] {
  const specs = tools.specs();
  return ports.machine.web.searching === 'by-provider' &&
    ports.model.searchesWeb &&
    !tools.sources().disabled.has('WebSearch')
    ? [...specs, searching]
    : specs;
}

const searching = {provided: 'searching'} as const;

/** Journals the tools and the system prompt of a request unless the request before had the same ones. */
export function keepPrefix({tools, system}: ModelRequest, session: SessionContext): void {
  const {prefix} = session.conversation;
  const isSent = tools.length === prefix.sent.length && tools.every((tool, at) => tool === prefix.sent[at]);
  if (isSent && system === prefix.system) return;
  prefix.sent = tools;
  session.tools.keepSent(tools);
  // Tools that the model finds later are not part of the beginning.
  const json = JSON.stringify(tools.filter(tool => 'provided' in tool || tool.offered === 'from-the-start'));
  // Sub-agents have the same tools, and each conversation keeps the text.
  const text = json === lastTools ? lastTools : json;
  lastTools = text;
  if (text === prefix.tools && system === prefix.system) return;
  prefix.tools = text;
  prefix.system = system;
  journal(session, {kind: 'request-prefix', tools: text, system});
}

let lastTools = '';

/** Decodes a tool call, with the current facts about the terminal session it addresses. */
export const decodeCall = (name: string, input: Json, session: SessionContext): Outcome<Action, Fault> =>
  withProgram(decodeAction(name, input, session.tools.sources()), session);

export const withProgram = (decoded: Outcome<Action, Fault>, {ports}: SessionContext): Outcome<Action, Fault> =>
  decoded.tag === 'ok' ? ok(withProgramName(decoded.value, ports.machine.blocks)) : decoded;

/** Returns the ports for one action. Its questions carry the action's id. */
export function actionPorts(session: SessionContext, id: ActionId, answer: AnswerPort): ActionPorts {
  const asking = session.pending.portsFor(id, session.asker);
  const owner = session.owner();
  return {
    ...session.ports.machine,
    skills: skillsOf(session),
    tools: session.tools,
    todos: {
      async replace(entries, signal) {
        const update = await session.conversation.todos.replace(entries, todos => session.plans.admit(todos, signal));
        await session.plans.markSteps(update.todos);
        return update;
      },
    },
    plans: session.plans.portFor(id),
    computer: session.computer.port(),
    answer,
    documents: owner.conversation.documents,
    artifacts: {
      keep: (path, signal) => session.ports.artifacts.keep({session: owner.conversation.journal.id, path}, signal),
    },
    review: {
      insert: (request, signal) => reviewOf(owner).insert(request, signal),
      show: range => session.publish([{event: 'review-opened', range}]),
    },
    suggestions: {
      suggestPrompt: suggestion => session.publish([{event: 'prompt-suggested', ...suggestion}]),
      continueInNew(summary) {
        session.continuation = summary;
      },
    },
    agents: session.agents.portFor(id),
    unsandboxedRetry: session.ports.judge.unsandboxedRetry,
    // A command that may have its own view gets other ports: `changePorts`.
    checkpoint: async () => {},
    decideChanges: async ({changes}) => ({
      ...emptyChangesOutcome,
      dropped: changes.map(change => ({change, why: 'nobody'}) as const),
    }),
    sampling: session.sampling,
    ...asking,
    hosts: hostsPort({
      mode: () => session.mode,
      questions: asking.questions,
      judge: session.ports.judge,
      warn: text => warn(session, text),
    }),
  };
}

export const reviewOf = ({conversation, directory, ports}: SessionContext): ReviewStore =>
  makeReviewStore(conversation.journal, {directory, ports});

/** Wraps the skills for the conversation: does not repeat instructions that it holds, and applies a skill's permissions to the prompt. */
const skillsOf = (session: SessionContext): SkillsPort => ({
  ...session.ports.machine.skills,
  async read(request, signal) {
    const read = await session.ports.machine.skills.read(request, signal);
    if (read.tag === 'failed' || signal.aborted) return read;
    await allowForPrompt(read.value.allowedTools, session);
    const {name, instructions} = read.value.skill;
    const isGiven = activeSkills(session.conversation.messages).some(
      active => active.name === name && active.instructions === instructions,
    );
    return isGiven ? ok({...read.value, given: 'already'}) : read;
  },
});

/** Adds these permission rules for the running prompt. */
export async function allowForPrompt(rules: readonly string[], session: SessionContext): Promise<void> {
  if (rules.length === 0) return;
  session.promptRules = [...new Set([...session.promptRules, ...rules])];
  const changed = await session.ports.judge.changeRules({change: 'prompt', rules: session.promptRules});
  if (changed.tag === 'failed') warn(session, faultText(changed.error));
}
