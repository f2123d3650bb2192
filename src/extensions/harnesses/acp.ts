import {fileURLToPath} from 'node:url';
import type {HarnessAccess, HarnessDecision} from '../../actions/harness-port.ts';
import type {FileEdit} from '../../domain/file-edit.ts';
import {type Json, type JsonObject, listOf, objectOf, textOf} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {byKind} from '../../base/unreachable.ts';
import {type HarnessCost, type HarnessFileChange, parseHarnessSessionId} from '../../domain/harness.ts';
import {addUsage, noUsage, type Usage} from '../../domain/usage.ts';
import {
  makeRpcPeer,
  rpcError,
  rpcErrors,
  type RpcError,
  type RpcPeer,
  type RpcRequest,
} from '../../protocol/json-rpc/peer.ts';
import {readPermissionExtension} from '../../protocol/acp/permission-extension.ts';
import type {Conversation, Driver, DriverRequest, OpenedConversation, Reporter} from './driver.ts';
import {contentText, countOf, objectsOf, stepStatus, textsOf} from './message-fields.ts';

/** The differences between agents that speak ACP. */
export interface AcpAgent {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The flag that sets the model; empty if the protocol sets it. */
  readonly modelFlag: string;
  /**
   * The field that holds the command of a call. `title`: the call's title is the whole command. `own-call`: the agent
   * is weft, which describes the call itself.
   */
  readonly commandIn: 'raw-input' | 'title' | 'own-call';
  /** `gemini`: it reads and searches without asking, unless a policy of its own form says otherwise. */
  readonly policy: 'gemini' | 'none';
  /** Tells the user how to sign in, as a sentence. */
  readonly signIn: string;
}

/**
 * Drives an agent that speaks the Agent Client Protocol, version 1. weft offers it neither files nor terminals. The
 * agent works on the disk itself and asks first. weft only ever allows a call once, so its rules decide each time.
 */
export const acpDriver = (agent: AcpAgent, request: DriverRequest): Driver => ({
  args: [
    ...agent.args,
    ...(agent.policy === 'gemini' ? ['--policy', geminiPolicy] : []),
    ...(request.model === '' || agent.modelFlag === '' ? [] : [agent.modelFlag, request.model]),
  ],
  env: agent.env,
  converse: reporter => new AcpConversation(agent, request, reporter),
});

/** In the built program, the file lies beside the folder of this file, too. */
const geminiPolicy = fileURLToPath(new URL('../harnesses/gemini-policy.toml', import.meta.url));

const authRequired = -32_000;

const stopReasons: ReadonlyMap<string, string> = new Map([
  ['refusal', 'refused to continue'],
  ['max_tokens', 'stopped: its answer got too long'],
  ['max_turn_requests', 'stopped: it reached its turn limit'],
]);

/** The maximum number of UTF-16 units that are kept of calls that have not ended. */
const maxOpenCallChars = 16 * 1024 * 1024;

class AcpConversation implements Conversation {
  readonly #agent: AcpAgent;
  readonly #request: DriverRequest;
  readonly #reporter: Reporter;
  readonly #peer: RpcPeer;
  /** Oldest first. `size` is the number of UTF-16 units of all updates of the call. */
  readonly #calls = new Map<string, {readonly call: JsonObject; readonly size: number}>();
  #openCallChars = 0;
  #session = '';
  #model = '';
  /** True until the first prompt. Earlier updates repeat the conversation of a previous run. */
  #isReplaying = true;
  #usage: Usage = noUsage;
  #cost: HarnessCost = {kind: 'unknown'};
  #costBefore: number | undefined;

