import {fileURLToPath} from 'node:url';
import type {HarnessAccess} from '../../actions/harness-port.ts';
import type {Question, QuestionReply} from '../../actions/ports.ts';
import {type JsonObject, objectOf, parseJson, textOf} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {Replacement} from '../../domain/file-edit.ts';
import {parseHarnessSessionId} from '../../domain/harness.ts';
import {noUsage, type Usage, usageSince} from '../../domain/usage.ts';
import type {Conversation, Driver, DriverRequest, OpenedConversation, Reporter} from './driver.ts';
import {contentText, countOf, globAccess, objectsOf, textsOf} from './message-fields.ts';

/**
 * Drives pi through `pi --mode rpc`. pi acts without asking, so weft's own extension asks before each call. Other extensions are not
 * loaded, because a project's extensions would run at startup. With read-only access, pi has only tools that read.
 */
export const piDriver = (request: DriverRequest): Driver => ({
  args: [
    ...'--mode rpc --no-extensions'.split(' '),
    ...(request.access === 'read-only'
      ? ['--tools', 'read,grep,find,ls']
      : ['--tools', 'read,bash,edit,write,grep,find,ls', '--extension', gateFile]),
    ...(request.model === '' ? [] : ['--model', request.model]),
    ...(request.resume === 'new' ? [] : ['--session', request.resume]),
  ],
  env: {PI_OFFLINE: '1'},
  converse: reporter => new PiConversation(request, reporter),
});

/** weft's extension for pi. In the built program it lies beside the folder of this file, too. */
const gateFile = fileURLToPath(new URL('../harnesses/pi-gate.ts', import.meta.url));

class PiConversation implements Conversation {
  readonly #request: DriverRequest;
  readonly #reporter: Reporter;
  readonly #pendingAnswers = new Map<string, (response: JsonObject) => void>();
  #calls = 0;
  #model = '';
  /** True once weft's extension has said that it asks. It does so before pi answers the first command. */
  #asksFirst = false;
  #spentBefore: {readonly usage: Usage; readonly usd: number} | undefined;
  /** Whether its work on the latest prompt is over. */
  #hasEnded = false;

  constructor(request: DriverRequest, reporter: Reporter) {
    this.#request = request;
    this.#reporter = reporter;
  }

  async open(): Promise<Outcome<OpenedConversation, string>> {
    const state = await this.#ask({type: 'get_state'});
    if (state['success'] !== true) return failed(textOf(state['error']) || 'it did not report its state');
    if (this.#request.access === 'with-approvals' && !this.#asksFirst)
      return failed("it did not load weft's extension, without which it would act without asking. Update pi");
    const data = objectOf(state['data']);
    const session = parseHarnessSessionId(textOf(data['sessionId']));
    if (session === undefined) return failed('its conversation has no id');
    const {provider, id} = objectOf(data['model']);
    this.#model = textOf(id);
    this.#spentBefore = spentOf(await this.#ask({type: 'get_session_stats'}));
    if (textOf(provider) === '') return failed('it has no model: sign in (run pi, then /login) or name one');
    return ok({session, model: this.#model, version: ''});
  }

  prompt(text: string): void {
    this.#call({type: 'prompt', message: text}, response => {
      if (response['success'] !== true) this.#reporter.finished({kind: 'failed', reason: errorOf(response)});
    });
  }

  async steer(text: string): Promise<'taken' | 'refused'> {
    // It takes a message after its end as well, but its model would read it with the next prompt only.
    if (this.#hasEnded) return 'refused';
    const response = await this.#ask({type: 'steer', message: text});
    return response['success'] === true ? 'taken' : 'refused';
  }

  interrupt(): void {
    this.#call({type: 'abort'}, () => {});
  }

  take(message: JsonObject): void {
    switch (message['type']) {
      case 'response': {
        const id = textOf(message['id']);
        const answered = this.#pendingAnswers.get(id);
        this.#pendingAnswers.delete(id);
        return answered?.(message);
      }
      case 'agent_start':
        this.#hasEnded = false;
        return this.#reporter.began();
      case 'message_start':
        return this.#reporter.endMessage();
      case 'message_update': {
        const {type, delta} = objectOf(message['assistantMessageEvent']);
        if (type === 'text_delta') this.#reporter.text(textOf(delta));
        if (type === 'thinking_delta') this.#reporter.thinking(textOf(delta));
        return;
      }
      case 'tool_execution_start': {
        const {args} = message;
        const name = textOf(message['toolName']);
        const [title = name] = ['path', 'pattern', 'command'].map(key => textOf(objectOf(args)[key])).filter(Boolean);
        const access = accessOf(name, objectOf(args), this.#request.directory);
        return this.#reporter.toolStarted({id: textOf(message['toolCallId']), name, title, input: args, access});
      }
      case 'tool_execution_end':
        return this.#reporter.toolFinished({
          id: textOf(message['toolCallId']),
          end: message['isError'] === true ? 'failed' : 'succeeded',
          output: contentText(objectOf(message['result'])['content']),
          files: [],
        });
      case 'agent_end':
        return this.#agentEnded(objectsOf(message['messages']));
      case 'extension_ui_request':
        return this.#takeQuestion(message);
      default:
        return;
    }
  }

  /** Reports the usage before the end of the prompt, so that the cost is known at the end. */
  #agentEnded(messages: readonly JsonObject[]): void {
    this.#hasEnded = true;
    const last = messages.findLast(({role}) => role === 'assistant') ?? {};
    this.#call({type: 'get_session_stats'}, response => {
      this.#reportUsage(response);
      const {stopReason, errorMessage, content} = last;
      if (stopReason === 'aborted') return this.#reporter.finished({kind: 'cancelled'});
      if (stopReason === 'error')
        return this.#reporter.finished({
          kind: 'failed',
          reason: textOf(errorMessage) || 'pi failed without a reason.',
        });
      const texts = objectsOf(content).filter(({type}) => type === 'text');
      this.#reporter.finished({kind: 'succeeded', text: contentText(texts)});
    });
  }

  #reportUsage(response: JsonObject): void {
    const spent = spentOf(response);
    if (spent === undefined) return;
    const {usage: before, usd} = this.#spentBefore ?? {usage: noUsage, usd: 0};
    const usage = usageSince(spent.usage, before);
    this.#reporter.used({model: this.#model, usage, cost: {kind: 'known', usd: Math.max(0, spent.usd - usd)}});
  }

  /** Handles a request of an extension: weft's own, or one that pi has built in. */
  #takeQuestion(message: JsonObject): void {
    const id = textOf(message['id']);
    const answer = (reply: object): void => this.#reporter.write({type: 'extension_ui_response', id, ...reply});
    if (message['method'] === 'setStatus' && message['statusKey'] === 'weft') this.#asksFirst = true;
    if (message['method'] === 'input' && message['title'] === 'weft')
      return this.#takeCall(textOf(message['placeholder']), value => answer({value}));
    const question = questionOf(message);
    if (question === undefined) return;
    this.#reporter.ask([question], reply => answer(answerOf(message, reply)));
  }

  /** Asks about a call that weft's extension holds back. */
  #takeCall(text: string, answer: (value: string) => void): void {
    const parsed = parseJson(text);
    const call = objectOf(parsed.tag === 'ok' ? parsed.value : undefined);
    const toolName = textOf(call['toolName']);
    const input = objectOf(call['input']);
    const access = accessOf(toolName, input, this.#request.directory);
    this.#reporter.approve({id: textOf(call['toolCallId']), toolName, access, input, reason: ''}, decision =>
      // The reason of a refusal may be any text, also "allow".
      answer(
        decision.kind === 'allowed' ? 'allow' : `deny: ${decision.kind === 'denied' ? decision.message : 'Refused.'}`,
      ),
    );
  }

  #call(command: object, answered: (response: JsonObject) => void): void {
    this.#calls += 1;
    const id = `weft-${this.#calls}`;
    this.#pendingAnswers.set(id, answered);
    this.#reporter.write({id, ...command});
  }

  #ask(command: object): Promise<JsonObject> {
    const answered = Promise.withResolvers<JsonObject>();
    this.#call(command, answered.resolve);
    return answered.promise;
  }
}

