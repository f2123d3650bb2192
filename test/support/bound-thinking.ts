import {fail, think, type Answer, type Part} from './model-script.ts';
import type {ReceivedRequest, Script} from './model-server.ts';

/**
 * A server whose thinking is bound to everything before it, as that of Claude 5.5: it refuses a request with thinking behind another
 * system prompt, tool list or messages than those that the thinking was written for. Answers are those of `script`, behind thinking.
 */
export function boundThinking(script: (number: number, request: ReceivedRequest) => Part | readonly Part[]): {
  readonly script: Script;
  /** The refused requests, by the first thing that differs. */
  readonly refused: readonly string[];
} {
  const written = new Map<string, readonly string[]>();
  const refused: string[] = [];
  return {
    refused,
    script(request, number): Answer {
      const now = prefixOf(request);
      for (const [at, message] of request.body.messages.entries()) {
        for (const signature of signaturesIn(message.content)) {
          // The system prompt and the tools come before the messages.
          const before = written.get(signature) ?? [];
          const differs = before.findIndex((part, index) => part !== now[index]);
          if (differs < 0 && before.length === at + 2) continue;
          refused.push(`request ${String(number)}: ${before[differs] ?? 'length'} is now ${now[differs] ?? 'absent'}`);
          const explanation = `messages.${String(at)}.content.0: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
          return fail(400, {message: explanation, code: 'invalid_request_error'});
        }
      }
      const signature = `signature-${String(number)}`;
      written.set(signature, now);
      const parts = script(number, request);
      return [think('Hm.', signature), ...('part' in parts ? [parts] : parts)];
    },
  };
}

/** What thinking is bound to, without the marks for the cache. Tools that were deferred are not part of it. */
const prefixOf = ({body}: ReceivedRequest): readonly string[] => [
  unmarked(body.system),
  unmarked(body.tools?.filter(tool => tool['defer_loading'] !== true)),
  ...body.messages.map(unmarked),
];

const unmarked = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => (key === 'cache_control' ? undefined : part)) ?? '';

const signaturesIn = (content: unknown): readonly string[] =>
  Array.isArray(content)
    ? content.flatMap((block: unknown) => {
        const {type, signature} = Object(block);
        return type === 'thinking' ? [String(signature)] : [];
      })
    : [];
