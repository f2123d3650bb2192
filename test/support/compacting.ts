import {expect} from 'vitest';
import type {CompactionPreview, CompactionReport} from '../../src/domain/compaction.ts';
import type {Answer} from '../../src/agent/client.ts';
import {toolCalls, type Message} from '../../src/domain/conversation.ts';
import {faultText} from '../../src/domain/fault.ts';
import {type ScriptedAnswer, valueOf, type Bench} from './memory-ports.ts';

/** An answer that is worth a compaction: it has thinking that a compaction drops. */
export const saysAtLength = (text: string): ScriptedAnswer => ({
  blocks: [
    {kind: 'thinking', text: 'hm '.repeat(400), signature: ''},
    {kind: 'text', text},
  ],
});

export async function preview(bench: Bench, instructions = ''): Promise<CompactionPreview> {
  return valueOf(await bench.query({query: 'preview-compaction', instructions}));
}

/** Asks for it and agrees to it. */
export async function compact(bench: Bench, summary = ''): Promise<CompactionReport> {
  const {id} = await preview(bench);
  return valueOf(await bench.query({query: 'compact', preview: id, summary}));
}

/** Why a compaction, or its preview, was refused. */
export function refusalOf(answer: Answer): string {
  if (answer.tag !== 'failed') throw new Error(`it was ${answer.tag}`);
  return faultText(answer.error);
}

export const lastRequest = (bench: Bench): readonly Message[] => bench.model.requests.at(-1)?.messages ?? [];

/** Every call is followed at once by its results, and it begins with the user. */
export function expectValid(messages: readonly Message[]): void {
  expect(messages[0]?.role ?? 'user').toBe('user');
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const results = messages[at + 1]?.blocks.flatMap(block => (block.kind === 'tool-result' ? [block.id] : [])) ?? [];
    expect(results).toEqual(toolCalls(message).map(({id}) => id));
  }
}
