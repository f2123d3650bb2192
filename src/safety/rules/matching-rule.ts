import type {Access, JudgedAction, RuleKind} from '../../domain/access.ts';
import {isHarnessRule, ownerName, serverPartOf, wireName} from '../../domain/mcp-tool-name.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {JudgeEvidence} from '../access-finding.ts';
import type {JudgedInvocation, ScriptAnalysis} from '../commands/analyze-command.ts';
import type {CommandForms} from '../commands/command-forms.ts';
import {type ChangedPath, namesInScripts, changedPaths} from '../commands/changed-paths.ts';
import {pathsInCommand, searchedFolders} from '../commands/command-paths.ts';
import {accessedPaths} from '../paths/accessed-paths.ts';
import {repositoryFinding} from '../paths/git-repository.ts';
import {anchorPattern, anchorDenyPattern, type PathContext, realParts, writtenParts} from '../paths/path-context.ts';
import {partsOf, pathOf, type PathParts} from '../paths/path-parts.ts';
import {
  needsHiddenPart,
  type PathPattern,
  patternMatches,
  patternMatchesFolder,
  patternMayMatch,
  patternMayMatchBelow,
  patternMayMatchInside,
} from '../paths/path-pattern.ts';
import {protectedPart} from '../paths/protected-paths.ts';
import type {Argument} from '../shell/expansion.ts';
import type {Obligation} from '../../domain/obligation.ts';
import {readWebUrl, type WebUrl} from '../../domain/web-url.ts';
import {coversWords, matchesSomeForm, matchesExactText} from './command-pattern.ts';
import {matchesDomain} from './domain-pattern.ts';
import {exceedsAllowRule} from './allow-rule-scope.ts';
import type {PermissionRule, PermissionRules} from './permission-rule.ts';

type Behaviour = keyof PermissionRules;

/**
 * Returns the rule that decides about an action, and its list: deny comes before ask, ask before allow. Returns
 * `undefined` if no rule applies.
 *
 * A deny rule that may or may not apply counts as an ask rule. For commands, this finds only rules that allow a whole
 * command. For rules that allow its parts, see `ruleAllowingWords`.
 */
export function matchingRule(
  action: JudgedAction,
  rules: PermissionRules,
  evidence: JudgeEvidence,
): {readonly behaviour: Behaviour; readonly rule: PermissionRule; readonly list: Behaviour} | undefined {
  for (const behaviour of ['deny', 'ask', 'allow'] as const) {
    const match = {...evidence, behaviour};
    if (behaviour === 'ask') {
      for (const list of ['deny', 'ask'] as const) {
        const reached = rules[list].find(candidate => mayReachRuleFiles(candidate, action.access, {...match, list}));
        if (reached !== undefined) return {behaviour, rule: reached, list};
      }
    }
    const rule = rules[behaviour].find(candidate => ruleMatches(candidate, action, match));
    if (rule !== undefined) return {behaviour, rule, list: behaviour};
  }
  return undefined;
}

/**
 * Returns the rule that allows a simple command with these literal words, the program first. It covers the words only:
 * redirections, assignments and wrappers need their own permission.
 */
function ruleAllowingWords(
  words: readonly string[],
  rules: PermissionRules,
  context: PathContext,
): PermissionRule | undefined {
  const home = pathOf(context.homes()[0] ?? []);
  return rules.allow.find(({about}) => about.kind === 'commands' && coversWords(about.pattern, {words, home}));
}

const ruleAllowingWrite = (path: string, rules: PermissionRules, context: PathContext): PermissionRule | undefined =>
  rules.allow.find(
    ({about, ruleKind}) =>
      ruleKind === 'editing' &&
      // A rule without a pattern covers ordinary files only.
      ((about.kind === 'every-call' &&
        realAndWrittenParts(path, context).every(parts => protectedPart(parts, context) === undefined)) ||
        (about.kind === 'paths' && coversPaths(about.pattern, {paths: [path], context, matches: patternMatches}))),
  );

interface MatchContext extends JudgeEvidence {
  readonly behaviour: Behaviour;
}

