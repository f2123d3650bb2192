import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {valueOf} from './value-of.ts';

/**
 * What weft is granted is for the user to change: a command that weft runs for a model may not, nor another weft that it starts.
 * `what` was to be done, as the subject of a sentence.
 */
export async function grantable(what: string): Promise<Outcome<undefined, Fault>> {
  const {isStartedByWeft} = await import('../workspace/started-by-weft.ts');
  if (!(await isStartedByWeft(process.env))) return ok(undefined);
  return failed({
    kind: 'needs-user',
    message: `${what} changes what weft may do, and was started by one of weft's own commands`,
    fix: 'Nothing was changed. Run it in a terminal that weft did not open.',
  });
}

/** The same; what may not be done is thrown. */
export async function refuseInside(what: string): Promise<void> {
  valueOf(await grantable(what));
}
