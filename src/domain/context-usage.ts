/** The use of the model's context: the whole next request for the current conversation, in tokens. */
export interface ContextUsage {
  readonly model: string;
  /** The model's context window in tokens. 0 if it isn't known. */
  readonly window: number;
  readonly tokens: number;
  /**
   * `counted`: the provider counted the total with the last answer. The division among the parts is always an estimate.
   */
  readonly total: 'counted' | 'estimated';
  /** In the order of the request. Parts without tokens are left out. */
  readonly parts: readonly ContextPart[];
  /** The tools of MCP servers that the model searches for. They take no tokens until the model has found them. */
  readonly deferred: {readonly tools: number; readonly tokens: number};
  /** The price in US dollars of sending the context once more: fully cached by the provider, and not cached at all. */
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
