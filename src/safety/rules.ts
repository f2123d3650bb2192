import type {Action} from '../actions/catalogue.ts';
import {definitions} from '../actions/catalogue.ts';
import type {ResolvedPath} from '../actions/ports.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';

/** What the user allows, wants to be asked about, and forbids. */
export interface PermissionRules {
  readonly allow: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
}

/** `Tool` or `Tool(pattern)`; `pattern` is `undefined` for the whole tool. */
export interface PermissionRule {
  readonly text: string;
  readonly tool: string;
  readonly pattern: string | undefined;
}

/** Reads one rule, e.g. `Bash(git status:*)`, `Read`, `Edit(src/**)`. The error says what a rule looks like. */
export function parseRule(text: string): Outcome<PermissionRule, string> {
  const match = /^\s*([A-Za-z][\w-]*)\s*(?:\(([\s\S]*)\))?\s*$/u.exec(text);
  const [, tool, pattern] = match ?? [];
  if (tool === undefined) {
    return failed(
      `${JSON.stringify(text)} is not a rule. A rule is Tool or Tool(pattern), such as Bash(git status:*) or Edit(src/**).`,
    );
  }
  return ok({text: text.trim(), tool, pattern: pattern === undefined || pattern === '*' ? undefined : pattern});
}

/** The rule that decides: deny before ask before allow; `undefined` when none speaks of the action. */
export function ruleFor(
  action: Action,
  rules: PermissionRules,
  resolve: (path: string) => ResolvedPath,
): {readonly behaviour: 'allow' | 'ask' | 'deny'; readonly text: string} | undefined {
  for (const behaviour of ['deny', 'ask', 'allow'] as const) {
    const rule = rules[behaviour].find(candidate => speaksOf(candidate, action, {behaviour, resolve}));
    if (rule !== undefined) return {behaviour, text: rule.text};
  }
  return undefined;
}

interface Manner {
  readonly behaviour: 'allow' | 'ask' | 'deny';
  readonly resolve: (path: string) => ResolvedPath;
}

function speaksOf(rule: PermissionRule, action: Action, manner: Manner): boolean {
  if (!definitions[action.name].tools.some(({name}) => name === rule.tool)) return false;
  const {pattern} = rule;
  if (pattern === undefined) return true;
  switch (action.name) {
    case 'request-command-output':
      return commandFits(action.input.command, pattern, manner.behaviour);
    case 'read-files':
      return pathsFit(
        action.input.requests.map(({path}) => path),
        pattern,
        manner,
      );
    case 'request-file-edits':
      return pathsFit(
        action.input.edits.map(({path}) => path),
        pattern,
        manner,
      );
    case 'grep':
    case 'file-glob':
    case 'file-glob-v2':
      return pathsFit([action.input.path], pattern, manner);
    default:
      return false;
  }
}

/**
 * An allow rule fits only a single plain command: no chaining, redirection, substitution, expansion or escape of any kind.
 * Deny and ask rules look at every part of a chain.
 */
function commandFits(command: string, pattern: string, behaviour: Manner['behaviour']): boolean {
  const fits = commandPattern(pattern);
  if (behaviour === 'allow') return !/[;&|<>`$(){}\n\r\\#*?~![\]]/u.test(command) && fits.test(command.trim());
  return [command, ...command.split(/[;&|\n(){}`]/u)].some(part => fits.test(bareCommand(part)));
}

/** `git status:*` is the command and anything after it; a `*` elsewhere stands for any text. */
function commandPattern(pattern: string): RegExp {
  const prefix = /^([\s\S]*):\*$/u.exec(pattern)?.[1];
  const source = (prefix ?? pattern).trim().split('*').map(escaped).join('[\\s\\S]*').replaceAll(/\s+/gu, '\\s+');
  return new RegExp(prefix === undefined ? `^${source}$` : `^${source}(?:\\s[\\s\\S]*)?$`, 'u');
}

/** Without leading assignments and the words that only wrap a command. */
const bareCommand = (part: string): string =>
  part
    .trim()
    .replace(/^(?:(?:[A-Za-z_]\w*=\S*|sudo|env|command|exec|nohup|time|builtin|\\)\s*)+/u, '')
    .replace(/^\\/u, '');

/** An allow rule must cover every path, where it leads; a deny or ask rule fits when one path does, as written or resolved. */
function pathsFit(paths: readonly string[], pattern: string, {behaviour, resolve}: Manner): boolean {
  const root = resolve('.').path;
  const fits = pathPattern(pattern);
  const real = (path: string): string => relativeTo(root, resolve(path).path);
  return behaviour === 'allow'
    ? paths.every(path => fits.test(real(path)))
    : paths.some(path => fits.test(real(path)) || fits.test(path.replace(/^\.\//u, '')));
}

const relativeTo = (root: string, path: string): string =>
  path === root ? '.' : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;

/** `**` crosses folders, `*` and `?` do not; a folder stands for all in it. */
function pathPattern(pattern: string): RegExp {
  const source = pattern
    .replace(/^\.\//u, '')
    .replace(/\/+$/u, '')
    .split(/(\*\*\/|\*\*|\*|\?)/u)
    .map(part => wildcards[part] ?? escaped(part))
    .join('');
  return new RegExp(`^${source}(?:/.*)?$`, 'u');
}

const wildcards: Readonly<Record<string, string>> = {'**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]'};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/gu, '\\$&');
