import * as z from 'zod/mini';
import type {JsonObject} from '../../base/json.ts';
import {permissionModes, ruleLists, type PermissionMode, type RuleChange, type RuleScope} from '../../domain/risk.ts';

export interface PermissionRequests {
  readonly mode: PermissionMode | undefined;
  /** The changes that weft does not support, one sentence each. */
  readonly unserved: readonly string[];
}

const ruleUpdate = z.looseObject({
  type: z.enum(['addRules', 'removeRules', 'replaceRules']),
  behavior: z.enum(ruleLists),
  rules: z.array(z.looseObject({toolName: z.string(), ruleContent: z.optional(z.nullable(z.string()))})),
  destination: z.optional(z.string()),
});
const directoryUpdate = z.looseObject({
  type: z.enum(['addDirectories', 'removeDirectories']),
  directories: z.array(z.string()),
  destination: z.optional(z.string()),
});
const setMode = z.looseObject({type: z.literal('setMode'), mode: z.enum(permissionModes)});

/** Reads a list of Agent SDK permission updates. */
export function readPermissionUpdates(
  updates: readonly JsonObject[],
): PermissionRequests & {readonly rules: readonly RuleChange[]} {
  const rules: RuleChange[] = [];
  const unserved: string[] = [];
  let mode: PermissionMode | undefined;
  for (const update of updates) {
    const ruled = z.safeParse(ruleUpdate, update);
    const folders = z.safeParse(directoryUpdate, update);
    const moded = z.safeParse(setMode, update);
    const changes = ruled.success
      ? toRuleChanges(ruled.data)
      : folders.success
        ? toRuleChanges(readRules(folders.data))
        : undefined;
    if (changes !== undefined) rules.push(...changes);
    else if (moded.success) mode = moded.data.mode;
    else unserved.push(`The permission update ${JSON.stringify(update['type'] ?? null)} is not supported yet.`);
  }
  return {rules, mode, unserved};
}

/** Returns the rules that let the agent read folders without a question. weft asks about changes there. */
const readRules = ({type, directories, destination}: z.infer<typeof directoryUpdate>): z.infer<typeof ruleUpdate> => ({
  type: type === 'addDirectories' ? 'addRules' : 'removeRules',
  behavior: 'allow',
  rules: directories.map(folder => ({toolName: 'Read', ruleContent: `${folder.replace(/\/+$/u, '')}/**`})),
  destination,
});

/** Returns `undefined` for a removal of rules from a settings file, which only the user may do. */
function toRuleChanges(update: z.infer<typeof ruleUpdate>): readonly RuleChange[] | undefined {
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

/** Maps a destination to a scope that is never wider. A rule with an unknown destination applies only to this run. */
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
