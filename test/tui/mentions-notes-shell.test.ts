import {afterEach, describe, expect, test} from 'vitest';
import type {FileFinder, ReadImage} from '../../src/actions/files-port.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';
import {actionId, messageId} from '../../src/domain/ids.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {noClipboard} from './support/blank-options.ts';
import {begin, leaveStages, start} from './support/stage.ts';
import {delta, finished} from './support/events.ts';

afterEach(leaveStages);

const files = ['src/session.ts', 'src/surface.tsx', 'my docs/a b.txt', 'src/'];
const finder: FileFinder = {
  find: async (query, tell) => tell({paths: files.filter(path => path.includes(query)), state: 'complete'}),
};

describe('@ in the composer', () => {
  test.each<readonly [string, number, RegExp]>([
    [
      'with an empty row below if there is room',
      12,
      /─\n❯ src\/session\.ts · Tab\n {2}src\/surface\.tsx\n {2}src\/\n\n {2}asks first/u,
    ],
    ['without if there is none', 9, /─\n❯ src\/session\.ts · Tab\n {2}src\/surface\.tsx\n {2}src\/\n {2}asks first/u],
  ])('names the key that takes a file, %s', async (_name, rows, screenful) => {
    const {screen} = await start([40, rows], {host: {finder}});
    await screen.type('@src');
    await screen.until(screenful);
  });

  test('offers files, and Enter or Tab writes the chosen one', async () => {
    const {screen, engine} = await start([80, 24], {host: {finder}});
    await screen.type('look at @su');
    await screen.until(/❯ src\/surface\.tsx/u);
    await screen.type('\r');
    await screen.until(/look at @src\/surface\.tsx(?! *\n *> src)/u);
    await screen.type('and @a b');
    await screen.type('\u0015');
    await screen.type('@my');
    await screen.until(/❯ my docs\/a b\.txt/u);
    await screen.type('\t');
    await screen.until(/› @"my docs\/a b\.txt"/u);
    await screen.type('\r');
    await screen.until(/queued: @"my docs/u);
    expect(engine.ops.at(-1)).toMatchObject({op: 'prompt', text: '@"my docs/a b.txt" '});
  });

  test.each([
    ['@su', '', ':10-20 ok', 'see @src/surface.tsx:10-20 ok'],
    ['@su', '', '#L3', 'see @src/surface.tsx#L3'],
    ['@su', ' please', ':7', 'see @src/surface.tsx:7 please'],
    ['@my', '', ':2', 'see @"my docs/a b.txt":2'],
    ['@su', '', 'and :2', 'see @src/surface.tsx and :2'],
  ])('%s%s completed, and %s behind it', async (letters, rest, typed, sent) => {
    const {screen, engine} = await start([80, 24], {host: {finder}});
    await screen.type(`see ${rest}`);
    for (let at = 0; at < rest.length; at++) await screen.type('\u001B[D');
    await screen.type(letters);
    await screen.until(/❯ (?:src\/surface|my docs)/u);
    await screen.type('\t');
    await screen.until(/@src\/surface\.tsx|b\.txt"/u);
    await screen.type(typed);
    await screen.type('\u001B[F\r');
    await screen.until(/queued: see/u);
    expect(engine.ops.at(-1)).toMatchObject({op: 'prompt', text: sent});
  });

  test('Esc puts the list away; what is typed goes as it is', async () => {
    const {screen, engine} = await start([80, 24], {host: {finder}});
    await screen.type('@src');
    await screen.until(/❯ src\/session\.ts/u);
    await screen.type('\u001B');
    await screen.until(/› @src\n─+\n(?!.*session\.ts)/u);
    await screen.type('\r');
    await screen.until(/queued: @src/u);
    expect(engine.ops.at(-1)).toMatchObject({op: 'prompt', text: '@src'});
  });
});

describe('! in the composer', () => {
  test('says what it does, runs the command, shows it as a card, and Esc stops it', async () => {
    const {screen, engine, remembered} = await start();
    await screen.type('!npm test');
    await screen.until(/Enter: run in your shell/u);
    await screen.type('\r');
    await screen.until(/queued: ! npm test/u);
    expect(engine.ops).toEqual([
      {op: 'run-command', id: messageId('p1'), command: 'npm test', size: {columns: 80, rows: 24}},
    ]);
    expect(remembered).toEqual(['!npm test']);
    const action = actionOf('request-command-output', {
      command: 'npm test',
      place: 'foreground',
      timeoutMs: 1,
      claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
      description: '',
      rationale: '',
    });
    const id = actionId('p1');
    const preview = {kind: 'command', command: 'npm test', directory: '/work'} as const;
    engine.emit(
      {event: 'command-started', id: messageId('p1')},
      {event: 'action-queued', id, action, label: '! npm test'},
      {event: 'action-started', id, action, preview},
      {event: 'action-output', id, chunk: '3 passed\n'},
    );
    await screen.until(/3 passed/u);
    await screen.type('\u001B');
    await screen.until(/Stopping/u);
    expect(engine.ops.at(-1)).toEqual({op: 'interrupt'});
    engine.emit({event: 'command-finished', id: messageId('p1')});
    await screen.until(/Ask weft to do something/u);
  });
});

describe('# in the composer', () => {
  test('remembers a note, and the agent learns it', async () => {
    const notes: string[] = [];
    const {screen, engine} = await start([80, 24], {
      host: {
        async addNote(note) {
          notes.push(note);
          return ok('AGENTS.md');
        },
      },
    });
    await screen.type('# use pnpm');
    await screen.until(/Enter: add a note to AGENTS\.md/u);
    await screen.type('\r');
    await screen.until(/Add a note to AGENTS\.md\? ─+╮\n│ use pnpm +│\n╰ Enter add · p send as prompt · Esc cancel/u);
    await screen.type('\u001B');
    await screen.until(/› # use pnpm/u);
    expect(notes).toEqual([]);
    await screen.type('\r');
    await screen.until(/Enter add/u);
    await screen.type('\r');
    await screen.until(/Added to AGENTS\.md: use pnpm/u);
    expect(notes).toEqual(['use pnpm']);
    expect(engine.ops).toEqual([{op: 'add-context', text: 'The user added this note to AGENTS.md: use pnpm'}]);
  });

  test('a heading can be sent as a prompt; /note asks nothing', async () => {
    const notes: string[] = [];
    const {screen, engine} = await start([80, 24], {
      host: {
        async addNote(note) {
          notes.push(note);
          return ok('AGENTS.md');
        },
      },
    });
    await screen.type('# Fix the tests');
    await screen.type('\r');
    await screen.until(/p send as prompt/u);
    await screen.type('p');
    await screen.until(/# Fix the tests/u);
    expect(engine.ops).toEqual([{op: 'prompt', id: 'p1', text: '# Fix the tests', images: [], when: 'queued'}]);
    await screen.type('/note use pnpm\r');
    await screen.until(/Added to AGENTS\.md: use pnpm/u);
    expect(notes).toEqual(['use pnpm']);
  });

  test('one that cannot be kept comes back', async () => {
    const {screen, engine} = await start([80, 24], {
      host: {addNote: async () => failed(rejected('The disk is full.'))},
    });
    await screen.type('#use pnpm');
    await screen.type('\r');
    await screen.until(/Enter add/u);
    await screen.type('y');
    await screen.until(/The disk is full\.[^]*› # use pnpm/u);
    expect(engine.ops).toEqual([]);
  });
});

describe('images', () => {
  const image: ReadImage = {
    name: 'my shot.png',
    width: 640,
    height: 480,
    image: {kind: 'image', mediaType: 'image/png', data: 'AA'},
  };
  const images = {
    read: async (path: string) => (path === '/tmp/my shot.png' ? ok(image) : failed(rejected(`${path} is no image.`))),
  };
  const clipboard = {...noClipboard, readImage: async () => ok({...image, name: 'clipboard'})};

  test('a dropped path and the clipboard become attachments, which go with the prompt', async () => {
    const {screen, engine} = await start([80, 24], {host: {images}, clipboard});
    await screen.paste(String.raw`/tmp/my\ shot.png`);
    await screen.until(/\[image my shot\.png 640x480\]\n ›/u);
    await screen.type('\u0016');
    await screen.until(/\[image clipboard 640x480\]/u);
    await screen.type('\u007F');
    await expect.poll(async () => (await screen.rows()).join('\n')).not.toMatch(/clipboard/u);
    await screen.type('what is this?\r');
    await screen.until(/queued: what is this\?/u);
    expect(engine.ops).toEqual([
      {
        op: 'prompt',
        id: messageId('p1'),
        text: 'what is this?\n[image my shot.png 640x480]',
        images: [image.image],
        when: 'queued',
      },
    ]);
    engine.emit({event: 'prompt-withdrawn', id: messageId('p1')});
    await screen.until(/\[image my shot\.png 640x480\]\n › what is this\?/u);
  });

  test('what is no image is pasted as text, and said to be none', async () => {
    const {screen} = await start([80, 24], {host: {images}, clipboard});
    await screen.paste('/tmp/other.png');
    await screen.until(/\/tmp\/other\.png is no image\.[^]*› \/tmp\/other\.png/u);
  });

  test('a clipboard without one says so', async () => {
    const {screen} = await start();
    await screen.type('\u0016');
    await screen.until(/No image in the clipboard/u);
  });
});

describe('prompts while the agent works', () => {
  test('Enter steers, Tab queues, Up takes the latest back', async () => {
    const {screen, engine} = await start();
    engine.emit(...begin, delta('half an answ'));
    await screen.until(/half an answ/u);
    await screen.type('also lint\r');
    await screen.until(/↳ next step: also lint/u);
    await screen.type('then commit');
    await screen.until(/› then commit/u);
    await screen.type('\t');
    await screen.until(/↳ queued: then commit · ↑ to edit/u);
    expect(engine.ops).toEqual([
      {op: 'prompt', id: messageId('p1'), text: 'also lint', images: [], when: 'steering'},
      {op: 'prompt', id: messageId('p2'), text: 'then commit', images: [], when: 'queued'},
    ]);
    await screen.type('\u001B[A');
    expect(engine.ops.at(-1)).toEqual({op: 'withdraw-prompt', id: messageId('p2')});
    engine.emit({event: 'prompt-withdrawn', id: messageId('p2')});
    await screen.until(/› then commit/u);
    engine.emit({event: 'prompt-withdrawn', id: messageId('p1')}, finished({kind: 'interrupted'}));
    await screen.until(/› also lint\n\n {3}then commit/u);
  });

  test('a command that waited comes back alone, never mixed with other words', async () => {
    const {screen, engine} = await start();
    engine.emit(...begin, delta('half an answ'));
    await screen.until(/half an answ/u);
    await screen.type('!rm -r build\r');
    await screen.until(/↳ queued: ! rm -r build/u);
    await screen.type('also lint\r');
    await screen.until(/↳ next step: also lint/u);
    engine.emit(
      {event: 'prompt-withdrawn', id: messageId('p1')},
      {event: 'prompt-withdrawn', id: messageId('p2')},
      finished({kind: 'interrupted'}),
    );
    await screen.until(/Interrupted[^\n]*\n\n─+\n › also lint\n/u);
  });
});

describe('slash commands', () => {
  test('the chosen one is in sight, however many there are', async () => {
    const {screen} = await start([80, 12]);
    await screen.type('/');
    await screen.until(/❯ \/help .*\n(?: {2}\/.*\n)+ {2}1–\d of \d+\n/u);
    await screen.type('\u001B[A');
    await screen.until(/❯ \/exit .*\n {2}\d+–(\d+) of \1\n/u);
  });

  test('Enter takes the command that was typed, not one that goes on from it', async () => {
    const {screen} = await start();
    await screen.type('/mode\r');
    await screen.until(/Choose a mode ─/u);
  });

  test('are found by some of their letters; Enter writes one out first that only resembles', async () => {
    const {screen, engine} = await start();
    await screen.type('/prms');
    await screen.until(/❯ \/permissions/u);
    await screen.type('\r');
    await screen.until(/› \/permissions\n/u);
    await screen.type('\r');
    await screen.until(/Permission rules ─/u);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
    await screen.type('/model ');
    await screen.until(/\/model \[name \[effort\]\] · Choose the model/u);
    expect(engine.ops).toEqual([]);
  });
});
