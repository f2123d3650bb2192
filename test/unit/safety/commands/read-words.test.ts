import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {optionTable} from '../../../../src/safety/commands/program-table.ts';
import {optionsIn, readWords} from '../../../../src/safety/commands/read-words.ts';

const table = optionTable('-a -b -n=number -U?=number --all --color?=text --file=path --arg==text', true);

const kinds = (...words: readonly (string | undefined)[]) =>
  readWords(words, table).map(word =>
    word.kind === 'option' ? [word.name, word.attached ?? word.values.map(at => words[at])] : word.kind,
  );

describe('what each word of a command is', () => {
  test.each([
    [
      ['-ab', 'x'],
      [['-a', []], ['-b', []], 'operand'],
    ],
    [
      ['-n', '5', 'x'],
      [['-n', ['5']], 'operand'],
    ],
    [
      ['-an5'],
      [
        ['-a', []],
        ['-n', '5'],
      ],
    ],
    [
      ['-U', '5'],
      [['-U', []], 'operand'],
    ],
    [['-U5'], [['-U', '5']]],
    [
      ['--color', 'x'],
      [['--color', []], 'operand'],
    ],
    [['--color=x'], [['--color', 'x']]],
    [['--file=x'], [['--file', 'x']]],
    [
      ['--arg', 'k', 'v', 'x'],
      [['--arg', ['k', 'v']], 'operand'],
    ],
    [['--arg=k'], ['unlisted']],
    [['--all=x'], ['unlisted']],
    [['--fil=x'], ['unlisted']],
    [['-ax'], ['unlisted']],
    [['-5'], []],
    [
      ['-', 'x'],
      ['operand', 'operand'],
    ],
    [
      ['a', '-b', '--', '-b'],
      ['operand', ['-b', []], 'end', 'operand'],
    ],
    [
      [undefined, '--', undefined],
      ['unknown', 'end', 'operand'],
    ],
    [['-n'], [['-n', [undefined]]]],
  ])('%j', (words, expected) => {
    expect(kinds(...words)).toEqual(expected);
  });

  test('the first operand ends the options of a program that runs another one', () => {
    expect(readWords(['-a', 'x', '-b'], {...table, stopsAtOperand: true}).map(({kind}) => kind)).toEqual([
      'option',
      'operand',
      'operand',
    ]);
  });

  test('each word is read once: as itself, or as the value of an option', () => {
    const word = fc.oneof(
      fc.constantFrom('-a', '-ab', '-n', '-n5', '--', '-', '--all', '--file', '--file=x', '--arg', '-x', 'x', '-7'),
      fc.string({maxLength: 4}),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(fc.array(word, {maxLength: 9}), words => {
        const read = readWords(words, table);
        const own = new Set(read.map(({at}) => at));
        const values = read.flatMap(each => (each.kind === 'option' ? each.values : []));
        expect(new Set(values).size).toBe(values.length);
        expect(values.filter(at => own.has(at))).toEqual([]);
        const all = words.map((_, at) => at).filter(at => own.has(at) || values.includes(at));
        // Numbers of lines alone stand for nothing.
        const rest = words.filter((_, at) => !all.includes(at));
        expect(rest.every(each => /^-\d+$/u.test(each ?? ''))).toBe(true);
      }),
    );
  });

  test('an option is listed, whatever stands behind it in the word', () => {
    fc.assert(
      fc.property(fc.string({minLength: 2, maxLength: 6}), text => {
        for (const {name, rule} of optionsIn(`-${text}`, table) ?? []) expect(table.options.get(name)).toBe(rule);
      }),
    );
  });
});
