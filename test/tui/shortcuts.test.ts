import {afterEach, expect, test} from 'vitest';
import {begin, leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

test('at 60×14 all shortcuts are on the screen', async () => {
  const {screen} = await start([60, 14]);
  await screen.type('?');
  await screen.until(/all keys/u);
  expect((await screen.rows()).slice(4, 12)).toEqual([
    '  /          commands        Ctrl+G        open your editor',
    '  @          attach a file   Ctrl+V        paste an image',
    '  !          run a command   Ctrl+O        unfold',
    '  Enter      send            Ctrl+T        running commands',
    '  Tab        send when done  Esc           interrupt',
    '  Ctrl+J     new line        Ctrl+C twice  exit',
    '  Shift+Tab  change mode     /help         all keys',
    '  Ctrl+R     search prompts',
  ]);
});

test('shortcuts that have no room are behind the last one', async () => {
  const {screen} = await start([40, 12]);
  await screen.type('?');
  await screen.until(/Tab +send when done\n {2}\/help +all keys\n {2}asks first/u);
});

test('at 40 columns the hint while the agent works is whole', async () => {
  const {screen, engine} = await start([40, 14]);
  engine.emit(...begin);
  await screen.until(/› Enter: now · Tab: when done\n/u);
});
