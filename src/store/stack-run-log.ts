import {OwnedRows, type OwnedRowsOptions} from './owned-rows.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';

/** What happens in runs of the task stack, for processes that do not run it. All methods throw a `StoreError` when the database fails. */
export interface StackRunLog {
  /** `data` is JSON in one line. */
  add(data: string): void;
  /** Events with greater numbers, at most `most`, in order. */
  after(id: number, most: number): readonly {readonly id: number; readonly data: string}[];
  /** The number of the last event, and of the last with which a run began; 0 where there is none. */
  last(): {readonly event: number; readonly start: number};
  close(): void;
}

/** Opens the log; what is missing is made. */
export function openStackRunLog(options: OwnedRowsOptions): Outcome<StackRunLog, Fault> {
  const opened = OwnedRows.open(options);
  if (opened.tag === 'failed') return opened;
  const rows = opened.value;
  return ok({
    add(data) {
      rows.transaction('stack run', () => {
        const next = Number(rows.db.first('SELECT MAX(seq) AS last FROM stack_run_events')?.['last'] ?? 0) + 1;
        const isStart = data.startsWith(runStart);
        // Readers are told of a run and of the one before it.
        if (isStart) {
          const sql =
            'DELETE FROM stack_run_events WHERE seq < (SELECT MAX(seq) FROM stack_run_events WHERE starts = 1)';
          rows.db.run(sql);
        }
        rows.db.run('INSERT INTO stack_run_events (seq, data, starts) VALUES (?, ?, ?)', next, data, isStart ? 1 : 0);
      });
    },
    after(id, most) {
      const sql = 'SELECT seq, data FROM stack_run_events WHERE seq > ? ORDER BY seq LIMIT ?';
      return rows.guard(() =>
        rows.db.all(sql, id, most).map(row => ({id: Number(row['seq']), data: String(row['data'])})),
      );
    },
    last() {
      const sql = 'SELECT MAX(seq) AS event, MAX(seq * starts) AS start FROM stack_run_events';
      const row = rows.guard(() => rows.db.first(sql));
      return {event: Number(row?.['event'] ?? 0), start: Number(row?.['start'] ?? 0)};
    },
    close: () => rows.db.close(),
  });
}

/** How the event begins with which a run does. */
const runStart = '{"type":"run_started"';
