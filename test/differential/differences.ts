import type {Answer, Probe} from './adapter.ts';

/** One field of an answer that is not what it was. */
export interface Difference {
  readonly command: string;
  readonly field: keyof Answer;
  readonly was: string;
  readonly now: string;
}

/** A difference that is meant: the fields, the commands, the values, and why. Without `was` or `now` any value fits. */
export interface Allowed {
  readonly fields: string;
  readonly commands: RegExp;
  readonly was?: RegExp;
  readonly now?: RegExp;
  readonly why: string;
}

export async function differencesOf(
  command: string,
  fields: Parameters<Probe>[1],
  {old, current}: {readonly old: Probe; readonly current: Probe},
): Promise<readonly Difference[]> {
  // How much a deletion of all files would take is not the same twice.
  const wanted = /\s(?:\/|~|\.\.)(?:\s|[/*]|$)/u.test(command) ? 'most' : fields;
  const was = await old(command, wanted);
  const now = await current(command, wanted);
  return fieldsOf(was).flatMap(field =>
    was[field] === now[field] ? [] : [{command, field, was: was[field], now: now[field]}],
  );
}

const fieldsOf = (answer: Answer): readonly (keyof Answer)[] =>
  Object.keys(answer).filter((field): field is keyof Answer => field in answer);

export const allows = ({fields, commands, was, now}: Allowed, difference: Difference): boolean =>
  fields.split(' ').includes(difference.field) &&
  commands.test(difference.command) &&
  (was === undefined || was.test(difference.was)) &&
  (now === undefined || now.test(difference.now));

export const shown = ({command, field, was, now}: Difference): string =>
  `${JSON.stringify(command)}\n  ${field} was ${JSON.stringify(was)}\n  ${field} now ${JSON.stringify(now)}`;
