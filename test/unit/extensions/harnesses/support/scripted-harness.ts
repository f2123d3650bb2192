import type {
  HarnessDecision,
  HarnessApproval,
  HarnessEvent,
  HarnessRequest,
  HarnessRun,
} from '../../../../../src/actions/harness-port.ts';
import type {ServerProcesses, ServerProgram} from '../../../../../src/actions/mcp-port.ts';
import type {Question, QuestionReply} from '../../../../../src/actions/ports.ts';
import {isJsonObject, type JsonObject, parseJson} from '../../../../../src/base/json.ts';
import {ok} from '../../../../../src/base/outcome.ts';
import {harnessTable} from '../../../../../src/extensions/harnesses/known-harnesses.ts';
import {startRun, type RunTimeouts} from '../../../../../src/extensions/harnesses/harness-run.ts';
import type {knownHarnesses} from '../../../../../src/domain/harness.ts';

/** The side of the harness: what weft writes to its program, and what the program says. */
export interface HarnessSide {
  /** The next message that weft writes. */
  next(): Promise<JsonObject>;
  /** Writes a line; a text as it is. */
  say(...messages: readonly (object | string)[]): void;
  /** Writes to stderr. */
  complain(line: string): void;
  /** The program ends by itself. */
  exit(how: string): void;
}

/** Programs that do as their script says. All in memory. */
function scriptedProcesses(script: (side: HarnessSide) => Promise<void>): ServerProcesses & {
  readonly started: ServerProgram[];
  readonly written: JsonObject[];
} {
  const started: ServerProgram[] = [];
  const written: JsonObject[] = [];
  return {
    started,
    written,
    async start(program, events) {
      started.push(program);
      const unread: JsonObject[] = [];
      let wake: (() => void) | undefined;
      const ended = Promise.withResolvers<string>();
      void script({
        async next() {
          while (unread.length === 0) {
            const {promise, resolve} = Promise.withResolvers<undefined>();
            wake = () => resolve(undefined);
            await promise;
          }
          return unread.shift() ?? {};
        },
        say: (...messages) => {
          for (const message of messages) events.line(typeof message === 'string' ? message : JSON.stringify(message));
        },
        complain: line => events.log(line),
        exit: how => ended.resolve(how),
      });
      return ok({
        ended: ended.promise,
        async write(line) {
          const json = parseJson(line);
          if (json.tag === 'failed' || !isJsonObject(json.value)) throw new Error(`weft wrote no JSON object: ${line}`);
          written.push(json.value);
          unread.push(json.value);
          wake?.();
        },
        stop: async () => ended.resolve('it was stopped'),
      });
    },
  };
}

export interface Scene {
  readonly harness?: (typeof knownHarnesses)[number];
  readonly request?: Partial<HarnessRequest>;
  readonly decide?: (approval: HarnessApproval, signal: AbortSignal) => Promise<HarnessDecision>;
  readonly reply?: (questions: readonly Question[]) => QuestionReply;
  readonly times?: Partial<RunTimeouts>;
  readonly signal?: AbortSignal;
}

