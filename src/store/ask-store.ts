import * as z from 'zod/mini';
import {parseJson} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {RunAnswer} from '../domain/run-answer.ts';
import type {Fault} from '../domain/fault.ts';
import {parseSessionId, type SessionId} from '../domain/ids.ts';
import {OwnedRows, type OwnedRowsOptions} from './owned-rows.ts';

/**
 * What runs ask, for other processes to see and to answer, and whether they shall stop. What a process asked that has ended is not there.
 * All methods throw a `StoreError` when the database fails.
 */
export interface AskStore {
  /** A run asks; `title` is a line for people. The ask `stop` stands for the run itself. */
  open(session: SessionId, id: string, title: string): void;
  /** The ask is answered, wherever. */
  settle(session: SessionId, id: string): void;
  /** The run has ended. */
  clear(session: SessionId): void;
  /** `unknown` where there is no such ask of a process that runs. */
  answer(session: SessionId, id: string, answer: RunAnswer): 'taken' | 'unknown' | 'already-answered';
  /** What others have answered so far. */
  answers(session: SessionId): readonly {readonly id: string; readonly answer: RunAnswer}[];
  /** The titles of what waits for an answer, the oldest first. */
  waiting(session: SessionId): readonly string[];
  /** The sessions in which some process is at a run that can be stopped from here. */
  running(): ReadonlySet<SessionId>;
  close(): void;
}

/** Opens the asks; missing folders, file and tables are made. */
export function openAskStore(options: OwnedRowsOptions): Outcome<AskStore, Fault> {
  const opened = OwnedRows.open(options);
  return opened.tag === 'failed' ? opened : ok(askStore(opened.value));
}

const askStore = (rows: OwnedRows): AskStore => ({
  open(session, id, title) {
    const {pid, started, at} = rows.own();
    rows.guard(() =>
      rows.db.run(
        `INSERT INTO asks (session_id, id, title, answer, pid, started, at) VALUES (?, ?, ?, '', ?, ?, ?)
         ON CONFLICT (session_id, id) DO UPDATE SET title = excluded.title, answer = '', pid = excluded.pid,
           started = excluded.started, at = excluded.at`,
        session,
        id,
        title.replaceAll('\0', '').toWellFormed(),
        pid,
        started,
        at,
      ),
    );
  },
  settle(session, id) {
    const sql = `UPDATE asks SET answer = 'settled' WHERE session_id = ? AND id = ? AND answer = ''`;
    rows.guard(() => rows.db.run(sql, session, id));
  },
  clear(session) {
    rows.guard(() => rows.db.run('DELETE FROM asks WHERE session_id = ?', session));
  },
  answer(session, id, answer) {
    return rows.transaction(`session ${session}`, () => {
      const row = rows.db.first('SELECT * FROM asks WHERE session_id = ? AND id = ?', session, id);
      if (row === undefined || rows.isCutOff(row)) return 'unknown';
      if (row['answer'] !== '') return 'already-answered';
      const sql = 'UPDATE asks SET answer = ? WHERE session_id = ? AND id = ?';
      rows.db.run(sql, JSON.stringify(answer), session, id);
      return 'taken';
    });
  },
  answers(session) {
    const sql = "SELECT id, answer FROM asks WHERE session_id = ? AND answer NOT IN ('', 'settled')";
    return rows
      .guard(() => rows.db.all(sql, session))
      .flatMap(({id, answer}) => answerIn(String(answer)).map(read => ({id: String(id), answer: read})));
  },
  waiting(session) {
    const sql = "SELECT * FROM asks WHERE session_id = ? AND answer = '' AND title <> '' ORDER BY at, id";
    return rows.guard(() =>
      rows.db
        .all(sql, session)
        .filter(row => !rows.isCutOff(row))
        .map(row => String(row['title'])),
    );
  },
  running() {
    return rows.guard(
      () =>
        new Set(
          rows.db
            .all("SELECT * FROM asks WHERE id = 'stop'")
            .filter(row => !rows.isCutOff(row))
            .flatMap(row => parseSessionId(String(row['session_id'])) ?? []),
        ),
    );
  },
  close: () => rows.db.close(),
});

const runAnswer = z.discriminatedUnion('kind', [
  z.object({kind: z.literal('stop')}),
  z.object({
    kind: z.literal('approval'),
    decision: z.enum(['allow', 'allow_session', 'deny']),
    message: z.string(),
  }),
  z.object({
    kind: z.literal('question'),
    answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  }),
]);

function answerIn(text: string): readonly RunAnswer[] {
  const json = parseJson(text);
  const read = runAnswer.safeParse(json.tag === 'ok' ? json.value : undefined);
  return read.success ? [read.data] : [];
}
