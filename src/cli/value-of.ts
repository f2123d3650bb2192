import type {Outcome} from '../base/outcome.ts';
import {faultText, type Fault} from '../domain/fault.ts';

/** The value that a command cannot go on without: a fault ends the command with its words. */
export function valueOf<T>(outcome: Outcome<T, Fault>): T {
  if (outcome.tag === 'failed') throw new Error(faultText(outcome.error));
  return outcome.value;
}
