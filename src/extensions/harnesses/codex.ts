import type {HarnessAccess, HarnessDecision} from '../../actions/harness-port.ts';
import type {FileEdit} from '../../domain/file-edit.ts';
import type {QuestionReply} from '../../actions/ports.ts';
import {type JsonObject, objectOf, textOf} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type HarnessFileChange, parseHarnessSessionId} from '../../domain/harness.ts';
import {mcpToolName} from '../../domain/mcp-tool-name.ts';
import {noUsage, type Usage, usageSince} from '../../domain/usage.ts';
import {
  makeRpcPeer,
  rpcError,
  rpcErrors,
  type RpcError,
  type RpcPeer,
  type RpcRequest,
} from '../../protocol/json-rpc/peer.ts';
import type {Conversation, Driver, DriverRequest, OpenedConversation, Reporter} from './driver.ts';
import {contentText, countOf, objectsOf, questionOf, selectionOf, stepStatus} from './message-fields.ts';

/**
 * Drives Codex through `codex app-server`: JSON-RPC on stdio. The policy `untrusted` asks about every file change and
 * every command except a few that only read. Commands run in Codex's own sandbox.
 */
export const codexDriver = (request: DriverRequest): Driver => ({
  args: ['app-server'],
  env: {},
  converse: reporter => new CodexConversation(request, reporter),
});

class CodexConversation implements Conversation {
  readonly #request: DriverRequest;
  readonly #reporter: Reporter;
  readonly #peer: RpcPeer;
  readonly #changes = new Map<string, readonly JsonObject[]>();
  /** The handlers of withdrawals, by request id. Codex reports when a request no longer needs an answer. */
  readonly #withdrawals = new Map<string, () => void>();
  #thread = '';
  #turn = '';
  #isInterrupted = false;
  #model = '';
  /** The thread's usage before this run. */
  #usageBefore: Usage | undefined;
  #lastMessage = '';
  #hasPrompt = false;

