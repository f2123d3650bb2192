import {PassThrough, Writable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {makeStdoutWriter, type TextSink} from '../../../src/headless/stdout-writer.ts';

/** A reader that takes a write when it is told to. */
function slowSink(): TextSink & {readonly taken: string[]; take(error?: Error): void} {
  const open: (() => void)[] = [];
  const errors: Error[] = [];
  const taken: string[] = [];
  return {
    taken,
    write(text, done) {
      taken.push(text);
      open.push(() => done(errors.shift()));
    },
    take(error) {
      if (error !== undefined) errors.push(error);
      open.shift()?.();
    },
  };
}

const withCode = (code: string): Error => Object.assign(new Error(`write ${code}`), {code});

describe('a writer of stdout', () => {
  test('keeps one write under way and joins what comes meanwhile', async () => {
    const sink = slowSink();
    const writer = makeStdoutWriter(sink, () => {});
    for (const text of ['a', 'b', '', 'c']) writer.write(text);
    expect(sink.taken).toEqual(['a']);
    sink.take();
    expect(sink.taken).toEqual(['a', 'bc']);
    const drained = writer.drained();
    sink.take();
    expect(await drained).toEqual({kind: 'open'});
    expect(await writer.drained()).toEqual({kind: 'open'});
  });

  test('has room again when its reader has caught up, or is gone', async () => {
    const sink = slowSink();
    const writer = makeStdoutWriter(sink, () => {});
    expect(writer.room(0)).toBeUndefined();
    writer.write('abc');
    writer.write('de');
    expect(writer.room(5)).toBeUndefined();
    const told: string[] = [];
    const [some, all] = [writer.room(2)?.then(() => told.push('some')), writer.room(0)?.then(() => told.push('all'))];
    sink.take();
    await some;
    expect(told).toEqual(['some']);
    sink.take();
    await all;
    expect(told).toEqual(['some', 'all']);
    writer.write('x');
    const left = writer.room(0);
    sink.take(withCode('EPIPE'));
    await left;
    expect(writer.room(0)).toBeUndefined();
  });

  test.each([
    ['EPIPE', {kind: 'closed'}],
    ['ECONNRESET', {kind: 'closed'}],
    ['ERR_STREAM_DESTROYED', {kind: 'closed'}],
    ['ENOSPC', {kind: 'failed', message: 'write ENOSPC'}],
  ])('after %s it drops the rest and says so once', async (code, state) => {
    let broken = 0;
    const sink = slowSink();
    const writer = makeStdoutWriter(sink, () => (broken += 1));
    writer.write('a');
    writer.write('b');
    const drained = writer.drained();
    sink.take(withCode(code));
    writer.write('c');
    expect(await drained).toEqual(state);
    expect(await writer.drained()).toEqual(state);
    expect({broken, taken: sink.taken}).toEqual({broken: 1, taken: ['a']});
  });

  test('takes a Node stream, and hears of one that was destroyed', async () => {
    const stream = new PassThrough();
    const writer = makeStdoutWriter(stream, () => {});
    writer.write('one\n');
    writer.write('two\n');
    expect(await writer.drained()).toEqual({kind: 'open'});
    expect(String(stream.read())).toBe('one\ntwo\n');

    const gone = new Writable({write: (_chunk, _encoding, done) => done(withCode('EPIPE'))});
    gone.on('error', () => {});
    const late = makeStdoutWriter(gone, () => {});
    late.write('x');
    expect(await late.drained()).toEqual({kind: 'closed'});
  });
});
