import type {RuleList} from '../domain/risk.ts';
import type {PermissionRule, PermissionRules} from './rules.ts';

/** Rules that change while weft runs: whoever holds `rules` sees it. Those it began with stay. */
export interface LiveRules {
  readonly rules: PermissionRules;
  readonly add: (list: RuleList, rule: PermissionRule) => void;
  /** Takes out a rule that was added; whether it was there. */
  readonly remove: (list: RuleList, text: string) => boolean;
  /** Puts these in the place of all that were added. */
  readonly replace: (list: RuleList, rules: readonly PermissionRule[]) => void;
}

export function makeLiveRules(initial: PermissionRules): LiveRules {
  const added: Record<RuleList, readonly PermissionRule[]> = {allow: [], ask: [], deny: []};
  // A list is the same array for as long as nothing changes in it.
  const all: Record<RuleList, readonly PermissionRule[]> = {...initial};
  const set = (list: RuleList, rules: readonly PermissionRule[]): void => {
    added[list] = rules;
    all[list] = [...initial[list], ...rules];
  };
  return {
    rules: all,
    add(list, rule) {
      if (!all[list].some(({text}) => text === rule.text)) set(list, [...added[list], rule]);
    },
    remove(list, text) {
      const left = added[list].filter(rule => rule.text !== text.trim());
      const isThere = left.length < added[list].length;
      set(list, left);
      return isThere;
    },
    replace: set,
  };
}
