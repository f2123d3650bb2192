/** The contents of the model's context: the whole next request for the current conversation, in tokens. */
export interface ContextUsage {
  readonly model: string;
  /** The model's context window in tokens. 0 if it isn't known. */
  readonly window: number;
  readonly tokens: number;
  /** `counted`: the provider counted the whole with the last answer. How it divides among the parts is always an estimate. */
  readonly total: 'counted' | 'estimated';
  /** In the order of the request; parts of no tokens are left out. */
  readonly parts: readonly ContextPart[];
  /** Tools of MCP servers that the model searches for: they take nothing until it has found them. */
  readonly deferred: {readonly tools: number; readonly tokens: number};
  /** US dollars to send it once more: all of it read from the provider's cache, and nothing of it. */
  readonly nextUsd: {readonly cached: number; readonly uncached: number} | 'unknown';
}

export interface ContextPart {
  readonly kind: ContextPartKind;
  readonly tokens: number;
  /** The components of the part, the largest first: files, servers, tools, skills. Empty if they add nothing. */
  readonly items: readonly {readonly name: string; readonly tokens: number}[];
}

export const contextPartKinds = [
  'system-prompt',
  'instructions',
  'tools',
  'skills',
  'mcp-tools',
  'summary',
  'pinned',
  'prompts',
  'attachments',
  'answers',
  'thinking',
  'tool-calls',
  'results',
] as const;
export type ContextPartKind = (typeof contextPartKinds)[number];

export const contextPartNames: Readonly<Record<ContextPartKind, string>> = {
  'system-prompt': 'System prompt',
  instructions: 'Instructions',
  tools: 'Tools',
  skills: 'Skills',
  'mcp-tools': 'MCP tools',
  summary: 'Summary of before',
  pinned: 'Pinned messages',
  prompts: 'Your messages',
  attachments: 'Attached to them',
  answers: 'Answers',
  thinking: 'Thinking',
  'tool-calls': 'Tool calls',
  results: 'Results',
};
