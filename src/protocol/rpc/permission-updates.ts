import * as z from 'zod/mini';
import type {JsonObject} from '../../base/json.ts';
import {permissionModes, ruleLists, type PermissionMode, type RuleChange, type RuleScope} from '../../domain/risk.ts';

/** What is wanted besides a yes. */
export interface PermissionWishes {
  readonly mode: PermissionMode | undefined;
  /** What weft cannot do of it: one sentence each. */
  readonly unserved: readonly string[];
}

const ruleUpdate = z.looseObject({
  type: z.enum(['addRules', 'removeRules', 'replaceRules']),
  behavior: z.enum(ruleLists),
  rules: z.array(z.looseObject({toolName: z.string(), ruleContent: z.optional(z.nullable(z.string()))})),
  destination: z.optional(z.string()),
});
const setMode = z.looseObject({type: z.literal('setMode'), mode: z.enum(permissionModes)});

/** What a list of permission updates of the Agent SDK asks for. */
export function permissionUpdates(
  updates: readonly JsonObject[],
): PermissionWishes & {readonly rules: readonly RuleChange[]} {
  const rules: RuleChange[] = [];
  const unserved: string[] = [];
  let mode: PermissionMode | undefined;
  for (const update of updates) {
    const ruled = z.safeParse(ruleUpdate, update);
    const moded = z.safeParse(setMode, update);
    const changes = ruled.success ? ruleChanges(ruled.data) : undefined;
    if (changes !== undefined) rules.push(...changes);
    else if (moded.success) mode = moded.data.mode;
    else unserved.push(`The permission update ${JSON.stringify(update['type'] ?? null)} is not possible here yet.`);
  }
  return {rules, mode, unserved};
}

/** `undefined` where rules are to go from a settings file: those are the user's to take out. */
function ruleChanges(update: z.infer<typeof ruleUpdate>): readonly RuleChange[] | undefined {
  const {type, behavior: list, destination} = update;
  const rules = update.rules.map(({toolName, ruleContent}) =>
    typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : toolName,
  );
  const scope = scopeOf(destination);
  if (type === 'addRules') return rules.map(rule => ({change: 'add', list, rule, scope}));
  if (scope !== 'session') return undefined;
  return type === 'removeRules'
    ? rules.map(rule => ({change: 'remove', list, rule}))
    : [{change: 'replace', list, rules}];
}

/** A rule never reaches further than it was meant to; one that is meant for nowhere that weft knows holds while it runs. */
function scopeOf(destination: string | undefined): RuleScope {
  switch (destination) {
    case 'userSettings':
      return 'user';
    case 'projectSettings':
      return 'project';
    case 'localSettings':
      return 'local';
    default:
      return 'session';
  }
}