  constructor(agent: AcpAgent, request: DriverRequest, reporter: Reporter) {
    this.#agent = agent;
    this.#request = request;
    this.#reporter = reporter;
    this.#peer = makeRpcPeer({
      write: reporter.write,
      request: asked => this.#takeRequest(asked),
      notification: (method, params) => {
        if (method === 'session/update' && textOf(params['sessionId']) === this.#session)
          this.#takeUpdate(objectOf(params['update']));
      },
    });
  }

  async open(): Promise<Outcome<OpenedConversation, string>> {
    const greeted = await this.#peer.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: {fs: {readTextFile: false, writeTextFile: false}, terminal: false},
      clientInfo: {name: 'weft', version: '0'},
    });
    if (greeted.tag === 'failed') return failed(this.#explainError(greeted.error));
    const {protocolVersion, agentCapabilities, agentInfo} = objectOf(greeted.value);
    if (protocolVersion !== 1)
      return failed(`it speaks version ${JSON.stringify(protocolVersion ?? null)} of ACP, but weft needs version 1`);
    const opened = await this.#openSession(objectOf(agentCapabilities));
    if (opened.tag === 'failed') return opened;
    const session = parseHarnessSessionId(this.#session);
    if (session === undefined) return failed('its conversation has no id');
    const mode = await this.#chooseMode(objectOf(opened.value['modes']));
    if (mode.tag === 'failed') return mode;
    await this.#chooseModel(opened.value);
    return ok({session, model: this.#model, version: textOf(objectOf(agentInfo)['version'])});
  }

  prompt(text: string): void {
    this.#isReplaying = false;
    const params = {sessionId: this.#session, prompt: [{type: 'text', text}]};
    this.#peer.call('session/prompt', params, answer => {
      if (answer.tag === 'failed')
        return this.#reporter.finished({kind: 'failed', reason: this.#explainError(answer.error)});
      const result = objectOf(answer.value);
      this.#reportUsage(result);
      const stop = textOf(result['stopReason']);
      if (stop === 'end_turn') return this.#reporter.finished({kind: 'ended'});
      if (stop === 'cancelled') return this.#reporter.finished({kind: 'cancelled'});
      const why = stopReasons.get(stop) ?? 'stopped for an unknown reason';
      this.#reporter.finished({kind: 'failed', reason: `${this.#request.title} ${why}.`});
    });
  }

  /** Always refuses, because ACP has no steering. The message becomes the next prompt. */
  async steer(): Promise<'refused'> {
    return 'refused';
  }

  interrupt(): void {
    this.#peer.notify('session/cancel', {sessionId: this.#session});
  }

  take(message: JsonObject): void {
    this.#peer.take(message);
  }

  async #openSession(capabilities: JsonObject): Promise<Outcome<JsonObject, string>> {
    const {resume, directory} = this.#request;
    const place = {cwd: directory, mcpServers: []};
    if (resume === 'new') {
      const answer = await this.#peer.request('session/new', place);
      if (answer.tag === 'failed') return failed(this.#explainError(answer.error));
      this.#session = textOf(objectOf(answer.value)['sessionId']);
      return ok(objectOf(answer.value));
    }
    this.#session = resume;
    const {sessionCapabilities, loadSession} = capabilities;
    const canResume = objectOf(sessionCapabilities)['resume'] !== undefined;
    if (!canResume && loadSession !== true) return failed('it cannot resume a conversation');
    const method = canResume ? 'session/resume' : 'session/load';
    const answer = await this.#peer.request(method, {...place, sessionId: resume});
    return answer.tag === 'ok' ? ok(objectOf(answer.value)) : failed(this.#explainError(answer.error));
  }

  /** Chooses a read-only mode if the request wants one, and never a mode that skips approvals. */
  async #chooseMode({availableModes, currentModeId}: JsonObject): Promise<Outcome<undefined, string>> {
    const modes = objectsOf(availableModes).map(mode => textOf(mode['id']));
    const current = textOf(currentModeId);
    const reading = modes.find(mode => readOnlyMode.test(mode));
    const wanted = this.#request.access === 'read-only' ? (reading ?? current) : current;
    const safeMode = approvalSkippingMode.test(wanted)
      ? modes.find(mode => /^(?:default|ask|manual|normal|build)$/iu.test(mode))
      : wanted;
    if (safeMode === undefined) return failed(`its mode ${current} skips approvals, and it has no mode that asks`);
    if (safeMode === current) return ok(undefined);
    const answer = await this.#peer.request('session/set_mode', {sessionId: this.#session, modeId: safeMode});
    return answer.tag === 'ok' ? ok(undefined) : failed(this.#explainError(answer.error));
  }

  async #chooseModel(session: JsonObject): Promise<void> {
    const option = objectsOf(session['configOptions']).find(({category}) => category === 'model');
    this.#model = textOf(option?.['currentValue']) || textOf(objectOf(session['models'])['currentModelId']);
    const {model} = this.#request;
    if (model === '') return;
    if (this.#agent.modelFlag === '' && model !== this.#model) {
      const [method, choice] =
        option === undefined
          ? ['session/set_model', {modelId: model}]
          : ['session/set_config_option', {configId: option['id'] ?? 'model', value: model}];
      const answer = await this.#peer.request(method, {sessionId: this.#session, ...choice});
      if (answer.tag === 'failed')
        return this.#reporter.warn(`${this.#request.title} rejected the model ${model}: ${answer.error.message}`);
    }
    this.#model = model;
  }

  #explainError({code, message, data}: RpcError): string {
    const {details, message: detail} = objectOf(data);
    const more =
      [textOf(data), textOf(details), textOf(detail)].find(text => text !== '' && !message.includes(text)) ?? '';
    const said = more === '' ? message : `${message}: ${more}`;
    const wantsSignIn = code === authRequired || /authenticat|log ?in|api key|credential/iu.test(said);
    return wantsSignIn ? `it requires a sign-in: ${said.replace(/\.$/u, '')}. ${this.#agent.signIn}`.trim() : said;
  }

  #takeUpdate(update: JsonObject): void {
    const kind = update['sessionUpdate'];
    if (kind === 'usage_update') return this.#takeCost(objectOf(update['cost']));
    if (this.#isReplaying) return;
    switch (kind) {
      case 'agent_message_chunk':
        return this.#reporter.text(textOf(objectOf(update['content'])['text']));
      case 'agent_thought_chunk':
        return this.#reporter.thinking(textOf(objectOf(update['content'])['text']));
      case 'tool_call':
      case 'tool_call_update':
        return this.#takeCall(update);
      case 'plan':
        return this.#reporter.plan(
          objectsOf(update['entries']).map(entry => ({
            title: textOf(entry['content']),
            status: stepStatus(textOf(entry['status'])),
          })),
        );
      default:
        return;
    }
  }

  /**
   * Handles one update of a call. A later update replaces the fields that it contains. The input of a pending call
   * may still be incomplete.
   */
  #takeCall(update: JsonObject): void {
    const id = textOf(update['toolCallId']);
    if (id === '') return;
    const call = this.#mergeCall(id, update);
    const {status, rawInput, kind} = call;
    if (status === 'pending') return;
    const title = textOf(call['title']);
    const access = this.#accessOf(call);
    this.#reporter.toolStarted({
      id,
      name: textOf(call['name']) || textOf(kind) || 'tool',
      title,
      input: rawInput,
      access,
    });
    if (status !== 'completed' && status !== 'failed') return;
    this.#forget(id);
    const {outcome} = objectOf(objectOf(update['_meta'])['weft']);
    const end = status === 'completed' ? 'succeeded' : outcome === 'cancelled' ? 'cancelled' : 'failed';
    const files = end === 'succeeded' ? filesOf(call) : [];
    this.#reporter.toolFinished({id, end, output: outputOf(call), files});
  }

  /**
   * Returns the call with this update merged in. Empty fields change nothing, because opencode asks without the path that it named. If open
   * calls take up too much, the oldest are dropped.
   */
  #mergeCall(id: string, update: JsonObject): JsonObject {
    const {call = {}, size = 1000} = this.#calls.get(id) ?? {};
    this.#forget(id);
    const {locations = [], rawInput = {}} = call;
    const named = {
      ...(listOf(update['locations']).length === 0 ? {locations} : {}),
      ...(Object.keys(objectOf(update['rawInput'])).length === 0 ? {rawInput} : {}),
    };
    const known = {call: {...call, ...update, ...named}, size: size + JSON.stringify(update).length};
    this.#calls.set(id, known);
    this.#openCallChars += known.size;
    for (const oldest of this.#calls.keys()) {
      if (this.#openCallChars <= maxOpenCallChars) break;
      this.#forget(oldest);
    }
    return known.call;
  }

  #forget(id: string): void {
    this.#openCallChars -= this.#calls.get(id)?.size ?? 0;
    this.#calls.delete(id);
  }

  #takeCost({amount, currency}: JsonObject): void {
    if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0 || currency !== 'USD') return;
    if (this.#request.resume !== 'new' && this.#isReplaying) this.#costBefore = amount;
    // Not every agent reports what a conversation cost before.
    if (this.#request.resume !== 'new' && this.#costBefore === undefined) return;
    this.#cost = {kind: 'known', usd: Math.max(0, amount - (this.#costBefore ?? 0))};
  }

  /** Reports the tokens of a prompt when it ends, from the protocol's field or from Gemini's. */
  #reportUsage({usage, _meta}: JsonObject): void {
    const {inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens} = objectOf(usage);
    const {input_tokens: input, output_tokens: output} = objectOf(objectOf(objectOf(_meta)['quota'])['token_count']);
    this.#usage = addUsage(this.#usage, {
      inputTokens: countOf(inputTokens) + countOf(input),
      outputTokens: countOf(outputTokens) + countOf(output),
      cacheReadTokens: countOf(cachedReadTokens),
      cacheWriteTokens: countOf(cachedWriteTokens),
    });
    this.#reporter.used({model: this.#model, usage: this.#usage, cost: this.#knownCost()});
  }

  #knownCost(): HarnessCost {
    if (this.#cost.kind !== 'unknown') return this.#cost;
    const usd = this.#request.priceOf(this.#model, this.#usage);
    return usd === undefined || usd === 0 ? {kind: 'unknown'} : {kind: 'estimated', usd};
  }

  #takeRequest(request: RpcRequest): void {
    const {method, params} = request;
    if (method !== 'session/request_permission') {
      request.answer(failed(rpcError(rpcErrors.methodNotFound, `weft does not answer ${method}`)));
      return;
    }
    const call = objectOf(params['toolCall']);
    const id = textOf(call['toolCallId']);
    const whole = this.#mergeCall(id, call);
    const title = textOf(whole['title']);
    const toolName = textOf(whole['name']) || textOf(whole['kind']);
    const options = objectsOf(params['options']);
    const access = this.#accessOf(whole);
    const input = objectOf(whole['rawInput']);
    if (!this.#isReplaying) this.#reporter.toolStarted({id, name: toolName || 'tool', title, input, access});
    this.#reporter.approve({id, toolName, access, input, reason: ''}, decision => {
      let chosen = optionFor(decision, options);
      const isTooMuch = decision.kind === 'allowed' && chosen === undefined;
      if (isTooMuch) {
        this.#reporter.warn(`${this.#request.title} offers no way to allow ${title} just once, so weft denied it.`);
        chosen = optionFor({kind: 'denied', message: ''}, options);
      }
      if (decision.kind === 'denied' || isTooMuch)
        this.#reporter.toolFinished({id, end: 'cancelled', output: '', files: []});
      request.answer(
        ok({outcome: chosen === undefined ? {outcome: 'cancelled'} : {outcome: 'selected', optionId: chosen}}),
      );
    });
  }

  /**
   * Translates a call into the action catalog's terms. A title is text for people, and counts as a command only for
   * agents known to put the command there.
   */
  #accessOf(call: JsonObject): HarnessAccess {
    const input = objectOf(call['rawInput']);
    const title = textOf(call['title']);
    const {kind} = call;
    const own = this.#agent.commandIn === 'own-call' ? readPermissionExtension(call['_meta']) : undefined;
    if (own !== undefined) return {kind: 'own-call', ...own};
    const other = {kind: 'other', title: title === '' ? 'an unknown action' : title, input} as const;
    const diffs = objectsOf(call['content']).filter(({type}) => type === 'diff');
    const isRun = kind === 'execute' && this.#agent.commandIn === 'title';
    const run = commandOf(input);
    const directories = directoriesOf(input, isRun ? outputOf({content: call['content'] ?? []}) : '');
    // An unreadable field may hold the command, or the folder it runs in.
    if (run === undefined || directories === undefined) return other;
    const command = run || (isRun ? title : '');
    const named = pathsOf(call, command === '' ? [] : directoryKeys);
    const paths = [...new Set([...diffs.map(({path}) => textOf(path)), ...named])];
    const url = textOf(input['url']);
    const changes = diffs.length > 0 || kind === 'edit' || kind === 'delete';
    // The agent only claims the kind, so the content of the call decides. weft always asks about a call with more than
    // one kind of content.
    if ([command !== '', url !== '', changes].filter(Boolean).length > 1) return other;
    if (command !== '') {
      const [directory = this.#request.directory, ...more] = directories;
      return more.length === 0 ? {kind: 'command', command, directory, paths} : other;
    }
    if (diffs.length > 0 && kind !== 'delete') return {kind: 'edit', paths, edits: diffs.map(editOf)};
    if (url !== '') return kind === 'fetch' && paths.length === 0 ? {kind: 'web-page', url} : other;
    switch (kind) {
      case 'edit':
        return paths.length === 0 ? other : {kind: 'edit', paths, edits: []};
      case 'delete':
        return paths.length === 0 ? other : {kind: 'edit', paths, edits: paths.map(path => ({kind: 'delete', path}))};
      case 'read':
        return paths.length === 0 ? other : {kind: 'read', paths};
      case 'search':
        // Gemini names only the pattern, and searches its own folder.
        if (paths.length === 0 && this.#agent.policy === 'gemini') return {kind: 'search', text: title, paths: ['.']};
        return paths.length === 0 ? other : {kind: 'search', text: textOf(input['pattern']) || title, paths};
      default:
        return other;
    }
  }
}

