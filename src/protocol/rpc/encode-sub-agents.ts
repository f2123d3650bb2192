import type {AgentEvent} from '../../actions/agent-event.ts';
import type {HarnessEvent} from '../../actions/harness-port.ts';
import {firstLine} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {CallOutcome} from '../../domain/conversation.ts';
import type {ActionId, SessionId} from '../../domain/ids.ts';
import {type AgentRow, hasEnded} from '../../domain/sub-agent.ts';
import {noUsage, type Usage} from '../../domain/usage.ts';
import type {
  MessageEnvelope,
  RpcMessage,
  RpcTaskNotification,
  TaskUsage,
  WireBlock,
  WireToolResult,
} from './rpc-message.ts';
import {wireBlock, wireFallback, wireOutcome, wireToolResult, wireUsage} from './wire-content.ts';

/**
 * What programs are told of sub-agents: each as a task, and its calls with their results under the call that started it. Its texts only
 * where they are asked for.
 */
export class SubAgentMessages {
  readonly #texts: 'with' | 'without';
  readonly #uuid: () => string;
  readonly #address: () => MessageEnvelope;
  readonly #known = new Map<SessionId, AgentRow>();
  /** Milliseconds that the prompts of each have taken; a harness does not say. */
  readonly #durations = new Map<SessionId, number>();

  constructor(options: {
    readonly texts: 'with' | 'without';
    readonly uuid: () => string;
    readonly address: () => MessageEnvelope;
  }) {
    this.#texts = options.texts;
    this.#uuid = options.uuid;
    this.#address = options.address;
  }

  encode(
    event: Extract<AgentEvent, {event: 'agent-started' | 'agent-changed' | 'agent-event'}>,
  ): readonly RpcMessage[] {
    switch (event.event) {
      case 'agent-started':
        this.#known.set(event.row.agent.id, event.row);
        return hasEnded(event.row.status) ? [] : [this.#started(event.row)];
      case 'agent-changed':
        return this.#changed(event.row);
      case 'agent-event':
        if (event.happened.by === 'harness') return this.#ofHarness(event.happened.event, event.call);
        if (event.happened.event.event === 'prompt-finished') {
          const before = this.#durations.get(event.agent) ?? 0;
          this.#durations.set(event.agent, before + event.happened.event.summary.durationMs);
        }
        return this.#own(event.happened.event, event.call);
      default:
        return unreachable(event);
    }
  }

  #started({agent, place}: AgentRow): RpcMessage {
    return {
      type: 'system',
      subtype: 'task_started',
      task_id: agent.id,
      tool_use_id: agent.call,
      description: agent.name,
      subagent_type: agent.kind,
      is_backgrounded: place === 'background',
      ...(agent.parent === 'main' ? {} : {parent_task_id: agent.parent}),
      task_type: 'local_agent',
      prompt: agent.prompt,
      ...this.#address(),
    };
  }