  constructor(request: DriverRequest, reporter: Reporter) {
    this.#request = request;
    this.#reporter = reporter;
    this.#peer = makeRpcPeer({
      write: reporter.write,
      request: asked => this.#takeRequest(asked),
      notification: (method, params) => this.#takeNotification(method, params),
    });
  }

  async open(): Promise<Outcome<OpenedConversation, string>> {
    const clientInfo = {name: 'weft', title: 'weft', version: '0'};
    const greeted = await this.#peer.request('initialize', {clientInfo, capabilities: {experimentalApi: true}});
    if (greeted.tag === 'failed') return failed(greeted.error.message);
    this.#peer.notify('initialized', {});
    const account = await this.#peer.request('account/read', {refreshToken: false});
    if (account.tag === 'ok') {
      const {account: user, requiresOpenaiAuth} = objectOf(account.value);
      if (user === null && requiresOpenaiAuth === true) return failed('you are not signed in: run codex login');
    }
    const {directory, model, access, resume} = this.#request;
    const thread = {
      cwd: directory,
      approvalPolicy: access === 'read-only' ? 'never' : 'untrusted',
      sandbox: access === 'read-only' ? 'read-only' : 'workspace-write',
      ...(model === '' ? {} : {model}),
    };
    const opened =
      resume === 'new'
        ? await this.#peer.request('thread/start', thread)
        : await this.#peer.request('thread/resume', {...thread, threadId: resume, excludeTurns: true});
    if (opened.tag === 'failed') return failed(opened.error.message);
    const result = objectOf(opened.value);
    this.#thread = textOf(objectOf(result['thread'])['id']);
    this.#model = textOf(result['model']) || textOf(objectOf(result['thread'])['model']) || model;
    const session = parseHarnessSessionId(this.#thread);
    if (session === undefined) return failed('its conversation has no id');
    const version = /\/(\d[\w.-]*)/u.exec(textOf(objectOf(greeted.value)['userAgent']))?.[1] ?? '';
    return ok({session, model: this.#model, version});
  }

  take(message: JsonObject): void {
    this.#peer.take(message);
  }

  prompt(text: string): void {
    this.#turn = '';
    this.#withdrawals.clear();
    this.#lastMessage = '';
    this.#isInterrupted = false;
    this.#hasPrompt = true;
    this.#peer.call('turn/start', {threadId: this.#thread, input: [{type: 'text', text}]}, answer => {
      if (answer.tag === 'failed') return this.#reporter.finished({kind: 'failed', reason: errorTextOf(answer)});
      this.#turnBegan(textOf(objectOf(objectOf(answer.value)['turn'])['id']));
    });
  }

  async steer(text: string): Promise<'taken' | 'refused'> {
    if (this.#turn === '') return 'refused';
    const answer = await this.#peer.request('turn/steer', {
      threadId: this.#thread,
      expectedTurnId: this.#turn,
      input: [{type: 'text', text}],
    });
    return answer.tag === 'ok' ? 'taken' : 'refused';
  }

  /** Interrupts the turn and ends its background terminals, in which commands would otherwise keep running. */
  interrupt(): void {
    this.#isInterrupted = true;
    if (this.#turn === '') return;
    this.#peer.call('turn/interrupt', {threadId: this.#thread, turnId: this.#turn}, () => {});
    this.#peer.call('thread/backgroundTerminals/clean', {threadId: this.#thread}, () => {});
  }

  #turnBegan(turn: string): void {
    if (turn === '' || this.#turn === turn) return;
    this.#turn = turn;
    if (this.#isInterrupted) this.interrupt();
  }

  #takeNotification(method: string, params: JsonObject): void {
    // Codex's own sub-agents use other threads.
    const thread = textOf(params['threadId']);
    if (thread !== '' && this.#thread !== '' && thread !== this.#thread) return;
    const item = objectOf(params['item']);
    const itemId = textOf(params['itemId']);
    switch (method) {
      case 'turn/started':
        return this.#turnBegan(textOf(objectOf(params['turn'])['id']));
      case 'item/started':
        return this.#itemStarted(item);
      case 'item/agentMessage/delta':
        return this.#reporter.text(textOf(params['delta']));
      case 'item/reasoning/textDelta':
      case 'item/reasoning/summaryTextDelta':
        return this.#reporter.thinking(textOf(params['delta']));
      case 'item/commandExecution/outputDelta':
        return this.#reporter.toolOutput(itemId, textOf(params['delta']));
      case 'item/completed':
        return this.#itemCompleted(item);
      case 'turn/plan/updated':
        return this.#reporter.plan(
          objectsOf(params['plan']).map(step => ({
            title: textOf(step['step']),
            status: stepStatus(textOf(step['status'])),
          })),
        );
      case 'thread/tokenUsage/updated':
        return this.#reportUsage(objectOf(params['tokenUsage']));
      case 'warning':
        return this.#reporter.warn(textOf(params['message']));
      case 'error':
        // The final error comes again at the end of the turn.
        if (params['willRetry'] === true) this.#reporter.warn(textOf(objectOf(params['error'])['message']));
        return;
      case 'serverRequest/resolved':
        return this.#withdrawals.get(JSON.stringify(params['requestId'] ?? null))?.();
      case 'turn/completed':
        return this.#turnCompleted(objectOf(params['turn']));
      default:
        return;
    }
  }

  #itemStarted(item: JsonObject): void {
    const id = textOf(item['id']);
    if (item['type'] === 'agentMessage') return this.#reporter.endMessage();
    if (item['type'] === 'fileChange') this.#changes.set(id, objectsOf(item['changes']));
    const tool = toolOf(item, this.#request.directory);
    if (tool !== undefined) this.#reporter.toolStarted({id, ...tool});
  }

  #itemCompleted(item: JsonObject): void {
    const id = textOf(item['id']);
    if (item['type'] === 'agentMessage') {
      this.#lastMessage = textOf(item['text']);
      return;
    }
    const tool = toolOf(item, this.#request.directory);
    if (tool === undefined) return;
    // Some items are reported only when they are done.
    this.#reporter.toolStarted({id, ...tool});
    this.#changes.delete(id);
    const {status} = item;
    const end =
      status === 'failed' || item['success'] === false ? 'failed' : status === 'declined' ? 'cancelled' : 'succeeded';
    const files = item['type'] === 'fileChange' && end === 'succeeded' ? objectsOf(item['changes']).map(fileOf) : [];
    this.#reporter.toolFinished({id, end, output: outputOf(item), files});
  }

  #turnCompleted(turn: JsonObject): void {
    if (this.#turn !== '' && textOf(turn['id']) !== this.#turn) return;
    this.#turn = '';
    switch (turn['status']) {
      case 'completed':
        return this.#reporter.finished({kind: 'succeeded', text: this.#lastMessage});
      case 'interrupted':
        return this.#reporter.finished({kind: 'cancelled'});
      default: {
        const {message, additionalDetails} = objectOf(turn['error']);
        const said = [textOf(message), textOf(additionalDetails)].filter(text => text !== '').join(' ');
        return this.#reporter.finished({
          kind: 'failed',
          reason: addSignInHint(said || 'Codex failed without a reason.'),
        });
      }
    }
  }

  /**
   * Reports the usage of this run. `total` counts from the start of the thread, including earlier runs. Codex sends
   * it when a thread is resumed.
   */
  #reportUsage({total, last}: JsonObject): void {
    const all = usageOf(objectOf(total));
    if (this.#hasPrompt)
      this.#usageBefore ??= this.#request.resume === 'new' ? noUsage : usageSince(all, usageOf(objectOf(last)));
    else this.#usageBefore = all;
    const usage = usageSince(all, this.#usageBefore);
    const usd = this.#request.priceOf(this.#model, usage);
    const cost = usd === undefined ? ({kind: 'unknown'} as const) : ({kind: 'estimated', usd} as const);
    this.#reporter.used({model: this.#model, usage, cost});
  }

  #takeRequest(request: RpcRequest): void {
    const {method, params} = request;
    const withdrawn = (withdraw: () => void): void => void this.#withdrawals.set(JSON.stringify(request.id), withdraw);
    const decide = (decision: HarnessDecision): void => {
      request.answer(ok({decision: decisionValues[decision.kind]}));
      // The answer has no field for the reason.
      if (decision.kind === 'denied' && decision.message !== '') void this.steer(decision.message);
    };
    const id = textOf(params['itemId']);
    const reason = textOf(params['reason']);
    switch (method) {
      case 'item/commandExecution/requestApproval': {
        const command = textOf(params['command']);
        const directory = textOf(params['cwd']) || this.#request.directory;
        const access =
          command === ''
            ? ({kind: 'other', title: 'network access', input: params} as const)
            : ({kind: 'command', command: unwrapShell(command), directory, paths: []} as const);
        return withdrawn(this.#reporter.approve({id, toolName: 'exec_command', access, input: {}, reason}, decide));
      }
      case 'item/fileChange/requestApproval': {
        const changes = this.#changes.get(id) ?? [];
        const paths = changes.map(change => textOf(change['path']));
        const root = textOf(params['grantRoot']);
        const access =
          paths.length === 0 || root !== ''
            ? ({kind: 'other', title: `write below ${root}`, input: params} as const)
            : editAccess(changes);
        return withdrawn(this.#reporter.approve({id, toolName: 'apply_patch', access, input: {}, reason}, decide));
      }
      case 'item/tool/requestUserInput': {
        const questions = objectsOf(params['questions']);
        return withdrawn(
          this.#reporter.ask(questions.map(questionOf), reply =>
            request.answer(ok({answers: answersOf(questions, reply)})),
          ),
        );
      }
      // weft never grants more permissions than Codex started with.
      case 'item/permissions/requestApproval':
        return request.answer(ok({permissions: {}, scope: 'turn'}));
      case 'mcpServer/elicitation/request':
        return request.answer(ok({action: 'decline', content: null}));
      default:
        return request.answer(failed(rpcError(rpcErrors.methodNotFound, `weft does not answer ${method}`)));
    }
  }
}

