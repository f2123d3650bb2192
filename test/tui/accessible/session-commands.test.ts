import {afterEach, expect, test} from 'vitest';
import {ok} from '../../../src/base/outcome.ts';
import {leaveSpeakers, speak} from './speaker.ts';

afterEach(leaveSpeakers);

test('/btw reads the answer between two lines', async () => {
  const speaker = await speak();
  speaker.engine.answers['ask-aside'] = ok('It was **src/cart.ts**.');
  await speaker.type('/btw which file?\r');
  await speaker.heard(
    /Asking beside the conversation…[^]*Answer beside the conversation:\n+It was src\/cart\.ts\.\nEnd of the answer\.\n/u,
  );
  expect(speaker.engine.ops.filter(({op}) => op === 'prompt')).toEqual([]);
});