function ruleMatches(rule: PermissionRule, action: JudgedAction, match: MatchContext): boolean {
  const {behaviour} = match;
  const {access} = action;
  const {about} = rule;
  if (access.kind === 'command' && about.kind === 'paths') {
    return behaviour !== 'allow' && breaksFileRule(rule.ruleKind, about.pattern, {...match, command: access.command});
  }
  if (access.kind === 'mcp-tool') {
    // The user allowed an earlier description of this tool.
    if (behaviour === 'allow' && access.standing === 'changed') return false;
    if (!matchesMcpTool(rule.tool, access, behaviour)) return false;
  } else if (!appliesToTool(rule, action, behaviour)) return false;
  // Rules that allow pages cover the standard web ports only.
  if (access.kind === 'web-page' && behaviour === 'allow' && pageOf(access)?.port !== 'standard') return false;
  switch (about.kind) {
    case 'every-call':
      return true;
    case 'commands':
      if (access.kind !== 'command') return false;
      return behaviour === 'allow'
        ? matchesExactText(about.pattern, access.command)
        : matchesSomeForm(about.pattern, match.forms(access.command));
    case 'paths':
      return pathsFit(about.pattern, access, match);
    case 'domains': {
      const page = access.kind === 'web-page' ? pageOf(access) : undefined;
      return page !== undefined && matchesDomain(about.pattern, page.host);
    }
    case 'names':
      return (access.kind === 'skill' || access.kind === 'agent') && isNamed(access.name, about.name);
    case 'other':
      return behaviour !== 'allow';
    default:
      return unreachable(about);
  }
}

function pageOf({url}: Extract<Access, {kind: 'web-page'}>): WebUrl | undefined {
  const read = readWebUrl(url);
  return read.tag === 'ok' ? read.value : undefined;
}

const isNamed = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/**
 * True if a rule applies to an action's tool. A rule that denies or asks about reading also covers searching and
 * editing, because both reveal a file's content. A rule that allows reading allows neither. A deny or ask rule for
 * commands covers every tool that runs commands.
 */
function appliesToTool({tool, ruleKind}: PermissionRule, {access, tools}: JudgedAction, behaviour: Behaviour): boolean {
  if (tools.includes(tool)) return true;
  if (behaviour === 'allow') return false;
  if (access.kind === 'command') return ruleKind === 'command';
  return (access.kind === 'search' || access.kind === 'edit') && ruleKind === 'reading';
}

type PathMatcher = typeof patternMatches;

/**
 * True if a rule's pattern matches the paths of an action. An allow rule must match every path with links followed. A deny or ask
 * rule must match one path, as written or with links followed.
 */
function pathsFit(pattern: PathPattern, access: Access, {behaviour, context}: MatchContext): boolean {
  const paths = accessedPaths(access);
  const matches = access.kind === 'search' ? patternMatchesFolder : patternMatches;
  return behaviour === 'allow'
    ? coversPaths(pattern, {paths, context, matches})
    : matchesSomePath(pattern, {paths, context, matches});
}

interface PathTest {
  readonly paths: readonly string[];
  readonly context: PathContext;
  readonly matches: PathMatcher;
}

function coversPaths(pattern: PathPattern, {paths, context, matches}: PathTest): boolean {
  const anchored = anchorPattern(pattern, context);
  return (
    paths.length > 0 && paths.every(path => anchored.some(each => matches(each, realParts(path, context), 'exactly')))
  );
}

const matchesSomePath = (pattern: PathPattern, {paths, context, matches}: PathTest): boolean =>
  matchesSomeParts(pattern, {places: paths.flatMap(path => realAndWrittenParts(path, context)), context, matches});

function matchesSomeParts(
  pattern: PathPattern,
  {places, context, matches}: Omit<PathTest, 'paths'> & {readonly places: readonly PathParts[]},
): boolean {
  const anchored = anchorDenyPattern(pattern, context);
  return places.some(parts => anchored.some(each => matches(each, parts, context.letterCase())));
}

/** Returns the path with links followed, and the path as written. */
const realAndWrittenParts = (path: string, context: PathContext): readonly PathParts[] => [
  realParts(path, context),
  writtenParts(path, context),
];

