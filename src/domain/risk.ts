/** What an action can do to the world, mildest first; `unknown` is treated as the worst that can be asked for. */
export const riskLevels = ['read-only', 'local-change', 'external', 'destructive', 'unknown'] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** The host's judgement of one action: what happens next, how risky it is, and why in words a user reads. */
export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly risk: RiskLevel;
  readonly reasons: readonly string[];
  /**
   * How far an approval "for this session" may reach: `kind`, all ordinary edits inside the workspace; `exact`, this very action
   * and no other. `kind` is said only of an ordinary edit inside the workspace that no ask rule speaks of.
   */
  readonly grantable: 'kind' | 'exact';
}

/** How much may happen without asking; names and meaning as in the Agent SDK. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
export type PermissionMode = (typeof permissionModes)[number];
