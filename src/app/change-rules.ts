import {ruleKinds} from '../actions/catalogue.ts';
import type {JudgePort} from '../agent/ports.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {type Fault, faultText, rejected, needsUser} from '../domain/fault.ts';
import type {RuleList, RuleScope} from '../domain/risk.ts';
import {
  type AgentRules,
  type ChangeableRules,
  parseRule,
  type PermissionRule,
} from '../safety/rules/permission-rule.ts';

/** Writes a rule into a settings file, so that the next run of weft finds it. */
export type SaveRule = (rule: SavedRule) => Promise<Outcome<unknown, Fault>>;

export interface SavedRule {
  readonly list: RuleList;
  readonly rule: string;
  readonly scope: Exclude<RuleScope, 'session'>;
}

/** Changes the rules as an approval decides. They apply at once. A rule that can't be saved applies until weft exits. */
export const changeRules =
  (
    live: Omit<ChangeableRules, 'rules' | 'scopeOf'> & Pick<AgentRules, 'allowForPrompt'>,
    keep: SaveRule,
  ): JudgePort['changeRules'] =>
  async change => {
    switch (change.change) {
      case 'add': {
        const {list, rule, scope} = change;
        const read = ruleFrom(rule);
        if (read.tag === 'failed') return read;
        live.add(list, read.value);
        if (scope === 'session') return ok(undefined);
        const kept = await keep({list, rule: read.value.text, scope});
        if (kept.tag === 'ok') {
          live.setScope(list, read.value.text, scope);
          return ok(undefined);
        }
        return failed(needsUser(faultText(kept.error), 'The rule applies until weft exits.'));
      }
      case 'remove': {
        const {list, rule} = change;
        if (live.remove(list, rule)) return ok(undefined);
        return failed(rejected(`No rule ${rule} in this session (${list}). Nothing was removed.`));
      }
      case 'replace': {
        const rules: PermissionRule[] = [];
        for (const text of change.rules) {
          const read = ruleFrom(text);
          if (read.tag === 'failed') return read;
          rules.push(read.value);
        }
        live.replace(change.list, rules);
        return ok(undefined);
      }
      case 'prompt': {
        const read = change.rules.map(ruleFrom);
        live.allowForPrompt(read.flatMap(rule => (rule.tag === 'ok' ? [rule.value] : [])));
        const wrong = read.flatMap(rule => (rule.tag === 'failed' ? [faultText(rule.error)] : []));
        return wrong.length === 0 ? ok(undefined) : failed(rejected(wrong.join(' ')));
      }
      default:
        return unreachable(change);
    }
  };

function ruleFrom(text: string): Outcome<PermissionRule, Fault> {
  const rule = parseRule(text, ruleKinds);
  return rule.tag === 'ok' ? rule : failed(rejected(rule.error.message));
}