/** True if a command searches, reads or changes folders that may contain files that the rule names, so the user decides. */
function mayReachRuleFiles(
  {ruleKind, about}: PermissionRule,
  access: Access,
  {list, ...match}: MatchContext & {readonly list: 'deny' | 'ask'},
): boolean {
  if (access.kind !== 'command' || about.kind !== 'paths') return false;
  const {pattern} = about;
  if (ruleKind === 'editing')
    return changesOf(access.command, match).some(({extent, places}) =>
      places.some(
        parts =>
          extent !== 'file' &&
          (matchesSomeParts(pattern, {places: [parts], ...match, matches: patternMayMatchInside}) ||
            (extent !== 'folder' &&
              isFolder(parts, match) &&
              matchesSomeParts(pattern, {places: [parts], ...match, matches: patternMayMatchBelow}))),
      ),
    );
  if (ruleKind !== 'reading') return false;
  const inScripts = resolveNames(namesInScripts(match.forms(access.command)), match);
  if (matchesSomeParts(pattern, {places: inScripts, ...match, matches: patternMayMatchInside})) return true;
  if (
    matchesSomeParts(pattern, {
      places: commandPaths(access.command, match).mentioned,
      ...match,
      matches: patternMatchesFolder,
    })
  )
    // A program may read everything in a folder that is an argument.
    return true;
  // An ask rule covers only the files that the command names.
  if (list === 'ask') return false;
  const folders = searchedFolders(match.forms(access.command))
    .filter(({names}) => names === 'all' || !needsHiddenPart(pattern))
    .map(({folder}) => folder);
  return (
    folders.length > 0 &&
    matchesSomeParts(pattern, {places: resolveNames(folders, match), ...match, matches: patternMayMatchBelow})
  );
}

/** True if the path is an existing folder. Workspace roots and the folders above them always count. */
const isFolder = (parts: PathParts, {context}: MatchContext): boolean =>
  context.roots().some(root => parts.every((name, at) => root[at] === name)) || context.list(pathOf(parts)).length > 0;

/** Lists what a search must leave out, because deny rules forbid reading it. */
export function searchExclusions(access: Access, {deny}: PermissionRules, context: PathContext): readonly Obligation[] {
  if (access.kind !== 'search') return [];
  const test = {paths: accessedPaths(access), context, matches: patternMayMatchBelow};
  const rules = deny.filter(
    ({ruleKind, about}) => about.kind === 'paths' && ruleKind !== 'editing' && matchesSomePath(about.pattern, test),
  );
  return rules.length === 0 ? [] : [{kind: 'left-out', rules: rules.map(({text}) => text)}];
}

/** True if a command breaks a rule about files: it mentions a file that must not be read, or writes to one that must not be edited. */
function breaksFileRule(
  ruleKind: RuleKind,
  pattern: PathPattern,
  {command, ...match}: MatchContext & {readonly command: string},
): boolean {
  if (ruleKind !== 'reading' && ruleKind !== 'editing') return false;
  const places =
    ruleKind === 'reading'
      ? commandPaths(command, match).mentioned
      : [
          ...commandPaths(command, match).written,
          ...changesOf(command, match).flatMap(each => (each.extent === 'perhaps' ? [] : each.places)),
        ];
  return matchesSomeParts(pattern, {places, ...match, matches: patternMayMatch});
}

/** Caches the paths that a command changes, with their certainty and depth. */
const cachedChanges = new WeakMap<CommandForms, readonly ResolvedChange[]>();

interface ResolvedChange extends Pick<ChangedPath, 'extent'> {
  readonly places: readonly PathParts[];
}

function changesOf(command: string, match: MatchContext): readonly ResolvedChange[] {
  const forms = match.forms(command);
  const known = cachedChanges.get(forms);
  if (known !== undefined) return known;
  const changed = changedPaths(forms).map(({name, extent}) => ({extent, places: resolveNames([name], match)}));
  cachedChanges.set(forms, changed);
  return changed;
}

interface CommandPaths {
  /** Includes the written paths. */
  readonly mentioned: readonly PathParts[];
  readonly written: readonly PathParts[];
}

/** Caches the paths of recent commands: several rules check the same command, and resolving names takes time. */
const cachedPaths = new WeakMap<CommandForms, CommandPaths>();

function commandPaths(command: string, match: MatchContext): CommandPaths {
  const forms = match.forms(command);
  const known = cachedPaths.get(forms);
  if (known !== undefined) return known;
  const names = pathsInCommand(forms);
  const written = resolveNames(names.written, match);
  const places = {mentioned: [...resolveNames(names.mentioned, match), ...written], written};
  cachedPaths.set(forms, places);
  return places;
}

/** Resolves the names in a command: from the command's starting folder, and from the workspace root in case it changes there. */
function resolveNames(names: readonly string[], {context, directory}: MatchContext): readonly PathParts[] {
  const isElsewhere = pathOf(partsOf(directory)) !== pathOf(context.roots()[0] ?? []);
  return names.flatMap(name => [
    ...realAndWrittenParts(name, context),
    ...(isElsewhere && !/^[/~]/u.test(name) ? realAndWrittenParts(`${directory}/${name}`, context) : []),
  ]);
}

/** True if a deny rule forbids every call of a tool of an MCP server. */
export const forbidsMcpTool = (
  deny: readonly PermissionRule[],
  tool: {readonly server: string; readonly toolName: string},
): boolean => deny.some(rule => rule.about.kind === 'every-call' && matchesMcpTool(rule.tool, tool, 'deny'));

