import type {Action} from '../actions/catalogue.ts';
import {noDetail, type PermissionMode, type Verdict} from '../domain/risk.ts';
import {commandForms, type CommandForms} from './command-forms.ts';
import {findingOf, type Evidence, type Finding} from './finding.ts';
import {makeGround, type GroundOptions} from './ground.ts';
import {ruleFor} from './rule-for.ts';
import type {PermissionRules} from './rules.ts';

export interface JudgeOptions extends GroundOptions {
  readonly rules: PermissionRules;
}

/**
 * The host's judgement of actions. What decides, in this order: a rule that denies; plan mode, for what is not known to only
 * read; bypassing; a rule that asks; a rule that allows, of protected files too; acceptEdits, for ordinary edits; what the host
 * found. What the model claims of its commands never loosens a verdict.
 */
export interface Judge {
  assess(action: Action, mode: PermissionMode, signal: AbortSignal): Promise<Verdict>;
}

export function makeJudge({rules, ...options}: JudgeOptions): Judge {
  const ground = makeGround(options);
  return {
    async assess(action, mode) {
      let read: CommandForms | undefined;
      const evidence: Evidence = {ground, forms: command => (read ??= commandForms(command))};
      const finding = findingOf(action, evidence);
      const rule = ruleFor(action, rules, evidence);
      const {risk} = finding;
      const plain = isPlainEdit(action, finding);
      const grantable = plain && rule?.behaviour !== 'ask' ? 'kind' : 'exact';
      const deny = (reason: string): Verdict => ({
        decision: 'deny',
        risk,
        reasons: [reason, ...finding.reasons],
        grantable: 'exact',
        detail: noDetail,
      });
      const ask = (...reasons: readonly string[]): Verdict => ({decision: 'ask', risk, reasons, grantable, detail: noDetail});
      const allow: Verdict = {decision: 'allow', risk, reasons: [], grantable, detail: noDetail};

      if (rule?.behaviour === 'deny') return deny(`the rule ${rule.text} forbids it`);
      if (mode === 'plan' && risk !== 'read-only') return deny('in plan mode nothing is changed or run');
      if (mode === 'bypassPermissions') return allow;
      if (rule?.behaviour === 'ask') return ask(`the rule ${rule.text} says to ask`, ...finding.reasons);
      if (rule?.behaviour === 'allow') return allow;
      if (mode === 'acceptEdits' && plain) return allow;
      if (finding.decision === 'allow') return allow;
      return finding.reasons.length === 0 ? ask(ordinaryReason(action)) : ask(...finding.reasons);
    },
  };
}

/** Edits that a mode may let through: inside the workspace and of nothing that could run or change weft's own rules. */
const isPlainEdit = (action: Action, finding: Finding): boolean =>
  action.name === 'request-file-edits' && finding.risk === 'local-change' && finding.scope === 'ordinary';

const ordinaryReason = (action: Action): string =>
  action.name === 'request-file-edits' ? 'edits ask first in this mode' : 'commands ask first in this mode';
