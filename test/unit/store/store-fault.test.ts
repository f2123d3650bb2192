import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {faultText} from '../../../src/domain/fault.ts';
import {isBusy, storeFault, StoreError} from '../../../src/store/store-fault.ts';

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (cause) {
    return cause;
  }
  throw new Error('nothing was thrown');
}

test('a full disk says that the session was not kept', () => {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE t (a TEXT); PRAGMA max_page_count = 3');
  const cause = thrownBy(() => {
    db.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000));
  });
  db.close();
  expect(faultText(storeFault(cause, '/d/weft.db'))).toBe(
    'The disk is full: cannot save the session in /d/weft.db (database or disk is full). Free some space, then continue with --continue.',
  );
});

test('a mistake of ours is not put on the user', () => {
  const cause = new TypeError('x is not a function');
  expect(storeFault(cause, '/d/weft.db')).toEqual({
    kind: 'bug',
    message: 'The session store failed (x is not a function).',
    cause,
  });
});

test('a store error keeps its fault, its words and its cause', () => {
  const fault = {kind: 'needs-user', message: 'It broke.', fix: 'Mend it.'} as const;
  const error = new StoreError(fault, 'why');
  expect([error.message, error.cause, storeFault(error, '/d/weft.db')]).toEqual(['It broke. Mend it.', 'why', fault]);
});

test.each([
  [5, 'locked', true],
  [261, 'locked', true],
  [8, 'cannot be written', false],
  [11, 'damaged', false],
  [267, 'damaged', false],
  [14, 'cannot be opened', false],
  [10, 'failed', false],
])('result code %i: %s', (errcode, words, busy) => {
  const cause = Object.assign(new Error('said so'), {errcode});
  expect(storeFault(cause, '/d/weft.db')).toMatchObject({kind: 'needs-user', message: expect.stringContaining(words)});
  expect(isBusy(cause)).toBe(busy);
});
