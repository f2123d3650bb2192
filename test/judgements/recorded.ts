import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import type {Answer, Probe} from './probe.ts';

/** A command, with what was recorded of its judgement. */
export interface Recorded {
  readonly command: string;
  readonly decision: string;
  readonly risk: string;
  /** A digest of all other fields. */
  readonly rest: string;
}

export const recordFile = new URL('judgements.txt', import.meta.url);

/** Each line has a decision, a risk, a digest and the command as JSON. */
export const recordedJudgements = (): readonly Recorded[] =>
  readFileSync(recordFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => {
      const [decision = '', risk = '', rest = '', ...words] = line.split(' ');
      return {decision, risk, rest, command: String(JSON.parse(words.join(' ')))};
    });

export const recordLine = ({decision, risk, rest, command}: Recorded): string =>
  `${decision} ${risk} ${rest} ${JSON.stringify(command)}`;

/** Judges a command. A third of the commands are asked for all fields. */
export async function judged(command: string, probe: Probe): Promise<Recorded> {
  const {decision, risk, ...rest} = await probe(command, fieldsFor(command));
  return {command, decision, risk, rest: digest(rest)};
}

const digest = (value: Readonly<Omit<Answer, 'decision' | 'risk'>>): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8);

// The loss of all files of a machine is not the same twice.
const fieldsFor = (command: string): Parameters<Probe>[1] =>
  bucket(command, 3) > 0 || /\s(?:\/|~|\.\.)(?:\s|[/*]|$)/u.test(command) ? 'most' : 'all';

/** A number below `count` that stays the command's own when others come and go. */
export const bucket = (command: string, count: number): number =>
  createHash('sha256').update(command).digest().readUInt32BE(0) % count;