const errorTextOf = ({error}: {readonly error: RpcError}): string => addSignInHint(error.message);

const addSignInHint = (reason: string): string =>
  /\b(?:401|unauthori[sz]ed|log ?in|logged in|api key|authenticat)/iu.test(reason)
    ? `${reason} (sign in: run codex login)`
    : reason;

/** Returns the command inside a shell call: people and rules need the command, not the shell. */
export function unwrapShell(command: string): string {
  const [, quoted, plain] =
    /^(?:\/\S*\/)?(?:ba|z)?sh -l?c (?:'((?:[^']|'\\'')*)'|([^\s'"\\$`;&|<>()]+))$/u.exec(command) ?? [];
  return quoted?.replaceAll(`'\\''`, "'") ?? plain ?? command;
}

const decisionValues = {allowed: 'accept', denied: 'decline', cancelled: 'cancel'} as const satisfies Readonly<
  Record<HarnessDecision['kind'], string>
>;

/** Returns an item as a tool call, or `undefined` for messages, reasoning and other items. */
function toolOf(item: JsonObject, directory: string): Omit<Parameters<Reporter['toolStarted']>[0], 'id'> | undefined {
  switch (item['type']) {
    case 'commandExecution': {
      const command = unwrapShell(textOf(item['command']));
      const cwd = textOf(item['cwd']) || directory;
      const access = {kind: 'command', command, directory: cwd, paths: []} as const;
      return {name: 'exec_command', title: command, input: {command, cwd}, access};
    }
    case 'fileChange': {
      const changes = objectsOf(item['changes']);
      const title = changes.map(change => textOf(change['path'])).join(', ');
      return {name: 'apply_patch', title, input: {changes}, access: editAccess(changes)};
    }
    case 'mcpToolCall':
    case 'dynamicToolCall': {
      const [server, tool] = [textOf(item['server']), textOf(item['tool'])];
      const name = server === '' ? tool : mcpToolName(server, tool);
      return otherTool(name, name, objectOf(item['arguments']));
    }
    case 'webSearch': {
      const query = textOf(item['query']);
      return {name: 'web_search', title: query, input: {query}, access: {kind: 'web-query', text: query}};
    }
    case 'imageView': {
      const path = textOf(item['path']);
      return {name: 'view_image', title: path, input: {path}, access: {kind: 'read', paths: [path]}};
    }
    case 'collabAgentToolCall':
      return otherTool(textOf(item['tool']), textOf(item['prompt']), {prompt: item['prompt'] ?? ''});
    default:
      return undefined;
  }
}

const otherTool = (name: string, title: string, input: JsonObject) => ({
  name,
  title,
  input,
  access: {kind: 'other', title: name, input} as const,
});

function outputOf(item: JsonObject): string {
  const result = objectOf(item['result']);
  return (
    textOf(item['aggregatedOutput']) ||
    textOf(objectOf(item['error'])['message']) ||
    contentText(result['content']) ||
    contentText(item['contentItems'])
  );
}

function fileOf(change: JsonObject): HarnessFileChange {
  const kind = objectOf(change['kind'])['type'];
  return {path: textOf(change['path']), change: kind === 'add' ? 'added' : kind === 'delete' ? 'deleted' : 'changed'};
}

const editAccess = (changes: readonly JsonObject[]): HarnessAccess => ({
  kind: 'edit',
  paths: changes.map(({path}) => textOf(path)),
  edits: changes.flatMap(change => editsOf(change)),
});

/**
 * Turns a change into edits. `diff` is the new content of an added file, the old content of a deleted file, and
 * otherwise the hunks of a unified diff.
 */
function editsOf(change: JsonObject): readonly FileEdit[] {
  const path = textOf(change['path']);
  const diff = textOf(change['diff']);
  const {type, move_path: target} = objectOf(change['kind']);
  if (type === 'add') return [{kind: 'write', path, content: diff}];
  if (type === 'delete') return [{kind: 'delete', path}];
  const hunks = diff
    .split(/^@@.*\n/mu)
    .slice(1)
    .map(text => ({
      context: [],
      place: 'anywhere' as const,
      lines: text.split('\n').flatMap(line => {
        const kind = patchLineKinds.get(line.slice(0, 1));
        return kind === undefined ? [] : [{kind, text: line.slice(1)}];
      }),
    }));
  const edits: readonly FileEdit[] = hunks.length === 0 ? [] : [{kind: 'patch', path, hunks}];
  return textOf(target) === '' ? edits : [...edits, {kind: 'rename', path, to: textOf(target)}];
}

const patchLineKinds: ReadonlyMap<string, 'context' | 'added' | 'removed'> = new Map([
  [' ', 'context'],
  ['+', 'added'],
  ['-', 'removed'],
]);

/** Returns the answers by question id; empty if the user did not answer. */
function answersOf(questions: readonly JsonObject[], reply: QuestionReply): JsonObject {
  if (reply.kind !== 'answered') return {};
  return Object.fromEntries(
    questions.map((question, index) => [textOf(question['id']), {answers: selectionOf(reply, index)}]),
  );
}

const usageOf = (tokens: JsonObject): Usage => {
  const cached = countOf(tokens['cachedInputTokens']);
  return {
    inputTokens: Math.max(0, countOf(tokens['inputTokens']) - cached),
    outputTokens: countOf(tokens['outputTokens']),
    cacheReadTokens: cached,
    cacheWriteTokens: countOf(tokens['cacheWriteInputTokens']),
  };
};
