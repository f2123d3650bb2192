import {afterEach, describe, expect, test} from 'vitest';
import {keyGroups} from '../../src/tui/commands/help.ts';
import {parseKey, parseKeyBindings, sendingNotes} from '../../src/tui/terminal/key-bindings.ts';
import {emptyUserKeys, keyOf, KeyReader, setUserKeys} from '../../src/tui/terminal/keymap.ts';
import {bareKey} from './support/bare-key.ts';
import {leaveStages, start} from './support/stage.ts';

const ctrl = {...bareKey, ctrl: true};

type Bindings = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

const fileOf = (contexts: Bindings): string =>
  JSON.stringify({bindings: Object.entries(contexts).map(([context, bindings]) => ({context, bindings}))});

function read(contexts: Bindings) {
  const parsed = parseKeyBindings(fileOf(contexts));
  if (parsed.tag === 'failed') throw new Error(parsed.error);
  return parsed.value;
}

const problems = (contexts: Bindings): readonly string[] => read(contexts).problems;

afterEach(async () => {
  await leaveStages();
  setUserKeys(emptyUserKeys);
});

describe('a key', () => {
  test.each([
    ['ctrl+o', 'Ctrl+o'],
    ['CTRL+SHIFT+Z', 'Ctrl+Shift+z'],
    ['shift+ctrl+z', 'Ctrl+Shift+z'],
    ['option+enter', 'Alt+Enter'],
    ['control+pagedown', 'Ctrl+PgDn'],
    ['ctrl++', 'Ctrl++'],
    ['escape', 'Esc'],
  ])('%s is %s', (written, key) => {
    expect(parseKey(written)).toEqual({tag: 'ok', value: key});
  });

  test.each([
    ['cmd+k', '"cmd" is not a modifier: weft knows ctrl, alt and shift'],
    ['f5', "weft can't read function keys"],
    ['ctrl+foo', '"foo" is not a key'],
    ['shift+a', 'a terminal sends Shift and a character as another character'],
  ])('%s is none: %s', (written, error) => {
    expect(parseKey(written)).toEqual({tag: 'failed', error});
  });

  test.each([
    ['Ctrl+i', 'Most terminals send Ctrl+I as Tab. Only those with the kitty keyboard protocol tell them apart.'],
    ['Ctrl+Shift+z', "Many terminals can't send Ctrl+Shift+Z. Those with the kitty keyboard protocol can."],
    ['Ctrl+1', "Many terminals can't send Ctrl+1. Those with the kitty keyboard protocol can."],
    ['Ctrl+Enter', "Many terminals can't send Ctrl+Enter. Those with the kitty keyboard protocol can."],
  ])('%s: %s', (key, note) => {
    expect(sendingNotes(key)).toEqual([note]);
  });

  test.each(['Ctrl+o', 'Alt+o', 'Shift+Tab', 'Ctrl+Left', 'Ctrl+Home', 'Alt+Enter', 'Ctrl+_'])(
    '%s can be sent',
    key => {
      expect(sendingNotes(key)).toEqual([]);
    },
  );
});

describe('keybindings.json', () => {
  test.each<[Bindings, readonly string[]]>([
    [
      {prompt: {y: 'enter'}},
      [`"y" in prompt: a key that types text can't be bound, only be the second key of a chord.`],
    ],
    [{card: {esc: null}}, [`"esc" in card: Esc can't be changed, so that you can always answer a card and leave.`]],
    [
      {global: {'ctrl+c': null}},
      [`"ctrl+c" in global: Ctrl+C can't be changed, so that you can always answer a card and leave.`],
    ],
    [{card: {enter: null}}, [`"enter" in card: Enter can't be changed outside of the prompt.`]],
    [{card: {right: 'expand'}}, ['"right" in card: cards use Right themselves; bind it in prompt or list.']],
    [{global: {pgup: 'top'}}, ['"pgup" in global: cards use PgUp themselves; bind it in prompt or list.']],
    [{list: {right: 'expand', pgup: 'top'}}, []],
    [{prompt: {'tab x': 'expand'}}, [`"tab x" in prompt: a chord can't begin with Tab.`]],
    [{prompt: {'ctrl+x a b': 'expand'}}, [`"ctrl+x a b" in prompt: a chord has two keys at most.`]],
    [{prompt: {'ctrl+s': 'expnd'}}, [`"ctrl+s" in prompt: "expnd" is not an action; the nearest is expand.`]],
    [{elsewhere: {}}, ['A block needs a "context", one of global, prompt, card, list, and an object "bindings".']],
    [
      {prompt: {'ctrl+s': 'expand', 'CTRL+S': 'redraw'}},
      ['Ctrl+S in prompt is bound twice. redraw counts, expand does not.'],
    ],
    [
      {prompt: {'ctrl+x': 'redraw', 'ctrl+x e': 'open-editor'}},
      ["Ctrl+X can't be reached: the chord Ctrl+X e begins with it."],
    ],
    [
      {global: {tab: null}},
      ['prompt', 'card', 'list'].map(
        context => `complete keeps its key Tab in ${context}, because it would have no other.`,
      ),
    ],
    [{prompt: {enter: 'newline'}}, ['enter keeps its key Enter in prompt, because it would have no other.']],
    [{prompt: {enter: 'newline', 'alt+enter': 'enter'}, global: {'ctrl+u': null}}, []],
  ])('%j: %j', (contexts, said) => {
    expect(problems(contexts)).toEqual(said);
  });

  test.each([
    ['{', /^it is not JSON: /u],
    ['[]', /^it must hold an object with a list "bindings"$/u],
  ])('%s is no such file', (text, error) => {
    expect(parseKeyBindings(text)).toMatchObject({tag: 'failed', error: expect.stringMatching(error)});
  });

  test('actions that lose their key are noted, and keys that a terminal may not send', () => {
    expect(read({global: {'ctrl+o': 'redraw', 'ctrl+shift+s': 'suspend'}}).notes).toEqual([
      'expand has no key now.',
      "Many terminals can't send Ctrl+Shift+S. Those with the kitty keyboard protocol can.",
    ]);
  });
});

