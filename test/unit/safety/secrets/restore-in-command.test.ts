import {execFileSync} from 'node:child_process';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {restoreInCommand} from '../../../../src/safety/secrets/restore-in-command.ts';

const mark = '[[secret:A:0123abcd]]';
const withValue = (command: string, value: string) =>
  restoreInCommand(command, placeholder => (placeholder === mark ? value : undefined));

const nasty = `a'b"c$HOME\`id\` \\ ;rm -rf x & (y) #z !w *`;
const contexts: readonly (readonly [command: string, printed: (value: string) => string])[] = [
  [`printf %s ${mark}`, value => value],
  [`printf %s "${mark}"`, value => value],
  [`printf %s '${mark}'`, value => value],
  [`printf %s x${mark}y`, value => `x${value}y`],
  [`printf %s "a $(printf %s ${mark}) b"`, value => `a ${value} b`],
  [`printf %s "a $(printf %s "${mark}") b"`, value => `a ${value} b`],
  [`printf %s 'it'\\''s ${mark}'`, value => `it's ${value}`],
  [`( printf %s "\\"${mark}\\"" )`, value => `"${value}"`],
  [`x=${mark}; printf %s "$x"`, value => value],
  [`# it's ${mark}\nprintf %s "${mark}"`, value => value],
  [`printf %s "\${HOME:+}${mark}"`, value => value],
  [`for f in ${mark}; do printf %s "$f"; done`, value => value],
  [`printf %s \\'${mark}\\'`, value => `'${value}'`],
];

test.each(contexts)('bash gets the secret itself: %s', (command, printed) => {
  const restored = withValue(command, nasty);
  expect(restored.tag).toBe('ok');
  const run = restored.tag === 'ok' ? restored.value : '';
  expect(execFileSync('bash', ['-c', run], {encoding: 'utf8'})).toBe(printed(nasty));
});

test('whatever the secret is', {tags: 'long'}, () => {
  const value = fc.string({
    unit: fc.constantFrom(...` '"\\$\`()[]{}<>|&;!#*?~=\n\tab1-`.split('')),
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(value, secret => {
      const restored = contexts.map(([command]) => withValue(command, secret));
      // All in one shell: what breaks out of its place breaks the others too.
      const run = restored.map(one => `(\n${one.tag === 'ok' ? one.value : ''}\n)\nprintf '\\001'\n`).join('');
      expect(execFileSync('bash', ['-c', run], {encoding: 'utf8'}).split('\u0001')).toEqual([
        ...contexts.map(([command, printed]) =>
          printed(secret).replace(command.includes('$(') ? /\n+(?= b$)/u : /(?!)/u, ''),
        ),
        '',
      ]);
    }),
    {numRuns: 20},
  );
});

test.each([`echo \`printf ${mark}\``, `cat <<EOF\n${mark}\nEOF`, `echo "\${x:-${mark}}"`])(
  'where nothing can protect special characters it is refused: %s',
  command => {
    expect(withValue(command, nasty)).toEqual({tag: 'failed', error: expect.stringContaining('special to the shell')});
    expect(withValue(command, 'plain-Value_1')).toEqual({tag: 'ok', value: command.replace(mark, 'plain-Value_1')});
  },
);

test('an unknown placeholder is refused, a command without any stays as it is', () => {
  expect(withValue('echo [[secret:B:0123abcd]]', 'x')).toEqual({
    tag: 'failed',
    error: 'weft no longer knows [[secret:B:0123abcd]]. Read the source again, or ask the user.',
  });
  const plain = `echo "$(cat <<'X'\n[[ -f a ]]\nX\n)" [[secret:]]`;
  expect(withValue(plain, 'x')).toEqual({tag: 'ok', value: plain});
});
