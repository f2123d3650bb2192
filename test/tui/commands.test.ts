import {afterEach, describe, expect, test} from 'vitest';
import {ok} from '../../src/base/outcome.ts';
import {messageId} from '../../src/domain/ids.ts';
import type {JournalRecord} from '../../src/domain/journal.ts';
import {builtInCommands} from '../../src/domain/slash-command.ts';
import {noUsage} from '../../src/domain/usage.ts';
import type {ExportWork} from '../../src/app/host-services.ts';
import {commandsFor} from '../../src/tui/commands/command-list.ts';
import {noClipboard} from './support/blank-options.ts';
import type {TestHost} from './support/scripted-engine.ts';
import {delta} from './support/events.ts';
import {ask, attend, begin, finishedText, leaveStages, mild, start} from './support/stage.ts';

afterEach(leaveStages);

const answered = (text: string, id = text): JournalRecord => ({
  kind: 'answer',
  message: {
    role: 'assistant',
    id: messageId(id),
    model: 'test-model',
    blocks: [{kind: 'text', text}],
    stop: 'end-turn',
    usage: noUsage,
  },
});

async function open(host: TestHost, clipboard = noClipboard) {
  return await start([80, 24], {look: 'color', host, clipboard});
}

test('/btw prints its answer, and /rename tells the kept name', async () => {
  const {screen, engine} = await open({});
  engine.answers['ask-aside'] = ok('It was **src/cart.ts**.');
  await screen.type('/btw which file was that?\r');
  await screen.until(
    /Asking beside the conversation…[^]*Beside the conversation: which file was that\?[^]*It was src\/cart\.ts\./u,
  );
  await screen.type('/rename The cart\r');
  await screen.until(/\/rename The cart[^]*Session renamed: The cart/u);
  expect(engine.ops.filter(({op}) => op === 'prompt')).toEqual([]);
});

test('/btw while an answer streams: the rest of the answer has its bullet again', async () => {
  const {screen, engine} = await open({});
  engine.answers['ask-aside'] = ok('It was here.');
  engine.emit(...begin, delta('One.\n\nTwo'));
  await screen.until(/● One\./u);
  await screen.type('/btw which?\r');
  await screen.until(/● It was here\./u);
  engine.emit(delta(' goes on.\n\nThree.'), finishedText);
  await screen.until(/● One\.[^]*● It was here\.[^]*● Two goes on\.\s+Three\./u);
});

describe('/copy', () => {
  const code = 'Before.\n```ts\nconst a = 1;\n```\n\n~~~\nlast\n~~~\nAfter.';
  const records = [answered(code), answered('The middle one.'), answered('  The last one.\n')];

  test.each([
    ['/copy', 'The last one.'],
    ['/copy code', 'last'],
    ['/copy CODE', 'last'],
    ['/copy 1', 'The last one.'],
    ['/copy 2', 'The middle one.'],
    ['/copy 3', code],
  ])('%s', async (line, expected) => {
    const copied: string[] = [];
    const clipboard = {
      ...noClipboard,
      copy: async (text: string) => {
        copied.push(text);
        return ok(`Copied ${text.length}.`);
      },
    };
    const {screen} = await open({records}, clipboard);
    await screen.type(`${line}\r`);
    await screen.until(/Copied \d+\./u);
    expect(copied).toEqual([expected]);
  });

  test.each([
    ['/copy 4', records, /Only 3 answers so far/u],
    ['/copy 2', records.slice(0, 1), /Only 1 answer so far/u],
    ['/copy 0', records, /\/copy code: last code block/u],
    ['/copy that', records, /\/copy code: last code block/u],
    ['/copy', [], /No answer to copy yet/u],
    ['/copy code', [answered('No code.')], /No code block in this session/u],
    ['/copy', records, /There is no clipboard\./u],
  ])('%s with nothing to copy, or nowhere to', async (line, kept, said) => {
    const {screen} = await open({records: kept});
    await screen.type(`${line}\r`);
    await screen.until(said);
  });
});

describe('/export', () => {
  test('asks before it replaces a file, and Enter does not', async () => {
    const written: ExportWork[] = [];
    const {screen} = await open({
      async exportSession(work) {
        written.push(work);
        return ok({kind: work.present === 'kept' ? 'exists' : 'written', path: '/work/my notes.md'});
      },
    });
    await screen.type('/export my notes.md\r');
    await screen.until(/Overwrite this file\? ─+╮\n│ \/work\/my notes\.md/u);
    await screen.type('\r');
    await screen.until(/Press y to overwrite, or Esc/u);
    await screen.type('n');
    await screen.until(/Nothing exported/u);
    await screen.type('/export my notes.md\r');
    await screen.until(/Overwrite this file\?/u);
    await screen.type('y');
    await screen.until(/Exported to \/work\/my notes\.md/u);
    expect(written.map(({name, present}) => [name, present])).toEqual([
      ['my notes.md', 'kept'],
      ['my notes.md', 'kept'],
      ['/work/my notes.md', 'replaced'],
    ]);
  });

  test('says why nothing was written', async () => {
    const {screen} = await open({});
    await screen.type('/export\r');
    await screen.until(/There is nowhere to write\./u);
  });
});

