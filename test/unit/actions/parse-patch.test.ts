import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parsePatch} from '../../../src/actions/parse-patch.ts';

const patchOf = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('parsePatch', () => {
  test('every kind of section', () => {
    const patch = patchOf(
      '*** Add File: new.txt',
      '+one',
      '+',
      '*** Update File: a.ts',
      '*** Move to: b.ts',
      '@@ class A',
      '@@   method()',
      ' before',
      '-old',
      '+new',
      '',
      '@@ -3,4 +3,5 @@',
      '+last',
      '*** End of File',
      '*** Delete File: c d.ts',
    );
    expect(parsePatch(`\`\`\`diff\n${patch}\n\`\`\`\n`)).toEqual({
      tag: 'ok',
      value: [
        {kind: 'replace', path: 'new.txt', replacements: [{oldText: '', newText: 'one\n\n', occurrence: 'only'}]},
        {
          kind: 'patch',
          path: 'a.ts',
          hunks: [
            {
              context: ['class A', '  method()'],
              place: 'anywhere',
              lines: [
                {kind: 'context', text: 'before'},
                {kind: 'removed', text: 'old'},
                {kind: 'added', text: 'new'},
              ],
            },
            {context: [], place: 'end-of-file', lines: [{kind: 'added', text: 'last'}]},
          ],
        },
        {kind: 'rename', path: 'a.ts', to: 'b.ts'},
        {kind: 'delete', path: 'c d.ts'},
      ],
    });
  });

  test.each<[string, string]>([
    ['', 'patch: the first line must be "*** Begin Patch".'],
    [
      '*** Begin Patch\n*** Add File: a\n+x',
      'patch: the "*** End Patch" line is missing; the patch seems to be cut off.',
    ],
    [patchOf(), 'patch: it changes no files.'],
    [`${patchOf('*** Delete File: a')}\nand more`, 'patch: text follows "*** End Patch".'],
    [
      patchOf('--- a/file'),
      'patch: line 2 is "--- a/file", not "*** Add File: path", "*** Update File: path" or "*** Delete File: path".',
    ],
    [patchOf('*** Add File: a', 'x'), 'patch: line 3 is "x"; every line of a new file must begin with "+".'],
    [patchOf('*** Delete File: a', '-x'), 'patch: line 3: the section that deletes a must have no lines.'],
    [
      patchOf('*** Update File: a', '@@', 'x'),
      'patch: line 4 is "x"; lines of a change must begin with " ", "+", "-" or "@@".',
    ],
    [patchOf('*** Update File: a', '@@', ' x'), 'patch: change 1 of a has no line that begins with "+" or "-".'],
    [patchOf('*** Update File: a'), 'patch: the section on a changes nothing.'],
  ])('%j is refused', (patch, message) => {
    expect(parsePatch(patch)).toEqual({tag: 'failed', error: message});
  });

  test('never throws', () => {
    const line = fc.constantFrom(
      '*** Begin Patch',
      '*** End Patch',
      '*** Add File: a',
      '*** Update File: b',
      '*** Delete File: c',
      '*** Move to: d',
      '*** End of File',
      '@@',
      '@@ x',
      ' a',
      '+a',
      '-a',
      '',
      '\\ No newline at end of file',
    );
    fc.assert(
      fc.property(fc.array(line), lines => {
        expect(['ok', 'failed']).toContain(parsePatch(lines.join('\n')).tag);
      }),
    );
  });
});
