import {existsSync} from 'node:fs';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {emptyUserChanges, type UserChanges, type FileEdit} from '../../../../src/domain/file-edit.ts';
import {requestFileEdits} from '../../../../src/actions/request-file-edits.ts';
import {messageOf, replace, workspace, write} from './file-space.ts';
import {never} from '../temporary-folder.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

type Space = ReturnType<typeof workspace>;

/** Shows the edits, then writes what the userChanges leaves of them. */
async function amended(space: Space, edits: readonly FileEdit[], userChanges: UserChanges) {
  const shown = await space.port.plan({edits, userChanges}, never);
  return shown.tag === 'ok' ? space.port.apply({edits, userChanges}, shown.value, never) : shown;
}

const numbered = (count: number, end: string): string =>
  Array.from({length: count}, (_, at) => `line ${at + 1}.${end}`).join('');

const dropping = (...dropped: readonly [string, number][]): UserChanges => ({
  kind: 'hunks',
  dropped: dropped.map(([path, hunk]) => ({path, hunk})),
});

const rewriting = (path: string, text: string): UserChanges => ({
  kind: 'texts',
  texts: [{path, text}],
  dropped: [],
});

describe('hunks that are left out', () => {
  const threeChanges = [replace('a.txt', ['line 2.', 'two'], ['line 20.', 'twenty'], ['line 39.', 'nine'])];

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('%s: their bytes are as they were, the others change', async (_name, end) => {
    using space = workspace({'a.txt': numbered(40, end).slice(0, -end.length)});
    const done = await amended(space, threeChanges, dropping(['a.txt', 1]));
    expect(messageOf(done)).toBe('no fault');
    const lines = space.text('a.txt').split(end);
    expect([lines[1], lines[19], lines[38], lines.length]).toEqual(['two', 'line 20.', 'nine', 40]);
    const told = done.tag === 'ok' && 'userChanged' in done.value ? done.value.userChanged : [];
    expect(told.map(({path, kind, hunks}) => ({path, kind, changes: changesIn(hunks)}))).toEqual([
      {path: 'a.txt', kind: 'dropped', changes: ['removed line 20.', 'added twenty']},
    ]);
  });

  test('a file of which nothing is left is not written; a new one is not made; the rest is', async () => {
    using space = workspace({'a.txt': 'a\n', 'b.txt': 'b\n'});
    const edits = [replace('a.txt', ['a', 'A']), write('new.txt', 'n\n'), replace('b.txt', ['b', 'B'])];
    const done = await amended(space, edits, dropping(['a.txt', 0], ['new.txt', 0]));
    expect(messageOf(done)).toBe('no fault');
    expect([space.text('a.txt'), space.text('b.txt')]).toEqual(['a\n', 'B\n']);
    expect(() => space.text('new.txt')).toThrow('ENOENT');
  });

  test('a hunk or a file that is not there is refused', async () => {
    using space = workspace({'a.txt': 'a\n'});
    const edits = [replace('a.txt', ['a', 'A'])];
    expect(messageOf(await amended(space, edits, dropping(['a.txt', 1])))).toContain('no longer has a change number 2');
    expect(messageOf(await amended(space, edits, dropping(['b.txt', 0])))).toContain('not part of the edit');
    expect(space.text('a.txt')).toBe('a\n');
  });

  test('random: leaving out all of any subset gives back exactly those lines', async () => {
    const line = fc.constantFrom('a', 'b', '', 'x y', '\u00e9', 'z\r');
    const lines = fc.array(line, {maxLength: 40});
    await fc.assert(
      fc.asyncProperty(lines, lines, fc.boolean(), fc.integer({min: 0}), async (was, is, ended, choice) => {
        const old = was.join('\n') + (ended ? '\n' : '');
        const fresh = is.join('\n');
        fc.pre(old !== fresh && old !== '');
        using space = workspace({'a.txt': old});
        await space.read('a.txt');
        const edits = [write('a.txt', fresh)];
        const whole = await space.port.plan({edits, userChanges: emptyUserChanges}, never);
        if (whole.tag === 'failed') return;
        const hunks = whole.value[0]?.hunks ?? [];
        const dropped = hunks.map((_, at) => at).filter(at => (choice >> (at % 30)) % 2 === 1);
        const done = await amended(space, edits, dropping(...dropped.map(at => ['a.txt', at] as [string, number])));
        expect(messageOf(done)).toBe('no fault');
        if (dropped.length === hunks.length) expect(space.text('a.txt')).toBe(old);
        if (done.tag === 'ok' && 'userChanged' in done.value && dropped.length < hunks.length) {
          const left = hunks.filter((_, at) => !dropped.includes(at));
          expect(changesIn(done.value.files.flatMap(file => file.hunks))).toEqual(changesIn(left));
        }
      }),
      {numRuns: randomInputs(150)},
    );
  });
});