/**
 * Returns the folders in which a call says that it runs a command. Gemini writes the folder beside the title. Returns
 * `undefined` if the folder is unclear.
 */
function directoriesOf(input: JsonObject, words: string): readonly string[] | undefined {
  const named = directoryKeys.map(key => input[key] ?? '').filter(value => value !== '');
  const said = /^\[(?:in|current working directory) ([^\][]+)\](?: [([].*)?$/su.exec(words)?.[1];
  if (words.startsWith('[') && said === undefined) return undefined;
  const texts = [...named.map(textOf), said ?? ''];
  return named.some(value => typeof value !== 'string') ? undefined : [...new Set(texts)].filter(text => text !== '');
}

const directoryKeys = ['cwd', 'workdir', 'dir_path', 'directory', 'working_directory', 'workingDirectory'];

const readOnlyMode = /^(?:plan|read[-_ ]?only|ask)$/iu;
const approvalSkippingMode = /yolo|bypass|auto|full[-_ ]?access|dangerous|dont[-_ ]?ask/iu;

/** Returns the command of a call, empty if it has none. Returns `undefined` if the command is neither a text nor a list of words. */
function commandOf(input: JsonObject): string | undefined {
  const [command, ...more] = commandKeys.map(key => input[key] ?? '').filter(value => value !== '');
  if (command === undefined) return '';
  const words = textsOf(command);
  const text = words.length > 0 ? words.map(quoteWord).join(' ') : textOf(command);
  const isRead = typeof command === 'string' || (Array.isArray(command) && words.length === command.length);
  return isRead && more.length === 0 ? text : undefined;
}

const commandKeys = ['command', 'cmd', 'commands', 'script'];

const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const editOf = (diff: JsonObject): FileEdit => {
  const path = textOf(diff['path']);
  const [oldText, newText] = [textOf(diff['oldText']), textOf(diff['newText'])];
  return oldText === ''
    ? {kind: 'write', path, content: newText}
    : {kind: 'replace', path, replacements: [{oldText, newText, occurrence: 'only'}]};
};

/** Returns the paths that a call names outside its diffs. */
function pathsOf(call: JsonObject, except: readonly string[] = []): readonly string[] {
  const input = objectOf(call['rawInput']);
  const named = Object.entries(input).flatMap(([key, value]) =>
    /(?:path|file|uri|dir|directory|folder)s?$/iu.test(key) && !except.includes(key)
      ? [textOf(value), ...textsOf(value)]
      : [],
  );
  const paths = [...objectsOf(call['locations']).map(({path}) => textOf(path)), ...named];
  return [...new Set(paths.map(path => path.replace(/^file:\/\//u, '')))].filter(path => path !== '');
}

function filesOf(call: JsonObject): readonly HarnessFileChange[] {
  const diffs = objectsOf(call['content']).filter(({type}) => type === 'diff');
  if (call['kind'] === 'delete')
    return objectsOf(call['locations']).map(({path}) => ({path: textOf(path), change: 'deleted'}));
  if (diffs.length === 0 && call['kind'] === 'edit') return pathsOf(call).map(path => ({path, change: 'changed'}));
  return diffs.map(({path, oldText}) => ({
    path: textOf(path),
    change: textOf(oldText) === '' ? 'added' : 'changed',
  }));
}

function outputOf(call: JsonObject): string {
  const shown = objectsOf(call['content'])
    .filter(({type}) => type === 'content')
    .map(({content}) => textOf(objectOf(content)['text']));
  const raw: Json | undefined = call['rawOutput'];
  return shown.join('\n') || textOf(raw) || textOf(objectOf(raw)['output']) || contentText(objectOf(raw)['content']);
}

/** Returns the agent's option that matches a decision, or `undefined` if there is none. */
function optionFor(decision: HarnessDecision, options: readonly JsonObject[]): string | undefined {
  const idOf = (kind: string): string | undefined => {
    const option = options.find(each => each['kind'] === kind);
    return option === undefined ? undefined : textOf(option['optionId']);
  };
  return byKind<HarnessDecision, string | undefined>(decision, {
    allowed: () => idOf('allow_once'),
    denied: () => idOf('reject_once') ?? idOf('reject_always'),
    cancelled: () => undefined,
  });
}
