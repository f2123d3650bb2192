import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {BlockStart, ModelEvent} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {BlockBuilder} from '../../../src/models/block-builder.ts';
import {StreamMerger} from '../../../src/models/stream-merger.ts';
import {blocksOf} from '../../support/model-events.ts';

interface Block {
  readonly kind: 'text' | 'thinking' | 'tool-call';
  readonly pieces: readonly string[];
}

/** The events of a try that says all of `blocks`, one after the other. */
function tryOf(blocks: readonly Block[]): readonly ModelEvent[] {
  const out: ModelEvent[] = [
    {event: 'message-started', id: messageId('m'), model: 'm', usage: {...noUsage, inputTokens: 1}},
  ];
  for (const [index, {kind, pieces}] of blocks.entries()) {
    const start: BlockStart = kind === 'tool-call' ? {kind, id: actionId(`call${index}`), name: 'Bash'} : {kind};
    const block = new BlockBuilder(index, start, out);
    for (const piece of pieces) {
      // Each in a batch of its own, so that none are joined.
      const batch: ModelEvent[] = [];
      if (kind === 'tool-call') block.add({kind: 'tool-input', json: piece}, batch);
      else block.add({kind, text: piece}, batch);
      out.push(...batch);
    }
    block.finish(out);
  }
  return [...out, {event: 'message-finished', stop: 'end-turn', usage: {...noUsage, inputTokens: 1, outputTokens: 2}}];
}

const said = (events: readonly ModelEvent[]): string =>
  events.map(event => (event.event === 'block-delta' && event.delta.kind === 'text' ? event.delta.text : '')).join('');

const text = (...pieces: readonly string[]): Block => ({kind: 'text', pieces});
const block: fc.Arbitrary<Block> = fc.record({
  kind: fc.constantFrom('text', 'thinking'),
  // Few letters, so that beginnings repeat.
  pieces: fc.array(fc.string({unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 3}), {maxLength: 4}),
});

test('a single try passes through unchanged', () => {
  fc.assert(
    fc.property(fc.array(block), blocks => {
      const events = tryOf(blocks);
      expect(new StreamMerger().take(events)).toEqual(events);
    }),
  );
});

test('however often a server breaks off and starts over, its message comes out once and whole', () => {
  fc.assert(
    fc.property(fc.array(block), fc.array(fc.nat(30), {maxLength: 4}), (blocks, breaks) => {
      const whole = tryOf(blocks);
      const splice = new StreamMerger();
      const events: ModelEvent[] = [];
      for (const at of breaks) {
        events.push(...splice.take(whole.slice(0, Math.min(at, whole.length - 1))), ...splice.breakOff());
      }
      events.push(...splice.take(whole));
      blocksOf(events);
      expect(said(events)).toBe(said(whole));
      expect(splice.shownText).toBe(said(whole));
    }),
  );
});

test('whatever a broken try is followed by, the message is valid and no shown text is lost', () => {
  fc.assert(
    fc.property(fc.array(block), fc.nat(30), fc.array(block), (before, at, after) => {
      const splice = new StreamMerger();
      const first = tryOf(before);
      const events = [...splice.take(first.slice(0, Math.min(at, first.length - 1)))];
      const shown = said(events);
      events.push(...splice.breakOff(), ...splice.take(tryOf(after)));
      blocksOf(events);
      const all = said(events);
      expect([shown + said(tryOf(after)), said(tryOf(after))]).toContain(all);
      expect(all.startsWith(shown)).toBe(true);
    }),
  );
});

test('a message with a whole tool call ends with it when the connection breaks', () => {
  const splice = new StreamMerger();
  const call: Block = {kind: 'tool-call', pieces: ['{"command":', '"ls"}']};
  const whole = tryOf([text('I look.'), call, {kind: 'tool-call', pieces: ['{}']}]);
  const until = whole.findIndex(event => event.event === 'block-delta' && event.index === 2) + 1;
  const events = [...splice.take(whole.slice(0, until)), ...splice.breakOff()];
  expect(splice.hasFinishedCalls).toBe(true);
  events.push(...splice.endWithCalls());
  expect(splice.finished).toBe(true);
  expect(blocksOf(events)).toEqual([
    {kind: 'text', text: 'I look.'},
    {kind: 'tool-call', id: 'call1', name: 'Bash', input: {command: 'ls'}},
    {kind: 'text', text: ''},
  ]);
  expect(events.at(-1)).toEqual({event: 'message-finished', stop: 'tool-use', usage: noUsage});
});

test('what only begins like the shown text is news', () => {
  const splice = new StreamMerger();
  const events = [...splice.take(tryOf([text('ha', 'ha')]).slice(0, 4)), ...splice.breakOff()];
  events.push(...splice.take(tryOf([text('ha')])));
  expect(blocksOf(events)).toEqual([{kind: 'text', text: 'hahaha'}]);
});
