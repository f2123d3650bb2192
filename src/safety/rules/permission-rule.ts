import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {RuleKind, RuleKinds} from '../../domain/access.ts';
import {isHarnessRule} from '../../domain/mcp-tool-name.ts';
import type {RuleList} from '../../domain/risk.ts';
import {parsePathPattern, type PathPattern} from '../paths/path-pattern.ts';
import {type CommandPattern, parseCommandPattern} from './command-pattern.ts';
import {type DomainPattern, parseDomainPattern} from './domain-pattern.ts';

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
  readonly ruleKind: RuleKind;
  readonly about: RuleSubject;
}

/** `other` is a pattern for a tool whose patterns are not read yet: it asks and denies for the whole tool and allows nothing. */
type RuleSubject =
  | {readonly kind: 'every-call'}
  | {readonly kind: 'commands'; readonly pattern: CommandPattern}
  | {readonly kind: 'paths'; readonly pattern: PathPattern}
  | {readonly kind: 'domains'; readonly pattern: DomainPattern}
  /** One name, or all that begin with what stands before a `*`. */
  | {readonly kind: 'names'; readonly name: string}
  | {readonly kind: 'other'};

/**
 * Why a text is no rule. `unknown-tool`: well formed, but weft has no such tool, so it would never apply. `unread-pattern`: written
 * for another agent, perhaps; `strict` is the rule that is at least as strict: it denies or asks for the whole tool and allows nothing.
 */
type RuleFault =
  | {readonly kind: 'malformed' | 'unknown-tool'; readonly message: string}
  | {readonly kind: 'unread-pattern'; readonly message: string; readonly strict: PermissionRule};

/**
 * Reads one rule, e.g. `Bash(git status:*)`, `Read`, `Edit(src/**)`. The tool is one of the catalogue or of an MCP server
 * (`mcp__…`) or a harness (`harness__…`), in its exact case. The error says what is wrong with the rule and what to write.
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
  if (ruleKind === undefined) return failed(unknownTool(trimmed, tool, [...ruleKinds.keys(), networkRules]));
  const rule = {text: trimmed, tool, ruleKind};
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
    case 'whole-tool':
      return ok({kind: 'other'});
    default:
      return unreachable(ruleKind);
  }
}

/** What rules call the network of commands in the sandbox. It is no tool: commands reach for hosts, models do not. */
export const networkRules = 'Network';

function kindOf(tool: string, ruleKinds: RuleKinds): RuleKind | undefined {
  if (tool === networkRules) return 'domain';
  return ruleKinds.get(tool) ?? (tool.startsWith('mcp__') || isHarnessRule(tool) ? 'whole-tool' : undefined);
}

/** A near miss is an error, since ignoring it could drop a rule that someone relies on; a tool that weft has not cannot run. */
function unknownTool(rule: string, tool: string, built: readonly string[]): RuleFault {
  const near = nearestName(tool, built);
  const message = `The rule ${rule} names no tool of weft.`;
  if (near !== undefined) return {kind: 'malformed', message: `${message} Did you mean ${near}?`};
  const known = `There are ${built.join(', ')}; tools of MCP servers begin with mcp__, what harnesses ask for with harness__.`;
  return {kind: 'unknown-tool', message: `${message} ${known}`};
}

/** Whether rules allow a tool whatever it is given, and none asks about it or denies it. */
export const allowsEveryCall = ({allow, ask, deny}: PermissionRules, tool: string): boolean =>
  allow.some(rule => rule.tool === tool && rule.about.kind === 'every-call') &&
  ![...ask, ...deny].some(rule => rule.tool === tool);

/** Rules that change while weft runs; holders of `rules` see each change. The initial rules stay. */
export interface ChangeableRules {
  readonly rules: PermissionRules;
  readonly add: (list: RuleList, rule: PermissionRule) => void;
  /** Takes out a rule that was added; whether it was there. */
  readonly remove: (list: RuleList, text: string) => boolean;
  /** Puts these in the place of all that were added. */
  readonly replace: (list: RuleList, rules: readonly PermissionRule[]) => void;
}

export function makeChangeableRules(initial: PermissionRules): ChangeableRules {
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
  };
}

/** The rules of one agent of several. */
export interface AgentRules {
  /** What whoever started it goes by, and besides that what its own prompt allows. */
  readonly rules: PermissionRules;
  /** Puts these in the place of all that its prompt before allowed. */
  readonly allowForPrompt: (rules: readonly PermissionRule[]) => void;
}

/** The rules of an agent over those of who started it: what its prompt allows is seen by its own sub-agents, and by nobody else. */
export function rulesOfAgent(above: PermissionRules): AgentRules {
  let ofPrompt: readonly PermissionRule[] = [];
  return {
    rules: {
      get allow() {
        return ofPrompt.length === 0 ? above.allow : [...above.allow, ...ofPrompt];
      },
      get ask() {
        return above.ask;
      },
      get deny() {
        return above.deny;
      },
    },
    allowForPrompt(rules) {
      ofPrompt = rules;
    },
  };
}
