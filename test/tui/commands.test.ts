import {afterEach, describe, expect, test} from 'vitest';
import {failed, ok} from '../../src/base/outcome.ts';
import {messageId} from '../../src/domain/ids.ts';
import type {JournalRecord} from '../../src/domain/journal.ts';
import {noUsage} from '../../src/domain/usage.ts';
import type {CommandPorts, ExportPort} from '../../src/tui/command-ports.ts';
import {costText} from '../../src/tui/commands/cost.ts';
import {nothingOutside} from './support/blank-options.ts';
import {leaveStages, start} from './support/stage.ts';

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

async function open(outside: Partial<CommandPorts>, size: readonly [number, number] = [80, 24]) {
  return await start(size, {look: 'colour', outside: {...nothingOutside, ...outside}});
}

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
      copy: async (text: string) => {
        copied.push(text);
        return ok(`Copied ${text.length}.`);
      },
    };
    const {screen} = await open({records: () => records, clipboard});
    await screen.type(`${line}\r`);
    await screen.until(/Copied \d+\./u);
    expect(copied).toEqual([expected]);
  });

  test.each([
    ['/copy 4', records, /There are only 3 answers to copy\./u],
    ['/copy 2', records.slice(0, 1), /There is only 1 answer to copy\./u],
    ['/copy 0', records, /copy code its last code block/u],
    ['/copy that', records, /copy code its last code block/u],
    ['/copy', [], /There is no answer to copy yet\./u],
    ['/copy code', [answered('No code.')], /No answer of this session has a code block\./u],
    ['/copy', records, /There is no clipboard\./u],
  ])('%s with nothing to copy, or nowhere to', async (line, kept, said) => {
    const {screen} = await open({records: () => kept});
    await screen.type(`${line}\r`);
    await screen.until(said);
  });
});

describe('/export', () => {
  test('asks before it replaces a file, and Enter does not', async () => {
    const written: Parameters<ExportPort['write']>[0][] = [];
    const exporter: ExportPort = {
      write: async work => {
        written.push(work);
        return {kind: work.present === 'kept' ? 'exists' : 'written', path: '/work/my notes.md'};
      },
    };
    const {screen} = await open({exporter});
    await screen.type('/export my notes.md\r');
    await screen.until(/This file is there already:\n\/work\/my notes\.md/u);
    await screen.type('\r');
    await screen.type('n');
    await screen.until(/Nothing was written\./u);
    await screen.type('/export my notes.md\r');
    await screen.until(/This file is there already/u);
    await screen.type('y');
    await screen.until(/The session is written to \/work\/my notes\.md/u);
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
      list: async () => ok([]),
      set: async (name: string, value: string) => {
        kept.push(`${name}=${value}`);
        return ok([]);
      },
    };
    const {screen} = await start([80, 24], {
      look: {theme: 'auto', level: '256', background: 'dark', links: 'shown'},
      outside: {...nothingOutside, settings},
    });
    await screen.type('/theme\r');
    await screen.until(/> auto[^]*greeting = 'welcome'[^]*Enter keeps it/u);
    await screen.type('\u001B[B');
    await screen.until(/> dark/u);
    await screen.type('\u001B');
    await screen.until(/Ask for something/u);
    await screen.type('/theme\r');
    await screen.until(/> auto/u);
    await screen.type('\u001B[B');
    await screen.type('\u001B[B');
    await screen.type('\r');
    await screen.until(/The theme is light, kept in your settings\./u);
    await screen.type('/theme drak\r');
    await screen.until(/There is no theme drak\. Did you mean dark\?/u);
    expect(kept).toEqual(['theme=light']);
  });

  test('has nothing to choose where there are no colours', async () => {
    const {screen} = await start([80, 24], {look: 'plain'});
    await screen.type('/theme\r');
    await screen.until(/There are no colours here/u);
  });
});

describe('/config and /doctor', () => {
  test('lists, explains and writes', async () => {
    const asked: string[][] = [];
    const settings = {
      list: async (name: string) => {
        asked.push(['list', name]);
        return name === 'nonsense'
          ? failed('There is no setting nonsense.')
          : ok([`${name || 'theme'} = dark   (user)`]);
      },
      set: async (name: string, value: string) => {
        asked.push(['set', name, value]);
        return ok(['theme = light in the user settings.']);
      },
    };
    const {screen} = await open({settings});
    await screen.type('/config\r');
    await screen.until(/theme = dark/u);
    await screen.type('/config nonsense\r');
    await screen.until(/There is no setting nonsense\./u);
    await screen.type('/config theme  "light  blue"\r');
    await screen.until(/It counts from the next start/u);
    expect(asked).toEqual([
      ['list', ''],
      ['list', 'nonsense'],
      ['set', 'theme', '"light  blue"'],
    ]);
    await screen.type('/doctor\r');
    await screen.until(/All works\./u);
  });
});

describe('/cost', () => {
  const times = {elapsedMs: 0, retryInMs: 0, actions: new Map(), costPerMinute: 'unknown'} as const;
  const usage = {inputTokens: 1_234_567, outputTokens: 890, cacheReadTokens: 12_000, cacheWriteTokens: 5};

  test('tells every token by model, the sum of known prices, and what is not known', () => {
    const models = {
      'big-model': {usage, costUsd: 1.5, requests: 1},
      'own-model': {usage: noUsage, costUsd: 'unknown', requests: 2},
    } as const;
    const text = costText({models, contextTokens: 50_000, contextWindow: 200_000}, {...times, costPerMinute: 0.25});
    expect(text.split('\n')).toEqual([
      'big-model: $1.50, 1 request; tokens: 1,234,567 in, 12,000 from cache, 5 written to cache, 890 out with thinking',
      'own-model: price not known, 2 requests; tokens: 0 in, 0 from cache, 0 written to cache, 0 out with thinking',
      'This session has cost $1.50 without the models whose price is not known.',
      'Since weft began it was $0.25 a minute of work.',
      'The context holds 50k of 200k tokens (25%).',
    ]);
  });

  test('guesses no price', () => {
    const models = {'own-model': {usage, costUsd: 'unknown', requests: 1}} as const;
    expect(costText({models, contextTokens: 0, contextWindow: 0}, times).split('\n')[1]).toBe(
      'The price of the model is not known, so there is no cost to tell.',
    );
    expect(costText({models: {}, contextTokens: 0, contextWindow: 0}, times)).toBe(
      'Nothing has been asked of a model in this session yet.',
    );
  });
});

describe('/verbosity', () => {
  test('tells and changes what finished actions show', async () => {
    const {screen} = await open({});
    await screen.type('/verbosity\r');
    await screen.until(/Finished actions show a few lines \(summary\)/u);
    await screen.type('/verbosity ful\r');
    await screen.until(/There is no verbosity ful\. Did you mean full\?/u);
    await screen.type('\u001Bo');
    await screen.until(/Finished actions show everything from now on/u);
    await screen.type('/verbosity NAME\r');
    await screen.until(/Finished actions show only what they were from now on/u);
  });
});
