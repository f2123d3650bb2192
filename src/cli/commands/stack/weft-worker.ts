import {ruleKinds} from '../../../actions/catalogue.ts';
import {randomUUID} from 'node:crypto';
import type {AgentEvent, PromptSummary} from '../../../actions/agent-event.ts';
import type {McpPort, McpTool} from '../../../actions/mcp-port.ts';
import type {AgentClient} from '../../../agent/client.ts';
import {limitedServers} from '../../../actions/mcp-port.ts';
import {failed, ok} from '../../../base/outcome.ts';
import {causeText, rejected} from '../../../domain/fault.ts';
import {blockTexts} from '../../../domain/conversation.ts';
import {messageId, parseSessionId, stackMessageId} from '../../../domain/ids.ts';
import type {JournalRecord} from '../../../domain/journal.ts';
import {timelineOf} from '../../../domain/timeline.ts';
import {knownCost} from '../../../domain/usage.ts';
import {endOf, summaryNotes} from '../../../headless/prompt-summary.ts';
import {parseRule} from '../../../safety/rules/permission-rule.ts';
import type {Store} from '../../../store/open-store.ts';
import {
  type StackWorker,
  type TaskHost,
  type TaskRun,
  type TaskWork,
  resumePrompt,
  taskPrompt,
  type TaskEnd,
} from '../../../tasks/stack/direct-stack.ts';
import type {UserMessage} from '../../../tasks/stack/stack-records.ts';
import type {ChosenModel} from '../../../app/choose-model.ts';
import {composeSession, defaultDriver} from '../../../app/compose-session.ts';
import {openServers} from '../../../app/open-servers.ts';
import type {RunContext} from '../../../app/run-context.ts';
import {note} from '../../../app/output.ts';
import {costBound, hookRunner} from './hook-runner.ts';

export interface WorkerSetup {
  readonly context: RunContext;
  readonly chosen: ChosenModel;
  readonly store: Store;
}

/** Runs tasks with weft itself, each in its own session, under the rules and limits of the command line. */
export function weftWorker(setup: WorkerSetup): StackWorker {
  const {context, store} = setup;
  const {settings} = context;
  const mayMessage = parseRule(messageTool.toolName, ruleKinds);
  const rules = {
    ...settings.rules,
    allow: [...settings.rules.allow, ...(mayMessage.tag === 'ok' ? [mayMessage.value] : [])],
  };
  let spentUsd = 0;
  const costLeft = (): number | undefined =>
    context.options.maxCost === undefined ? undefined : context.options.maxCost - spentUsd;

  async function open(session: string, host: TaskHost): Promise<AgentClient> {
    const maxCost = costLeft();
    const options = {
      ...context.options,
      ...(maxCost === undefined ? {} : {maxCost}),
      ...(isKept(session) ? {resume: session} : {sessionId: session}),
    };
    const servers = await openServers({context, log: note, newServers: 'awaited'});
    return composeSession(
      setup.chosen,
      {...context, settings: {...settings, rules}, options, store: async () => store},
      {
        ...defaultDriver,
        servers: host === noHost ? servers : {...servers, mcp: withMessageTool(servers.mcp, host.say)},
      },
    );
  }

  const isKept = (session: string): boolean => recordsOf(session).length > 0;

  function recordsOf(session: string): readonly JournalRecord[] {
    const id = parseSessionId(session);
    const read = id === undefined ? undefined : store.read(id);
    return read?.tag === 'ok' ? timelineOf(read.value.records).activeRecords : [];
  }

  async function runPrompt(
    {session, text}: {readonly session: string; readonly text: string},
    prompt: PromptListener,
    signal: AbortSignal,
  ): Promise<TaskEnd> {
    const left = costLeft();
    if (left !== undefined && left <= 0) return costBound;
    let client: AgentClient;
    try {
      client = await open(session, prompt.host);
    } catch (cause) {
      return {kind: 'not-begun', reason: causeText(cause)};
    }
    const summary = await settledPrompt(client, {text, prompt}, signal);
    await client.close('finished');
    if (summary === 'withdrawn') return {kind: 'interrupted'};
    spentUsd += knownCost(Object.values(summary.sessionUsage.models)) ?? 0;
    return endOfTask(summary);
  }

  return {
    begin({task, session}: TaskWork, host: TaskHost, signal: AbortSignal): TaskRun {
      const inbox = new Inbox(host);
      const records = recordsOf(session);
      const finished = async (): Promise<TaskEnd> => {
        inbox.known(records);
        const earlier = finishedBefore(records);
        if (earlier !== 'not-finished' && inbox.isEmpty) return earlier;
        const text = records.length === 0 ? taskPrompt(task.description) : resumePrompt;
        return runPrompt({session, text}, {host, inbox}, signal);
      };
      // Deferred, so that earlier messages from the user reach the inbox first.
      return {steer: message => inbox.take(message), finished: Promise.resolve().then(finished)};
    },
    runHook: hookRunner(context, (text, signal) =>
      runPrompt({session: randomUUID(), text}, {host: noHost, inbox: new Inbox(noHost)}, signal),
    ),
  };
}

