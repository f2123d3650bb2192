import {isIP} from 'node:net';
import type {HostDecision} from '../../domain/sandbox.ts';
import {matchesDomain} from './domain-pattern.ts';
import {networkRules, type PermissionRule, type PermissionRules} from './permission-rule.ts';

/**
 * The rule that decides about a host, whatever the port: deny before ask before allow. `host` is written as `readHostPlace` writes it.
 * A rule whose pattern cannot be read speaks of every host, and allows none.
 */
export function hostDecision(host: string, {allow, ask, deny}: PermissionRules): HostDecision {
  const denied = deny.find(rule => speaksOf(rule, host) !== 'no');
  if (denied !== undefined) return {kind: 'denied', rule: denied.text};
  const asked = ask.find(rule => speaksOf(rule, host) !== 'no');
  if (asked !== undefined) return {kind: 'asked', rule: asked.text};
  const allowed = allow.find(rule => speaksOf(rule, host) === 'yes');
  return allowed === undefined ? {kind: 'open'} : {kind: 'allowed', rule: allowed.text};
}

function speaksOf({tool, about}: PermissionRule, host: string): 'yes' | 'perhaps' | 'no' {
  if (tool !== networkRules) return 'no';
  if (about.kind === 'every-call') return 'yes';
  if (about.kind === 'domains') return matchesDomain(about.pattern, host) ? 'yes' : 'no';
  return 'perhaps';
}

/** Whether a rule may let a command in the sandbox reach some host, by itself or when somebody is asked. */
export const someHostReachable = ({allow, ask}: PermissionRules): boolean =>
  [...allow, ...ask].some(({tool}) => tool === networkRules);

/** The rule that lets commands in the sandbox reach a host. */
export const hostRule = (host: string): string => `${networkRules}(domain:${isIP(host) === 6 ? `[${host}]` : host})`;
