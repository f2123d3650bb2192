import {ok, failed, type Outcome} from '../base/outcome.ts';
import type {JudgePort} from '../agent/ports.ts';
import {faultText, rejected, type Fault} from '../domain/fault.ts';
import type {RuleReach} from '../domain/risk.ts';
import type {LiveRules} from '../safety/live-rules.ts';
import {parseRule} from '../safety/rules.ts';

/** Writes a rule that allows where the next run of weft finds it. */
export type KeepRule = (rule: string, reach: Exclude<RuleReach, 'session'>) => Promise<Outcome<unknown, Fault>>;

/** What a person allows from an approval holds at once; where it cannot be kept for good, it holds until weft ends. */
export const allowRule =
  (live: LiveRules, keep: KeepRule): JudgePort['allow'] =>
  async (text, lasting) => {
    const rule = parseRule(text);
    if (rule.tag === 'failed') return failed(rejected(rule.error.message));
    live.allow(rule.value);
    if (lasting === 'session') return ok(undefined);
    const kept = await keep(rule.value.text, lasting);
    if (kept.tag === 'ok') return ok(undefined);
    return failed({kind: 'needs-user', message: faultText(kept.error), fix: 'The rule holds until weft ends.'});
  };
