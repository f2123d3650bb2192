import {actionNames, definitions} from '../actions/catalogue.ts';
import type {PermissionRule} from '../safety/rules.ts';

/**
 * Names of the tools that are not offered: those that `--tools` leaves out, and those that a rule forbids as a whole. Without the
 * flag, or with `default` in it, all of weft's own are in. Tools of MCP servers and the one that takes a structured answer are
 * never left out by it.
 */
export function withheldTools(given: string | undefined, deny: readonly PermissionRule[]): ReadonlySet<string> {
  const forbidden = deny.flatMap(({tool, about}) => (about.kind === 'every-call' ? [tool] : []));
  const named = given?.split(/[\s,]+/u).filter(name => name !== '');
  if (named === undefined || named.includes('default')) return new Set(forbidden);
  const own = actionNames
    .filter(action => action !== 'give-structured-answer')
    .flatMap(action => definitions[action].tools.map(({name}) => name));
  return new Set([...own.filter(name => !named.includes(name)), ...forbidden]);
}
