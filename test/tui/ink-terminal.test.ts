import {afterEach, describe, expect, test} from 'vitest';
import {extentQuery} from '../../src/tui/terminal/cursor-position.ts';
import {begin, finishedText, leaveStages, start} from './support/stage.ts';
import {delta, finished} from './support/events.ts';

afterEach(leaveStages);

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
    await screen.until(/row number 39[^]*Ask weft to do something/u);
    for (const [columns, rows] of sizes) screen.resize(columns, rows);
    await screen.type('a draft');
    await screen.until(/› a draft\n─+\n {2}asks first/u);
    await screen.type('\u0015');
    await screen.until(/row number 39 of it\n\n─+\n › Ask weft to do something[^\n]*\n─+\n {2}asks first/u);
    expect((await screen.everything()).filter(row => row.includes('row number')).map(row => row.slice(2))).toEqual(
      lines,
    );
  });
});

test('a terminal like xterm.js that goes through several sizes at once keeps every line above', async () => {
  const {screen, engine} = await start([98, 18]);
  // The attributes by which xterm.js is known (DA2).
  await screen.type('\u001B[>0;276;0c');
  engine.emit(...begin, delta(lines.join('\n\n')), finishedText, finished({kind: 'done'}));
  await screen.until(/row number 39[^]*Ask weft to do something/u);
  screen.answer();
  for (const columns of [174, 61, 41, 30]) screen.resize(columns, 24);
  await screen.until(/─{29}\n[^─]*$/u);
  expect((await screen.everything()).filter(row => row.includes('row number')).map(row => row.slice(2))).toEqual(lines);
});

test('the rest of a line that xterm.js wraps at the top of the screen is indented and begins with a whole word', async () => {
  const tops = new Set<string | undefined>();
  for (const rows of [24, 25]) {
    const {screen, engine} = await start([100, rows]);
    await screen.type('\u001B[>0;276;0c');
    const items = Array.from({length: 60}, (_, at) => `${at + 10}. ${item}`);
    engine.emit(...begin, delta(items.join('\n')), finishedText, finished({kind: 'done'}));
    await screen.until(/69\. The threshold[^]*Ask weft to do something/u);
    screen.answer();
    screen.resize(60, rows);
    await screen.until(/ {2}69\. The threshold .*, so\n {6}exactly three items get no discount\.\n\n─{59}\n/u);
    tops.add((await screen.rows())[0]?.replace(/\d\d/u, 'NN'));
    const all = (await screen.everything()).join(' ').replaceAll(/\s+/gu, ' ');
    expect(all.match(/\d\d\. The threshold/gu)).toEqual(items.map(text => text.slice(0, 17)));
    expect(all.match(/three items get no discount/gu)).toHaveLength(60);
  }
  expect(tops).toEqual(
    new Set(['  NN. The threshold is compared with > instead of >=, so', '      exactly three items get no discount.']),
  );
});

const item = 'The threshold is compared with > instead of >=, so exactly three items get no discount.';

test('frames drawn before a terminal that became lower has said so take no row above the live region', async () => {
  const {screen, engine} = await start();
  engine.emit(...begin, delta(`${lines.slice(0, 30).join('\n\n')}\n\n`));
  await screen.until(/row number 29[^]*Enter: send now/u);
  screen.resizeUnsaid(80, 20);
  await screen.type('a');
  await screen.type(' draft');
  await screen.until(/› a draft/u);
  screen.resizeUnsaid(80, 10);
  engine.emit(delta(lines.slice(30).join('\n\n')), finishedText, finished({kind: 'done'}));
  await screen.until(/row number 39/u);
  screen.resize(80, 24);
  await screen.until(/row number 39[^]*› a draft\n─+\n {2}asks first/u);
  expect((await screen.everything()).filter(row => row.includes('row number')).map(row => row.slice(2))).toEqual(lines);
});

test('in tmux nothing is drawn for a width that the terminal no longer has, although it has not said so yet', async () => {
  const {screen} = await start();
  // The attributes by which tmux is known (DA2).
  await screen.type('\u001B[>84;0;0c');
  screen.answer();
  screen.resize(100, 24);
  screen.resizeUnsaid(60, 24);
  await expect.poll(() => screen.written()).toContain(extentQuery.text);
  screen.resize(60, 24);
  await screen.until(/(?<!─)─{59}\n[^─]*$/u);
  expect(screen.written()).not.toContain('─'.repeat(99));
});

test('what a terminal that becomes small pushes into its scrollback is not drawn or written again', async () => {
  const {screen, engine} = await start();
  const rows = ['first row of it', 'second row of it', 'third row of it'];
  engine.emit(
    ...begin,
    delta(`| a row | of a table |\n|---|---|\n${rows.map(row => `| ${row} | it is |`).join('\n')}`),
  );
  await screen.until(/third row/u);
  screen.resize(20, 6);
  await screen.until(/Enter: now · Ta…\n {2}asks first/u);
  screen.resize(80, 24);
  engine.emit(delta('\n\nAnd more.'), finishedText, finished({kind: 'done'}));
  await screen.until(/And more\.[^]*Ask weft to do something/u);
  const all = await screen.everything();
  expect(all.flatMap(row => /\w+ row of it/u.exec(row) ?? [])).toEqual(rows);
});
