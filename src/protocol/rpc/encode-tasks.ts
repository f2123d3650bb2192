import type {AgentEvent} from '../../actions/agent-event.ts';
import type {HarnessEvent} from '../../actions/harness-port.ts';
import {isRunning} from '../../actions/block-text.ts';
import {startedBlock} from '../../actions/outcome.ts';
import type {BlockInfo, BlockState} from '../../actions/ports.ts';
import {firstLine} from '../../base/clip.ts';
import {isJsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {CallOutcome} from '../../domain/conversation.ts';
import type {ActionId, BlockId, SessionId} from '../../domain/ids.ts';
import {type AgentRow, hasEnded} from '../../domain/sub-agent.ts';
import {noUsage} from '../../domain/usage.ts';
import type {
  MessageEnvelope,
  RpcMessage,
  RpcTask,
  RpcTaskNotification,
  TaskUsage,
  WireBlock,
  WireToolResult,
  WithoutEnvelope,
} from './rpc-message.ts';
import {wireBlock, wireFallback, wireMessage, wireOutcome, wireRepair, wireToolResult} from './wire-content.ts';

export type RunningTask =
  | {readonly kind: 'agent'; readonly id: SessionId}
  | {readonly kind: 'command'; readonly id: BlockId};

/**
 * Encodes sub-agents and background commands for programs, as tasks. The calls and results of a sub-agent belong to the call that
 * started it. Its texts are sent only on request.
 */
export class TaskMessages {
  readonly #texts: 'with' | 'without';
  readonly #uuid: () => string;
  readonly #address: () => MessageEnvelope;
  readonly #now: () => number;
  readonly #known = new Map<SessionId, AgentRow>();
  /** The running background commands, with the calls that started them. */
  readonly #commands = new Map<BlockId, {readonly task: RpcTask; readonly call: ActionId}>();
  /** The time that each sub-agent's prompts took, in milliseconds. Harnesses do not report it. */
  readonly #durations = new Map<SessionId, number>();
  /** The ids in the last `background_tasks_changed`. */
  #backgroundIds = '';

  constructor(options: {
    readonly texts: 'with' | 'without';
    readonly uuid: () => string;
    readonly address: () => MessageEnvelope;
    /** The time in milliseconds since 1970. */
    readonly now: () => number;
  }) {
    this.#texts = options.texts;
    this.#uuid = options.uuid;
    this.#address = options.address;
    this.#now = options.now;
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
        return this.#own(event.happened.event, event);
      default:
        return unreachable(event);
    }
  }

  /** Returns the messages for a call that started a background command; none for any other call. */
  commandStarted(
    {call, result}: Extract<AgentEvent, {event: 'action-settled'}>,
    by: SessionId | 'main',
  ): readonly RpcMessage[] {
    const started = startedBlock(result);
    if (started === undefined) return [];
    const {block, description: command} = started;
    const given = isJsonObject(call.input) ? call.input['description'] : undefined;
    const task: RpcTask = {
      task_id: block,
      task_type: 'local_bash',
      description: typeof given === 'string' && given !== '' ? firstLine(given, 200) : command,
      ...(by === 'main' ? {} : {parent_task_id: by}),
    };
    this.#commands.set(block, {task, call: call.id});
    return [
      ...this.#background(),
      ...this.#message({
        type: 'system',
        subtype: 'task_started',
        ...task,
        tool_use_id: call.id,
        is_backgrounded: true,
      }),
    ];
  }

  /** Returns the messages for background commands that are no longer running. `all` are the commands that weft knows. */
  commandsChanged(all: readonly Pick<BlockInfo, 'id' | 'state'>[]): readonly RpcMessage[] {
    const states = new Map(all.map(({id, state}) => [id, state]));
    const ended = [...this.#commands].flatMap(([id, {call}]) => {
      const state = states.get(id) ?? {kind: 'ended'};
      if (isRunning(state)) return [];
      this.#commands.delete(id);
      return this.#ended({task_id: id, tool_use_id: call}, commandEnd(state));
    });
    return [...ended, ...this.#background()];
  }

  running(id: string): RunningTask | undefined {
    const agent = [...this.#known.values()].find(row => row.agent.id === id && !hasEnded(row.status));
    if (agent !== undefined) return {kind: 'agent', id: agent.agent.id};
    const command = [...this.#commands.keys()].find(each => each === id);
    return command === undefined ? undefined : {kind: 'command', id: command};
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
    const agents = [...this.#known.values()].filter(({place, status}) => place === 'background' && !hasEnded(status));
    const tasks = [...agents.map(taskOf), ...[...this.#commands.values()].map(({task}) => task)];
    const ids = tasks.map(task => task.task_id).join(' ');
    if (ids === this.#backgroundIds) return [];
    this.#backgroundIds = ids;
    return this.#message({type: 'system', subtype: 'background_tasks_changed', tasks});
  }

  #ended(
    task: Pick<RpcTaskNotification, 'task_id' | 'tool_use_id'>,
    {state, text, ...usage}: TaskEnd,
  ): readonly RpcMessage[] {
    const line = firstLine(text, 500);
    return [
      ...this.#message({
        type: 'system',
        subtype: 'task_updated',
        task_id: task.task_id,
        patch: {
          status: state === 'stopped' ? 'killed' : state,
          end_time: this.#now(),
          ...(state === 'failed' ? {error: line} : {}),
        },
      }),
      ...this.#message({
        type: 'system',
        subtype: 'task_notification',
        ...task,
        status: state,
        output_file: '',
        summary: line,
        ...usage,
      }),
    ];
  }

  #changed(row: AgentRow): readonly RpcMessage[] {
    const {agent, progress, status} = row;
    const before = this.#known.get(agent.id);
    this.#known.set(agent.id, row);
    if (before === undefined) return [];
    if (hasEnded(before.status) && !hasEnded(status)) return this.#started(row);
    const doing = doingOf(row);
    const isMoved = before.place === 'foreground' && row.place === 'background' && !hasEnded(status);
    const usage = taskUsage(row, this.#durations.get(agent.id) ?? 0);
    const task = {task_id: agent.id, tool_use_id: agent.call};
    const end = hasEnded(before.status) ? undefined : agentEnd(row);
    const updated = {type: 'system', subtype: 'task_updated', task_id: agent.id} as const;
    return [
      ...(isMoved ? this.#message({...updated, patch: {is_backgrounded: true}}) : []),
      ...(doing !== '' && (doing !== doingOf(before) || progress.calls > before.progress.calls)
        ? this.#message({
            type: 'system',
            subtype: 'task_progress',
            ...task,
            description: doing,
            subagent_type: agent.kind,
            usage,
          })
        : []),
      ...(end === undefined ? [] : this.#ended(task, {...end, usage})),
    ];
  }

  #own(event: AgentEvent, {agent, call}: {readonly agent: SessionId; readonly call: ActionId}): readonly RpcMessage[] {
    if (event.event === 'action-settled')
      return [...this.commandStarted(event, agent), ...this.#result(wireToolResult(event.toolResult), call)];
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

/** Returns the call that a sub-agent is running, in words. Empty if none runs. */
const doingOf = ({status}: AgentRow): string => (status.kind === 'in_progress' ? status.doing : '');

const taskOf = ({agent}: AgentRow): RpcTask => ({
  task_id: agent.id,
  task_type: 'local_agent',
  subagent_type: agent.kind,
  description: agent.name,
  ...(agent.parent === 'main' ? {} : {parent_task_id: agent.parent}),
});

interface TaskEnd extends Pick<RpcTaskNotification, 'usage'> {
  readonly state: RpcTaskNotification['status'];
  /** Never empty. */
  readonly text: string;
}

/** Returns how a sub-agent ended, or `undefined` while it is running. */
function agentEnd({status}: AgentRow): TaskEnd | undefined {
  switch (status.kind) {
    case 'succeeded':
      return {state: 'completed', text: status.answer || status.kind};
    case 'failed':
      return {state: 'failed', text: status.reason || status.kind};
    case 'cancelled':
      return {state: 'stopped', text: status.answer || status.kind};
    case 'started':
    case 'in_progress':
    case 'blocked':
    case 'idle':
      return undefined;
    default:
      return unreachable(status);
  }
}

/** Returns how a command ended. weft ends commands by a signal. */
function commandEnd(state: Exclude<BlockState, {kind: 'running' | 'waiting'}>): TaskEnd {
  switch (state.kind) {
    case 'exited':
      return {state: state.code === 0 ? 'completed' : 'failed', text: `Exit code ${state.code}`};
    case 'signalled':
      return {state: 'stopped', text: `Ended by ${state.signal}`};
    case 'ended':
      return {state: 'stopped', text: 'Ended'};
    default:
      return unreachable(state);
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