const droppingOf = (...hunks: readonly (number | 'new-name')[]): UserChanges => ({
  kind: 'hunks',
  dropped: hunks.map(hunk => ({path: 'b.txt', hunk})),
});

describe('a file that would be renamed', () => {
  const rename: FileEdit = {kind: 'rename', path: 'a.txt', to: 'b.txt'};
  const change = replace('a.txt', ['line 2.', 'two'], ['line 20.', 'twenty']);
  const was = numbered(30, '\n');
  const two = was.replace('line 2.', 'two');
  const both = two.replace('line 20.', 'twenty');

  test.each<[string, readonly FileEdit[], UserChanges, Readonly<Record<string, string>>, readonly string[]]>([
    ['the name', [change, rename], droppingOf('new-name'), {'a.txt': both}, ['not-renamed']],
    ['the name and a hunk', [change, rename], droppingOf('new-name', 1), {'a.txt': two}, ['dropped', 'not-renamed']],
    ['every hunk', [change, rename], droppingOf(0, 1), {'b.txt': was}, ['dropped']],
    [
      'all of it',
      [change, rename, write('c.txt', 'c')],
      droppingOf('new-name', 0, 1),
      {'a.txt': was, 'c.txt': 'c'},
      ['dropped'],
    ],
    [
      'a bare new name',
      [rename, write('c.txt', 'c')],
      droppingOf('new-name'),
      {'a.txt': was, 'c.txt': 'c'},
      ['dropped'],
    ],
    [
      'the name, with a text of the user',
      [change, rename],
      {kind: 'texts', texts: [{path: 'b.txt', text: 'mine\n'}], dropped: [{path: 'b.txt', hunk: 'new-name'}]},
      {'a.txt': 'mine\n'},
      ['rewritten', 'not-renamed'],
    ],
  ])('without %s', async (_name, edits, userChanges, left, told) => {
    using space = workspace({'a.txt': was});
    const done = await amended(space, edits, userChanges);
    expect(messageOf(done)).toBe('no fault');
    const names = ['a.txt', 'b.txt', 'c.txt'].filter(name => existsSync(join(space.root, name)));
    expect(Object.fromEntries(names.map(name => [name, space.text(name)]))).toEqual(left);
    expect(
      done.tag === 'ok' && 'userChanged' in done.value ? done.value.userChanged.map(({kind}) => kind) : [],
    ).toEqual(told);
  });

  test('what is not renamed has no new name to leave out', async () => {
    using space = workspace({'a.txt': was});
    const userChanges: UserChanges = {kind: 'hunks', dropped: [{path: 'a.txt', hunk: 'new-name'}]};
    expect(messageOf(await amended(space, [change], userChanges))).toContain('is no longer renamed by the edit');
    expect(space.text('a.txt')).toBe(was);
  });
});

