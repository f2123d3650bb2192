import type {Reason} from '../domain/reason.ts';
import type {RiskLevel, VerdictDetail} from '../domain/risk.ts';

/**
 * What the host found about an action before rules and mode; `reasons` are what is out of the ordinary, often none. Modes do not
 * let changes `outside` the workspace or of `secret` files through by themselves, and no mode at all those of `protected` files or of weft's own
 * settings and grants; a rule of the user's that names them does. What is `always-asked` no rule and no mode lets through, and what
 * is `refused` nobody can allow.
 */
export interface Finding {
  readonly decision: 'allow' | 'ask';
  readonly risk: RiskLevel;
  readonly reasons: readonly Reason[];
  readonly target: 'ordinary' | 'outside' | 'secret' | 'protected' | 'weft-files' | 'always-asked' | 'refused';
  readonly detail: VerdictDetail;
}