  #changed(row: AgentRow): readonly RpcMessage[] {
    const {agent, progress} = row;
    const before = this.#known.get(agent.id);
    this.#known.set(agent.id, row);
    if (before === undefined) return [];
    if (hasEnded(before.status) && !hasEnded(row.status)) return [this.#started(row)];
    const moved: readonly RpcMessage[] =
      before.place === 'foreground' && row.place === 'background' && !hasEnded(row.status)
        ? [
            {
              type: 'system',
              subtype: 'task_updated',
              task_id: agent.id,
              patch: {is_backgrounded: true},
              ...this.#address(),
            },
          ]
        : [];
    const progressed: readonly RpcMessage[] =
      progress.calls > before.progress.calls
        ? [
            {
              type: 'system',
              subtype: 'task_progress',
              task_id: agent.id,
              tool_use_id: agent.call,
              description: row.status.kind === 'in_progress' && row.status.doing !== '' ? row.status.doing : agent.name,
              subagent_type: agent.kind,
              usage: taskUsage(row, this.#durations.get(agent.id) ?? 0),
              ...this.#address(),
            },
          ]
        : [];
    const end = hasEnded(before.status) ? undefined : endOf(row);
    return [...moved, ...progressed, ...(end === undefined ? [] : [this.#ended(row, end)])];
  }

  #ended(row: AgentRow, {state, text}: TaskEnd): RpcTaskNotification {
    const {status, agent} = row;
    return {
      type: 'system',
      subtype: 'task_notification',
      task_id: agent.id,
      tool_use_id: agent.call,
      status: state,
      output_file: '',
      summary: firstLine(text === '' ? status.kind : text, 500),
      usage: taskUsage(row, this.#durations.get(agent.id) ?? 0),
      ...this.#address(),
    };
  }

  #own(event: AgentEvent, call: ActionId): readonly RpcMessage[] {
    if (event.event === 'action-settled') return [this.#result(wireToolResult(event.toolResult), call)];
    if (event.event === 'fell-back') return [{...wireFallback(event), parent_tool_use_id: call, ...this.#address()}];
    if (event.event !== 'message-finished') return [];
    const {id, model, blocks, usage} = event.message;
    return blocks.flatMap(block =>
      block.kind === 'tool-call' || (this.#texts === 'with' && block.kind === 'text' && block.text !== '')
        ? [this.#answer({id, model, usage, block: wireBlock(block)}, call)]
        : [],
    );
  }

  #ofHarness(event: HarnessEvent, call: ActionId): readonly RpcMessage[] {
    switch (event.event) {
      case 'tool-started': {
        const {id, name, input} = event;
        const block = {type: 'tool_use', id, name: name === '' ? event.title : name, input} as const;
        return [this.#answer({id: this.#uuid(), model: '', usage: noUsage, block}, call)];
      }
      case 'tool-finished': {
        const {id, output, end} = event;
        return [
          this.#result({type: 'tool_result', tool_use_id: id, content: output, ...wireOutcome(harnessEnds[end])}, call),
        ];
      }
      case 'finished': {
        const {text} = event.outcome;
        if (this.#texts === 'without' || text === '') return [];
        const block = {type: 'text', text} as const;
        return [this.#answer({id: this.#uuid(), model: '', usage: noUsage, block}, call)];
      }
      default:
        return [];
    }
  }

  #answer(
    part: {readonly id: string; readonly model: string; readonly usage: Usage; readonly block: WireBlock},
    call: ActionId,
  ): RpcMessage {
    return {
      type: 'assistant',
      message: {
        id: part.id,
        type: 'message',
        role: 'assistant',
        model: part.model,
        content: [part.block],
        stop_reason: null,
        stop_sequence: null,
        usage: wireUsage(part.usage),
      },
      parent_tool_use_id: call,
      ...this.#address(),
    };
  }

  #result(result: WireToolResult, call: ActionId): RpcMessage {
    return {
      type: 'user',
      message: {role: 'user', content: [result]},
      parent_tool_use_id: call,
      ...this.#address(),
    };
  }
}

interface TaskEnd {
  readonly state: RpcTaskNotification['status'];
  readonly text: string;
}

/** `undefined` as long as it is at work. */
function endOf({status}: AgentRow): TaskEnd | undefined {
  switch (status.kind) {
    case 'succeeded':
      return {state: 'completed', text: status.answer};
    case 'failed':
      return {state: 'failed', text: status.reason};
    case 'cancelled':
      return {state: 'stopped', text: status.answer};
    case 'started':
    case 'in_progress':
    case 'blocked':
    case 'idle':
      return undefined;
    default:
      return unreachable(status);
  }
}

function taskUsage({progress}: AgentRow, durationMs: number): TaskUsage {
  const {inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens} = progress.usage;
  return {
    total_tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
    tool_uses: progress.calls,
    duration_ms: durationMs,
  };
}

const harnessEnds = {
  succeeded: {outcome: 'success'},
  failed: {outcome: 'error'},
  cancelled: {outcome: 'cancelled', reason: 'unknown'},
} as const satisfies Record<Extract<HarnessEvent, {event: 'tool-finished'}>['end'], CallOutcome>;
