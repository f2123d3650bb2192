import {firstLine} from '../base/clip.ts';
import {timeAgo} from '../base/time-ago.ts';
import type {Places} from '../config/places.ts';
import type {Schedule} from '../domain/schedule.ts';
import {withUserStores} from './user-jobs.ts';

/** Returns a line for each ended run of a schedule that the user has not seen yet; none if the store can't be read. */
export async function scheduleNews(places: Pick<Places, 'database'>): Promise<readonly string[]> {
  try {
    return await withUserStores(({schedules}) => schedules.takeNews().map(newsOf), places);
  } catch {
    return [];
  }
}

function newsOf({prompt, last}: Schedule): string {
  const name = `Schedule "${firstLine(prompt, 60)}"`;
  if (last.state === 'none' || last.state === 'running') return name;
  const how = last.state === 'completed' ? 'was completed' : last.state === 'failed' ? 'failed' : 'was stopped';
  const reason = last.trouble === '' ? '' : `: ${last.trouble}`;
  const session = last.session === 'not-open' ? 'weft schedule list' : `weft --resume ${last.session}`;
  return `${name} ${how} (${timeAgo(Date.now() - last.at)})${reason}. See it: ${session}`;
}
