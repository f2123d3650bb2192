import type {HarnessAccess, HarnessDecision} from '../../actions/harness-port.ts';
import type {FileEdit} from '../../domain/file-edit.ts';
import type {Question, QuestionReply} from '../../actions/ports.ts';
import {type JsonObject, objectOf, textOf} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {byKind} from '../../base/unreachable.ts';
import {type HarnessCost, type HarnessFileChange, parseHarnessSessionId} from '../../domain/harness.ts';
import {addUsage, noUsage, type Usage} from '../../domain/usage.ts';
import type {Conversation, Driver, DriverRequest, OpenedConversation, Reporter} from './driver.ts';
import {contentText, countOf, globAccess, objectsOf, questionOf, selectionOf, textsOf} from './message-fields.ts';

/**
 * Drives Claude Code through the Agent SDK's messages (`--input-format stream-json`). `headless/rpc` is the other
 * side of this protocol.
 *
 * The user's own Claude settings may allow tools without asking, but weft's rules come first. So every tool that can
 * change something, or read what it should not, goes on Claude's `ask` list. That list wins over `allow`.
 */
export function claudeDriver(request: DriverRequest): Driver {
  const id = request.resume === 'new' ? request.newId() : request.resume;
  return {
    args: [
      ...fixedArguments,
      ...(request.access === 'read-only' ? ['--disallowedTools', changingTools.join(',')] : []),
      ...(request.model === '' ? [] : ['--model', request.model]),
      ...(request.resume === 'new' ? ['--session-id', id] : ['--resume', id]),
    ],
    env: {CLAUDE_CODE_ENTRYPOINT: 'sdk-cli', DISABLE_AUTOUPDATER: '1'},
    converse: reporter => new ClaudeConversation(request, id, reporter),
  };
}

