import {unreachable} from '../../base/unreachable.ts';
import type {MessageBody} from './response-event.ts';

/**
 * Whether an update by `mask` reaches `path`, a field of a message in snake_case: it names the field, one around it or one
 * inside it. A mask that names nothing reaches everything. Names count in snake_case and camelCase.
 */
export function maskCovers(mask: readonly string[], path: string): boolean {
  if (mask.length === 0 || mask.includes(path)) return true;
  const wanted = plain(path);
  return mask.some(entry => {
    const named = plain(entry);
    return named === '*' || isWithin(wanted, named) || isWithin(named, wanted);
  });
}

const plain = (path: string): string => path.trim().replaceAll('_', '').toLowerCase();

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);

/** The field that holds what a message says; `''` for one that an update says nothing of here. */
export function fieldPath(body: MessageBody): string {
  switch (body.kind) {
    case 'agent-output':
      return 'agent_output.text';
    case 'reasoning':
      return 'agent_reasoning.reasoning';
    case 'tool-call':
      return body.call.kind === 'server' ? 'tool_call.server.payload' : 'tool_call';
    case 'tool-result':
      return 'tool_call_result.server.serialized_result';
    case 'server-event':
      return 'server_event.payload';
    case 'update-todos':
      return 'update_todos';
    case 'user-query':
    case 'other':
      return '';
    default:
      return unreachable(body);
  }
}
