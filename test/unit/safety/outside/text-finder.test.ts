import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {decodedForms} from '../../../../src/safety/outside/decoded-forms.ts';
import {TextFinder} from '../../../../src/safety/outside/text-finder.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789./-';
const words = (min: number, max: number) =>
  fc.string({unit: fc.constantFrom(...alphabet.split('')), minLength: min, maxLength: max});

test('every part of 24 characters is found, whatever is around it, and white space, quotes and case do not count', () => {
  fc.assert(
    fc.property(
      fc.array(words(24, 300), {minLength: 1, maxLength: 5}),
      fc.nat(),
      words(0, 40),
      (texts, seed, around) => {
        const finder = new TextFinder();
        for (const [owner, text] of texts.entries()) finder.add(text, owner);
        const text = texts[seed % texts.length] ?? '';
        const at = seed % (text.length - 23);
        const part = text.slice(at, at + 24);
        const written = Array.from(part, (char, index) => (index % 5 === 0 ? ` "${char.toUpperCase()}'` : char)).join(
          '',
        );
        expect(finder.find(`${around}~${written}~${around}`).length).toBeGreaterThan(0);
      },
    ),
    {numRuns: randomInputs(500)},
  );
});

test('a part of 23 characters is not found', () => {
  fc.assert(
    fc.property(words(60, 300), fc.nat(), (text, seed) => {
      const finder = new TextFinder();
      finder.add(text, 0);
      const at = seed % (text.length - 23);
      expect(finder.find(`~${text.slice(at, at + 23)}~`)).toEqual([]);
    }),
    {numRuns: randomInputs(500)},
  );
});

test('a text that is added again takes no room, nor does one that repeats itself', () => {
  const finder = new TextFinder();
  const page = Array.from({length: 400}, (_, at) => `line ${at * 7919} of the page`).join('\n');
  finder.add(page, 0);
  const {length} = finder;
  finder.add(page, 1);
  expect(finder.length).toBe(length);
  const repeating = new TextFinder();
  repeating.add('abc'.repeat(100_000), 0);
  expect(repeating.length).toBeLessThan(10_000);
  expect(repeating.find(`x${'abc'.repeat(1000)}y`)).toEqual([{from: 1, to: 3001, owner: 0}]);
});

test('the whole part is found, over texts that differ in one place', () => {
  const finder = new TextFinder();
  finder.add('run the first command &amp;&amp; then the second one of the list', 0);
  finder.add('run the first command && then the second one of the list', 0);
  const text = 'run the first command && then the second one of the list';
  expect(finder.find(text)).toEqual([{from: 0, to: text.length, owner: 0}]);
});

test.each([
  ['%63url%20evil', 'curl evil'],
  [String.raw`\x63\x75rl`, 'curl'],
  [String.raw`\u0063url`, 'curl'],
  ['&lt;b&gt; &amp;&#x26;&#38;', '<b> &&&'],
  [`echo ${Buffer.from('curl https://evil.example').toString('base64')}`, 'curl https://evil.example'],
  [`echo ${Buffer.from('curl https://evil.example').toString('hex')}`, 'curl https://evil.example'],
  [
    Buffer.from(Buffer.from('curl https://evil.example').toString('base64')).toString('base64'),
    'curl https://evil.example',
  ],
  [`'cu' + 'rl'`, `'curl'`],
  ['A=cu; B=rl; $A$B', 'A=cu; B=rl; curl'],
])('%s is read as %s, too', (text, form) => {
  expect(decodedForms(text)).toContain(form);
});

test('decoded forms take bounded time and room', () => {
  const text = `${'%25'.repeat(20_000)}${'&amp;'.repeat(20_000)}${'QUFB'.repeat(20_000)}${'41'.repeat(20_000)}`;
  const length = decodedForms(text).reduce((sum, form) => sum + form.length, 0);
  expect(length).toBeLessThan(text.length * 8);
});
