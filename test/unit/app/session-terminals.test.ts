import {expect, test} from 'vitest';
import type {BlockInfo, TerminalControl} from '../../../src/actions/ports.ts';
import {failed} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {blockId} from '../../../src/domain/ids.ts';
import {sessionTerminals} from '../../../src/app/compose-engine.ts';

const block = (id: string, kind: 'running' | 'signalled'): BlockInfo => ({
  id: blockId(id),
  command: id,
  state: kind === 'running' ? {kind} : {kind, signal: 'SIGTERM'},
  ageMs: 1,
  ports: [],
  lastLine: '',
  life: 'with-weft',
});

/** The blocks of one shell, and what was done with them. */
function control(...blocks: readonly BlockInfo[]) {
  const done: string[] = [];
  const listeners = new Set<() => void>();
  const port: TerminalControl = {
    list: () => blocks,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async id => void done.push(`stop ${id}`),
    keep: id => void done.push(`keep ${id}`),
    attach(id) {
      done.push(`attach ${id}`);
      return failed(rejected('none'));
    },
  };
  const change = (): void => {
    for (const listener of listeners) listener();
  };
  return {port, done, change, heardBy: () => listeners.size};
}

test('are one list, what runs first; what is done with one reaches those whose it is, and what is in no list is the session’s own', async () => {
  const own = control(block('b1', 'signalled'), block('b2', 'running'));
  const others = control(block('b3', 'running'));
  const all = sessionTerminals(own.port);
  all.add(others.port);
  expect(all.list().map(({id}) => id)).toEqual(['b2', 'b3', 'b1']);
  await all.stop(blockId('b3'));
  all.keep(blockId('b2'));
  all.attach(blockId('b9'), {size: {columns: 80, rows: 24}, show: () => {}, ended: () => {}});
  expect([own.done, others.done]).toEqual([['keep b2', 'attach b9'], ['stop b3']]);
});

test('whoever listens hears of those that come later, and of their leaving', () => {
  const [own, others] = [control(), control(block('b1', 'running'))];
  const all = sessionTerminals(own.port);
  let heard = 0;
  const end = all.watch(() => (heard += 1));
  const leave = all.add(others.port);
  own.change();
  others.change();
  expect(heard).toBe(2);
  leave();
  expect([heard, all.list(), others.heardBy()]).toEqual([3, [], 0]);
  end();
  expect(own.heardBy()).toBe(0);
});
