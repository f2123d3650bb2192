import type {Action, ActionName} from '../actions/catalogue.ts';
import {unreachable} from '../base/unreachable.ts';
import {fitsPlainCommand, fitsSomeForm, type CommandPattern} from './command-pattern.ts';
import {actionPaths} from './action-paths.ts';
import type {Evidence} from './finding.ts';
import {anchor, anchorWide, realParts, writtenParts} from './ground.ts';
import {fitsFolder, fitsPath, type PathPattern} from './path-pattern.ts';
import {toolNamesOf, type PermissionRule, type PermissionRules} from './rules.ts';

type Behaviour = keyof PermissionRules;

/** The rule that decides: deny before ask before allow; `undefined` when none speaks of the action. */
export function ruleFor(
  action: Action,
  rules: PermissionRules,
  evidence: Evidence,
): {readonly behaviour: Behaviour; readonly text: string} | undefined {
  for (const behaviour of ['deny', 'ask', 'allow'] as const) {
    const rule = rules[behaviour].find(candidate => speaksOf(candidate, action, {...evidence, behaviour}));
    if (rule !== undefined) return {behaviour, text: rule.text};
  }
  return undefined;
}

interface Manner extends Evidence {
  readonly behaviour: Behaviour;
}

function speaksOf({tool, about}: PermissionRule, action: Action, manner: Manner): boolean {
  if (!namesFor(action.name, manner.behaviour).includes(tool)) return false;
  switch (about.kind) {
    case 'every-call':
      return true;
    case 'commands':
      return action.name === 'request-command-output' && commandFits(about.pattern, action.input.command, manner);
    case 'paths':
      return pathsFit(about.pattern, action, manner);
    case 'other':
      return manner.behaviour !== 'allow';
    default:
      return unreachable(about);
  }
}

/**
 * What may not be read may neither be searched nor edited, since both tell what is in it; what may be read is not thereby free
 * to be searched or edited.
 */
function namesFor(action: ActionName, behaviour: Behaviour): readonly string[] {
  const own = toolNamesOf(action);
  const tells = isSearch(action) || action === 'request-file-edits';
  return behaviour !== 'allow' && tells ? [...own, ...toolNamesOf('read-files')] : own;
}

const isSearch = (action: ActionName): boolean =>
  action === 'grep' || action === 'file-glob' || action === 'file-glob-v2';

const commandFits = (pattern: CommandPattern, command: string, {behaviour, forms}: Manner): boolean =>
  behaviour === 'allow' ? fitsPlainCommand(pattern, command) : fitsSomeForm(pattern, forms(command));

/** An allow rule must cover every path, where it leads; a deny or ask rule fits when one path does, as written or where it leads. */
function pathsFit(pattern: PathPattern, action: Action, {behaviour, ground}: Manner): boolean {
  const paths = actionPaths(action);
  const fits = isSearch(action.name) ? fitsFolder : fitsPath;
  if (behaviour === 'allow') {
    const anchored = anchor(pattern, ground);
    return paths.length > 0 && paths.every(path => anchored.some(each => fits(each, realParts(path, ground))));
  }
  const anchored = anchorWide(pattern, ground);
  return paths.some(path =>
    [realParts(path, ground), writtenParts(path, ground)].some(parts => anchored.some(each => fits(each, parts))),
  );
}
