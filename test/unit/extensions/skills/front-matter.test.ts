import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {
  flagField,
  listField,
  readPlainFields,
  readMarkdownFile,
  textField,
} from '../../../../src/extensions/skills/front-matter.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

const file = (...lines: readonly string[]): string => `---\n${lines.join('\n')}\n---\n\n# Body\n`;

async function fieldsOf(text: string) {
  const read = await readMarkdownFile(text);
  if (read.tag === 'failed') throw new Error(read.error);
  return read.value.fields;
}

/** Front matter in the forms in which people write it. */
const written: readonly (readonly [what: string, text: string, fields: object])[] = [
  ['plain', file('name: pdf', 'description: Reads PDF files'), {name: 'pdf', description: 'Reads PDF files'}],
  [
    'a colon in an unquoted value',
    file('name: cards', 'description: Use when asked. Examples: <example>Context: A user asks: why?</example>'),
    {name: 'cards', description: 'Use when asked. Examples: <example>Context: A user asks: why?</example>'},
  ],
  [
    'a folded block',
    file('name: release', 'description: >-', '  Publish a release.', '  Only when asked.', 'version: 1.20'),
    {name: 'release', description: 'Publish a release. Only when asked.', version: 1.2},
  ],
  [
    'a literal block',
    file('name: notes', 'description: |', '  One.', '  Two.'),
    {name: 'notes', description: 'One.\nTwo.\n'},
  ],
  ['quotes', file('name: "a-b"', "description: 'It''s here: now'"), {name: 'a-b', description: "It's here: now"}],
  [
    'escaped quotes',
    file(String.raw`description: "Say \"ship it\" or: push"`),
    {description: 'Say "ship it" or: push'},
  ],
  [
    'nested metadata and a list',
    file('name: x', 'metadata:', '  author: someone', '  tags:', '    - a', '    - b'),
    {name: 'x', metadata: {author: 'someone', tags: ['a', 'b']}},
  ],
  [
    'a hint in brackets',
    file('argument-hint: [pr-number]', 'model: haiku'),
    {'argument-hint': ['pr-number'], model: 'haiku'},
  ],
  [
    'a hint that only begins with a bracket',
    file('argument-hint: [analyze|srs] <path> [--force]', 'effort: high'),
    {'argument-hint': '[analyze|srs] <path> [--force]', effort: 'high'},
  ],
  ['a hint with a pipe', file('argument-hint: <file> | [flag]'), {'argument-hint': '<file> | [flag]'}],
  [
    'rules with brackets',
    file('allowed-tools: Bash(git status:*), Bash(git log --oneline*), Read'),
    {'allowed-tools': 'Bash(git status:*), Bash(git log --oneline*), Read'},
  ],
  [
    'flags',
    file('disable-model-invocation: true', 'user-invocable: false'),
    {'disable-model-invocation': true, 'user-invocable': false},
  ],
  [
    'other scripts',
    file('name: 地図', 'description: 使い方: 地図を見る'),
    {name: '地図', description: '使い方: 地図を見る'},
  ],
  ['a date and a number', file('date: 2026-03-07', 'order: 3'), {date: '2026-03-07', order: 3}],
  ['a comment and a blank line', file('# who', '', 'name: x # here'), {name: 'x'}],
  [
    'a byte-order mark and CRLF',
    `\uFEFF${file('name: x', 'description: y').replaceAll('\n', '\r\n')}`,
    {name: 'x', description: 'y'},
  ],
  ['tabs', file('name:\tx', 'metadata:', '\tauthor: me'), {name: 'x', metadata: {author: 'me'}}],
  ['a backtick or an at sign first', file('description: @mention files: `x`'), {description: '@mention files: `x`'}],
  ['a star first', file('description: **Always** use: this'), {description: '**Always** use: this'}],
  ['nothing between the lines', '---\n---\nBody', {}],
  ['no front matter', '# Just text\n---\nmore', {}],
];

describe('front matter as people write it', () => {
  test.each(written)('%s', async (_, text, fields) => {
    expect(await fieldsOf(text)).toEqual(fields);
  });

  test('the body is what follows', async () => {
    const read = await readMarkdownFile('---\nname: x\n---\n<!-- note -->\n\n---\nrest\n');
    expect(read).toMatchObject({tag: 'ok', value: {frontMatter: 'some', body: '<!-- note -->\n\n---\nrest'}});
  });

  test.each([
    ['---\nname: x\n# Body without an end', 'its front matter has no closing line ---'],
    ['---\n- a\n- b\n---\nBody', 'its front matter has no fields'],
    ['---\nname: {a\n  b: [\n---\nBody', expect.stringContaining('its front matter is not valid YAML')],
  ])('what cannot be read says so', async (text, error) => {
    expect(await readMarkdownFile(text)).toEqual({tag: 'failed', error});
  });
});

test('fields are read by what they mean', async () => {
  const fields = await fieldsOf(
    file(
      'argument-hint: [a, b]',
      'user-invocable: "no"',
      'allowed-tools: Bash(git add:*), Read Edit',
      'tools:',
      '  - A',
      '  - B(c, d)',
      'n: 3',
    ),
  );
  expect(textField(fields, 'argument-hint')).toBe('[a, b]');
  expect(textField(fields, 'missing', 'n')).toBe('3');
  expect(flagField(fields, 'user-invocable')).toBe(false);
  expect(flagField(fields, 'n')).toBeUndefined();
  expect(listField(fields, 'allowed-tools')).toEqual(['Bash(git add:*)', 'Read', 'Edit']);
  expect(listField(fields, 'tools')).toEqual(['A', 'B(c, d)']);
  expect(textField(fields, 'toString')).toBe('');
});

const key = fc.constantFrom('name', 'description', 'model', 'allowed-tools', 'x_y');
const value = fc.oneof(
  fc.string({maxLength: 30}),
  fc.string({unit: 'grapheme', maxLength: 30}),
  fc.stringMatching(/^[A-Za-z"'[{#:&*!|>%@`~ ,.\d-]{0,20}$/u),
);

test('what is read without the YAML library is what the library reads', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(key, value), {selector: ([name]) => name, maxLength: 4}), pairs => {
      const lines = pairs.map(([name, text]) => `${name}: ${text}`);
      const plain = readPlainFields(lines);
      if (plain !== undefined) expect(plain).toEqual(parse(lines.join('\n'), {schema: 'core'}) ?? {});
    }),
    {numRuns: randomInputs(3000)},
  );
});

test('no text makes it throw', async () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .array(fc.oneof(value, fc.constantFrom('---', '...', 'a: &b [*b, *b]', '  - x', '\t')), {maxLength: 8})
      .map(lines => `---\n${lines.join('\n')}`),
  );
  await fc.assert(
    fc.asyncProperty(text, async given => {
      const read = await readMarkdownFile(given);
      expect(['ok', 'failed']).toContain(read.tag);
    }),
    {numRuns: randomInputs(1000)},
  );
});
