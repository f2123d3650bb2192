import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {actionId, documentId, messageId} from '../../../src/domain/ids.ts';
import {type CallOutcome, thinkingFields} from '../../../src/domain/conversation.ts';
import {treeId} from '../../../src/domain/checkpoint.ts';
import {checkKinds, hidingSyntax} from '../../../src/domain/receipt.ts';
import {rewindScopes, type JournalRecord} from '../../../src/domain/journal.ts';
import {cancelReasons} from '../../../src/domain/settled.ts';
import {decodeBody, encodeBody} from '../../../src/store/record-body.ts';

const anyText = fc.string({unit: 'binary'});
const loneText = fc.array(fc.integer({min: 0, max: 0xffff})).map(units => String.fromCharCode(...units));
const text = fc.oneof(anyText, loneText);
const count = fc.nat();
const usage = fc.record({inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count});
const json = fc.jsonValue({noUnicodeString: false}).map(value => JSON.parse(JSON.stringify(value)));
const textBlock = text.map(value => ({kind: 'text', text: value}) as const);
const end: fc.Arbitrary<CallOutcome> = fc.oneof(
  fc.record({outcome: fc.constantFrom('success' as const, 'error' as const)}),
  fc.record({
    outcome: fc.constant('cancelled' as const),
    reason: fc.constantFrom(...cancelReasons, 'unknown' as const),
  }),
);
const result = fc
  .tuple(
    fc.record({
      kind: fc.constant('tool-result' as const),
      id: text.map(actionId),
      content: fc.array(fc.oneof(textBlock, fc.record({kind: fc.constant('text' as const), text, foundTool: text}))),
    }),
    end,
  )
  .map(([fields, ended]) => ({...fields, ...ended}));
const tree = text.map(treeId);
const change = fc.oneof(fc.constant('untouched' as const), fc.record({before: tree, after: tree}));
const record: fc.Arbitrary<JournalRecord> = fc.oneof(
  fc
    .record({
      role: fc.constant('user' as const),
      id: text.map(messageId),
      blocks: fc.array(fc.oneof(textBlock, result)),
    })
    .map(message => ({kind: 'prompt', message}) as const),
  fc
    .record({
      role: fc.constant('assistant' as const),
      id: text.map(messageId),
      model: text,
      blocks: fc.array(
        fc.oneof(
          textBlock,
          fc.record({kind: fc.constant('tool-call' as const), id: text.map(actionId), name: text, input: json}),
          fc.record({kind: fc.constant('thinking' as const), text, signature: text}),
          fc.record({
            kind: fc.constant('thinking' as const),
            text,
            signature: text,
            source: fc.record({
              host: text,
              model: text,
              field: fc.constantFrom(...thinkingFields),
              details: fc.array(fc.record({data: text})),
            }),
          }),
        ),
      ),
      stop: fc.constantFrom('end-turn' as const, 'interrupted' as const),
      usage,
    })
    .map(message => ({kind: 'answer', message}) as const),
  result.map(value => ({kind: 'result', result: value}) as const),
  fc
    .array(fc.uint8Array())
    .map(frames => ({kind: 'todo-frames', frames: frames.map(frame => Uint8Array.from(frame))}) as const),
  fc.record({model: text, usage}).map(value => ({kind: 'usage', ...value}) as const),
  fc
    .record({prompt: text.map(messageId), moment: fc.constantFrom('before' as const, 'after' as const), tree})
    .map(value => ({kind: 'checkpoint', ...value}) as const),
  fc
    .record({to: text.map(messageId), what: fc.constantFrom(...rewindScopes), files: change})
    .map(value => ({kind: 'rewind', ...value}) as const),
  fc
    .record({id: text.map(documentId), title: text, by: fc.constantFrom('agent' as const, 'user' as const), text})
    .map(value => ({kind: 'document', ...value}) as const),
  fc
    .record({message: text.map(messageId), model: text, index: count, text})
    .map(value => ({kind: 'piece', ...value}) as const),
  fc
    .record({message: text.map(messageId), state: fc.constantFrom('pinned' as const, 'unpinned' as const)})
    .map(value => ({kind: 'pin', ...value}) as const),
  fc
    .record({
      id: text.map(actionId),
      label: text,
      decision: fc.constantFrom('allowed' as const, 'refused' as const),
      by: fc.constantFrom('user' as const, 'nobody' as const),
    })
    .map(value => ({kind: 'approval', ...value}) as const),
  fc
    .record({model: text, usage, costUsd: fc.oneof(count, fc.constant('unknown' as const))})
    .map(value => ({kind: 'agent-usage', ...value}) as const),
  fc
    .record({
      call: fc.oneof(text.map(actionId), fc.constant('host' as const)),
      name: text,
      kind: fc.constantFrom(...checkKinds),
      command: text,
      directory: text,
      paths: fc.oneof(fc.constant('all' as const), fc.array(text)),
      end: fc.oneof(
        count.map(code => ({kind: 'exited', code}) as const),
        fc.constantFrom(...hidingSyntax).map(by => ({kind: 'hidden', by}) as const),
      ),
      counts: fc.record({passed: count, failed: count}, {requiredKeys: []}),
      at: count,
      tree,
      isConfined: fc.boolean(),
    })
    .map(receipt => ({kind: 'receipt', receipt}) as const),
  change.map(files => ({kind: 'redo', files}) as const),
  fc
    .array(fc.record({message: text.map(messageId), block: count}))
    .map(blocks => ({kind: 'media-left-out', blocks}) as const),
  fc.array(text.map(actionId)).map(results => ({kind: 'results-shortened', results}) as const),
);

test('any record comes back as it went in, through text that is well-formed and free of NUL', () => {
  fc.assert(
    fc.property(record, kept => {
      const body = encodeBody(kept);
      expect(body.isWellFormed() && !body.includes('\0')).toBe(true);
      expect(decodeBody(kept.kind, body)).toEqual({tag: 'ok', value: kept});
    }),
  );
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('prompt', 'answer', 'result', 'todo-frames', 'approval', 'document', 'usage', '__proto__'),
      fc.oneof(
        text,
        fc.jsonValue().map(value => JSON.stringify(value)),
      ),
      (kind, body) => {
        expect(['ok', 'failed']).toContain(decodeBody(kind, body).tag);
      },
    ),
  );
});

test('a result that an earlier weft kept does not say why it was cancelled', () => {
  const kept = {kind: 'tool-result', id: 'a', content: [], outcome: 'cancelled'};
  expect(decodeBody('result', JSON.stringify(kept))).toEqual({
    tag: 'ok',
    value: {kind: 'result', result: {...kept, reason: 'unknown'}},
  });
});

const agentRecord = (agent: object) => ({kind: 'agent', agent, harnessSession: ''});

test('an agent keeps what its call asked for; one of an earlier weft reports no changes', () => {
  const id = '11111111-2222-4333-8444-555555555555';
  const agent = {id, call: 'a', parent: 'main', name: 'n', kind: 'general', harness: 'far', model: '', prompt: 'p'};
  const kept = {...agent, isolation: 'none', computerUse: 'denied', lifecycle: ['idle'], startedAt: 1};
  const earlier = {...agent, startedAt: 1};
  expect(decodeBody('agent', JSON.stringify(agentRecord(kept)))).toEqual({tag: 'ok', value: agentRecord(kept)});
  expect(decodeBody('agent', JSON.stringify(agentRecord(earlier)))).toEqual({
    tag: 'ok',
    value: agentRecord({...kept, computerUse: 'asks', lifecycle: []}),
  });
});
