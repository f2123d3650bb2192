import {array, assert, asyncProperty, constant, constantFrom, nat, record, type Arbitrary} from 'fast-check';
import {afterEach, describe, expect, test} from 'vitest';
import {noRegion, paintLive} from '../../src/tui/terminal/paint-live.ts';
import type {Placed} from '../../src/tui/views/composer-view.ts';
import {randomInputs} from '../support/random-inputs.ts';
import {openVirtualScreen} from '../support/virtual-screen.ts';
import {begin, finishedText, leaveStages, start} from './support/stage.ts';
import {delta, finished} from './support/events.ts';

afterEach(leaveStages);

const piece = constantFrom(
  'a',
  'bc ',
  '  ',
  'é',
  '漢字',
  '👩‍👩‍👧',
  '\u001B[2mdim\u001B[22m',
  '\u001B[36m>\u001B[39m ',
  'e\u0301',
);
const region: Arbitrary<Placed> = array(
  array(piece, {maxLength: 6}).map(parts => parts.join('')),
  {minLength: 1, maxLength: 6},
).chain(lines => record({lines: constant(lines), cursor: record({x: nat(20), y: nat(lines.length - 1)})}));

test('one region after the other leaves the last one on the screen, the cursor in its cell', async () => {
  await assert(
    asyncProperty(array(region, {minLength: 1, maxLength: 4}), async regions => {
      const [screen, fresh] = [openVirtualScreen(40, 8), openVirtualScreen(40, 8)];
      let painted = noRegion;
      for (const next of regions) {
        screen.stdout.write(paintLive(painted, next));
        painted = next;
      }
      fresh.stdout.write(painted.lines.join('\n'));
      expect(await screen.everything()).toEqual(await fresh.everything());
      expect(await screen.cursor()).toEqual(painted.cursor);
    }),
    {numRuns: randomInputs(300)},
  );
});

test('a key costs what it changes', () => {
  const before = {lines: ['', '> a draft', 'status'], cursor: {x: 9, y: 1}};
  const after = {...before, lines: ['', '> a draft!', 'status'], cursor: {x: 10, y: 1}};
  expect(paintLive(before, after)).toBe('\u001B[?25l\r\u001B[9C\u001B[K!\r\u001B[10C\u001B[?25h');
  expect(paintLive(after, after)).toBe('');
});

const lines = Array.from({length: 40}, (_, at) => `row number ${at} of it`);

describe('rows below the cursor that a terminal drops when it becomes lower', () => {
  test.each([
    [
      'lower and as high again, before anything is drawn',
      [
        [80, 9],
        [80, 24],
      ],
    ],
    [
      'lower and higher',
      [
        [80, 9],
        [80, 30],
      ],
    ],
    [
      'lower and narrower, and back',
      [
        [60, 9],
        [80, 24],
      ],
    ],
  ] as const)('%s: no line above is lost', async (_title, sizes) => {
    const {screen, engine} = await start();
    engine.emit(...begin, delta(lines.join('\n\n')), finishedText, finished({kind: 'done'}));
    await screen.until(/row number 39[^]*Ask for something/u);
    for (const [columns, rows] of sizes) screen.resize(columns, rows);
    await screen.type('a draft');
    await screen.until(/> a draft\ntest-model/u);
    await screen.type('\u0015');
    await screen.until(/row number 39 of it\n\n> Ask for something[^\n]*\ntest-model/u);
    expect((await screen.everything()).filter(row => row.startsWith('row number'))).toEqual(lines);
  });
});
