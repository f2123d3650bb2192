import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {layers, maxLayers, wrapperBeginnings} from '../../../../src/safety/commands/layers.ts';

const programs = (command: string) => layers(command.split(' ')).map(({program, where}) => [program, where]);

describe('the commands that stand in the words of a command', () => {
  test.each([
    ['rm a', [['rm', 'here']]],
    [
      'sudo -E /bin/rm a',
      [
        ['sudo', 'here'],
        ['rm', 'here'],
      ],
    ],
    [
      'timeout 5 rm a',
      [
        ['timeout', 'here'],
        ['5', 'here'],
        ['rm', 'here'],
      ],
    ],
    [
      'env -C d A=1 rm a',
      [
        ['env', 'here'],
        ['d', 'elsewhere'],
        ['rm', 'elsewhere'],
      ],
    ],
    [
      'ssh h rm a',
      [
        ['ssh', 'here'],
        ['h', 'elsewhere'],
        ['rm', 'elsewhere'],
      ],
    ],
    [
      'find . -exec rm {} ;',
      [
        ['find', 'here'],
        ['rm', 'here'],
      ],
    ],
    [
      'npm exec -y eslint',
      [
        ['npm', 'here'],
        ['eslint', 'here'],
      ],
    ],
    ['npm run rm', [['npm', 'here']]],
    ['command -v rm', [['command', 'here']]],
    [
      'A=1 rm',
      [
        ['A=1', 'here'],
        ['rm', 'here'],
      ],
    ],
  ])('%s', (command, expected) => {
    expect(programs(command)).toEqual(expected);
  });

  test('whatever wraps a command, it is found', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...wrapperBeginnings()), {maxLength: 3}), wrappers => {
        const words = [...wrappers.flatMap(each => each.split(' ')), 'rm', '-rf', 'x'];
        expect(layers(words).some(({words: own}) => own.join(' ') === 'rm -rf x')).toBe(true);
      }),
    );
  });

  test('a layer is a tail of the words, and there are not too many', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('sudo', 'env', '-x', 'A=1', 'xargs', 'rm', 'npx'), {maxLength: 90}),
        words => {
          const found = layers(words);
          expect(found.length).toBeLessThanOrEqual(maxLayers);
          for (const {at, words: own} of found) expect(own).toEqual(words.slice(at));
        },
      ),
    );
  });
});