/**
 * True if a rule's `mcp__…` or `harness__…` name covers a tool. `mcp__SERVER__TOOL` covers one tool. `mcp__SERVER` and
 * `mcp__SERVER__*` cover all tools of the server. A final `*` covers all names that begin with the text before it. An
 * allow rule must name the whole server: servers choose their tools' names, and a name that resembles another server's
 * must gain nothing.
 */
function matchesMcpTool(
  rule: string,
  {server, toolName}: {readonly server: string; readonly toolName: string},
  behaviour: keyof PermissionRules,
): boolean {
  const own = ownerName(server, toolName);
  const named = serverPartOf(toolName) ?? own;
  const begins = rule.endsWith('*') ? rule.slice(0, -1) : `${rule}__`;
  if (behaviour === 'allow') {
    if (named !== own && !named.startsWith(`${own}_`)) return false;
    return rule === toolName || rule === named || (begins.startsWith(`${named}__`) && toolName.startsWith(begins));
  }
  // Deny and ask rules also match the server's name as the user writes it. For a harness, they also match weft's former prefix.
  const kinds = isHarnessRule(toolName) ? ['mcp', 'harness'] : ['mcp'];
  const written = kinds.map(kind => `${kind}__${wireName(server)}${toolName.slice(named.length)}`);
  return [toolName, ...written].some(name => rule === name || name.startsWith(begins));
}

/**
 * True if the user's rules allow every part of a command that is not known to only read: each program with its words, and each
 * file that it writes to. Parts that no rule covers (assignments, background jobs, unknown words) still need an approval.
 */
export function rulesCover(
  {invocations, sideEffects}: ScriptAnalysis,
  rules: PermissionRules,
  context: PathContext,
): boolean {
  if (rules.allow.length === 0) return false;
  return (
    invocations.every(call =>
      call.reason === undefined ? readsWithoutHooks(call, context) : isCovered(call, rules, context),
    ) &&
    sideEffects.every(
      ({effect, target}) =>
        (effect === 'writes' || effect === 'appends') &&
        target !== '' &&
        ruleAllowingWrite(target, rules, context) !== undefined,
    )
  );
}

/**
 * True if an invocation that only reads also does so in the user's own environment. No program in the workspace may
 * have its name, and the repository may have no hook or file monitor that it would start.
 */
function readsWithoutHooks({words, directories}: JudgedInvocation, context: PathContext): boolean {
  const texts = words.flatMap(({value}) => (typeof value === 'string' ? [] : value.map(({text}) => text)));
  const [program = ''] = texts;
  if (program === 'cd') return true;
  const places = directories.length === 0 ? [''] : directories;
  if (
    places.some(place =>
      texts.some((text, at) => (at === 0 || isName(text)) && context.findWorkspaceProgram(text, place) !== undefined),
    )
  )
    return false;
  if (!texts.includes('git')) return true;
  const elsewhere = texts.filter((_, at) => texts[at - 1] === '-C');
  return places
    .flatMap(place => [place, ...elsewhere.map(folder => (folder.startsWith('/') ? folder : `${place}/${folder}`))])
    .every(place => repositoryFinding(place, context).hookReason === undefined);
}

const isName = (text: string): boolean => /^[a-z][\w.+-]*$/u.test(text);

/** True if the user's rules allow each of a script's programs by name, including those that only read. */
export const allRulesCover = ({invocations}: ScriptAnalysis, rules: PermissionRules, context: PathContext): boolean =>
  rules.allow.length > 0 && invocations.length > 0 && invocations.every(call => isCovered(call, rules, context));

function isCovered({words, directories}: JudgedInvocation, rules: PermissionRules, context: PathContext): boolean {
  const variants = variantsOf(words);
  return (
    variants.length > 0 &&
    variants.every(variant => {
      const rule = ruleAllowingWords(variant, rules, context);
      return rule !== undefined && !exceedsAllowRule(variant, rule, {directories, context});
    })
  );
}

/** Returns the possible values of the words, or none if the words are not known. A file name pattern is its own value. */
function variantsOf(words: readonly Argument[]): readonly (readonly string[])[] {
  let variants: readonly (readonly string[])[] = [[]];
  for (const {value} of words) {
    if (typeof value === 'string' || variants.length * value.length > maxVariants) return [];
    variants = variants.flatMap(variant => value.map(({text}) => [...variant, text]));
  }
  return variants;
}

const maxVariants = 64;
