import type {JudgePort} from '../agent/ports.ts';
import {ok, failed, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {faultText, rejected, type Fault} from '../domain/fault.ts';
import type {RuleList, RuleReach} from '../domain/risk.ts';
import type {LiveRules} from '../safety/live-rules.ts';
import {parseRule, type PermissionRule} from '../safety/rules.ts';

/** Writes a rule down where the next run of weft finds it. */
export type KeepRule = (rule: KeptRule) => Promise<Outcome<unknown, Fault>>;

export interface KeptRule {
  readonly list: RuleList;
  readonly rule: string;
  readonly reach: Exclude<RuleReach, 'session'>;
}

/** What a person says of rules in an answer holds at once; what cannot be kept for good holds until weft ends. */
export const changeRules =
  (live: LiveRules, keep: KeepRule): JudgePort['changeRules'] =>
  async change => {
    switch (change.change) {
      case 'add': {
        const {list, rule, lasting} = change;
        const read = ruleFrom(rule);
        if (read.tag === 'failed') return read;
        live.add(list, read.value);
        if (lasting === 'session') return ok(undefined);
        const kept = await keep({list, rule: read.value.text, reach: lasting});
        if (kept.tag === 'ok') return ok(undefined);
        return failed({kind: 'needs-user', message: faultText(kept.error), fix: 'The rule holds until weft ends.'});
      }
      case 'remove': {
        const {list, rule} = change;
        if (live.remove(list, rule)) return ok(undefined);
        return failed(rejected(`There is no rule ${rule} among those of this session (${list}): nothing was removed.`));
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
      default:
        return unreachable(change);
    }
  };

function ruleFrom(text: string): Outcome<PermissionRule, Fault> {
  const rule = parseRule(text);
  return rule.tag === 'ok' ? rule : failed(rejected(rule.error.message));
}
