import {expect, test} from 'vitest';
import {watchMemory} from '../../../src/app/watch-memory.ts';
import {engineBench, says} from '../../support/memory-ports.ts';

const bytesPerMegabyte = 1024 * 1024;

test('near the ceiling it warns once and drops what can be read again, until there was room again', () => {
  let size = 0;
  let dropped = 0;
  let thrift = 0;
  const memory = watchMemory({
    ceiling: 1024,
    used: () => size * bytesPerMegabyte,
    saveMemory: () => void thrift++,
    drop: () => void dropped++,
  });
  const warnings = [100, 819, 820, 1300, 720, 830, 700, 830].map(next => {
    size = next;
    return memory.warning().split(' (')[0];
  });
  expect(warnings).toEqual(['', '', 'weft uses 820 MB of memory', '', '', '', '', 'weft uses 830 MB of memory']);
  expect({dropped, thrift}).toEqual({dropped: 2, thrift: 1});
});

test('the user is told before the next request, and the prompt goes on', async () => {
  const texts = ['weft is large', ''];
  const bench = engineBench([says('done')], {memoryWarning: () => texts.shift() ?? ''});
  await bench.prompt('go');
  expect(bench.events.filter(({event}) => event === 'notice')).toEqual([
    {event: 'notice', level: 'warning', text: 'weft is large'},
  ]);
});
