import {isIP} from 'node:net';
import type {HostDecision} from '../../domain/sandbox.ts';
import {matchesDomain} from './domain-pattern.ts';
import {networkRuleTool, type PermissionRule, type PermissionRules} from './permission-rule.ts';

/**
 * Decides about a host, whatever the port: deny rules come before ask rules, and ask rules before allow rules. `host` must
 * have the form that `readHostPlace` returns. A rule with an unreadable pattern denies or asks about every host, and allows none.
 */
export function hostDecision(host: string, {allow, ask, deny}: PermissionRules): HostDecision {
  const denied = deny.find(rule => matchHost(rule, host) !== 'no');
  if (denied !== undefined) return {kind: 'denied', rule: denied.text};
  const asked = ask.find(rule => matchHost(rule, host) !== 'no');
  if (asked !== undefined) return {kind: 'asked', rule: asked.text};
  const allowed = allow.find(rule => matchHost(rule, host) === 'yes');
  return allowed === undefined ? {kind: 'open'} : {kind: 'allowed', rule: allowed.text};
}

function matchHost({tool, about}: PermissionRule, host: string): 'yes' | 'perhaps' | 'no' {
  if (tool !== networkRuleTool) return 'no';
  if (about.kind === 'every-call') return 'yes';
  if (about.kind === 'domains') return matchesDomain(about.pattern, host) ? 'yes' : 'no';
  return 'perhaps';
}

/** True if the rules let a sandboxed command reach some host, at once or after the user agrees. */
export const canReachSomeHost = ({allow, ask}: PermissionRules): boolean =>
  [...allow, ...ask].some(({tool}) => tool === networkRuleTool);

/** Returns the rule that lets sandboxed commands reach a host. */
export const hostRule = (host: string): string => `${networkRuleTool}(domain:${isIP(host) === 6 ? `[${host}]` : host})`;
