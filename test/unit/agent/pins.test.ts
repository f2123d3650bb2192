import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {isCompactionMessage, pinnedWords} from '../../../src/domain/compaction.ts';
import {messageText, type Message} from '../../../src/domain/conversation.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import type {PinRow} from '../../../src/domain/pin.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {decodeBody, encodeBody} from '../../../src/store/record-body.ts';
import {compact, expectValid, preview, refusalOf} from '../../support/compacting.ts';
import {engineBench, memorySession, says, valueOf, type Bench} from '../../support/memory-ports.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const prompt = (id: string, text: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId(id), blocks: [{kind: 'text', text}]},
});
const answer = (id: string, text: string): JournalRecord => ({
  kind: 'answer',
  message: {
    role: 'assistant',
    id: messageId(id),
    model: 'm',
    blocks: [
      {kind: 'thinking', text: 'hm '.repeat(400), signature: ''},
      {kind: 'text', text},
    ],
    stop: 'end-turn',
    usage: noUsage,
  },
});

const allRecords = ({session}: Bench): readonly JournalRecord[] => [...session.records, ...session.kept];
/** As they come back from the disk. */
const stored = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records.map(record => {
    const read = decodeBody(record.kind, encodeBody(record));
    expect(read).toEqual({tag: 'ok', value: record});
    return record;
  });
const pinsOf = async (bench: Bench): Promise<readonly PinRow[]> => valueOf(await bench.query({query: 'pins'}));
const setPin = (bench: Bench, id: string, state: PinRow['state'] = 'pinned') =>
  bench.query({query: 'change-pin', message: messageId(id), state});

/** The words of all messages as the model reads them, in their order: those that stay, and those in the message of a compaction. */
const wordsOf = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(message => {
    if (!isCompactionMessage(message)) return [messageText(message)];
    return message.blocks.flatMap(block => {
      if (block.kind !== 'text') return [];
      const plain = /^<user-message number="\d+">\n([^]*)\n<\/user-message>$/u.exec(block.text)?.[1];
      return [pinnedWords(block.text) ?? plain ?? ''];
    });
  });

test('whatever is said and pinned, each pinned message is there once and in order after every compaction', async () => {
  const words = fc.tuple(
    fc.constantFrom('prompt', 'answer'),
    fc.string({unit: 'binary', maxLength: 400}),
    fc.boolean(),
  );
  const ways = fc.array(fc.constantFrom('summary', 'trim'), {minLength: 1, maxLength: 3});
  await fc.assert(
    fc.asyncProperty(fc.array(words, {maxLength: 14}), ways, async (said, compactions) => {
      const texts = said.map(([, text], at) => `${at}: ${text}`);
      const records = [
        prompt('first', 'first'),
        answer('answer', 'one'),
        ...said.map(([by], at) => (by === 'prompt' ? prompt : answer)(`m${at}`, texts[at] ?? '')),
      ];
      let bench = engineBench([], {session: memorySession(records)});
      const pinned: string[] = [];
      for (const [at, [, , wanted]] of said.entries()) {
        if (wanted && (await setPin(bench, `m${at}`)).tag === 'ok') pinned.push(texts[at] ?? '');
      }
      for (const [at, way] of compactions.entries()) {
        const before = [...allRecords(bench), prompt(`later${at}`, `later ${at}`), answer(`one${at}`, 'one')];
        bench = engineBench([says(way === 'summary' ? 'the summary' : '')], {
          session: memorySession(stored(before)),
          window: 100_000,
        });
        expect((await compact(bench)).way).toBe(way);
        const {messages} = historyFromJournal(allRecords(bench));
        expectValid(messages);
        const kept = wordsOf(messages);
        expect(kept.filter(text => pinned.includes(text))).toEqual(pinned);
      }
      expect((await pinsOf(bench)).filter(({state}) => state === 'pinned')).toHaveLength(pinned.length);
    }),
    {numRuns: randomInputs(80)},
  );
});

