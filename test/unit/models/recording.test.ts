import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parseJson} from '../../../src/base/json.ts';
import type {Fault} from '../../../src/domain/fault.ts';
import {readRecording, recordingHeader, writeRecordedLine, type RecordedLine} from '../../../src/models/recording.ts';

const header = '{"weft":"recording","version":1}';

test('reads what a person writes', () => {
  const text = [
    header,
    '',
    '{"prompt":"Why?"}',
    '{"answer":[{"thinking":"Hm."},{"text":"I look."},{"tool":"Bash","input":{"command":"ls"}}]}',
    '  {"answer":[{"text":"So."}],"stop":"max-tokens","usage":{"inputTokens":3},"model":"m"}  ',
  ].join('\r\n');
  expect(readRecording(text)).toEqual({
    tag: 'ok',
    value: [
      {kind: 'prompt', text: 'Why?'},
      {
        kind: 'answer',
        answer: {
          blocks: [
            {kind: 'thinking', text: 'Hm.', signature: ''},
            {kind: 'text', text: 'I look.'},
            {kind: 'tool-call', id: '', name: 'Bash', input: {command: 'ls'}},
          ],
          stop: 'tool-use',
          usage: {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0},
          model: '',
        },
      },
      {
        kind: 'answer',
        answer: {
          blocks: [{kind: 'text', text: 'So.'}],
          stop: 'max-tokens',
          usage: {inputTokens: 3, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0},
          model: 'm',
        },
      },
    ],
  });
});

describe('a line that cannot be read is named', () => {
  test.each([
    {name: 'nothing at all', text: '', line: 1, says: 'begins with'},
    {name: 'no header', text: '{"answer":[]}', line: 1, says: 'begins with'},
    {name: 'a version to come', text: '{"weft":"recording","version":2}', line: 1, says: 'begins with'},
    {name: 'no JSON', text: `${header}\n\n{"answer":`, line: 3, says: 'not JSON'},
    {name: 'a word misspelt', text: `${header}\n{"anwser":[]}`, line: 2, says: 'it must be'},
    {name: 'a block of no kind', text: `${header}\n{"answer":[{"txt":"x"}]}`, line: 2, says: 'it must be'},
    {name: 'a call without input', text: `${header}\n{"answer":[{"tool":"Bash"}]}`, line: 2, says: 'it must be'},
    {name: 'no object', text: `${header}\n[]`, line: 2, says: 'it must be'},
  ])('$name', ({text, line, says}) => {
    const read = readRecording(text);
    const fault: Fault | undefined = read.tag === 'failed' ? read.error : undefined;
    expect(fault?.message).toMatch(new RegExp(`^Line ${line} of the recording cannot be read: `, 'u'));
    expect(fault?.message).toContain(says);
  });
});

const count = fc.nat();
const blocks = fc.array(
  fc.oneof(
    fc.record({kind: fc.constant('text' as const), text: fc.string({unit: 'binary'})}),
    fc.record({kind: fc.constant('thinking' as const), text: fc.string(), signature: fc.string()}),
    fc.record({kind: fc.constant('sealed-thinking' as const), data: fc.string()}),
    fc.record({kind: fc.constant('other' as const), type: fc.string(), data: fc.constant({lines: [1, null]})}),
    fc.record({
      kind: fc.constant('tool-call' as const),
      id: fc.string(),
      name: fc.string({minLength: 1}),
      input: fc.json().map(text => {
        const parsed = parseJson(text);
        return parsed.tag === 'ok' ? parsed.value : null;
      }),
    }),
  ),
);
const lines: fc.Arbitrary<RecordedLine> = fc.oneof(
  fc.record({kind: fc.constant('prompt' as const), text: fc.string()}),
  fc.record({
    kind: fc.constant('answer' as const),
    answer: fc.record({
      blocks,
      stop: fc.constantFrom('end-turn', 'tool-use', 'max-tokens', 'refusal', 'context-full', 'interrupted'),
      usage: fc.record({inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count}),
      model: fc.string(),
    }),
  }),
);

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.array(lines), recorded => {
      const text = recordingHeader + recorded.map(writeRecordedLine).join('');
      expect(readRecording(text)).toEqual({tag: 'ok', value: JSON.parse(JSON.stringify(recorded))});
    }),
  );
});

test('nothing a file can hold is thrown', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.json(), fc.string())), content => {
      expect(['ok', 'failed']).toContain(readRecording([header, ...content].join('\n')).tag);
    }),
  );
});
