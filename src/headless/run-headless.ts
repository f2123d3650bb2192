import {eventWarning} from '../actions/event-warning.ts';
import type {AgentEvent, PromptSummary} from '../actions/agent-event.ts';
import {messageId, type ActionId} from '../domain/ids.ts';
import type {McpPort} from '../actions/mcp-port.ts';
import type {BlockInfo} from '../actions/ports.ts';
import {unreachable} from '../base/unreachable.ts';
import type {RpcExtras} from '../protocol/rpc/encode-events.ts';
import type {RpcMessage} from '../protocol/rpc/rpc-message.ts';
import type {AgentClient} from '../agent/client.ts';
import type {ImageBlock} from '../domain/conversation.ts';
import {type HeadlessEnd, oneLine} from './prompt-summary.ts';
import {makeStdoutWriter, maxUnread, messageLines, type TextSink} from './stdout-writer.ts';
import {StallWatch, type HeadlessClock} from './stall-watch.ts';

export interface HeadlessOptions {
  readonly engine: AgentClient;
  readonly prompt: string;
  readonly images: readonly ImageBlock[];
  readonly renderer: OutputRenderer;
  readonly stdout: TextSink;
  /** Prints a notice for the user: one line without a line feed, not part of the answer. */
  readonly note: (line: string) => void;
  readonly clock: HeadlessClock;
  readonly uuid: (name?: string) => string;
  readonly endOf: (summary: PromptSummary) => HeadlessEnd;
}

/**
 * Runs one prompt without a user interface and writes events as they arrive. When the prompt has finished and stdout has taken everything,
 * settles with the exit code. A closed stdout interrupts the prompt and is not a failure. The caller must close the engine.
 */
export async function runHeadless(options: HeadlessOptions): Promise<HeadlessEnd['exitCode'] | 'stdout-closed'> {
  const {engine, note, renderer} = options;
  const writer = makeStdoutWriter(options.stdout, () => engine.submit({op: 'interrupt'}));
  const stalls = new StallWatch({clock: options.clock, note});
  const finished = Promise.withResolvers<PromptSummary>();

  const unsubscribe = engine.subscribe(events => {
    writer.write(renderer.render(events));
    for (const event of events) {
      stalls.take(event);
      const warning = eventWarning(event);
      if (warning !== undefined) note(oneLine(warning));
      if (event.event === 'prompt-suggested') note(`suggested next prompt: ${oneLine(event.prompt)}`);
      if (event.event === 'approval-requested') engine.submit(refusal(event.approval.id));
      if (event.event === 'question-asked') engine.submit(dismissal(event.id));
      if (event.event === 'prompt-finished') finished.resolve(event.summary);
    }
    return writer.room(maxUnread.messages);
  });
  const over = new AbortController();
  void engine.watch({watch: 'terminals'}, all => writer.write(renderer.renderTerminals(all)), over.signal);
  const {prompt: text, images} = options;
  engine.submit({op: 'prompt', id: messageId(options.uuid()), text, images, when: 'queued'});
  const summary = await finished.promise;
  unsubscribe();
  over.abort();

  const stdout = await writer.drained();
  if (stdout.kind === 'closed') return 'stdout-closed';
  const {exitCode, notes} = options.endOf(summary);
  for (const line of notes) note(line);
  if (stdout.kind === 'failed') {
    note(`can't write the answer to stdout: ${oneLine(stdout.message)}`);
    return 1;
  }
  return exitCode;
}

/** Refuses an approval. An unattended engine should not ask; if it does, it must not wait forever. */
const refusal = (id: ActionId) =>
  ({
    op: 'answer-approval',
    id,
    answer: {
      decision: 'refuse',
      message: 'There is no user to ask. Continue without it, or say what you would have done.',
      by: 'program',
    },
  }) as const;

const dismissal = (id: ActionId) => ({op: 'answer-question', id, answer: {kind: 'dismissed'}}) as const;

