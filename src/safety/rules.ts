import {actionNames, definitions, type ActionName} from '../actions/catalogue.ts';
import {nearestName} from '../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {parseCommandPattern, type CommandPattern} from './command-pattern.ts';
import {parsePathPattern, type PathPattern} from './path-pattern.ts';

/** What the user allows, wants to be asked about, and forbids. */
export interface PermissionRules {
  readonly allow: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
}

/** `Tool` or `Tool(pattern)`. Ready to be compared: a pattern that cannot be read never becomes a rule. */
export interface PermissionRule {
  readonly text: string;
  readonly tool: string;
  readonly about: RuleSubject;
}

/** `other` is a pattern for a tool whose patterns are not read yet: it asks and denies for the whole tool and allows nothing. */
export type RuleSubject =
  | {readonly kind: 'every-call'}
  | {readonly kind: 'commands'; readonly pattern: CommandPattern}
  | {readonly kind: 'paths'; readonly pattern: PathPattern}
  | {readonly kind: 'other'};

/** Why a text is no rule. `unknown-tool`: well formed, but weft has no such tool, so it would never apply. */
export interface RuleFault {
  readonly kind: 'malformed' | 'unknown-tool';
  readonly message: string;
}

/**
 * Reads one rule, e.g. `Bash(git status:*)`, `Read`, `Edit(src/**)`. The tool is one of the catalogue or of an MCP server
 * (`mcp__…`), in its exact case. The error says what is wrong with the rule and what to write.
 */
export function parseRule(text: string): Outcome<PermissionRule, RuleFault> {
  const trimmed = text.trim();
  const [, tool, pattern] = /^([A-Za-z][\w-]*|mcp__[\w-]*\*)\s*(?:\(([\s\S]*)\))?$/u.exec(trimmed) ?? [];
  if (tool === undefined) {
    return failed({
      kind: 'malformed',
      message: `${JSON.stringify(text)} is not a rule. A rule is Tool or Tool(pattern), such as Bash(git status:*) or Edit(src/**).`,
    });
  }
  const patterned = patternedBy(tool);
  if (patterned === 'unknown') return failed(unknownTool(trimmed, tool));
  if (pattern === undefined || pattern.trim() === '*') return ok({text: trimmed, tool, about: {kind: 'every-call'}});
  const about = subjectOf(pattern, patterned);
  return about.tag === 'ok'
    ? ok({text: trimmed, tool, about: about.value})
    : failed({kind: 'malformed', message: `The rule ${trimmed} cannot be used: ${about.error}.`});
}

/** The names by which rules may speak of an action. */
export const toolNamesOf = (action: ActionName): readonly string[] =>
  // The older form of the search goes by no name of its own.
  definitions[action === 'file-glob' ? 'file-glob-v2' : action].tools.map(({name}) => name);

type Patterned = 'commands' | 'paths' | 'other';

function subjectOf(pattern: string, patterned: Patterned): Outcome<RuleSubject, string> {
  switch (patterned) {
    case 'commands': {
      const read = parseCommandPattern(pattern);
      return read.tag === 'ok' ? ok({kind: 'commands', pattern: read.value}) : read;
    }
    case 'paths': {
      const read = parsePathPattern(pattern);
      return read.tag === 'ok' ? ok({kind: 'paths', pattern: read.value}) : read;
    }
    case 'other':
      return ok({kind: 'other'});
    default:
      return unreachable(patterned);
  }
}

function patternedBy(tool: string): Patterned | 'unknown' {
  const action = actionNames.find(name => definitions[name].tools.some(form => form.name === tool));
  switch (action) {
    case undefined:
      return tool.startsWith('mcp__') ? 'other' : 'unknown';
    case 'request-command-output':
      return 'commands';
    case 'read-files':
    case 'request-file-edits':
    case 'grep':
    case 'file-glob-v2':
      return 'paths';
    default:
      return 'other';
  }
}

/** A near miss is an error, since ignoring it could drop a rule that someone relies on; a tool that weft has not cannot run. */
function unknownTool(rule: string, tool: string): RuleFault {
  const near = nearestName(tool, actionNames.flatMap(toolNamesOf));
  const message = `The rule ${rule} names no tool of weft.`;
  if (near !== undefined) return {kind: 'malformed', message: `${message} Did you mean ${near}?`};
  const built = actionNames.filter(name => definitions[name].build.state === 'built').flatMap(toolNamesOf);
  const known = `There are ${[...new Set(built)].join(', ')}; tools of MCP servers begin with mcp__.`;
  return {kind: 'unknown-tool', message: `${message} ${known}`};
}