/** A harness started with the prompt `go`, and all that it told. */
export async function startScripted(script: (side: HarnessSide) => Promise<void>, scene: Scene = {}) {
  const {harness = 'claude', decide = async () => ({kind: 'allowed'}), reply = () => ({kind: 'unattended'})} = scene;
  const events: HarnessEvent[] = [];
  const approvals: HarnessApproval[] = [];
  const asked: (readonly Question[])[] = [];
  const finishing: (() => void)[] = [];
  const processes = scriptedProcesses(script);
  const {title, driver: load} = harnessTable[harness];
  const request = {
    directory: '/project',
    model: '',
    access: 'with-approvals',
    resume: 'new',
    isolation: 'none',
    ...scene.request,
  } as const;
  let ids = 0;
  const newId = (): string => `id-${(ids += 1)}`;
  const driver = await load({...request, title, newId, priceOf: (_model, {inputTokens}) => inputTokens / 1000});
  const host = {
    observe(event: HarnessEvent) {
      events.push(event);
      if (event.event === 'finished') for (const resolve of finishing.splice(0)) resolve();
    },
    approve(approval: HarnessApproval, signal: AbortSignal) {
      approvals.push(approval);
      return decide(approval, signal);
    },
    async ask(questions: readonly Question[]) {
      asked.push(questions);
      return reply(questions);
    },
  };
  const finished = (): Promise<void> => {
    const {promise, resolve} = Promise.withResolvers<undefined>();
    finishing.push(() => resolve(undefined));
    return promise;
  };
  const program = {command: harness, args: driver.args, env: driver.env, directory: '/project'};
  const first = finished();
  const started = await startRun(
    {
      title,
      program,
      driver,
      processes,
      host,
      prompt: 'go',
      access: request.access,
      times: {open: 60_000, interrupt: 60_000, ...scene.times},
    },
    scene.signal ?? new AbortController().signal,
  );
  return {started, events, approvals, asked, processes, finished, first};
}

/** The run of a start that is expected to succeed. */
export function runOf({started}: Pick<Awaited<ReturnType<typeof startScripted>>, 'started'>): HarnessRun {
  if (started.tag === 'failed') throw new Error(JSON.stringify(started.error));
  return started.value;
}

/** Answers Claude's greeting, and takes the first prompt. */
export async function greetClaude(side: HarnessSide): Promise<JsonObject> {
  const {request_id} = await side.next();
  side.say({
    type: 'control_response',
    response: {subtype: 'success', request_id, response: {claude_code_version: '2.1.330'}},
  });
  return side.next();
}

/** The end of a prompt as Claude Code says it. */
export const claudeResult = (text: string) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  terminal_reason: 'completed',
  total_cost_usd: 0.0045,
  usage: {input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 100},
  permission_denials: [],
});

/** Answers the greeting and the opening of an agent that speaks ACP, and gives the id of the first prompt's request. */
export async function greetAcp(side: HarnessSide, session: object = {}): Promise<JsonObject> {
  const hello = await side.next();
  side.say({
    jsonrpc: '2.0',
    id: hello['id'],
    result: {
      protocolVersion: 1,
      agentCapabilities: {loadSession: true, sessionCapabilities: {resume: {}}},
      agentInfo: {name: 'gemini-cli', version: '0.61.0'},
      authMethods: [],
    },
  });
  const open = await side.next();
  side.say({jsonrpc: '2.0', id: open['id'], result: {sessionId: 'ses_1', ...session}});
  return side.next();
}

/** Answers Codex's greeting, a signed-in account and the opening of a thread; takes the first turn and names it. */
export async function greetCodex(side: HarnessSide): Promise<void> {
  const answer = async (result: object): Promise<void> => side.say({id: (await side.next())['id'], result});
  await answer({userAgent: 'weft/0.169.0 (Debian 12.0.0; x86_64) xterm (weft; 0)'});
  await side.next();
  await answer({account: null, requiresOpenaiAuth: false});
  await answer({thread: {id: 'th1'}, model: 'gpt-5-codex'});
  await answer({turn: {id: 'tu1', status: 'inProgress'}});
}
/** Answers what pi is asked before the first prompt, and takes that. */
export async function greetPi(side: HarnessSide): Promise<void> {
  const answer = async (data: object): Promise<void> =>
    side.say({type: 'response', id: (await side.next())['id'], success: true, data});
  side.say({type: 'extension_ui_request', id: 'gate', method: 'setStatus', statusKey: 'weft', statusText: 'asks'});
  await answer({sessionId: 'pi-1', model: {provider: 'mock', id: 'mock'}});
  await answer(piStats(500, 1));
  await answer({});
}
export const piStats = (input: number, cost: number) => ({
  tokens: {input, output: 100, cacheRead: 0, cacheWrite: 0},
  cost,
});
