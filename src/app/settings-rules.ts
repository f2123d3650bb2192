import {unreachable} from '../base/unreachable.ts';
import type {HookSetting} from '../config/hook-settings.ts';
import type {Sourced} from '../config/merge-settings.ts';
import {parseCondition} from '../safety/rules/hook-condition.ts';
import {
  parseRule,
  type PermissionRule,
  type PermissionRules,
  whyRuleAllowsNothing,
} from '../safety/rules/permission-rule.ts';
import {UsageError} from './exit-code.ts';
import {note} from './output.ts';

/** The permission rules of the settings. */
export const rulesOf = ({
  permissions: {allow, ask, deny},
}: {
  readonly permissions: Readonly<Record<keyof PermissionRules, readonly Sourced<string>[]>>;
}): PermissionRules => ({
  allow: rulesFrom(allow),
  ask: rulesFrom(ask),
  deny: rulesFrom(deny),
});

/**
 * Parses rules. One for a tool that weft does not have is left out with a note, since programs pass rules for other agents, too. Of
 * a pattern that weft does not read, the stricter reading counts: what is to be denied stays denied.
 */
export const rulesFrom = (texts: readonly Sourced<string>[]): readonly PermissionRule[] =>
  texts.flatMap(({value}) => {
    const rule = parseRule(value);
    if (rule.tag === 'ok') return [rule.value];
    switch (rule.error.kind) {
      case 'malformed':
        throw new UsageError(rule.error.message);
      case 'unknown-tool':
        note(rule.error.message);
        return [];
      case 'unread-pattern':
        note(
          `${rule.error.message} Until then it allows nothing, and denies or asks for all of ${rule.error.strict.tool}.`,
        );
        return [rule.error.strict];
      default:
        return unreachable(rule.error);
    }
  });

/** Allow rules that let nothing through, because a wrapper would run any program by them. */
export const ruleNotices = (allow: readonly Sourced<string>[]): readonly string[] =>
  allow.flatMap(({value, source, path}) => {
    const rule = parseRule(value);
    const why = rule.tag === 'ok' ? whyRuleAllowsNothing(rule.value) : undefined;
    return why === undefined
      ? []
      : [`The rule ${value.trim()} (${path === '' ? source : path}) allows nothing: ${why}.`];
  });

/** Conditions of hooks that are no permission rules. */
export const conditionNotices = (hooks: readonly Sourced<HookSetting>[]): readonly string[] =>
  hooks.flatMap(({value: {event, condition}}) => {
    const rule = condition === '' ? undefined : parseCondition(condition);
    return rule?.tag === 'failed' && rule.error.kind === 'unclear'
      ? [
          `The "if" of a ${event} hook is no permission rule: ${rule.error.message} The hook runs for every call that its matcher fits, and its yes does not count.`,
        ]
      : [];
  });

/** `Read,Bash(git log:*) Edit` is three rules: commas and spaces divide, except inside parentheses. */
export const splitRules = (texts: readonly string[]): string[] =>
  texts.flatMap(text => text.match(/(?:[^\s,(]|\((?:[^()]|\([^()]*\))*(?:\)|$))+/gu) ?? []);
