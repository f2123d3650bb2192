import {actionNames, definitions} from '../actions/catalogue.ts';
import type {EngineOptions} from '../agent/create-engine.ts';
import type {PermissionRule} from '../safety/rules.ts';

/**
 * The tools that are not offered: those that `--tools` leaves out, and those that a rule forbids as a whole. Without the flag, or
 * with `default` in it, all of weft's own are in. Tools of MCP servers and the one that takes a structured answer are never left
 * out by it.
 */
export function withheldTools(given: string | undefined, deny: readonly PermissionRule[]): EngineOptions['withheld'] {
  const withheld = new Map<string, 'absent' | 'forbidden'>();
  for (const {tool, about} of deny) if (about.kind === 'every-call') withheld.set(tool, 'forbidden');
  const named = given?.split(/[\s,]+/u).filter(name => name !== '');
  if (named === undefined || named.includes('default')) return withheld;
  for (const action of actionNames) {
    if (action === 'give-structured-answer') continue;
    for (const {name} of definitions[action].tools) if (!named.includes(name)) withheld.set(name, 'absent');
  }
  return withheld;
}
