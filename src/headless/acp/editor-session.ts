import type {AgentEvent, Approval, PromptSummary} from '../../actions/agent-event.ts';
import {isBackgroundAgentEnd} from '../../actions/background-agent-end.ts';
import {BackgroundCommands} from '../../actions/background-commands.ts';
import {eventWarning} from '../../actions/event-warning.ts';
import {changesOfCommand} from '../../actions/outcome.ts';
import type {BlockInfo, QuestionAnswer} from '../../actions/ports.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {AgentClient, ApprovalAnswer, ListedModel, ModelList, QuestionResponse} from '../../agent/client.ts';
import {
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type ToolCallBlock,
  toolCalls,
} from '../../domain/conversation.ts';
import {faultText, isDeclined} from '../../domain/fault.ts';
import {type ActionId, type MessageId, messageId, type SessionId} from '../../domain/ids.ts';
import {reasonText, taintIn} from '../../domain/reason.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {offeredCommands} from '../../domain/slash-command.ts';
import {stopText, toSentence} from '../../domain/stop-text.ts';
import {contextTokens, knownCost, type Usage} from '../../domain/usage.ts';
import {encodePermissionExtension} from '../../protocol/acp/permission-extension.ts';
import {
  toCallEnd,
  historyUpdates,
  planOf,
  stepsOf,
  diffContent,
  previewContent,
  resultContent,
  textContent,
  toolCall,
} from '../../protocol/acp/session-update.ts';
import {rpcError, rpcErrors, type RpcError, type RpcPeer} from '../../protocol/json-rpc/peer.ts';
import {sessionOffer} from '../session-offer.ts';
import {applyTaskFrames, emptyTaskView, todosOf} from '../../tasks/task-view.ts';

const offeredModes = [
  {id: 'default', name: 'Ask', description: 'Asks before it changes anything'},
  {id: 'acceptEdits', name: 'Accept edits', description: 'Edits files in the workspace without asking'},
  {id: 'plan', name: 'Plan', description: 'Changes nothing'},
] as const satisfies readonly {readonly id: PermissionMode; readonly name: string; readonly description: string}[];

type PromptAnswer = Outcome<Json, RpcError>;

interface RunningPrompt {
  readonly id: MessageId;
  readonly answer: (answer: PromptAnswer) => void;
  /** Whether this prompt has begun. Until then, a turn about the end of a sub-agent may be running. */
  readonly begun: 'not-yet' | 'begun';
}

/** One conversation of an editor. Passes the engine's events to the editor, and the editor's answers to the engine. */
export class EditorSession {
  readonly #engine: AgentClient;
  readonly #peer: RpcPeer;
  readonly #opened = Promise.withResolvers<SessionId>();
  readonly #uuid: () => string;
  readonly #note: (line: string) => void;
  #id = '';
  #savedAs: SessionId | undefined;
  #directory = '';
  #mode: PermissionMode = 'default';
  #model = '';
  /** The models of the provider. Empty until they are known. */
  #models: readonly ListedModel[] = [];
  /** Whether the list comes from the provider and is complete. */
  #modelsFrom: ModelList['from']['kind'] = 'weft';
  #history: readonly Message[] = [];
  /** The notices before the editor knows the session. `sent`: it does. */
  #notices: string[] | 'sent' | 'left-out';
  /** The calls that have not settled, as the model wrote them. */
  readonly #calls = new Map<ActionId, Pick<ToolCallBlock, 'id' | 'name' | 'input'>>();
  /** The running actions whose diff the editor shows. */
  readonly #drawn = new Set<ActionId>();
  #tasks = emptyTaskView;
  #running: RunningPrompt | undefined;

  constructor(
    engine: AgentClient,
    peer: RpcPeer,
    {
      uuid,
      note,
      notices,
    }: {readonly uuid: () => string; readonly note: (line: string) => void; readonly notices: 'shown' | 'left-out'},
  ) {
    this.#engine = engine;
    this.#peer = peer;
    this.#uuid = uuid;
    this.#note = note;
    this.#notices = notices === 'shown' ? [] : notices;
    const commands = new BackgroundCommands();
    engine.subscribe(events => {
      for (const event of events) {
        commands.take(event);
        this.#take(event);
      }
    });
    const hear = (blocks: readonly BlockInfo[]): void => {
      for (const end of commands.ended(blocks)) engine.submit({op: 'hear-command', id: messageId(uuid()), end});
    };
    void engine.watch({watch: 'terminals'}, hear, new AbortController().signal);
  }