test('hunks of one file are left out beside a text for another', async () => {
  using space = workspace({'a.txt': 'a\n', 'b.txt': numbered(30, '\n')});
  const edits = [replace('a.txt', ['a', 'A']), replace('b.txt', ['line 2.', 'two'], ['line 20.', 'twenty'])];
  const done = await amended(space, edits, {
    kind: 'texts',
    texts: [{path: 'a.txt', text: 'mine\n'}],
    dropped: [{path: 'b.txt', hunk: 0}],
  });
  expect(messageOf(done)).toBe('no fault');
  expect([space.text('a.txt'), space.text('b.txt')]).toEqual([
    'mine\n',
    numbered(30, '\n').replace('line 20.', 'twenty'),
  ]);
});

describe('texts that the user left in an editor', () => {
  test('are written in the form of the file, and the model is told the way from its proposal', async () => {
    const mark = Buffer.from([0xff, 0xfe]);
    using space = workspace({'a.txt': Buffer.concat([mark, Buffer.from('one\r\ntwo\r\n', 'utf16le')])});
    const edits = [replace('a.txt', ['two', '2'])];
    const draft = await space.port.draft({edits, userChanges: emptyUserChanges}, never);
    expect(draft).toEqual({
      tag: 'ok',
      value: [{path: 'a.txt', before: 'one\r\ntwo\r\n', text: 'one\r\n2\r\n'}],
    });
    const done = await amended(space, edits, rewriting('a.txt', 'one\r\nzwei\r\n'));
    expect(space.bytes('a.txt').subarray(2).toString('utf16le')).toBe('one\r\nzwei\r\n');
    if (done.tag !== 'ok' || !('userChanged' in done.value)) throw new Error(messageOf(done));
    expect(requestFileEdits.modelContent(done.value)).toEqual([
      {
        kind: 'text',
        text: [
          'Changed a.txt (+1 -1)',
          '[it is UTF-16 LE and stays so]',
          '[edited by the user before it was written: a.txt, from the proposed text to what is in the file now:',
          '@@ -1 +1 @@',
          ' one',
          '-2',
          '+zwei',
          ']',
        ].join('\n'),
      },
    ]);
    // The model has not read what the user wrote.
    expect(messageOf(await space.edit(write('a.txt', 'x')))).toContain('read it');
  });

  test('the old text leaves the file alone, the proposed one is no change', async () => {
    using space = workspace({'a.txt': 'a\n'});
    const edits = [replace('a.txt', ['a', 'b'])];
    expect(await amended(space, edits, rewriting('a.txt', 'a\n'))).toMatchObject({
      value: {files: [], userChanged: [{kind: 'rewritten'}]},
    });
    expect(await amended(space, edits, rewriting('a.txt', 'b\n'))).toMatchObject({value: {userChanged: []}});
    expect(space.text('a.txt')).toBe('b\n');
  });

  test('what the encoding of the file does not hold is refused', async () => {
    using space = workspace({'a.txt': Buffer.from('caf\u00e9 cr\u00e8me br\u00fbl\u00e9e\n', 'latin1')});
    const done = await amended(space, [replace('a.txt', ['caf', 'Caf'])], rewriting('a.txt', '\u65e5\n'));
    expect(messageOf(done)).toContain("can't encode the edited text");
  });
});

test('user changes are of the text that was shown: a change by somebody else in between stops them', async () => {
  using space = workspace({'a.txt': numbered(40, '\n')});
  const edits = [replace('a.txt', ['line 2.', 'two'], ['line 39.', 'nine'])];
  const userChanges = dropping(['a.txt', 0]);
  const shown = await space.port.plan({edits, userChanges}, never);
  if (shown.tag !== 'ok') throw new Error('no plan');
  const other = replace('a.txt', ['line 20.', 'twenty']);
  expect((await space.edit(other)).tag).toBe('ok');
  expect(messageOf(await space.port.apply({edits, userChanges}, shown.value, never))).toContain('changed since');
});

const changesIn = (hunks: readonly {readonly lines: readonly {readonly kind: string; readonly text: string}[]}[]) =>
  hunks.flatMap(({lines}) => lines.filter(({kind}) => kind !== 'context').map(({kind, text}) => `${kind} ${text}`));
