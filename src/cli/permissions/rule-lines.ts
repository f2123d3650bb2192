import {visibleExactLine} from '../../base/visible.ts';
import type {SettingSource, Sourced} from '../../config/settings.ts';
import type {TrustedSettings} from '../../config/trusted-settings.ts';
import {ruleLists, type RuleList} from '../../domain/risk.ts';
import {parseRule, type PermissionRule} from '../../safety/rules.ts';

/** A rule as it was written down, and whether it decides anything. */
export interface RuleLine {
  readonly behaviour: RuleList;
  readonly rule: string;
  readonly source: SettingSource;
  readonly path: string;
  readonly effective: boolean;
  /** Why it is not effective; empty where it is. */
  readonly reason: string;
}

/** Every rule of the settings, the strongest behaviour first, in the order of the files. */
export function ruleLines(settings: TrustedSettings): readonly RuleLine[] {
  const {permissions} = settings.settings;
  const why = settings.trust === 'changed' ? 'the folder changed since it was trusted' : 'the folder is not trusted';
  return ruleLists
    .toReversed()
    .flatMap(behaviour => [
      ...permissions[behaviour].map(rule => line(behaviour, rule, troubleWith(rule.value, behaviour, permissions))),
      ...(behaviour === 'allow' ? settings.withheld.map(rule => line(behaviour, rule, why)) : []),
    ]);
}

/** For people: columns, and why where a rule does nothing. */
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

/** Why a rule decides nothing, as part of a sentence; empty where it may. */
function troubleWith(text: string, behaviour: RuleList, permissions: Permissions): string {
  const rule = parseRule(text);
  if (rule.tag === 'failed') return rule.error.message;
  if (behaviour === 'allow' && rule.value.about.kind === 'other') return patternUnread(rule.value);
  const stronger = ruleLists.slice(ruleLists.indexOf(behaviour) + 1);
  for (const other of stronger.toReversed()) {
    const over = permissions[other].find(
      ({value}) => value.trim() === rule.value.text || value.trim() === rule.value.tool,
    );
    if (over !== undefined) return `${other} ${over.value} comes first`;
  }
  return '';
}

export const patternUnread = ({tool}: PermissionRule): string =>
  `patterns for ${tool} are not read yet, so it allows nothing; write ${tool} alone to allow all of it`;
