import {Cron} from 'croner';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';

/**
 * Returns the first time after `after` that a cron expression names (milliseconds since the epoch). The error says what is wrong with it.
 */
export function nextTime(expression: string, after: number): Outcome<number, string> {
  try {
    const next = new Cron(expression.trim(), {paused: true, mode: '5-or-6-parts'}).nextRun(new Date(after));
    return next === null ? failed('it names no future time') : ok(next.getTime());
  } catch (cause) {
    return failed(causeText(cause).replace(/^CronPattern: /u, ''));
  }
}
