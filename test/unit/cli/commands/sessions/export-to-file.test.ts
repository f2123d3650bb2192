import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {failed, ok} from '../../../../../src/base/outcome.ts';
import {messageId} from '../../../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../../../src/domain/journal.ts';
import {exportToFile} from '../../../../../src/app/export-session.ts';
import {sessionInfo} from '../../../../tui/support/scripted-engine.ts';
import {temporaryFolder} from '../../../workspace/temporary-folder.ts';

const records: readonly JournalRecord[] = [
  {kind: 'prompt', message: {role: 'user', id: messageId('p'), blocks: [{kind: 'text', text: 'Mend it\nplease'}]}},
];
const now = Date.UTC(2026, 10, 21);

const into = (folder: string, name: string, present: 'kept' | 'replaced' = 'kept') =>
  exportToFile(
    {name, session: sessionInfo, present},
    {records, summary: undefined, directory: join(folder, 'work'), home: join(folder, 'home'), now},
  );

describe('exportToFile', () => {
  test.each([
    ['', 'work/weft-2026-11-21-00000000.md'],
    ['notes.md', 'work/notes.md'],
    ['my notes', 'work/my notes'],
    ['"my notes.md"', 'work/my notes.md'],
    ['../up.md', 'up.md'],
    ['~/at-home.md', 'home/at-home.md'],
  ])('%j is a document in %s that only its owner reads', async (name, expected) => {
    using folder = temporaryFolder();
    for (const one of ['work', 'home']) mkdirSync(join(folder.path, one));
    const path = join(folder.path, expected);
    expect(await into(folder.path, name)).toEqual(ok({kind: 'written', path}));
    expect(readFileSync(path, 'utf8')).toMatch(/^# Mend it …\n[^]*## User\n\nMend it\nplease\n$/u);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('.jsonl has records', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'work'));
    await into(folder.path, 'a.JSONL');
    const text = readFileSync(join(folder.path, 'work/a.JSONL'), 'utf8');
    expect(
      text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(records);
  });

  test('a file that is there stays until it is to be replaced', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'work/a.md');
    mkdirSync(join(folder.path, 'work'));
    writeFileSync(path, 'mine');
    expect(await into(folder.path, 'a.md')).toEqual(ok({kind: 'exists', path}));
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(await into(folder.path, 'a.md', 'replaced')).toEqual(ok({kind: 'written', path}));
    expect(readFileSync(path, 'utf8')).toContain('# Mend it …');
  });

  test('says why it could not', async () => {
    using folder = temporaryFolder();
    const end = await into(folder.path, 'not/there/a.md');
    expect(end).toEqual(failed({kind: 'rejected', message: expect.stringContaining('not/there/a.md: ')}));
    mkdirSync(join(folder.path, 'work/folder'), {recursive: true});
    expect(await into(folder.path, 'folder', 'replaced')).toMatchObject({tag: 'failed'});
  });
});