const noHost: TaskHost = {text: () => {}, tool: () => {}, say: () => 'not-kept', progress: () => {}, read: () => {}};

interface PromptListener {
  readonly host: TaskHost;
  readonly inbox: Inbox;
}

/** The user's messages on their way into a conversation. Each is delivered once, even if weft was killed in between. */
class Inbox {
  readonly #host: TaskHost;
  readonly #waiting: UserMessage[] = [];
  readonly #given = new Set<string>();
  #held: ReadonlySet<string> = new Set();
  #client: AgentClient | undefined;

  constructor(host: TaskHost) {
    this.#host = host;
  }

  /** True if no message is waiting or unconfirmed. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#given.size === 0;
  }

  /** Sets the conversation so far. Messages in it are not delivered again. */
  known(records: readonly JournalRecord[]): void {
    this.#held = new Set(records.flatMap(record => (record.kind === 'prompt' ? [String(record.message.id)] : [])));
    for (const message of this.#waiting.splice(0)) this.take(message);
  }

  take(message: UserMessage): void {
    if (this.#held.has(message.id)) this.#host.read(message.id);
    else if (this.#client === undefined) this.#waiting.push(message);
    else this.#give(message, this.#client);
  }

  open(client: AgentClient): void {
    this.#client = client;
    for (const message of this.#waiting.splice(0)) this.#give(message, client);
  }

  accepted(id: string): void {
    if (this.#given.delete(id)) this.#host.read(stackMessageId(id));
  }

  withdrawn(id: string): void {
    this.#given.delete(id);
  }

  #give({id, content}: UserMessage, client: AgentClient): void {
    this.#given.add(id);
    client.submit({op: 'prompt', id: messageId(id), text: content, images: [], when: 'steering'});
  }
}

const messageTool: McpTool = {
  server: 'task_stack',
  name: 'send_message',
  toolName: 'mcp__task_stack__send_message',
  description:
    'Send a message to the user and the director of the task stack while you work: news, a doubt, a question. Do not wait for an answer: if one comes, you will get it.',
  inputSchema: {type: 'object', properties: {message: {type: 'string'}}, required: ['message']},
  effect: 'claims-read-only',
  standing: 'as-known',
  offering: 'always',
};

/** Adds the tool `send_message` to the MCP servers of a task, so that its sub-agent can report while it works. */
function withMessageTool(mcp: McpPort, say: TaskHost['say']): McpPort {
  // `limitedServers` returns a plain object, which can be spread, unlike a set of servers.
  const servers = limitedServers(mcp, () => true);
  let known: {readonly of: readonly McpTool[]; readonly list: readonly McpTool[]} | undefined;
  return {
    ...servers,
    tools() {
      const of = servers.tools();
      if (known?.of !== of) known = {of, list: [messageTool, ...of]};
      return known.list;
    },
    async call(request, observer, signal) {
      if (request.server !== messageTool.server || request.tool !== messageTool.name)
        return servers.call(request, observer, signal);
      const {message} = request.input;
      if (typeof message !== 'string' || message.trim() === '') return failed(rejected('The message is missing.'));
      if (say(message) === 'not-kept') return failed(rejected("Can't save the message."));
      return ok({blocks: [{kind: 'text', text: 'Sent.'}]});
    },
  };
}

/** Sends a prompt and waits until it and all messages that the user sent in the meantime have ended. */
function settledPrompt(
  client: AgentClient,
  {text, prompt: {host, inbox}}: {readonly text: string; readonly prompt: PromptListener},
  signal: AbortSignal,
): Promise<PromptSummary | 'withdrawn'> {
  const {promise, resolve} = Promise.withResolvers<PromptSummary | 'withdrawn'>();
  const id = messageId(randomUUID());
  const take = (event: AgentEvent): void => {
    switch (event.event) {
      case 'block-finished':
        if (event.block.kind === 'text' && event.block.text.trim() !== '') host.text(event.block.text);
        return;
      case 'action-queued':
        host.tool(event.label);
        return;
      case 'prompt-accepted':
        inbox.accepted(event.id);
        return;
      case 'prompt-withdrawn':
        inbox.withdrawn(event.id);
        if (event.id === id) resolve('withdrawn');
        return;
      case 'approval-requested':
        client.submit({
          op: 'answer-approval',
          id: event.approval.id,
          answer: {decision: 'refuse', message: 'There is no user to ask.', by: 'program'},
        });
        return;
      case 'question-asked':
        client.submit({op: 'answer-question', id: event.id, answer: {kind: 'dismissed'}});
        return;
      case 'hand-over-asked':
        client.submit({op: 'answer-hand-over', id: event.id, end: 'declined'});
        return;
      case 'prompt-finished':
        // A message that came too late for this prompt becomes the next prompt.
        if (inbox.isEmpty || event.summary.end.kind !== 'done') resolve(event.summary);
        return;
      default:
    }
  };
  const unsubscribe = client.subscribe(events => events.forEach(take));
  const stop = (): void => client.submit({op: 'interrupt'});
  signal.addEventListener('abort', stop, {once: true});
  client.submit({op: 'prompt', id, text, images: [], when: 'queued'});
  inbox.open(client);
  if (signal.aborted) stop();
  return promise.finally(() => {
    unsubscribe();
    signal.removeEventListener('abort', stop);
  });
}

function endOfTask(summary: PromptSummary): TaskEnd {
  const {end, answer} = summary;
  if (end.kind === 'interrupted') return {kind: 'interrupted'};
  if (end.kind === 'max-cost') return costBound;
  const cost = knownCost(Object.values(summary.sessionUsage.models));
  const results = {answer, ...(cost === undefined ? {} : {cost_usd: cost})};
  if (endOf(summary).exitCode === 0) return {kind: 'completed', said: answer, results};
  const reason = summaryNotes(summary).join('; ');
  return {kind: 'failed', reason: reason === '' ? 'the agent gave no answer' : reason, said: answer, results};
}

/** Returns the result of an earlier run that was killed before it could record the end of the task. */
function finishedBefore(records: readonly JournalRecord[]): TaskEnd | 'not-finished' {
  const last = records.findLast(
    ({kind}) => kind === 'prompt' || kind === 'answer' || kind === 'result' || kind === 'reminder',
  );
  if (last?.kind !== 'answer' || last.message.stop !== 'end-turn') return 'not-finished';
  if (last.message.blocks.some(({kind}) => kind === 'tool-call')) return 'not-finished';
  const answer = blockTexts(last.message.blocks).join('\n\n');
  if (answer.trim() === '') return 'not-finished';
  const refused = records.some(each => each.kind === 'approval' && each.decision === 'refused' && each.by === 'nobody');
  return refused
    ? {
        kind: 'failed',
        reason: 'something needed approval, and there was no user to ask',
        said: answer,
        results: {answer},
      }
    : {kind: 'completed', said: answer, results: {answer}};
}
