import {unreachable} from '../../base/unreachable.ts';
import type {Fault} from '../../domain/fault.ts';
import type {Secrets} from './make-secrets.ts';

/** Messages quote what they are about. */
export function concealFault(fault: Fault, {conceal}: Pick<Secrets, 'conceal'>): Fault {
  switch (fault.kind) {
    case 'rejected':
    case 'bug':
      return {...fault, message: conceal(fault.message)};
    case 'needs-user':
    case 'provider':
      return {...fault, message: conceal(fault.message), fix: conceal(fault.fix)};
    default:
      return unreachable(fault);
  }
}
