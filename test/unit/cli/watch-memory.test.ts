import {expect, test} from 'vitest';
import {watchMemory} from '../../../src/cli/watch-memory.ts';
import {engineBench, says} from '../../support/memory-ports.ts';

const mega = 1024 * 1024;

test('near the ceiling it is told once and what can be had again is dropped, until there was room again', () => {
  let size = 0;
  let dropped = 0;
  let thrift = 0;
  const memory = watchMemory({
    ceiling: 1024,
    used: () => size * mega,
    economise: () => void thrift++,
    drop: () => void dropped++,
  });
  const told = [100, 819, 820, 1300, 720, 830, 700, 830].map(next => {
    size = next;
    return memory.trouble().split(';')[0];
  });
  expect(told).toEqual([
    '',
    '',
    'weft itself uses 820 MB of memory',
    '',
    '',
    '',
    '',
    'weft itself uses 830 MB of memory',
  ]);
  expect({dropped, thrift}).toEqual({dropped: 2, thrift: 1});
});

test('the user is told before the next request, and the prompt goes on', async () => {
  const texts = ['weft is large', ''];
  const bench = engineBench([says('done')], {memoryTrouble: () => texts.shift() ?? ''});
  await bench.prompt('go');
  expect(bench.events.filter(({event}) => event === 'notice')).toEqual([
    {event: 'notice', level: 'warning', text: 'weft is large'},
  ]);
});
