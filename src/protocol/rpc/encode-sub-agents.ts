import type {AgentEvent} from '../../actions/agent-event.ts';
import type {HarnessEvent} from '../../actions/harness-port.ts';
import {firstLine} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {CallOutcome} from '../../domain/conversation.ts';
import type {ActionId, SessionId} from '../../domain/ids.ts';
import {type AgentRow, hasEnded} from '../../domain/sub-agent.ts';
import {noUsage} from '../../domain/usage.ts';
import type {
  MessageEnvelope,
  RpcBackgroundTasks,
  RpcMessage,
  RpcTaskNotification,
  TaskUsage,
  WireBlock,
  WireToolResult,
  WithoutEnvelope,
} from './rpc-message.ts';
import {wireBlock, wireFallback, wireMessage, wireOutcome, wireRepair, wireToolResult} from './wire-content.ts';

/**
 * Encodes sub-agents for programs. Each sub-agent is a task, and its calls and results belong to the call that
 * started it. Its texts are sent only on request.
 */
export class SubAgentMessages {
  readonly #texts: 'with' | 'without';
  readonly #uuid: () => string;
  readonly #address: () => MessageEnvelope;
  readonly #known = new Map<SessionId, AgentRow>();
  /** The time that each sub-agent's prompts took, in milliseconds. Harnesses do not report it. */
  readonly #durations = new Map<SessionId, number>();
  /** The ids in the last `background_tasks_changed`. */
  #backgroundIds = '';

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
        return hasEnded(event.row.status) ? [] : [...this.#background(), ...this.#started(event.row)];
      case 'agent-changed':
        return [...this.#changed(event.row), ...this.#background()];
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

  #message(message: WithoutEnvelope<RpcMessage>): readonly RpcMessage[] {
    return [{...message, ...this.#address()}];
  }

  #started(row: AgentRow): readonly RpcMessage[] {
    const {agent, place} = row;
    return this.#message({
      type: 'system',
      subtype: 'task_started',
      ...taskOf(row),
      tool_use_id: agent.call,
      is_backgrounded: place === 'background',
      prompt: agent.prompt,
    });
  }

  /** Returns the message with the sub-agents in the background if that set has changed. */
  #background(): readonly RpcMessage[] {
    const rows = [...this.#known.values()].filter(({place, status}) => place === 'background' && !hasEnded(status));
    const ids = rows.map(({agent}) => agent.id).join(' ');
    if (ids === this.#backgroundIds) return [];
    this.#backgroundIds = ids;
    return this.#message({type: 'system', subtype: 'background_tasks_changed', tasks: rows.map(taskOf)});
  }

  #changed(row: AgentRow): readonly RpcMessage[] {
    const {agent, progress, status} = row;
    const before = this.#known.get(agent.id);
    this.#known.set(agent.id, row);
    if (before === undefined) return [];
    if (hasEnded(before.status) && !hasEnded(status)) return this.#started(row);
    const isMoved = before.place === 'foreground' && row.place === 'background' && !hasEnded(status);
    const usage = taskUsage(row, this.#durations.get(agent.id) ?? 0);
    const task = {task_id: agent.id, tool_use_id: agent.call};
    const end = hasEnded(before.status) ? undefined : taskEndOf(row);
    const updated = {type: 'system', subtype: 'task_updated', task_id: agent.id} as const;
    return [
      ...(isMoved ? this.#message({...updated, patch: {is_backgrounded: true}}) : []),
      ...(progress.calls > before.progress.calls
        ? this.#message({
            type: 'system',
            subtype: 'task_progress',
            ...task,
            description: status.kind === 'in_progress' && status.doing !== '' ? status.doing : agent.name,
            subagent_type: agent.kind,
            usage,
          })
        : []),
      ...(end === undefined
        ? []
        : [
            ...this.#message({
              ...updated,
              patch: {
                status: end.state === 'stopped' ? 'killed' : end.state,
                ...(end.state === 'failed' ? {error: firstLine(end.text, 500)} : {}),
              },
            }),
            ...this.#message({
              type: 'system',
              subtype: 'task_notification',
              ...task,
              status: end.state,
              output_file: '',
              summary: firstLine(end.text === '' ? status.kind : end.text, 500),
              usage,
            }),
          ]),
    ];
  }

  #own(event: AgentEvent, call: ActionId): readonly RpcMessage[] {
    if (event.event === 'action-settled') return this.#result(wireToolResult(event.toolResult), call);
    if (event.event === 'fell-back') return this.#message({...wireFallback(event), parent_tool_use_id: call});
    if (event.event === 'repaired') return this.#message({...wireRepair(event), parent_tool_use_id: call});
    if (event.event !== 'message-finished') return [];
    const {id, model, blocks, usage} = event.message;
    return blocks.flatMap(block =>
      block.kind === 'tool-call' || (this.#texts === 'with' && block.kind === 'text' && block.text !== '')
        ? this.#answer({id, model, usage}, wireBlock(block), call)
        : [],
    );
  }

  #ofHarness(event: HarnessEvent, call: ActionId): readonly RpcMessage[] {
    switch (event.event) {
      case 'tool-started': {
        const {id, name, input} = event;
        return this.#modelMessage({type: 'tool_use', id, name: name === '' ? event.title : name, input}, call);
      }
      case 'tool-finished': {
        const {id, output, end} = event;
        const outcome = wireOutcome(harnessEnds[end]);
        return this.#result({type: 'tool_result', tool_use_id: id, content: output, ...outcome}, call);
      }
      case 'finished': {
        const {text} = event.outcome;
        return this.#texts === 'without' || text === '' ? [] : this.#modelMessage({type: 'text', text}, call);
      }
      default:
        return [];
    }
  }

  /** Builds a message for a harness, which reports neither model nor usage. */
  #modelMessage(block: WireBlock, call: ActionId): readonly RpcMessage[] {
    return this.#answer({id: this.#uuid(), model: '', usage: noUsage}, block, call);
  }

  #answer(head: Parameters<typeof wireMessage>[0], block: WireBlock, call: ActionId): readonly RpcMessage[] {
    return this.#message({type: 'assistant', message: wireMessage(head, [block]), parent_tool_use_id: call});
  }

  #result(result: WireToolResult, call: ActionId): readonly RpcMessage[] {
    return this.#message({type: 'user', message: {role: 'user', content: [result]}, parent_tool_use_id: call});
  }
}

const taskOf = ({agent}: AgentRow): RpcBackgroundTasks['tasks'][number] => ({
  task_id: agent.id,
  task_type: 'local_agent',
  subagent_type: agent.kind,
  description: agent.name,
  ...(agent.parent === 'main' ? {} : {parent_task_id: agent.parent}),
});

interface TaskEnd {
  readonly state: RpcTaskNotification['status'];
  readonly text: string;
}

/** Returns how the task ended, or `undefined` while it is running. */
function taskEndOf({status}: AgentRow): TaskEnd | undefined {
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
