import type {JsonObject} from '../../base/json.ts';
import {contextTokens} from '../../domain/usage.ts';
import {wireUsage} from '../../protocol/rpc/wire-content.ts';
import type {SessionState} from './session-state.ts';

/**
 * How full the model's context is, as the provider counted it with the last answer. What takes which part of it nobody has
 * counted, so there is one row for all of it. Where the window is not known, it is told as 0.
 */
export function contextUsage({session, usage, lastUsage}: SessionState): JsonObject {
  const used = usage.contextTokens;
  const window = usage.contextWindow;
  const free = Math.max(0, window - used);
  const percentage = window === 0 ? 0 : Math.round((used / window) * 100);
  return {
    categories: [
      {id: 'messages', name: 'System prompt, tools and messages', tokens: used, color: 'blue', kind: 'used'},
      {id: 'free_space', name: 'Free space', tokens: free, color: 'gray', kind: 'free'},
    ],
    totalTokens: used,
    maxTokens: window,
    rawMaxTokens: window,
    percentage,
    gridRows: [],
    model: session?.model ?? '',
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    isAutoCompactEnabled: false,
    apiUsage: contextTokens(lastUsage) === 0 ? null : {...wireUsage(lastUsage)},
  };
}
