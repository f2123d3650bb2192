import type {Verdict} from '../domain/risk.ts';

/** What the model reads of an action that a rule or the mode forbids. */
export const deniedText = ({reasons}: Verdict): string =>
  `Not permitted: ${reasons.join('; ')}. Go on without it, or say what you would have done.`;

/** What the model reads of an action that would have been asked about. */
export function nobodyText({reasons}: Verdict, asking: 'somebody' | 'nobody'): string {
  const why = asking === 'nobody' ? 'nobody can be asked here' : 'the user does not want to be asked';
  return `Not permitted: this needs the user's approval (${reasons.join('; ')}) and ${why}. Go on without it, or say what you would have done.`;
}