const changingTools = ['Bash', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Task', 'Agent'];

const settings = {
  permissions: {
    ask: ['Bash', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Read', 'WebFetch', 'WebSearch', 'mcp__*'],
    disableBypassPermissionsMode: 'disable',
  },
  sandbox: {autoAllowBashIfSandboxed: false},
} as const;

/** Only the user's settings count. Hooks and rules of the project would take effect without asking anyone. */
const fixedArguments = [
  ...'-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages'.split(' '),
  ...'--replay-user-messages --permission-prompt-tool stdio --permission-mode default --setting-sources user'.split(
    ' ',
  ),
  '--settings',
  JSON.stringify(settings),
];

class ClaudeConversation implements Conversation {
  readonly #request: DriverRequest;
  readonly #id: string;
  readonly #reporter: Reporter;
  readonly #pendingAnswers = new Map<string, (answer: Outcome<JsonObject, string>) => void>();
  readonly #withdrawals = new Map<string, () => void>();
  #streamed = new Set<string>();
  /** Messages sent to the running prompt that Claude has not started to read. */
  readonly #unread = new Set<string>();
  readonly #files = new Map<string, readonly HarnessFileChange[]>();
  #requests = 0;
  #usage: Usage = noUsage;
  /** The conversation's cost before this run, in US dollars. Claude's totals include it. */
  #costBefore: number | 'unknown' = 'unknown';
  #model = '';

  constructor(request: DriverRequest, id: string, reporter: Reporter) {
    this.#request = request;
    this.#id = id;
    this.#reporter = reporter;
    if (request.resume === 'new') this.#costBefore = 0;
  }

  async open(): Promise<Outcome<OpenedConversation, string>> {
    const answer = await this.#control({subtype: 'initialize'});
    if (answer.tag === 'failed') return failed(`it refused to start: ${answer.error}`);
    const session = parseHarnessSessionId(this.#id);
    if (session === undefined) return failed('its conversation has no id');
    return ok({session, model: this.#request.model, version: textOf(answer.value['claude_code_version'])});
  }

  prompt(text: string): void {
    this.#unread.clear();
    this.#write(text);
  }

  async steer(text: string): Promise<'taken'> {
    this.#unread.add(this.#write(text));
    return 'taken';
  }

  interrupt(): void {
    void this.#control({subtype: 'interrupt', cancel_queued: true});
  }

  take(message: JsonObject): void {
    switch (message['type']) {
      case 'control_response':
        return this.#takeAnswer(objectOf(message['response']));
      case 'control_request':
        return this.#takeRequest(textOf(message['request_id']), objectOf(message['request']));
      case 'control_cancel_request': {
        const id = textOf(message['request_id']);
        this.#withdrawals.get(id)?.();
        this.#withdrawals.delete(id);
        return;
      }
      case 'system':
        return this.#takeSystem(message);
      case 'stream_event':
        return message['parent_tool_use_id'] === null ? this.#takeDelta(objectOf(message['event'])) : undefined;
      case 'assistant':
        return this.#takeAssistant(message);
      case 'user':
        if (message['isReplay'] === true) this.#unread.delete(textOf(message['uuid']));
        return this.#takeResults(objectOf(message['message']));
      case 'result':
        return this.#takeResult(message);
      default:
        return;
    }
  }

  #write(text: string): string {
    const uuid = this.#request.newId();
    const message = {role: 'user', content: [{type: 'text', text}]};
    this.#reporter.write({type: 'user', uuid, message, session_id: '', parent_tool_use_id: null});
    return uuid;
  }

  #control(request: object): Promise<Outcome<JsonObject, string>> {
    this.#requests += 1;
    const id = `weft-${this.#requests}`;
    const answered = Promise.withResolvers<Outcome<JsonObject, string>>();
    this.#pendingAnswers.set(id, answered.resolve);
    this.#reporter.write({type: 'control_request', request_id: id, request});
    return answered.promise;
  }

  #takeAnswer(response: JsonObject): void {
    const id = textOf(response['request_id']);
    const answered = this.#pendingAnswers.get(id);
    this.#pendingAnswers.delete(id);
    answered?.(
      response['subtype'] === 'success'
        ? ok(objectOf(response['response']))
        : failed(textOf(response['error']) || 'it gave no reason'),
    );
  }

  #takeRequest(id: string, request: JsonObject): void {
    if (request['subtype'] !== 'can_use_tool') {
      const error = `Unsupported control request subtype: ${textOf(request['subtype'])}`;
      this.#reporter.write({
        type: 'control_response',
        response: {subtype: 'error', request_id: id, error, error_code: 'unsupported_request'},
      });
      return;
    }
    const input = objectOf(request['input']);
    const toolName = textOf(request['tool_name']);
    const toolUse = textOf(request['tool_use_id']);
    const respond = (response: object): void => {
      this.#withdrawals.delete(id);
      this.#reporter.write({type: 'control_response', response: {subtype: 'success', request_id: id, response}});
    };
    const questions = toolName === 'AskUserQuestion' ? questionsOf(input) : [];
    const withdraw =
      questions.length > 0
        ? this.#reporter.ask(questions, reply => respond(toQuestionResponse(input, {questions, reply})))
        : this.#reporter.approve(
            {
              id: toolUse === '' ? id : toolUse,
              toolName,
              access: accessOf(toolName, input, this.#request.directory),
              input,
              reason: textOf(request['decision_reason']),
            },
            decision => respond(toDecisionResponse(decision, input)),
          );
    // A request that was answered at once has nothing to withdraw.
    if (id !== '') this.#withdrawals.set(id, withdraw);
  }

  #takeSystem(message: JsonObject): void {
    switch (message['subtype']) {
      case 'init':
        this.#model = textOf(message['model']);
        if (message['permissionMode'] === 'bypassPermissions') {
          this.#reporter.warn('Claude Code would act without asking, so weft interrupts it.');
          this.interrupt();
        }
        return this.#reporter.began();
      case 'permission_denied':
        return this.#reporter.warn(
          `Claude Code itself denied ${textOf(message['tool_name'])}: ${textOf(message['message'])}`,
        );
      case 'api_retry':
        return this.#reporter.warn(`Claude Code is retrying its request: ${textOf(message['error'])}`);
      default:
        return;
    }
  }

  #takeDelta(event: JsonObject): void {
    if (event['type'] === 'message_start') {
      this.#streamed.add(textOf(objectOf(event['message'])['id']));
      this.#reporter.endMessage();
    }
    if (event['type'] !== 'content_block_delta') return;
    const delta = objectOf(event['delta']);
    if (delta['type'] === 'text_delta') this.#reporter.text(textOf(delta['text']));
    if (delta['type'] === 'thinking_delta') this.#reporter.thinking(textOf(delta['thinking']));
  }

  #takeAssistant(message: JsonObject): void {
    const {id, content} = objectOf(message['message']);
    const isOwn = message['parent_tool_use_id'] === null;
    const isStreamed = this.#streamed.has(textOf(id));
    for (const block of objectsOf(content)) {
      if (block['type'] === 'text' && isOwn && !isStreamed) {
        this.#reporter.endMessage();
        this.#reporter.text(textOf(block['text']));
      }
      if (block['type'] !== 'tool_use') continue;
      const [tool, name, input] = [textOf(block['id']), textOf(block['name']), objectOf(block['input'])];
      this.#files.set(tool, filesOf(name, input));
      const access = accessOf(name, input, this.#request.directory);
      this.#reporter.toolStarted({id: tool, name, title: titleOf(name, input), input, access});
    }
  }

  #takeResults(message: JsonObject): void {
    for (const block of objectsOf(message['content'])) {
      if (block['type'] !== 'tool_result') continue;
      const id = textOf(block['tool_use_id']);
      const end = block['is_error'] === true ? 'failed' : 'succeeded';
      const files = end === 'succeeded' ? (this.#files.get(id) ?? []) : [];
      this.#files.delete(id);
      this.#reporter.toolFinished({id, end, output: contentText(block['content']), files});
    }
  }

  #takeResult(result: JsonObject): void {
    this.#streamed = new Set();
    this.#reportUsage(result);
    const terminal = textOf(result['terminal_reason']);
    if (terminal.startsWith('aborted')) return this.#reporter.finished({kind: 'cancelled'});
    // If a message comes too late, Claude reads it with the next answer, which Claude starts by itself.
    if (this.#unread.size > 0) return;
    if (result['subtype'] === 'success' && result['is_error'] !== true)
      return this.#reporter.finished({kind: 'succeeded', text: textOf(result['result'])});
    const errors = [textOf(result['result']), ...textsOf(result['errors'])].filter(text => text !== '');
    const reason = errors.length > 0 ? errors.join(' ') : `Claude Code failed: ${textOf(result['subtype'])}`;
    this.#reporter.finished({kind: 'failed', reason: addSignInHint(reason)});
  }

  #reportUsage(result: JsonObject): void {
    const {usage: turn, total_cost_usd: total} = result;
    const used = usageOf(objectOf(turn));
    this.#usage = addUsage(this.#usage, used);
    this.#reporter.used({model: this.#model, usage: this.#usage, cost: this.#costOf(total, used)});
  }

  /**
   * Returns the cost of this run. `total_cost_usd` includes earlier runs of the conversation. On the first result,
   * weft subtracts everything but the estimated price of this prompt.
   */
  #costOf(total: JsonObject[string] | undefined, used: Usage): HarnessCost {
    if (typeof total !== 'number' || !Number.isFinite(total) || total < 0) return {kind: 'unknown'};
    if (this.#costBefore === 'unknown') {
      const price = this.#request.priceOf(this.#model, used);
      if (price === undefined) return {kind: 'unknown'};
      this.#costBefore = Math.max(0, total - price);
    }
    const usd = Math.max(0, total - this.#costBefore);
    return this.#request.resume === 'new' ? {kind: 'known', usd} : {kind: 'estimated', usd};
  }
}