const use = (contexts: Bindings): KeyReader => {
  setUserKeys(read(contexts).keys);
  return new KeyReader();
};

describe('the keys of the user', () => {
  test('count in their context, and null unbinds', () => {
    const reader = use({prompt: {'ctrl+s': 'expand'}, global: {'ctrl+u': null, 'ctrl+s': 'redraw'}});
    expect([
      reader.read('s', ctrl, 'prompt'),
      reader.read('s', ctrl, 'card'),
      reader.read('u', ctrl, 'prompt'),
      reader.read('o', ctrl, 'prompt'),
    ]).toEqual([
      [{kind: 'key', name: 'expand'}],
      [{kind: 'key', name: 'redraw'}],
      [{kind: 'key', name: 'ignored'}],
      [{kind: 'key', name: 'expand'}],
    ]);
    expect([keyOf('expand'), keyOf('delete-to-start'), keyOf('redraw', 'card')]).toEqual(['Ctrl+S', '', 'Ctrl+S']);
  });

  test('a chord takes its second key, also a letter in front of others; any other key counts by itself', () => {
    const reader = use({global: {'ctrl+k ctrl+s': 'redraw', 'ctrl+k e': 'open-editor'}});
    const seen: unknown[] = [];
    for (const [input, key] of [
      ['k', ctrl],
      ['s', ctrl],
      ['k', ctrl],
      ['Ex', bareKey],
      ['k', ctrl],
      ['yes', bareKey],
      ['k', ctrl],
      ['', {...bareKey, escape: true}],
      ['k', ctrl],
      ['o', ctrl],
    ] as const) {
      seen.push([reader.read(input, key, 'prompt'), reader.begun]);
    }
    const begins = [[{kind: 'key', name: 'ignored'}], 'Ctrl+K'];
    expect(seen).toEqual([
      begins,
      [[{kind: 'key', name: 'redraw'}], ''],
      begins,
      [
        [
          {kind: 'key', name: 'open-editor'},
          {kind: 'text', text: 'x'},
        ],
        '',
      ],
      begins,
      [[{kind: 'text', text: 'yes'}], ''],
      begins,
      [[{kind: 'key', name: 'ignored'}], ''],
      begins,
      [[{kind: 'key', name: 'expand'}], ''],
    ]);
  });

  test('on a card, a key after the beginning of a chord is part of the chord', () => {
    const reader = use({global: {'ctrl+k ctrl+s': 'redraw'}});
    const ignored = [{kind: 'key', name: 'ignored'}];
    for (const [input, key] of [
      ['y', bareKey],
      ['', {...bareKey, return: true}],
    ] as const) {
      expect([reader.read('k', ctrl, 'card'), reader.read(input, key, 'card')]).toEqual([ignored, ignored]);
      expect(reader.read('y', bareKey, 'card')).toEqual([{kind: 'text', text: 'y'}]);
    }
  });

  test('a chord that a context unbinds leaves its first key to the context', () => {
    const reader = use({global: {'ctrl+k ctrl+s': 'redraw'}, prompt: {'ctrl+k ctrl+s': null}});
    expect([reader.read('k', ctrl, 'prompt'), reader.begun]).toEqual([[{kind: 'key', name: 'delete-to-end'}], '']);
    expect([reader.read('k', ctrl, 'list'), reader.begun]).toEqual([[{kind: 'key', name: 'ignored'}], 'Ctrl+K']);
  });

  test.each([
    [{'ctrl+e': null, end: null}, 'Ctrl+G'],
    [{'ctrl+e': null, end: null, 'ctrl+g': null}, 'no key'],
  ])('the help of a card leaves out what %j unbinds', (bindings, keys) => {
    use({card: bindings});
    const does = 'change the command or edit first; weft checks it and asks again';
    expect(keyGroups().flatMap(({rows}) => rows)).toContainEqual({keys, does});
  });

  test('hints on the screen name them', async () => {
    setUserKeys(
      read({
        prompt: {enter: 'newline', 'alt+s': 'enter'},
        global: {'ctrl+t': null, 'alt+m': 'next-mode', 'ctrl+k e': 'expand'},
      }).keys,
    );
    const {screen} = await start([100, 24]);
    await screen.type('?');
    await screen.until(
      /(?=[^]*Alt\+S +send)(?=[^]*Enter +new line)(?=[^]*Alt\+M +change mode)(?=[^]*Ctrl\+K e +unfold)/u,
    );
    expect((await screen.rows()).join('\n')).not.toContain('running commands');
    await screen.type('\u000B');
    await screen.until(/Ctrl\+K … · Esc cancel/u);
  });
});
