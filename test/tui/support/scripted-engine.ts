import type {AgentEvent, SessionInfo} from '../../../src/actions/agent-event.ts';
import type {Engine, EventListener, Op} from '../../../src/agent/engine.ts';
import {parseSessionId} from '../../../src/domain/ids.ts';

/** An engine that says what the test tells it to and keeps what it was asked. */
export interface ScriptedEngine extends Engine {
  readonly ops: readonly Op[];
  emit(...events: readonly AgentEvent[]): void;
}

const id = parseSessionId('00000000-0000-4000-8000-000000000001');
if (id === undefined) throw new Error('not a session id');

export const sessionInfo: SessionInfo = {
  id,
  origin: 'new',
  directory: '/home/user/project',
  provider: 'replay',
  model: 'test-model',
  mode: 'default',
  tools: [],
};

/** The first event of every engine. */
export const opening: AgentEvent & {readonly event: 'session-opened'} = {
  event: 'session-opened',
  session: sessionInfo,
  history: [],
  todoFrames: [],
  usage: {models: {}, contextTokens: 0, contextWindow: 0},
};

export function scriptedEngine(): ScriptedEngine {
  const ops: Op[] = [];
  const listeners = new Set<EventListener>();
  return {
    ops,
    submit: op => void ops.push(op),
    subscribe(listener) {
      listeners.add(listener);
      void listener([opening]);
      return () => listeners.delete(listener);
    },
    close: () => Promise.resolve(),
    emit(...events) {
      for (const listener of listeners) void listener(events);
    },
  };
}