const addSignInHint = (reason: string): string =>
  /\b(?:log ?in|logged in|sign ?in|api key|authenticat|oauth)/iu.test(reason)
    ? `${reason} (sign in: run claude, then /login)`
    : reason;

const usageOf = (usage: JsonObject): Usage => ({
  inputTokens: countOf(usage['input_tokens']),
  outputTokens: countOf(usage['output_tokens']),
  cacheReadTokens: countOf(usage['cache_read_input_tokens']),
  cacheWriteTokens: countOf(usage['cache_creation_input_tokens']),
});

const toDecisionResponse = (decision: HarnessDecision, input: JsonObject): object =>
  byKind<HarnessDecision, object>(decision, {
    allowed: () => ({behavior: 'allow', updatedInput: input}),
    denied: ({message}) => ({behavior: 'deny', message: message || 'The user does not want this.'}),
    cancelled: () => ({behavior: 'deny', message: 'The user stopped you.', interrupt: true}),
  });

/** Translates a tool call into the action catalog's terms. Tools unknown to weft are shown unchanged. */
function accessOf(tool: string, input: JsonObject, directory: string): HarnessAccess {
  const path = textOf(input['file_path']) || textOf(input['notebook_path']) || textOf(input['path']);
  switch (tool) {
    case 'Bash':
      return {kind: 'command', command: textOf(input['command']), directory, paths: []};
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
    case 'NotebookEdit':
      return {kind: 'edit', paths: [path], edits: editsOf(tool, path, input)};
    case 'Glob':
      return globAccess(tool, path, input);
    case 'Grep':
      return {kind: 'search', text: textOf(input['pattern']), paths: [path === '' ? '.' : path]};
    case 'Read':
    case 'LS':
      return {kind: 'read', paths: [path === '' ? '.' : path]};
    case 'WebFetch':
      return {kind: 'web-page', url: textOf(input['url'])};
    case 'WebSearch':
      return {kind: 'web-query', text: textOf(input['query'])};
    default:
      return {kind: 'other', title: tool, input};
  }
}