  /** The id under which the session is saved. Another one than the editor's if this is a copy. */
  get savedAs(): SessionId | undefined {
    return this.#savedAs;
  }

  /** The folder in which the agent works. Empty until the session is open. */
  get directory(): string {
    return this.#directory;
  }

  /**
   * Settles when the engine has opened the session. Sends the given conversation to the editor, or with `as-opened`
   * the one that the model has. The editor knows the session by `id`, if given.
   */
  async open({
    history,
    id,
  }: {
    readonly history: 'as-opened' | 'not-sent' | readonly Message[];
    readonly id?: SessionId;
  }) {
    const opened = await this.#opened.promise;
    this.#savedAs = opened;
    this.#id = id ?? opened;
    const todos = todosOf(this.#tasks);
    if (history !== 'not-sent') {
      const messages = history === 'as-opened' ? this.#history : history;
      for (const update of historyUpdates(messages, this.#directory)) this.#update(update);
      if (todos.length > 0) this.#update(planOf(todos));
    }
    this.#history = [];
    void this.#tellCommands().then(() => this.#tellNotices());
    void this.#loadModels();
    const availableModes = offeredModes.map(mode => ({...mode}));
    return {sessionId: this.#id, modes: {currentModeId: this.#mode, availableModes}, configOptions: this.#options()};
  }

  prompt(text: string, images: readonly (ImageBlock | DocumentBlock)[], answer: (answer: PromptAnswer) => void): void {
    if (this.#running !== undefined)
      return answer(failed(rpcError(rpcErrors.invalidRequest, 'A prompt is running in this session.')));
    if (text.trim() === '' && images.length === 0)
      return answer(failed(rpcError(rpcErrors.invalidParams, 'The prompt is empty.')));
    const id = messageId(this.#uuid());
    this.#running = {id, answer, begun: 'not-yet'};
    this.#engine.submit({op: 'prompt', id, text, images, when: 'queued'});
  }

  cancel(): void {
    this.#engine.submit({op: 'interrupt'});
  }

  /** Sets the mode. The error for an unknown mode lists the modes. */
  setMode(mode: string): Outcome<Json, RpcError> {
    const chosen = offeredModes.find(({id}) => id === mode);
    if (chosen === undefined) {
      const names = offeredModes.map(({id}) => id).join(', ');
      return failed(rpcError(rpcErrors.invalidParams, `Unknown mode ${JSON.stringify(mode)}. Use one of ${names}.`));
    }
    this.#engine.submit({op: 'set-mode', mode: chosen.id});
    return ok({});
  }

  /** Sets an option of the session. Returns all options. The error names the unknown option or value. */
  async setOption(option: string, value: string): Promise<Outcome<Json, RpcError>> {
    if (option === 'mode') {
      const set = this.setMode(value);
      return set.tag === 'failed' ? set : ok({configOptions: this.#options({mode: value})});
    }
    await this.#loadModels();
    const known = this.#models.find(({model}) => model === (option === 'model' ? value : this.#model));
    if (option === 'model') {
      if (known === undefined && this.#modelsFrom === 'provider')
        return invalid(`The provider has no model ${JSON.stringify(value)}.`);
      this.#model = value;
      this.#engine.submit({op: 'set-model', model: value});
      return ok({configOptions: this.#options()});
    }
    if (option !== 'effort') return invalid(`Unknown option ${JSON.stringify(option)}. Use mode, model or effort.`);
    const request = {query: 'use-effort', model: this.#model, effort: value} as const;
    const used = await this.#engine.query(request, new AbortController().signal);
    if (used.tag === 'failed') return invalid(faultText(used.error));
    await this.#loadModels();
    return ok({configOptions: this.#options()});
  }

  /** Shows a text of weft itself in the conversation. */
  tell(text: string): void {
    this.#update({sessionUpdate: 'agent_message_chunk', content: textContent(text)});
  }

  close(): Promise<void> {
    return this.#engine.close('shutdown');
  }

  #update(update: object): void {
    this.#peer.notify('session/update', {sessionId: this.#id, update});
  }

  async #tellCommands(): Promise<void> {
    const answer = await this.#engine.query({query: 'commands'}, new AbortController().signal);
    if (answer.tag !== 'ok') return;
    // An editor opens a new session by itself.
    const own = offeredCommands(answer.value).filter(
      ({name}) => name !== 'clear' || answer.value.some(file => file.name === name),
    );
    const availableCommands = own.map(({name, description, argumentHint}) => ({
      name,
      description,
      ...(argumentHint === '' ? {} : {input: {hint: argumentHint}}),
    }));
    this.#update({sessionUpdate: 'available_commands_update', availableCommands});
  }

  /** Asks for the models of the provider, and sends the options again if they change. */
  async #loadModels(): Promise<void> {
    const answer = await this.#engine.query({query: 'models'}, new AbortController().signal);
    if (answer.tag !== 'ok') return;
    this.#models = answer.value.models;
    this.#modelsFrom = answer.value.from.kind;
    this.#tellOptions();
  }

  #tellNotices(): void {
    if (typeof this.#notices === 'string') return;
    const held = this.#notices;
    this.#notices = 'sent';
    for (const text of held) this.#notice(text);
  }

  /** Shows a notice in a paragraph of its own, because it can arrive in the middle of an answer. */
  #notice(text: string): void {
    if (this.#notices === 'sent') this.tell(`\n\n${text}\n\n`);
    else if (this.#notices !== 'left-out') this.#notices.push(text);
  }

  #tellOptions(): void {
    this.#update({sessionUpdate: 'config_option_update', configOptions: this.#options()});
  }

  #options({mode = this.#mode}: {readonly mode?: string} = {}): readonly JsonObject[] {
    const current = this.#models.find(({model}) => model === this.#model);
    const models =
      current === undefined
        ? [this.#model, ...this.#models.map(({model}) => model)]
        : this.#models.map(({model}) => model);
    const levels = current === undefined || current.efforts.length === 0 ? [] : ['default', ...current.efforts];
    return [
      select(
        'mode',
        'Mode',
        'mode',
        mode,
        offeredModes.map(({id: value, ...words}) => ({value, ...words})),
      ),
      select(
        'model',
        'Model',
        'model',
        this.#model,
        models.map(value => ({value, name: value})),
      ),
      ...(levels.length === 0
        ? []
        : [
            select(
              'effort',
              'Effort',
              'thought_level',
              current?.effort ?? 'default',
              levels.map(value => ({value, name: value})),
            ),
          ]),
    ];
  }

  #take(event: AgentEvent): void {
    switch (event.event) {
      case 'session-opened':
        this.#mode = event.session.mode;
        this.#model = event.session.model;
        this.#directory = event.session.directory;
        this.#history = event.history;
        this.#tasks = applyTaskFrames(emptyTaskView, event.todoFrames);
        return this.#opened.resolve(event.session.id);
      case 'block-delta':
        if (event.delta.kind === 'text')
          this.#update({sessionUpdate: 'agent_message_chunk', content: textContent(event.delta.text)});
        if (event.delta.kind === 'thinking')
          this.#update({sessionUpdate: 'agent_thought_chunk', content: textContent(event.delta.text)});
        return;
      case 'message-finished':
        for (const call of toolCalls(event.message)) this.#calls.set(call.id, call);
        return;
      case 'action-queued': {
        const written = this.#calls.get(event.id) ?? {id: event.id, name: event.action.name, input: {}};
        const call = toolCall(written, event, this.#directory);
        return this.#update({sessionUpdate: 'tool_call', status: 'pending', ...call});
      }
      case 'approval-requested':
        return this.#ask(event.approval);
      case 'question-asked':
        return this.#askQuestions(event, []);
      case 'hand-over-asked':
        return this.#engine.submit({op: 'answer-hand-over', id: event.id, end: 'declined'});
      case 'action-started': {
        const content = previewContent(event.preview, this.#directory);
        const more = content.length === 0 ? {} : {content};
        if (content.length > 0) this.#drawn.add(event.id);
        return this.#update({
          sessionUpdate: 'tool_call_update',
          toolCallId: event.id,
          status: 'in_progress',
          ...more,
        });
      }
      case 'action-settled': {
        const {call, result, toolResult} = event;
        this.#calls.delete(call.id);
        const end = toCallEnd(toolResult);
        // Send no content for an edit, because it would replace the diff.
        const isDrawn = this.#drawn.delete(call.id) && end.status === 'completed';
        const kept = result.tag === 'action' ? changesOfCommand(result.result).diffs : [];
        const content = isDrawn
          ? {}
          : {content: [...resultContent(toolResult.content), ...diffContent(kept, this.#directory)]};
        return this.#update({sessionUpdate: 'tool_call_update', toolCallId: call.id, ...end, ...content});
      }
      case 'todos-framed':
        this.#tasks = applyTaskFrames(this.#tasks, event.frames);
        return this.#update(planOf(todosOf(this.#tasks)));
      case 'mode-changed':
        this.#mode = event.mode;
        this.#update({sessionUpdate: 'current_mode_update', currentModeId: event.mode});
        return this.#tellOptions();
      case 'session-renamed':
        return this.#update({sessionUpdate: 'session_info_update', title: event.title});
      case 'model-changed':
        this.#model = event.model;
        this.#models = this.#models.map(each => (each.model === event.model ? {...each, effort: event.effort} : each));
        return this.#tellOptions();
      case 'notice':
      case 'fell-back':
      case 'repaired':
      case 'retrying':
      case 'agent-event': {
        const warning = eventWarning(event);
        if (warning === undefined || this.#notices === 'left-out') return;
        this.#note(warning);
        return this.#notice(warning);
      }
      case 'usage-changed': {
        const {contextTokens: used, contextWindow: size} = event.usage;
        const amount = knownCost(Object.values(event.usage.models));
        const cost = amount === undefined ? {} : {cost: {amount, currency: 'USD'}};
        return size === 0 ? undefined : this.#update({sessionUpdate: 'usage_update', used, size, ...cost});
      }
      case 'agent-changed':
        if (isBackgroundAgentEnd(event)) this.#engine.submit({op: 'hear-agents', id: messageId(this.#uuid())});
        return;
      case 'prompt-accepted':
        if (event.id === this.#running?.id) this.#running = {...this.#running, begun: 'begun'};
        return;
      case 'prompt-withdrawn':
        return event.id === this.#running?.id ? this.#answer(ok({stopReason: 'cancelled'})) : undefined;
      case 'prompt-finished':
        return this.#running?.begun === 'begun' ? this.#end(event.summary) : undefined;
      default:
        return;
    }
  }

  /** Answers the running prompt. A cut or refused answer has its own stop reason, and the editor shows why an answer is cut or missing. */
  #end(summary: PromptSummary): void {
    const {answer, end, stop, usage} = summary;
    const before = answer.trim() === '' ? '' : '\n\n';
    const note = end.kind === 'done' ? stopText(summary) : undefined;
    if (note !== undefined) this.tell(`${before}${toSentence(note)}`);
    const isRefused = stop === 'refusal' || (end.kind === 'failed' && isDeclined(end.fault));
    const reason = isRefused ? 'refusal' : stop === 'max-tokens' ? 'max_tokens' : undefined;
    if (reason === undefined || (end.kind !== 'failed' && end.kind !== 'done')) return this.#answer(answerOf(summary));
    if (end.kind === 'failed') this.tell(`${before}${faultText(end.fault)}`);
    return this.#answer(ok({stopReason: reason, usage: usageOf(usage)}));
  }

  #answer(answer: PromptAnswer): void {
    const running = this.#running;
    this.#running = undefined;
    running?.answer(answer);
  }

  /** Asks one question after the other as permissions do, with a choice for each answer. The user chooses one answer, also if the question allows several. */
  #askQuestions(event: AgentEvent & {readonly event: 'question-asked'}, answers: readonly QuestionAnswer[]): void {
    const {id, questions} = event;
    const reply = (answer: QuestionResponse): void => this.#engine.submit({op: 'answer-question', id, answer});
    const question = questions[answers.length];
    if (question === undefined) return reply({kind: 'answered', answers});
    const choices = question.options.map(({label, description}, at) => ({
      optionId: `answer-${at + 1}`,
      name: description === '' ? label : `${label}: ${description}`,
      kind: 'allow_once',
    }));
    const params = {
      sessionId: this.#id,
      toolCall: {toolCallId: id, title: question.question, status: 'pending', kind: 'other'},
      options: [...choices, {optionId: 'none', name: 'No answer', kind: 'reject_once'}],
    };
    this.#peer.call('session/request_permission', params, answered => {
      const chosen = chosenOption(answered);
      const option = question.options[choices.findIndex(({optionId}) => optionId === chosen)];
      if (option === undefined) return reply({kind: 'dismissed'});
      return this.#askQuestions(event, [...answers, {selected: [option.label], other: ''}]);
    });
  }

  /** Asks the editor for an approval. Any answer except a clear yes counts as a no. */
  #ask(approval: Approval): void {
    const {id, toolName, input, preview, verdict, sessionGrant} = approval;
    if (preview.kind === 'plan') this.#update(stepsOf(preview.plan));
    const quoted = taintIn(verdict.reasons).map(reason => ({
      type: 'content',
      content: textContent(reasonText(reason)),
    }));
    const content = [...quoted, ...previewContent(preview, this.#directory)];
    const options = [
      {optionId: 'allow', name: 'Allow', kind: 'allow_once'},
      ...(verdict.sessionApproval === 'none'
        ? []
        : [{optionId: 'allow-session', name: sessionOffer(sessionGrant), kind: 'allow_always'}]),
      {optionId: 'refuse', name: 'Refuse', kind: 'reject_once'},
    ];
    const params = {
      sessionId: this.#id,
      toolCall: {
        ...toolCall({id, name: toolName, input}, approval, this.#directory),
        status: 'pending',
        content,
        ...encodePermissionExtension(approval, this.#directory),
      },
      options,
    };
    this.#peer.call('session/request_permission', params, answered => {
      const chosen = chosenOption(answered);
      const offered = options.some(({optionId}) => optionId === chosen) ? chosen : 'refuse';
      this.#engine.submit({op: 'answer-approval', id, answer: approvalAnswer(offered)});
    });
  }
}

/** Returns the id of the option that the user chose; `undefined` if none. */
function chosenOption(answered: Outcome<Json, unknown>): Json | undefined {
  const outcome = answered.tag === 'ok' && isJsonObject(answered.value) ? answered.value['outcome'] : undefined;
  return isJsonObject(outcome) && outcome['outcome'] === 'selected' ? outcome['optionId'] : undefined;
}

const invalid = (text: string): Outcome<Json, RpcError> => failed(rpcError(rpcErrors.invalidParams, text));

const select = (
  id: string,
  name: string,
  category: string,
  value: string,
  values: readonly JsonObject[],
): JsonObject => ({
  id,
  name,
  category,
  type: 'select',
  currentValue: value,
  options: values,
});

function approvalAnswer(chosen: Json | undefined): ApprovalAnswer {
  if (chosen === 'allow') return {decision: 'allow', scope: 'once'};
  if (chosen === 'allow-session') return {decision: 'allow', scope: 'session'};
  return {decision: 'refuse', message: '', by: 'user'};
}

function answerOf({end, usage}: PromptSummary): PromptAnswer {
  const stopped = (stopReason: string): PromptAnswer => ok({stopReason, usage: usageOf(usage)});
  switch (end.kind) {
    case 'done':
      return stopped('end_turn');
    case 'interrupted':
      return stopped('cancelled');
    case 'max-turns':
      return stopped('max_turn_requests');
    case 'failed':
      return failed(rpcError(rpcErrors.internal, faultText(end.fault)));
    case 'not-sent': {
      const code = end.why === 'unknown-command' ? rpcErrors.invalidParams : rpcErrors.internal;
      return failed(rpcError(code, faultText(end.fault)));
    }
    case 'max-cost':
      return failed(rpcError(rpcErrors.internal, `The prompt has reached its cost limit of ${end.usd} US dollars.`));
    case 'invalid-output':
      return failed(rpcError(rpcErrors.internal, `The answer does not match the schema: ${end.errors.join('; ')}`));
    case 'stopped-by-hook':
      return failed(rpcError(rpcErrors.internal, `A hook stopped the prompt. ${end.reason}`.trim()));
    default:
      return unreachable(end);
  }
}

/** Returns the usage of a prompt in ACP's form. */
const usageOf = (usage: Usage) => ({
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
  cachedReadTokens: usage.cacheReadTokens,
  cachedWriteTokens: usage.cacheWriteTokens,
  totalTokens: contextTokens(usage),
});