const talk = [
  prompt('p1', 'Use pnpm'),
  answer('a1', 'The plan:\n1. Look'),
  prompt('p2', 'Go on'),
  answer('a2', 'Done'),
];

test('messages of the user and answers can be pinned; the card counts them, and answers that stay are not summed up', async () => {
  const bench = engineBench([says('S')], {session: memorySession(talk), window: 100_000});
  expect(await pinsOf(bench)).toEqual([
    {id: 'p1', by: 'user', state: 'unpinned', title: 'Use pnpm', tokens: 22},
    {id: 'a1', by: 'agent', state: 'unpinned', title: 'The plan: …', tokens: 25},
    {id: 'p2', by: 'user', state: 'unpinned', title: 'Go on', tokens: 22},
    {id: 'a2', by: 'agent', state: 'unpinned', title: 'Done', tokens: 21},
  ]);
  await setPin(bench, 'a1');
  await setPin(bench, 'p2');
  await setPin(bench, 'p2', 'unpinned');
  const shown = await preview(bench);
  expect(shown.kept.map(({what}) => what)).toEqual([
    '1 pinned message, word for word',
    '2 user messages, word for word',
  ]);
  expect(shown.summarised.map(({what}) => what)).toEqual(['1 answer']);
  valueOf(await bench.query({query: 'compact', preview: shown.id, summary: ''}));
  const [message] = historyFromJournal(allRecords(bench)).messages;
  expect(message?.blocks.slice(1, -1)).toEqual([
    {kind: 'text', text: '<user-message number="1">\nUse pnpm\n</user-message>'},
    {kind: 'text', text: '<answer to-number="1" pinned="yes">\nThe plan:\n1. Look\n</answer>'},
    {kind: 'text', text: '<user-message number="2">\nGo on\n</user-message>'},
  ]);
});

test('what is pinned is a part of its own in /context, before a compaction and after it', async () => {
  const bench = engineBench([says('S')], {session: memorySession(talk)});
  await setPin(bench, 'a1');
  await setPin(bench, 'p1');
  const pinnedItems = async (): Promise<readonly string[] | undefined> => {
    const usage = valueOf(await bench.query({query: 'context-usage'}));
    expect(usage.parts.reduce((sum, {tokens}) => sum + tokens, 0)).toBe(usage.tokens);
    return usage.parts
      .find(({kind}) => kind === 'pinned')
      ?.items.map(({name}) => name)
      .toSorted();
  };
  expect(await pinnedItems()).toEqual(['The plan: …', 'Use pnpm']);
  await compact(bench);
  expect(await pinnedItems()).toEqual(['The plan: …', 'Use pnpm']);
});

test('too much is refused with the limit, and so is a message that is not there', async () => {
  // The scripted model has a window of 1,000 tokens, of which pins may take a quarter.
  const bench = engineBench([], {
    session: memorySession([prompt('p1', 'x'.repeat(800)), answer('a1', 'y'.repeat(200))]),
  });
  valueOf(await setPin(bench, 'p1'));
  expect(refusalOf(await setPin(bench, 'a1'))).toBe(
    'Pinned messages may use 250 tokens. With this one they would use about 290. /pin remove unpins a message.',
  );
  expect(refusalOf(await setPin(bench, 'nobody'))).toBe('This conversation has no such message.');
  expect(bench.session.kept).toEqual([{kind: 'pin', message: 'p1', state: 'pinned'}]);
});

test('going back takes no pin off a message that stays, and going forth again brings the others back', async () => {
  const bench = engineBench([], {session: memorySession(talk)});
  await setPin(bench, 'a1');
  await setPin(bench, 'a2');
  const pinned = async () => (await pinsOf(bench)).flatMap(({id, state}) => (state === 'pinned' ? [id] : []));
  valueOf(await bench.query({query: 'rewind', target: {kind: 'last'}}));
  expect(await pinned()).toEqual(['a1']);
  valueOf(await bench.query({query: 'rewind', target: {kind: 'redo'}}));
  expect(await pinned()).toEqual(['a1', 'a2']);
});