function editsOf(tool: string, path: string, input: JsonObject): readonly FileEdit[] {
  if (tool === 'Write') return [{kind: 'write', path, content: textOf(input['content'])}];
  const changes = tool === 'Edit' ? [input] : tool === 'MultiEdit' ? objectsOf(input['edits']) : [];
  if (changes.length === 0) return [];
  return [
    {
      kind: 'replace',
      path,
      replacements: changes.map(change => ({
        oldText: textOf(change['old_string']),
        newText: textOf(change['new_string']),
        occurrence: change['replace_all'] === true ? 'every' : 'only',
      })),
    },
  ];
}

function filesOf(tool: string, input: JsonObject): readonly HarnessFileChange[] {
  const path = textOf(input['file_path']) || textOf(input['notebook_path']);
  return ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'].includes(tool) && path !== ''
    ? [{path, change: 'changed'}]
    : [];
}

const titleOf = (tool: string, input: JsonObject): string =>
  ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'path']
    .map(key => textOf(input[key]))
    .find(text => text !== '') ?? tool;

const questionsOf = (input: JsonObject): readonly Question[] =>
  objectsOf(input['questions']).map(question => ({
    ...questionOf(question),
    choice: question['multiSelect'] === true ? 'many' : 'one',
  }));

/** Builds the response to a question. The SDK keys answers by the text of each question. */
const toQuestionResponse = (
  input: JsonObject,
  {questions, reply}: {readonly questions: readonly Question[]; readonly reply: QuestionReply},
): object =>
  byKind<QuestionReply, object>(reply, {
    answered(answered) {
      const answers = questions.map(({question}, index) => [question, selectionOf(answered, index).join(', ')]);
      return {behavior: 'allow', updatedInput: {...input, answers: Object.fromEntries(answers)}};
    },
    dismissed: () => ({behavior: 'deny', message: 'The user does not want to answer.'}),
    unattended: () => ({behavior: 'deny', message: 'No user is there to answer: decide for yourself.'}),
  });
