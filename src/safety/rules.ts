import {actionNames, definitions, type ActionName} from '../actions/catalogue.ts';
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

/**
 * Reads one rule, e.g. `Bash(git status:*)`, `Read`, `Edit(src/**)`. The tool is one of the catalogue or of an MCP server
 * (`mcp__…`), in its exact case. The error says what is wrong with the rule and what to write.
 */
export function parseRule(text: string): Outcome<PermissionRule, string> {
  const trimmed = text.trim();
  const [, tool, pattern] = /^([A-Za-z][\w-]*)\s*(?:\(([\s\S]*)\))?$/u.exec(trimmed) ?? [];
  if (tool === undefined) {
    return failed(
      `${JSON.stringify(text)} is not a rule. A rule is Tool or Tool(pattern), such as Bash(git status:*) or Edit(src/**).`,
    );
  }
  const patterned = patternedBy(tool);
  if (patterned === 'unknown') return failed(`The rule ${trimmed} names no tool of weft. ${suggestion(tool)}`);
  if (pattern === undefined || pattern.trim() === '*') return ok({text: trimmed, tool, about: {kind: 'every-call'}});
  const about = subjectOf(pattern, patterned);
  return about.tag === 'ok'
    ? ok({text: trimmed, tool, about: about.value})
    : failed(`The rule ${trimmed} cannot be used: ${about.error}.`);
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

function suggestion(tool: string): string {
  const names = actionNames.flatMap(toolNamesOf);
  const near = names
    .map(name => ({name, distance: editDistance(name.toLowerCase(), tool.toLowerCase())}))
    .toSorted((a, b) => a.distance - b.distance)
    .find(({distance}) => distance <= 2);
  if (near !== undefined) return `Did you mean ${near.name}?`;
  const built = actionNames.filter(name => definitions[name].build.state === 'built').flatMap(toolNamesOf);
  return `There are ${[...new Set(built)].join(', ')}; tools of MCP servers begin with mcp__.`;
}

/** The least number of characters to insert, drop or replace to make one text of the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, at) => at);
  for (const [line, char] of Array.from(a).entries()) {
    const next = [line + 1];
    for (let at = 1; at <= b.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (char === b[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
