import type {Action} from '../actions/catalogue.ts';
import type {ResolvedPath} from '../actions/ports.ts';
import type {PermissionMode, Verdict} from '../domain/risk.ts';
import {findingOf, type Finding} from './finding.ts';
import {ruleFor, type PermissionRules} from './rules.ts';

export interface JudgeOptions {
  readonly rules: PermissionRules;
  /** Where a path leads, symbolic links followed. */
  readonly resolve: (path: string) => ResolvedPath;
}

/** The host's judgement of actions. Order: what the host finds, made stricter by the model's claims; then rules; then mode. */
export interface Judge {
  assess(action: Action, mode: PermissionMode): Verdict;
}

export const makeJudge = ({rules, resolve}: JudgeOptions): Judge => ({
  assess(action, mode) {
    const finding = findingOf(action, resolve);
    const rule = ruleFor(action, rules, resolve);
    const {risk} = finding;
    const verdict = (decision: Verdict['decision'], ...reasons: readonly string[]): Verdict => ({
      decision,
      risk,
      reasons,
    });

    if (rule?.behaviour === 'deny') return verdict('deny', `the rule ${rule.text} forbids it`);
    if (mode === 'plan') {
      return finding.decision === 'allow'
        ? verdict('allow')
        : verdict('deny', 'in plan mode nothing is changed or run', ...finding.reasons);
    }
    if (mode === 'bypassPermissions') return verdict('allow');
    if (rule?.behaviour === 'ask') return verdict('ask', `the rule ${rule.text} says to ask`, ...finding.reasons);
    if (rule?.behaviour === 'allow') return verdict('allow');
    if (mode === 'acceptEdits' && isPlainEdit(action, finding)) return verdict('allow');
    return {decision: finding.decision, risk, reasons: finding.reasons};
  },
});

/** Edits that the mode lets through: inside the workspace and of nothing that could run or change weft's own rules. */
const isPlainEdit = (action: Action, finding: Finding): boolean =>
  action.name === 'request-file-edits' && finding.risk === 'local-change' && finding.scope === 'ordinary';
