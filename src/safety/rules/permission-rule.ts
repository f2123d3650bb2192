import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {RuleKind, RuleKinds} from '../../domain/access.ts';
import {isHarnessRule} from '../../domain/mcp-tool-name.ts';
import type {RuleList, RuleScope} from '../../domain/risk.ts';
import {parsePathPattern, type PathPattern} from '../paths/path-pattern.ts';
import {type CommandPattern, parseCommandPattern} from './command-pattern.ts';
import {type DomainPattern, parseDomainPattern} from './domain-pattern.ts';

/** The rules that allow, ask about, or deny actions. */
export interface PermissionRules {
  readonly allow: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
}

/** A parsed rule, `Tool` or `Tool(pattern)`. A pattern that cannot be read never becomes a rule. */
export interface PermissionRule {
  readonly text: string;
  readonly tool: string;
  readonly ruleKind: RuleKind;
  readonly about: RuleSubject;
}

/**
 * The calls that a rule applies to. `other` is a pattern that weft cannot read: it asks about or denies the whole tool, and
 * allows nothing.
 */
type RuleSubject =
  | {readonly kind: 'every-call'}
  | {readonly kind: 'commands'; readonly pattern: CommandPattern}
  | {readonly kind: 'paths'; readonly pattern: PathPattern}
  | {readonly kind: 'domains'; readonly pattern: DomainPattern}
  /** One name, or all names that begin with the text before a `*`. */
  | {readonly kind: 'names'; readonly name: string}
  | {readonly kind: 'other'};

/**
 * Why a text is not a usable rule. `unknown-tool`: the rule is well formed, but weft has no such tool, so the rule would never
 * apply. `unread-pattern`: the pattern may be written for another agent. `strict` is a rule that is at least as strict: it denies
 * or asks about the whole tool, and allows nothing.
 */
type RuleFault =
  | {readonly kind: 'malformed' | 'unknown-tool'; readonly message: string}
  | {readonly kind: 'unread-pattern'; readonly message: string; readonly strict: PermissionRule};

/**
 * Reads one rule, such as `Bash(git status:*)`, `Read` or `Edit(src/**)`. The tool is in weft's catalog, or belongs to
 * an MCP server (`mcp__…`) or a harness (`harness__…`). Its case must match. The error says what is wrong with the rule
 * and what to write.
 */
export function parseRule(text: string, ruleKinds: RuleKinds): Outcome<PermissionRule, RuleFault> {
  const trimmed = text.trim();
  const [, tool, pattern] = /^([A-Za-z][\w-]*|(?:mcp|harness)__[\w-]*\*)\s*(?:\(([\s\S]*)\))?$/u.exec(trimmed) ?? [];
  if (tool === undefined) {
    return failed({
      kind: 'malformed',
      message: `${JSON.stringify(text)} is not a rule. A rule is Tool or Tool(pattern), such as Bash(git status:*) or Edit(src/**).`,
    });
  }
  const ruleKind = kindOf(tool, ruleKinds);
  if (ruleKind === undefined)
    return failed(unknownTool(trimmed, tool, [...ruleKinds.keys(), networkRuleTool, trustRuleTool]));
  const rule = {text: trimmed, tool, ruleKind};
  if (ruleKind === 'source' && (pattern ?? '').trim().replace(/^\*$/u, '') === '')
    return failed({
      kind: 'malformed',
      message: `The rule ${trimmed} must name a source: Trust(domain:example.com) or Trust(mcp__SERVER).`,
    });
  if (pattern === undefined || pattern.trim() === '*') return ok({...rule, about: {kind: 'every-call'}});
  const about = subjectOf(pattern, ruleKind);
  if (about.tag === 'ok') return ok({...rule, about: about.value});
  const message = `The rule ${trimmed} cannot be used: ${about.error}.`;
  return failed(
    ruleKind === 'domain'
      ? {kind: 'unread-pattern', message, strict: {...rule, about: {kind: 'other'}}}
      : {kind: 'malformed', message},
  );
}

function subjectOf(pattern: string, ruleKind: RuleKind): Outcome<RuleSubject, string> {
  switch (ruleKind) {
    case 'command': {
      const read = parseCommandPattern(pattern);
      return read.tag === 'ok' ? ok({kind: 'commands', pattern: read.value}) : read;
    }
    case 'reading':
    case 'searching':
    case 'editing': {
      const read = parsePathPattern(pattern);
      return read.tag === 'ok' ? ok({kind: 'paths', pattern: read.value}) : read;
    }
    case 'domain': {
      const read = parseDomainPattern(pattern);
      return read.tag === 'ok' ? ok({kind: 'domains', pattern: read.value}) : read;
    }
    case 'named':
      return ok({kind: 'names', name: pattern.trim()});
    case 'source': {
      if (/^mcp__[\w-]+$/u.test(pattern.trim())) return ok({kind: 'names', name: pattern.trim()});
      const read = parseDomainPattern(pattern);
      return read.tag === 'ok'
        ? ok({kind: 'domains', pattern: read.value})
        : failed(`${read.error}, or as mcp__SERVER`);
    }
    case 'whole-tool':
      return ok({kind: 'other'});
    default:
      return unreachable(ruleKind);
  }
}

