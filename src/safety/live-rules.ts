import type {PermissionRule, PermissionRules} from './rules.ts';

/** Rules that grow while weft runs: whoever holds `rules` sees what was added. */
export interface LiveRules {
  readonly rules: PermissionRules;
  readonly allow: (rule: PermissionRule) => void;
}

export function makeLiveRules(initial: PermissionRules): LiveRules {
  let allowed = initial.allow;
  return {
    rules: {
      get allow() {
        return allowed;
      },
      ask: initial.ask,
      deny: initial.deny,
    },
    allow(rule) {
      if (!allowed.some(({text}) => text === rule.text)) allowed = [...allowed, rule];
    },
  };
}