export interface HeadlessOutput {
  readonly format: 'text' | 'json' | 'stream-json';
  /** Whether stream-json contains the model's raw stream. Other formats never do. */
  readonly partials: 'with' | 'without';
  /** Whether stream-json reports each hook run. */
  readonly hooks: 'with' | 'without';
  /** Whether stream-json contains the texts of sub-agents. */
  readonly agentTexts: 'with' | 'without';
  /** Whether stream-json has the older form of its messages. */
  readonly seedMessages: 'with' | 'without';
}

export interface OutputRenderer {
  /** Returns the output for a batch of events: whole lines, or nothing. */
  render(events: readonly AgentEvent[]): string;
  /** Returns the output for a change of the session's terminals, likewise. */
  renderTerminals(all: readonly BlockInfo[]): string;
}

export interface RenderSetting {
  readonly uuid: (name?: string) => string;
  readonly version: string;
  readonly now: () => number;
  /** The commands, skills, agents and plugins in stream-json. */
  readonly extensions: RpcExtras['extensions'];
  readonly mcp: Pick<McpPort, 'servers' | 'tools'>;
  readonly endOf: (summary: PromptSummary) => HeadlessEnd;
}

/** Makes a renderer. text: only the final answer; json: only the result; stream-json: every message. Loads the encoder only for JSON. */
export async function makeRenderer(output: HeadlessOutput, setting: RenderSetting): Promise<OutputRenderer> {
  const {format} = output;
  switch (format) {
    case 'text':
      return {
        render: events =>
          events.map(event => (event.event === 'prompt-finished' ? answer(event.summary) : '')).join(''),
        renderTerminals: () => '',
      };
    case 'json':
    case 'stream-json': {
      const encoderOptions =
        format === 'json'
          ? ({partials: 'without', hooks: 'without', agentTexts: 'without', seedMessages: 'without'} as const)
          : output;
      const {encode, encodeTerminals, linesOf} = await loadEncoder({...setting, ...encoderOptions});
      const isPrinted = (message: RpcMessage): boolean => format === 'stream-json' || message.type === 'result';
      return {
        render: events => linesOf(events.flatMap(encode).filter(isPrinted)),
        renderTerminals: all => linesOf(encodeTerminals(all).filter(isPrinted)),
      };
    }
    default:
      return unreachable(format);
  }
}

/** Returns the answer with exactly one line feed at its end; empty if there is no answer. An answer that was cut off is returned, too. */
function answer({end, stop, answer: text}: PromptSummary): string {
  const lines = text.replace(/\n+$/u, '');
  return (end.kind === 'done' || stop === 'max-tokens') && lines !== '' ? `${lines}\n` : '';
}

async function loadEncoder(options: RenderSetting & Omit<HeadlessOutput, 'format'>) {
  const [{makeRpcEncoder, noExtras, serversOf}, {toOneShotResult}, lineOf] = await Promise.all([
    import('../protocol/rpc/encode-events.ts'),
    import('../protocol/rpc/result-message.ts'),
    messageLines(options.seedMessages),
  ]);
  const linesOf = (messages: readonly RpcMessage[]): string => messages.map(lineOf).join('');
  const encoder = makeRpcEncoder({
    ...options,
    extras: {
      ...noExtras,
      ...serversOf(options.mcp),
      hooks: options.hooks,
      agentTexts: options.agentTexts,
      extensions: options.extensions,
    },
  });
  const encode = (event: AgentEvent): readonly RpcMessage[] => {
    const messages = encoder.encode(event);
    if (event.event !== 'prompt-finished') return messages;
    const end = options.endOf(event.summary);
    return messages.map(message => (message.type === 'result' ? toOneShotResult(message, end) : message));
  };
  return {encode, encodeTerminals: (all: readonly BlockInfo[]) => encoder.encodeTerminals(all), linesOf};
}