describe('/theme', () => {
  test('shows each as it is chosen, keeps one with Enter and takes it back with Esc', async () => {
    const kept: string[] = [];
    const settings = {
      list: async () => [],
      rows: async () => [],
      set: async (name: string, value: string) => {
        kept.push(`${name}=${value}`);
        return [];
      },
    };
    const {screen} = await start([80, 24], {
      look: {theme: 'auto', level: '256', background: 'dark', links: 'shown'},
      host: {settings},
    });
    await screen.type('/theme\r');
    await screen.until(/❯ 1 {2}auto[^]*greeting = 'welcome'[^]*Enter select/u);
    await screen.type('\u001B[B');
    await screen.until(/❯ 2 {2}dark/u);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
    await screen.type('/theme\r');
    await screen.until(/❯ 1 {2}auto/u);
    await screen.type('\u001B[B');
    await screen.type('\u001B[B');
    await screen.type('\r');
    await screen.until(/Theme: light \(saved\)/u);
    await screen.type('/theme drak\r');
    await screen.until(/Unknown theme drak\. Did you mean dark\?/u);
    expect(kept).toEqual(['theme=light']);
  });
  test('says above the list that a card waits behind it', async () => {
    const {screen, engine} = await start([60, 24], {
      look: {theme: 'auto', level: '256', background: 'dark', links: 'shown'},
    });
    engine.emit(...begin);
    await screen.type('/theme\r');
    await screen.until(/❯ 1 {2}auto/u);
    ask(engine, mild('a1', 'make'));
    await screen.until(/weft needs your answer · Esc to go there\n ?╭/u);
    await screen.type('\u001B');
    await attend({screen});
    await screen.until(/╭ Run this command\?/u);
    expect((await screen.rows()).join('\n')).not.toContain('weft needs your answer');
  });

  test('has nothing to choose where there are no colours', async () => {
    const {screen} = await start([80, 24], {look: 'plain'});
    await screen.type('/theme\r');
    await screen.until(/Colors are off/u);
  });
});

describe('/config and /doctor', () => {
  test('lists, explains and writes', async () => {
    const asked: string[][] = [];
    const settings = {
      list: async (name: string) => {
        asked.push(['list', name]);
        if (name === 'nonsense') throw new Error('There is no setting nonsense.');
        return [`${name} = dark   (user)`];
      },
      rows: async () => [
        {name: 'baseUrl', value: '', source: '', choices: []},
        {name: 'theme', value: 'dark', source: 'user', choices: ['auto', 'dark', 'light']},
        {name: 'verbosity', value: 'summary', source: 'default', choices: ['name', 'summary', 'full']},
      ],
      set: async (name: string, value: string) => {
        asked.push(['set', name, value]);
        return ['theme = light in the user settings.'];
      },
    };
    const {screen} = await open({settings});
    await screen.type('/config\r');
    await screen.until(
      /Settings ─+╮\n│ ❯ 1 {2}Theme {6}dark {5}user +│\n│ {3}2 {2}Verbosity {2}summary {2}default +│\n│ {3}3 {2}Base URL {3}not set +│/u,
    );
    await screen.type('2');
    await screen.until(/Verbosity ─+╮\n│ {3}1 {2}name +│\n│ ❯ 2 {2}summary ✓ +│\n│ {3}3 {2}full/u);
    await screen.type('3');
    await screen.until(/Restart weft to apply/u);
    await screen.type('/config\r');
    await screen.until(/Settings/u);
    await screen.type('base\r');
    await screen.until(/› \/config baseUrl/u);
    await screen.type('\u0015');
    await screen.type('/config nonsense\r');
    await screen.until(/There is no setting nonsense\./u);
    await screen.type('/config theme  "light  blue"\r');
    await expect.poll(() => asked.length).toBe(3);
    expect(asked).toEqual([
      ['set', 'verbosity', 'full'],
      ['list', 'nonsense'],
      ['set', 'theme', '"light  blue"'],
    ]);
    await screen.type('/doctor\r');
    await screen.until(/All works\./u);
  });
});

describe('/verbosity', () => {
  test('tells and changes what finished actions show', async () => {
    const {screen} = await open({});
    await screen.type('/verbosity\r');
    await screen.until(/Verbosity: summary\. A few lines of output\./u);
    await screen.type('/verbosity fulll\r');
    await screen.until(/Unknown verbosity fulll\. Did you mean full\?/u);
    await screen.type('\u001Bo');
    await screen.until(/Verbosity: full\. All output\./u);
    await screen.type('/verbosity NAME\r');
    await screen.until(/Verbosity: name\. Action names only\./u);
  });
});

describe('in the scrollback', () => {
  test.each<[string, RegExp]>([
    ['/cost', /▌ \/cost\n {2}No tokens used in this session/u],
    ['/costs', /▌ \/costs\n! Unknown command \/costs\./u],
    ['/help', /▌ \/help\n/u],
  ])('%s stands above its answer', async (command, shown) => {
    const {screen} = await start();
    await screen.type(`${command}\r`);
    await expect.poll(async () => (await screen.everything()).join('\n')).toMatch(shown);
  });

  test('a command that opens a panel does not', async () => {
    const look = {level: '256', theme: 'auto', links: 'shown', background: 'dark'} as const;
    const {screen} = await start([80, 24], {look});
    await screen.type('/theme\r');
    await screen.until(/Enter select/u);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
    await screen.type('/cost\r');
    await screen.until(/▌ \/cost *\n/u);
    expect((await screen.everything()).filter(row => row.startsWith('▌')).map(row => row.trimEnd())).toEqual([
      '▌ /cost',
    ]);
  });
});

test('no command of a file takes the name of one of these', () => {
  const names = commandsFor('offered').flatMap(({name, aliases}) => [name, ...aliases]);
  expect(names.filter(name => !builtInCommands.has(name))).toEqual([]);
});

test('/computer off takes the yes back; /computer alone says what it is for', async () => {
  const {screen, engine} = await open({});
  await screen.type('/computer\r');
  await screen.until(/weft asks before it uses the computer/u);
  expect(engine.ops).toEqual([]);
  await screen.type('/computer off\r');
  await screen.until(/Ask weft to do something/u);
  expect(engine.ops).toEqual([{op: 'end-computer-use'}]);
});