/** The name of network access by sandboxed commands in rules. It is not a tool: commands connect to hosts, models do not. */
export const networkRuleTool = 'Network';

/** The name of trust in a source of text in rules. It is not a tool: an allow rule with it makes text from the source the user's own. */
export const trustRuleTool = 'Trust';

function kindOf(tool: string, ruleKinds: RuleKinds): RuleKind | undefined {
  if (tool === trustRuleTool) return 'source';
  if (tool === networkRuleTool) return 'domain';
  return ruleKinds.get(tool) ?? (tool.startsWith('mcp__') || isHarnessRule(tool) ? 'whole-tool' : undefined);
}

/**
 * Reports a rule for an unknown tool. A misspelled tool is an error, because the user may rely on the rule. A tool that weft does
 * not have cannot run.
 */
function unknownTool(rule: string, tool: string, built: readonly string[]): RuleFault {
  const near = nearestName(tool, built);
  const message = `The rule ${rule} names an unknown tool.`;
  if (near !== undefined) return {kind: 'malformed', message: `${message} Did you mean ${near}?`};
  const known = `Tools: ${built.join(', ')}. Tools of MCP servers begin with mcp__, tools of harnesses with harness__.`;
  return {kind: 'unknown-tool', message: `${message} ${known}`};
}

/** True if the rules allow every call of a tool, and no rule asks about it or denies it. */
export const allowsEveryCall = ({allow, ask, deny}: PermissionRules, tool: string): boolean =>
  allow.some(rule => rule.tool === tool && rule.about.kind === 'every-call') &&
  ![...ask, ...deny].some(rule => rule.tool === tool);

/** Rules that change while weft runs. Code that holds `rules` sees each change. The initial rules stay. */
export interface ChangeableRules {
  readonly rules: PermissionRules;
  readonly add: (list: RuleList, rule: PermissionRule) => void;
  /** Removes an added rule. Returns whether the rule existed. */
  readonly remove: (list: RuleList, text: string) => boolean;
  /** Replaces all added rules. */
  readonly replace: (list: RuleList, rules: readonly PermissionRule[]) => void;
  /** Sets where an added rule is saved, by its text. At first that is the session alone. */
  readonly setScope: (list: RuleList, text: string, scope: RuleScope) => void;
  readonly scopeOf: (list: RuleList, text: string) => RuleScope;
}

export function makeChangeableRules(initial: PermissionRules): ChangeableRules {
  const added: Record<RuleList, readonly PermissionRule[]> = {allow: [], ask: [], deny: []};
  // A list stays the same array until it changes.
  const all: Record<RuleList, readonly PermissionRule[]> = {...initial};
  const scopes = new Map<string, RuleScope>();
  const set = (list: RuleList, rules: readonly PermissionRule[]): void => {
    added[list] = rules;
    all[list] = [...initial[list], ...rules];
  };
  return {
    rules: all,
    add(list, rule) {
      const known = [...initial[list], ...added[list]];
      if (!known.some(({text}) => text === rule.text)) set(list, [...added[list], rule]);
    },
    remove(list, text) {
      const left = added[list].filter(rule => rule.text !== text.trim());
      const isThere = left.length < added[list].length;
      set(list, left);
      return isThere;
    },
    replace: set,
    setScope(list, text, scope) {
      scopes.set(`${list} ${text}`, scope);
    },
    scopeOf: (list, text) => scopes.get(`${list} ${text}`) ?? 'session',
  };
}

export interface AgentRules {
  /** The rules of the agent's parent, and the rules that its own prompt allows. */
  readonly rules: PermissionRules;
  /** Replaces the rules that the previous prompt allowed. */
  readonly allowForPrompt: (rules: readonly PermissionRule[]) => void;
}

/** Layers an agent's rules over those of its parent. Only the agent and its own sub-agents see the rules that its prompt allows. */
export function rulesOfAgent(above: PermissionRules): AgentRules {
  let promptRules: readonly PermissionRule[] = [];
  return {
    rules: {
      get allow() {
        return promptRules.length === 0 ? above.allow : [...above.allow, ...promptRules];
      },
      get ask() {
        return above.ask;
      },
      get deny() {
        return above.deny;
      },
    },
    allowForPrompt(rules) {
      promptRules = rules;
    },
  };
}
