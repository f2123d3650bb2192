import type {Access, JudgedAction, RuleKind} from '../../domain/access.ts';
import {isHarnessRule, ownerName, serverPartOf, wireName} from '../../domain/mcp-tool-name.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {JudgeEvidence} from '../access-finding.ts';
import type {JudgedInvocation, ScriptAnalysis} from '../commands/analyze-command.ts';
import type {CommandForms} from '../commands/command-forms.ts';
import {type ChangedPlace, namesInScripts, placesChanged} from '../commands/changed-places.ts';
import {pathsInCommand, searchedFolders} from '../commands/mentioned-paths.ts';
import {accessedPaths} from '../paths/accessed-paths.ts';
import {repositoryFinding} from '../paths/git-repository.ts';
import {anchorPattern, anchorForbidding, type PathContext, realParts, writtenParts} from '../paths/path-context.ts';
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
import {coversWords, fitsSomeForm, isTextOf} from './command-pattern.ts';
import {matchesDomain} from './domain-pattern.ts';
import {exceedsRule} from './exceeds-rule.ts';
import type {PermissionRule, PermissionRules} from './permission-rule.ts';

type Behaviour = keyof PermissionRules;

/**
 * The rule that decides, and the list it stands in: deny before ask before allow; `undefined` when none speaks of the action. A
 * deny rule asks where it is not sure that it is broken. Of commands it knows only
 * what allows the whole of them; their parts may be allowed one by one, see `ruleForWords`.
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
        const reached = rules[list].find(candidate => mayBeReached(candidate, action.access, {...match, list}));
        if (reached !== undefined) return {behaviour, rule: reached, list};
      }
    }
    const rule = rules[behaviour].find(candidate => ruleMatches(candidate, action, match));
    if (rule !== undefined) return {behaviour, rule, list: behaviour};
  }
  return undefined;
}

/**
 * The rule that allows a simple command of these literal words, the program first. It does so for the words alone: what is
 * around them (redirections, assignments, wrappers) is to be allowed by itself.
 */
function ruleAllowingWords(
  words: readonly string[],
  rules: PermissionRules,
  context: PathContext,
): PermissionRule | undefined {
  const home = pathOf(context.homes()[0] ?? []);
  return rules.allow.find(({about}) => about.kind === 'commands' && coversWords(about.pattern, {words, home}));
}

