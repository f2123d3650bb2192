import type {AgentEvent, PromptSummary} from '../actions/agent-event.ts';
import {unreachable} from '../base/unreachable.ts';
import type {McpPort} from '../actions/mcp-port.ts';
import type {RpcExtras} from '../protocol/rpc/encode-events.ts';
import type {RpcMessage} from '../protocol/rpc/rpc-message.ts';
import type {HeadlessEnd} from './prompt-summary.ts';

export interface HeadlessOutput {
  readonly format: 'text' | 'json' | 'stream-json';
  /** Whether stream-json carries the model's raw stream; the other formats never do. */
  readonly partials: 'with' | 'without';
  /** Whether stream-json tells of each run of a hook. */
  readonly hooks: 'with' | 'without';
  /** Whether stream-json carries the texts of sub-agents. */
  readonly agentTexts: 'with' | 'without';
}

export interface OutputRenderer {
  /** What stdout gets for a batch of events: whole lines, or nothing. */
  render(events: readonly AgentEvent[]): string;
}

export interface RenderSetting {
  readonly uuid: (name?: string) => string;
  readonly version: string;
  /** What stream-json says of commands, skills, agents and plugins. */
  readonly extensions: RpcExtras['extensions'];
  readonly mcp: Pick<McpPort, 'servers' | 'tools'>;
  readonly endOf: (summary: PromptSummary) => HeadlessEnd;
}

/** text: the final answer alone; json: the result alone; stream-json: every message as it comes. The encoder is loaded for those. */
export async function makeRenderer(
  {format, partials, hooks, agentTexts}: HeadlessOutput,
  setting: RenderSetting,
): Promise<OutputRenderer> {
  switch (format) {
    case 'text':
      return {
        render: events =>
          events.map(event => (event.event === 'prompt-finished' ? answer(event.summary) : '')).join(''),
      };
    case 'json': {
      const {encode, linesOf} = await loadEncoder({
        ...setting,
        partials: 'without',
        hooks: 'without',
        agentTexts: 'without',
      });
      return {render: events => linesOf(events.flatMap(encode).filter(isResult))};
    }
    case 'stream-json': {
      const {encode, linesOf} = await loadEncoder({...setting, partials, hooks, agentTexts});
      return {render: events => linesOf(events.flatMap(encode))};
    }
    default:
      return unreachable(format);
  }
}

/** Exactly one end of line; nothing at all when there is no answer. */
function answer({end, answer: text}: PromptSummary): string {
  const lines = text.replace(/\n+$/u, '');
  return end.kind === 'done' && lines !== '' ? `${lines}\n` : '';
}

const isResult = (message: RpcMessage): boolean => message.type === 'result';

async function loadEncoder(options: RenderSetting & Omit<HeadlessOutput, 'format'>) {
  const [{makeRpcEncoder, noExtras, serversOf}, {oneShotResult}, {jsonLine}] = await Promise.all([
    import('../protocol/rpc/encode-events.ts'),
    import('../protocol/rpc/result-message.ts'),
    import('../protocol/rpc/rpc-message.ts'),
  ]);
  const linesOf = (messages: readonly RpcMessage[]): string => messages.map(jsonLine).join('');
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
    return messages.map(message => (message.type === 'result' ? oneShotResult(message, end) : message));
  };
  return {encode, linesOf};
}
