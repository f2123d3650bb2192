import {ruleKinds} from '../actions/catalogue.ts';
import {visibleExactLine} from '../base/visible.ts';
import type {SettingSource, Sourced, TrustedSettings} from '../config/merge-settings.ts';
import {type RuleList, ruleLists} from '../domain/risk.ts';
import {parseRule, type PermissionRule} from '../safety/rules/permission-rule.ts';
import {ineffectiveRuleProblem} from '../safety/rules/unrestricted-wrapper.ts';

/** A rule in the settings, and whether it has any effect. */
export interface RuleLine {
  readonly behaviour: RuleList;
  readonly rule: string;
  readonly source: SettingSource;
  readonly path: string;
  readonly effective: boolean;
  /** Why the rule has no effect; empty if the rule has an effect. */
  readonly reason: string;
}

/** Returns all rules of the settings: deny, then ask, then allow, each in the order of the files. */
export function ruleLines(settings: TrustedSettings): readonly RuleLine[] {
  const {permissions} = settings.settings;
  const why =
    settings.trust === 'changed'
      ? 'the settings of this folder changed since you trusted it'
      : 'this folder is not trusted';
  return ruleLists
    .toReversed()
    .flatMap(behaviour => [
      ...permissions[behaviour].map(rule => line(behaviour, rule, whyIneffective(rule.value, behaviour, permissions))),
      ...(behaviour === 'allow' ? settings.withheldRules.map(rule => line(behaviour, rule, why)) : []),
    ]);
}

/** Formats a rule in columns, with the reason if it has no effect. */
export const ruleText = ({behaviour, rule, path, source, effective, reason}: RuleLine): string =>
  `${behaviour.padEnd(5)}  ${visibleExactLine(rule)}   (${visibleExactLine(path === '' ? source : path)})${effective ? '' : `   not effective: ${visibleExactLine(reason)}`}`;

const line = (behaviour: RuleList, {value, source, path}: Sourced<string>, reason: string): RuleLine => ({
  behaviour,
  rule: value,
  source,
  path,
  effective: reason === '',
  reason,
});

type Permissions = TrustedSettings['settings']['permissions'];

/** Returns why a rule has no effect, as part of a sentence; empty if the rule has an effect. */
function whyIneffective(text: string, behaviour: RuleList, permissions: Permissions): string {
  const rule = parseRule(text, ruleKinds);
  if (rule.tag === 'failed') {
    // A deny or ask rule with an unreadable pattern applies to the whole tool.
    return rule.error.kind === 'unread-pattern' && behaviour !== 'allow' ? '' : rule.error.message;
  }
  if (behaviour === 'allow' && rule.value.about.kind === 'other') return unreadPatternText(rule.value);
  const nothing = behaviour === 'allow' ? ineffectiveRuleProblem(rule.value) : undefined;
  if (nothing !== undefined) return nothing;
  const stronger = ruleLists.slice(ruleLists.indexOf(behaviour) + 1);
  for (const other of stronger.toReversed()) {
    const over = permissions[other].find(
      ({value}) => value.trim() === rule.value.text || value.trim() === rule.value.tool,
    );
    if (over !== undefined) return `overridden by ${other} ${over.value}`;
  }
  return '';
}

export const unreadPatternText = ({tool}: PermissionRule): string =>
  `patterns for ${tool} are not supported yet, so it allows nothing; write ${tool} to allow every call`;
