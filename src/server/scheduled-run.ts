import {causeText} from '../domain/fault.ts';
import type {ScheduleId, SessionId} from '../domain/ids.ts';
import type {LastRun, Schedule} from '../domain/schedule.ts';
import {noRecord, type AgentRuns} from './agent-runs.ts';
import type {AgentPort, OpenRequest} from './routes/agent-routes.ts';

export interface ScheduledRunDeps {
  readonly agent: AgentPort;
  readonly runs: AgentRuns;
  readonly schedules: {tell(id: ScheduleId, last: LastRun): void};
  readonly now: () => number;
  /** What went wrong where nobody can be told otherwise. */
  readonly note: (line: string) => void;
}

/**
 * Sends the prompt of a schedule: as one that came by HTTP, so its session can be followed and its questions answered, and what nobody
 * answers is refused after some minutes. A run whose session is known was cut off, and goes on there. Settles when all of it is kept;
 * never rejects.
 */
export async function runScheduled(
  {id, prompt, directory, mode, last}: Schedule,
  {agent, runs, schedules, now, note}: ScheduledRunDeps,
): Promise<void> {
  const at = last.state === 'running' ? last.at : now();
  const before: SessionId | 'not-open' = last.state === 'running' ? last.session : 'not-open';
  let session = before;
  const tell = (told: LastRun): void => {
    try {
      schedules.tell(id, told);
    } catch (cause) {
      // The store may be closed by then; what this process ran reads as stopped once it has ended.
      note(`${id}: ${causeText(cause)}`);
    }
  };
  const open = (which: OpenRequest['session']) =>
    agent.open({
      session: which,
      workDir: directory,
      model: {apiKey: undefined, baseUrl: undefined, model: undefined},
      work: {kind: 'scheduled', mode},
    });
  try {
    const again = before === 'not-open' ? undefined : await open(before);
    const opened =
      again === undefined || (again.tag === 'failed' && again.error.status === 404) ? await open('new') : again;
    if (opened.tag === 'failed') {
      tell({state: 'failed', at, session, trouble: opened.error.error, told: 'no'});
      return;
    }
    const ended = Promise.withResolvers<void>();
    runs.start(opened.value, {
      text: opened === again ? goOnPrompt : prompt,
      images: [],
      context: '',
      work: {kind: 'prompt'},
      record: {
        ...noRecord,
        opened(opening) {
          session = opening;
          tell({state: 'running', at, session});
        },
        ended({end}) {
          const state = end === 'done' ? 'completed' : end === 'interrupted' ? 'stopped' : 'failed';
          tell({state, at, session, trouble: '', told: 'no'});
          ended.resolve();
        },
      },
    });
    await ended.promise;
  } catch (cause) {
    tell({state: 'failed', at, session, trouble: causeText(cause), told: 'no'});
  }
}

const goOnPrompt = 'You were cut off. Go on with what you were asked for, from where it stands.';
