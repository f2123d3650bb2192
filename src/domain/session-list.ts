import {collapseSpaces, clip} from '../base/clip.ts';
import type {SessionId} from './ids.ts';
import type {SessionSummary} from './journal.ts';

/** A session that keeps running while another one is shown. `commands`: only commands in the background run. */
export interface RunningSession {
  readonly summary: SessionSummary;
  readonly state: 'needs-input' | 'running' | 'commands';
  /** The session's commands and agents in the background, which stop with it. */
  readonly background: readonly string[];
}

export const runningText: Readonly<Record<RunningSession['state'], string>> = {
  'needs-input': 'needs your answer',
  running: 'running',
  commands: 'commands in the background',
};

/** Returns the title of a session in a list. */
export const sessionTitle = ({title}: Pick<SessionSummary, 'title'>): string => (title === '' ? 'Untitled' : title);

/** Returns a title in the form in which it is kept: one line of at most 200 characters. */
export const titleIn = (text: string): string => clip(collapseSpaces(text), 200);

/** Returns the title of a branch: `Fix the cart (branch)`, then `Fix the cart (branch 2)`. */
export function branchTitle(title: string): string {
  const [, base = title, number] = /^(.*) \(branch(?: (\d+))?\)$/u.exec(title) ?? [];
  if (base === title) return `${clip(sessionTitle({title}), 180)} (branch)`;
  return `${base} (branch ${Number(number ?? 1) + 1})`;
}

/** Returns the shortest prefix of each id that ends with a group of the UUID and that no other session's id has. */
export function shortSessionIds(sessions: readonly Pick<SessionSummary, 'id'>[]): ReadonlyMap<SessionId, string> {
  const short = new Map<SessionId, string>();
  let rest = sessions;
  for (const length of idLengths) {
    const counts = new Map<string, number>();
    for (const {id} of rest) counts.set(id.slice(0, length), (counts.get(id.slice(0, length)) ?? 0) + 1);
    for (const {id} of rest) short.set(id, id.slice(0, length));
    rest = rest.filter(({id}) => (counts.get(id.slice(0, length)) ?? 0) > 1);
  }
  return short;
}

/** The positions at which the groups of a UUID end. */
const idLengths = [8, 13, 18, 23, 36];

/** Tells the user of a session on a server how to branch. */
export const branchElsewhere = (id: SessionId): string =>
  `Can't branch from here. Where the server runs: weft --resume ${id} --fork-session`;

/** Tells the user that a branch of the session was opened. */
export const branchNote = (id: SessionId): string =>
  `This is a branch. The session before it has not changed. To return to it: /resume ${id.slice(0, 8)}`;
