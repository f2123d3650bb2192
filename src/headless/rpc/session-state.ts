import type {AgentEvent, SessionInfo, SessionUsage} from '../../actions/agent-event.ts';
import {toolCalls, type ToolCallBlock} from '../../domain/conversation.ts';
import type {ActionId, MessageId} from '../../domain/ids.ts';
import {noUsage, type Usage} from '../../domain/usage.ts';

/** The usage of a session in which no request was sent yet. */
export const noSessionUsage: SessionUsage = {models: {}, contextTokens: 0, contextWindow: 0};

/** What serving a client needs to know of the session: a fold of the engine's events. */
export class SessionState {
  session: SessionInfo | undefined;
  /** The prompt that runs, or ran last. */
  prompt: MessageId | undefined;
  usage = noSessionUsage;
  /** The usage of the model's last message. */
  lastUsage: Usage = noUsage;
  /** The calls of the prompt that runs. */
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
      // The other events do not concern the session as a whole.
    }
  }
}