/** Returns the access that a call of one of pi's tools needs. */
function accessOf(tool: string, input: JsonObject, directory: string): HarnessAccess {
  const path = textOf(input['path']);
  switch (tool) {
    case 'bash':
      return {kind: 'command', command: textOf(input['command']), directory, paths: []};
    case 'write':
      return {kind: 'edit', paths: [path], edits: [{kind: 'write', path, content: textOf(input['content'])}]};
    case 'edit':
      return {kind: 'edit', paths: [path], edits: [{kind: 'replace', path, replacements: replacementsOf(input)}]};
    case 'read':
    case 'ls':
      return {kind: 'read', paths: [path === '' ? '.' : path]};
    case 'grep':
      return {kind: 'search', text: textOf(input['pattern']), paths: [path === '' ? '.' : path]};
    case 'find':
      return globAccess(tool, path, input);
    default:
      return {kind: 'other', title: tool, input};
  }
}

/** Older versions of pi make one replacement a call. */
function replacementsOf(input: JsonObject): readonly Replacement[] {
  const edits = objectsOf(input['edits']);
  return (edits.length === 0 ? [input] : edits).map(edit => ({
    oldText: textOf(edit['oldText']),
    newText: textOf(edit['newText']),
    occurrence: 'only',
  }));
}

const errorOf = (response: JsonObject): string => textOf(response['error']) || 'pi rejected the prompt.';

function spentOf(response: JsonObject): {readonly usage: Usage; readonly usd: number} | undefined {
  if (response['success'] !== true) return undefined;
  const {tokens, cost} = objectOf(response['data']);
  const {input, output, cacheRead, cacheWrite} = objectOf(tokens);
  return {
    usage: {
      inputTokens: countOf(input),
      outputTokens: countOf(output),
      cacheReadTokens: countOf(cacheRead),
      cacheWriteTokens: countOf(cacheWrite),
    },
    usd: countOf(cost),
  };
}

/** Returns the question of a request, or `undefined` if the request only shows something. */
function questionOf(message: JsonObject): Question | undefined {
  const {method, title, message: text} = message;
  const question = [textOf(title), textOf(text)].filter(part => part !== '').join(': ');
  switch (method) {
    case 'select':
      return {question, header: 'pi', choice: 'one', options: textsOf(message['options']).map(option)};
    case 'confirm':
      return {question, header: 'pi', choice: 'one', options: [option('Yes'), option('No')]};
    case 'input':
    case 'editor':
      return {question, header: 'pi', choice: 'one', options: []};
    default:
      return undefined;
  }
}

const option = (label: string) => ({label, description: '', recommended: 'plain'}) as const;

function answerOf({method}: JsonObject, reply: QuestionReply): object {
  if (reply.kind !== 'answered') return {cancelled: true};
  const {selected = [], other = ''} = reply.answers[0] ?? {};
  const value = other || (selected[0] ?? '');
  return method === 'confirm' ? {confirmed: value === 'Yes'} : {value};
}
