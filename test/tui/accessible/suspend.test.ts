import {afterEach, expect, test} from 'vitest';
import type {JobControl} from '../../../src/tui/options.ts';
import {leaveSpeakers, speak} from './speaker.ts';

afterEach(leaveSpeakers);

test('Ctrl+Z gives the terminal to the shell, and the line being typed is begun again', async () => {
  const stops: string[] = [];
  const seen = {raw: (): string => ''};
  const job: JobControl = {watch: () => ({stop: () => void stops.push(seen.raw()), close: () => {}})};
  const speaker = await speak({job});
  const {screen, engine} = speaker;
  seen.raw = () => screen.rawMode();
  await speaker.type('half a thought');
  await speaker.type('\u001A');
  await speaker.heard(/> half a thought\n> half a thought$/u);
  expect([stops, screen.rawMode(), engine.ops]).toEqual([['cooked'], 'raw', []]);
});
