import type {SubAgent} from '../../src/domain/sub-agent.ts';

/** The properties of a sub-agent that explores, without its IDs and its name. */
export const exploringAgent = {
  parent: 'main',
  kind: 'explore',
  harness: 'weft',
  model: 'm',
  prompt: 'Where is it?',
  isolation: 'none',
  computerUse: 'asks',
  lifecycle: [],
  startedAt: 0,
} as const satisfies Omit<SubAgent, 'id' | 'call' | 'name'>;