/** The rule that allows changing this file, as an edit would. */
const ruleAllowingWrite = (path: string, rules: PermissionRules, context: PathContext): PermissionRule | undefined =>
  rules.allow.find(
    ({about, ruleKind}) =>
      ruleKind === 'editing' &&
      // A rule of a tool's name alone speaks of ordinary work.
      ((about.kind === 'every-call' &&
        placesOfPath(path, context).every(parts => protectedPart(parts, context) === undefined)) ||
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
    return behaviour !== 'allow' && commandNames(rule.ruleKind, about.pattern, {...match, command: access.command});
  }
  if (access.kind === 'mcp-tool') {
    // What the user allowed was another description.
    if (behaviour === 'allow' && access.standing === 'changed') return false;
    if (!namesMcpTool(rule.tool, access, behaviour)) return false;
  } else if (!speaksOfTool(rule, action, behaviour)) return false;
  // What allows pages speaks of the ports of the web.
  if (access.kind === 'web-page' && behaviour === 'allow' && pageOf(access)?.port !== 'standard') return false;
  switch (about.kind) {
    case 'every-call':
      return true;
    case 'commands':
      if (access.kind !== 'command') return false;
      return behaviour === 'allow'
        ? isTextOf(about.pattern, access.command)
        : fitsSomeForm(about.pattern, match.forms(access.command));
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
 * What may not be read may neither be searched nor edited, since both tell what is in it; what may be read is not thereby free
 * to be searched or edited. What forbids a command forbids it whichever tool runs it.
 */
function speaksOfTool({tool, ruleKind}: PermissionRule, {access, tools}: JudgedAction, behaviour: Behaviour): boolean {
  if (tools.includes(tool)) return true;
  if (behaviour === 'allow') return false;
  if (access.kind === 'command') return ruleKind === 'command';
  return (access.kind === 'search' || access.kind === 'edit') && ruleKind === 'reading';
}

type PathMatcher = typeof patternMatches;

/** An allow rule must cover every path, where it leads; a deny or ask rule fits when one path does, as written or where it leads. */
function pathsFit(pattern: PathPattern, access: Access, {behaviour, context}: MatchContext): boolean {
  const paths = accessedPaths(access);
  const matches = access.kind === 'search' ? patternMatchesFolder : patternMatches;
  return behaviour === 'allow'
    ? coversPaths(pattern, {paths, context, matches})
    : meetsPath(pattern, {paths, context, matches});
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

const meetsPath = (pattern: PathPattern, {paths, context, matches}: PathTest): boolean =>
  meetsPlace(pattern, {places: paths.flatMap(path => placesOfPath(path, context)), context, matches});

function meetsPlace(
  pattern: PathPattern,
  {places, context, matches}: Omit<PathTest, 'paths'> & {readonly places: readonly PathParts[]},
): boolean {
  const anchored = anchorForbidding(pattern, context);
  return places.some(parts => anchored.some(each => matches(each, parts, context.letterCase())));
}

/** The path with links followed, and as written. */
const placesOfPath = (path: string, context: PathContext): readonly PathParts[] => [
  realParts(path, context),
  writtenParts(path, context),
];

/** Whether a command searches, reads or changes folders that may hold files which the rule names, so that the user has to decide. */
function mayBeReached(
  {ruleKind, about}: PermissionRule,
  access: Access,
  {list, ...match}: MatchContext & {readonly list: 'deny' | 'ask'},
): boolean {
  if (access.kind !== 'command' || about.kind !== 'paths') return false;
  const {pattern} = about;
  if (ruleKind === 'editing')
    return changedIn(access.command, match).some(({extent, places}) =>
      places.some(
        parts =>
          extent !== 'file' &&
          (meetsPlace(pattern, {places: [parts], ...match, matches: patternMayMatchInside}) ||
            (extent !== 'folder' &&
              isFolder(parts, match) &&
              meetsPlace(pattern, {places: [parts], ...match, matches: patternMayMatchBelow}))),
      ),
    );
  if (ruleKind !== 'reading') return false;
  const inScripts = placesOf(namesInScripts(match.forms(access.command)), match);
  if (meetsPlace(pattern, {places: inScripts, ...match, matches: patternMayMatchInside})) return true;
  if (
    meetsPlace(pattern, {places: placesNamed(access.command, match).mentioned, ...match, matches: patternMatchesFolder})
  )
    // A program that is given the folder may look into all of it.
    return true;
  // A rule that only asks is about what is named.
  if (list === 'ask') return false;
  const folders = searchedFolders(match.forms(access.command))
    .filter(({names}) => names === 'all' || !needsHiddenPart(pattern))
    .map(({folder}) => folder);
  return (
    folders.length > 0 &&
    meetsPlace(pattern, {places: placesOf(folders, match), ...match, matches: patternMayMatchBelow})
  );
}

/** Whether a place is a folder that is there now; a workspace and what it lies in are. */
const isFolder = (parts: PathParts, {context}: MatchContext): boolean =>
  context.roots().some(root => parts.every((name, at) => root[at] === name)) || context.list(pathOf(parts)).length > 0;

/** What a search is to leave out, since rules forbid to read it. */
export function leftOut(access: Access, {deny}: PermissionRules, context: PathContext): readonly Obligation[] {
  if (access.kind !== 'search') return [];
  const test = {paths: accessedPaths(access), context, matches: patternMayMatchBelow};
  const rules = deny.filter(
    ({ruleKind, about}) => about.kind === 'paths' && ruleKind !== 'editing' && meetsPath(about.pattern, test),
  );
  return rules.length === 0 ? [] : [{kind: 'left-out', rules: rules.map(({text}) => text)}];
}

/** Whether a command breaks a rule about files: it mentions a file that must not be read, or writes to one that must not be edited. */
function commandNames(
  ruleKind: RuleKind,
  pattern: PathPattern,
  {command, ...match}: MatchContext & {readonly command: string},
): boolean {
  if (ruleKind !== 'reading' && ruleKind !== 'editing') return false;
  const places =
    ruleKind === 'reading'
      ? placesNamed(command, match).mentioned
      : [
          ...placesNamed(command, match).written,
          ...changedIn(command, match).flatMap(each => (each.extent === 'perhaps' ? [] : each.places)),
        ];
  return meetsPlace(pattern, {places, ...match, matches: patternMayMatch});
}

/** The places that a command changes, by how sure that is and how far it reaches. */
const changesOfCommands = new WeakMap<CommandForms, readonly PlacedChange[]>();

interface PlacedChange extends Pick<ChangedPlace, 'extent'> {
  readonly places: readonly PathParts[];
}

function changedIn(command: string, match: MatchContext): readonly PlacedChange[] {
  const forms = match.forms(command);
  const known = changesOfCommands.get(forms);
  if (known !== undefined) return known;
  const changed = placesChanged(forms).map(({name, extent}) => ({extent, places: placesOf([name], match)}));
  changesOfCommands.set(forms, changed);
  return changed;
}

interface NamedPlaces {
  /** What is written to among them. */
  readonly mentioned: readonly PathParts[];
  readonly written: readonly PathParts[];
}

/** The places of the last commands: several rules look at the same command, and resolving names takes time. */
const placesOfCommands = new WeakMap<CommandForms, NamedPlaces>();

function placesNamed(command: string, match: MatchContext): NamedPlaces {
  const forms = match.forms(command);
  const known = placesOfCommands.get(forms);
  if (known !== undefined) return known;
  const names = pathsInCommand(forms);
  const written = placesOf(names.written, match);
  const places = {mentioned: [...placesOf(names.mentioned, match), ...written], written};
  placesOfCommands.set(forms, places);
  return places;
}

/** The paths that names in a command may stand for: from the folder it starts in, and from the workspace root in case it changes there. */
function placesOf(names: readonly string[], {context, directory}: MatchContext): readonly PathParts[] {
  const isElsewhere = pathOf(partsOf(directory)) !== pathOf(context.roots()[0] ?? []);
  return names.flatMap(name => [
    ...placesOfPath(name, context),
    ...(isElsewhere && !/^[/~]/u.test(name) ? placesOfPath(`${directory}/${name}`, context) : []),
  ]);
}

/**
 * Whether a rule's `mcp__…` or `harness__…` means a tool: `mcp__SERVER__TOOL` that one, `mcp__SERVER` and `mcp__SERVER__*` all of the server, a
 * `*` at the end all that begin so. A rule that allows must name the whole server: servers choose their tools' names, and a name
 * that looks like another server's must gain nothing.
 */
function namesMcpTool(
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
  // What denies or asks holds for the server's name as the user writes it, too; of a harness, also as weft named it before.
  const kinds = isHarnessRule(toolName) ? ['mcp', 'harness'] : ['mcp'];
  const written = kinds.map(kind => `${kind}__${wireName(server)}${toolName.slice(named.length)}`);
  return [toolName, ...written].some(name => rule === name || name.startsWith(begins));
}

/**
 * Whether rules of the user's allow all of a command that is not known to only read: each of its programs with its words, each
 * file it writes to. What no rule speaks of (assignments, background jobs, words that are not known) stays to be asked about.
 */
export function rulesCover(
  {invocations, sideEffects}: ScriptAnalysis,
  rules: PermissionRules,
  context: PathContext,
): boolean {
  if (rules.allow.length === 0) return false;
  return (
    invocations.every(call =>
      call.reason === undefined ? runsAlikeWithHooks(call, context) : isCovered(call, rules, context),
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
 * Whether an invocation that only reads does so with the user's own environment, too: no program in the workspace has its name, and
 * the repository has no hook or file monitor that it would start.
 */
function runsAlikeWithHooks({words, directories}: JudgedInvocation, context: PathContext): boolean {
  const texts = words.flatMap(({value}) => (typeof value === 'string' ? [] : value.map(({text}) => text)));
  const [program = ''] = texts;
  if (program === 'cd') return true;
  const places = directories.length === 0 ? [''] : directories;
  if (
    places.some(place =>
      texts.some((text, at) => (at === 0 || isName(text)) && context.strayProgram(text, place) !== undefined),
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

/** Whether rules of the user's allow each of its programs by name, those that only read too. */
export const allRulesCover = ({invocations}: ScriptAnalysis, rules: PermissionRules, context: PathContext): boolean =>
  rules.allow.length > 0 && invocations.length > 0 && invocations.every(call => isCovered(call, rules, context));

function isCovered({words, directories}: JudgedInvocation, rules: PermissionRules, context: PathContext): boolean {
  const variants = variantsOf(words);
  return (
    variants.length > 0 &&
    variants.every(variant => {
      const rule = ruleAllowingWords(variant, rules, context);
      return rule !== undefined && !exceedsRule(variant, rule, {directories, context});
    })
  );
}

/** The possible values of the words; none when they are not known. A file name pattern stands for itself. */
function variantsOf(words: readonly Argument[]): readonly (readonly string[])[] {
  let variants: readonly (readonly string[])[] = [[]];
  for (const {value} of words) {
    if (typeof value === 'string' || variants.length * value.length > maxVariants) return [];
    variants = variants.flatMap(variant => value.map(({text}) => [...variant, text]));
  }
  return variants;
}

const maxVariants = 64;
