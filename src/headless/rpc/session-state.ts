import type {AgentEvent, SessionInfo, SessionUsage} from '../../actions/agent-event.ts';
import {toolCalls, type ToolCallBlock} from '../../domain/conversation.ts';
import type {ActionId, MessageId} from '../../domain/ids.ts';
import {noUsage, type Usage} from '../../domain/usage.ts';

/** The usage of a session before its first request. */
export const noSessionUsage: SessionUsage = {models: {}, contextTokens: 0, contextWindow: 0};

/** The state of the session that serving a client needs, folded from the engine's events. */
export class SessionState {
  session: SessionInfo | undefined;
  /** The running prompt, or the last one. */
  prompt: MessageId | undefined;
  usage = noSessionUsage;
  /** The usage of the model's last message. */
  lastUsage: Usage = noUsage;
  /** The tool calls of the running prompt that have not settled. */
  readonly calls = new Map<ActionId, ToolCallBlock>();

  take(event: AgentEvent): void {
    switch (event.event) {
      case 'session-opened':
        this.session = event.session;
        this.usage = event.usage;
        break;
      case 'prompt-accepted':
        this.prompt = event.id;
        break;
      case 'message-finished':
        this.lastUsage = event.message.usage;
        for (const call of toolCalls(event.message)) this.calls.set(call.id, call);
        break;
      case 'action-settled':
        this.calls.delete(event.call.id);
        break;
      case 'usage-changed':
        this.usage = event.usage;
        break;
      case 'mode-changed':
        if (this.session !== undefined) this.session = {...this.session, mode: event.mode};
        break;
      case 'model-changed':
        if (this.session !== undefined) this.session = {...this.session, model: event.model};
        break;
      case 'prompt-finished':
        this.calls.clear();
        break;
      default:
      // The other events do not affect this state.
    }
  }
}
