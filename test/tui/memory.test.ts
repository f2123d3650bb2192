import {afterEach, expect, test} from 'vitest';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const path = '/data/memory/p/MEMORY.md';

test('/memory shows the notes, and says how one is written where there is none', async () => {
  const {screen, engine} = await start();
  await screen.type('/memory\r');
  await screen.until(/No project notes yet\. Add a private note: \/memory add TEXT/u);
  engine.answers.memory = ok({path, text: '- use pnpm\n', limit: 5});
  await screen.type('/memory\r');
  await screen.until(/Your project notes \(\/data\/memory\/p\/MEMORY\.md\)[^]*first 5 characters[^]*- use pnpm/u);
});

test('a line is added, and the agent learns it; what cannot be kept is said', async () => {
  const {screen, engine} = await start();
  await screen.type('/memory add the tests need Docker\r');
  await screen.until(/Added to your project notes: \/data\/memory\/p\/MEMORY\.md/u);
  expect(engine.ops).toEqual([
    {op: 'add-context', text: 'The user added this to their notes for this project: the tests need Docker'},
  ]);
  engine.answers['add-to-memory'] = failed(rejected('The notes for this project are full.'));
  await screen.type('/memory add more\r');
  await screen.until(/The notes for this project are full/u);
  await screen.type('/memory drop\r');
  await screen.until(/Unknown command \/memory drop/u);
});

test('the editor gets the notes; what comes back is kept, and the agent learns it', async () => {
  const seen: string[] = [];
  const {screen, engine} = await start([80, 24], {
    editor: {
      async edit({text, name}) {
        seen.push(`${name}: ${text}`);
        return ok(seen.length === 1 ? text : '- new\n');
      },
    },
  });
  engine.answers.memory = ok({path, text: '- old\n', limit: 100});
  await screen.type('/memory edit\r');
  await screen.until(/No changes/u);
  await screen.type('/memory edit\r');
  await screen.until(/Saved your project notes/u);
  expect(seen).toEqual(['MEMORY.md: - old\n', 'MEMORY.md: - old\n']);
  expect(engine.ops).toEqual([
    {op: 'add-context', text: 'The user changed their notes for this project. From now on they are:\n- new\n'},
  ]);
});
