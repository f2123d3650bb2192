import {stripVTControlCharacters} from 'node:util';
import {afterEach, expect, test} from 'vitest';
import {ok} from '../../src/base/outcome.ts';
import type {JobControl} from '../../src/tui/options.ts';
import {delta, finished} from './support/events.ts';
import {answer, ask, asked, begin, finishedText, leaveStages, mild, once, press, start} from './support/stage.ts';

afterEach(leaveStages);

/** A shell that keeps what the screen was left with when weft stops, and goes on with it at once. */
function shell() {
  const stops: string[] = [];
  const place = {written: (): string => '', raw: (): string => ''};
  const listeners: Parameters<JobControl['watch']>[0][] = [];
  const job: JobControl = {
    watch(listener) {
      listeners.push(listener);
      return {stop: () => stops.push(`${place.raw()} ${place.written().slice(-200)}`), close: () => {}};
    },
  };
  const signal = (...told: Parameters<(typeof listeners)[number]>): void => {
    for (const listener of listeners) listener(...told);
  };
  return {stops, place, job, signal};
}

async function startIn(jobs: ReturnType<typeof shell>) {
  const stage = await start([80, 24], {job: jobs.job});
  jobs.place.written = () => stage.screen.written();
  jobs.place.raw = () => stage.screen.rawMode();
  return stage;
}

test.each(['Ctrl+Z', 'from outside'])('%s gives the terminal back, and the draft is there again', async how => {
  const jobs = shell();
  const {screen} = await startIn(jobs);
  await screen.type('\u001B[?0u');
  await screen.type('half a thought');
  if (how === 'Ctrl+Z') await screen.type('\u001A');
  else jobs.signal('asked-to-stop');
  await expect.poll(() => jobs.stops).toHaveLength(1);
  // Marks of pastes, keys with modifiers, title; the cursor is shown.
  expect(jobs.stops[0]).toMatch(/^cooked (?=[^]*\[\?2004l)(?=[^]*\[<u)(?=[^]*\[23;2t)(?=[^]*\[\?25h)/u);
  await screen.until(/› half a thought\n/u);
  await screen.type('!');
  await screen.until(/› half a thought!\n/u);
  expect(screen.rawMode()).toBe('raw');
  expect(screen.written().split('\u001B[>1u')).toHaveLength(3);
});

test('with a card open it decides nothing, and the card is there again', async () => {
  const jobs = shell();
  const stage = await asked(mild('a1', 'make'), [80, 24], {job: jobs.job});
  await press(stage, '\u001A');
  await expect.poll(() => jobs.stops).toHaveLength(1);
  await stage.screen.until(/╭ Run this command\?/u);
  expect(stage.engine.ops).toEqual([]);
  await press(stage, 'y');
  await expect.poll(() => stage.engine.ops).toEqual([answer('a1', once)]);
});

test('a window resized while weft was stopped has its new size in the first frame', async () => {
  const jobs = shell();
  const stage = await asked(mild('a1', 'make'), [80, 24], {job: jobs.job});
  const {screen} = stage;
  // A stopped process hears nothing of a resize.
  Object.assign(screen.stdout, {getWindowSize: () => [60, 14]});
  screen.resizeUnsaid(60, 14);
  const before = screen.written().length;
  await press(stage, '\u001A');
  await expect.poll(() => jobs.stops).toHaveLength(1);
  await screen.until(/╭ Run this command\?/u);
  const borders =
    screen
      .written()
      .slice(before)
      .match(/╭ Run this command\?[^\n]*/gu) ?? [];
  expect(borders.map(border => stripVTControlCharacters(border).trim().length)).toEqual([59]);
});

test('a card that was folded takes the keys after the pause that follows the return', async () => {
  const jobs = shell();
  const stage = await startIn(jobs);
  stage.engine.emit(...begin);
  await stage.screen.type('d');
  ask(stage.engine, mild('a1', 'make'));
  await stage.screen.until(/Tab: answer[^]*› d/u);
  await stage.screen.type('\u007F');
  await stage.screen.type('\u001A');
  await expect.poll(() => jobs.stops).toHaveLength(1);
  await stage.screen.until(/Tab: answer[^]*› Enter: send now/u);
  stage.time.now += 700;
  await stage.screen.until(/╭ Run this command\?/u);
  await press(stage, 'y');
  await expect.poll(() => stage.engine.ops).toEqual([answer('a1', once)]);
});

test('gone on after it was stopped by force, the screen is drawn again', async () => {
  const jobs = shell();
  const {screen} = await startIn(jobs);
  await screen.type('half');
  const before = screen.written().length;
  jobs.signal('continued');
  await expect.poll(() => screen.written().slice(before)).toMatch(/\[\?2004h[^]*› half/u);
  expect(jobs.stops).toEqual([]);
});

test('what an editor left switched on is off when it is back, and what weft needs is on again', async () => {
  const left = Promise.withResolvers<string>();
  const {screen} = await start([80, 24], {editor: {edit: async () => ok(await left.promise)}});
  await screen.type('\u0007');
  await expect.poll(() => screen.rawMode()).toBe('cooked');
  const at = screen.written().length;
  screen.stdout.write('\u001B[?1049h\u001B[?1000h\u001B[?1006h\u001B[?1004h\u001B[2;5r\u001B[4 q');
  left.resolve('from the editor');
  await screen.until(/› from the editor\n/u);
  const after = screen.written().slice(at);
  for (const mode of ['1049', '1000', '1002', '1003', '1006', '1004', '2004'])
    expect(after).toContain(`\u001B[?${mode}l`);
  expect(after).toMatch(/\[\?2004l[^]*\[\?2004h/u);
  // The screen is the one from before, and the cursor where it was.
  expect((await screen.rows()).join('\n')).toMatch(/^\n ╭╮╭ {2}weft 1\.2\.3\n/u);
  expect((await screen.rows()).filter(row => row.startsWith(' › '))).toEqual([' › from the editor']);
});

test('after an editor the live region is where it was: below what is finished, of which no row is lost', async () => {
  const {engine, screen} = await start([60, 24], {editor: {edit: async () => ok('from the editor')}});
  engine.emit(...begin, delta('An answer'), finishedText, finished({kind: 'done'}));
  await screen.until(/● An answer\n[^]*Ask weft to do something/u);
  const before = (await screen.rows()).join('\n');
  await screen.type('\u0007');
  await screen.until(/› from the editor\n/u);
  expect((await screen.rows()).join('\n')).toBe(before.replace(/ › .*/u, ' › from the editor'));
});
