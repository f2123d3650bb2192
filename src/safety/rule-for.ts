import type {Action, ActionName} from '../actions/catalogue.ts';
import {unreachable} from '../base/unreachable.ts';
import {actionPaths} from './action-paths.ts';
import {coversWords, fitsSomeForm, isTextOf} from './command-pattern.ts';
import {namesInCommand, searchedFolders} from './command-names.ts';
import type {Evidence} from './finding.ts';
import {anchor, anchorWide, realParts, writtenParts, type Ground} from './ground.ts';
import type {CommandForms} from './command-forms.ts';
import {partsOf, pathOf, type PathParts} from './path-parts.ts';
import {fitsFolder, fitsPath, mayFit, mayLieBelow, namesHidden, type PathPattern} from './path-pattern.ts';
import {namesMcpTool} from './mcp-rule.ts';
import {protectedPart} from './protected-paths.ts';
import {toolNamesOf, type PermissionRule, type PermissionRules} from './rules.ts';

type Behaviour = keyof PermissionRules;

/**
 * The rule that decides, and the list it stands in: deny before ask before allow; `undefined` when none speaks of the action. A
 * deny rule asks where it is not sure that it is broken. Of commands it knows only
 * what allows the whole of them; their parts may be allowed one by one, see `ruleForWords`.
 */
export function ruleFor(
  action: Action,
  rules: PermissionRules,
  evidence: Evidence,
): {readonly behaviour: Behaviour; readonly rule: PermissionRule; readonly list: Behaviour} | undefined {
  for (const behaviour of ['deny', 'ask', 'allow'] as const) {
    const manner = {...evidence, behaviour};
    const searched =
      behaviour === 'ask' ? rules.deny.find(candidate => mayBeSearched(candidate, action, manner)) : undefined;
    if (searched !== undefined) return {behaviour, rule: searched, list: 'deny'};
    const rule = rules[behaviour].find(candidate => speaksOf(candidate, action, manner));
    if (rule !== undefined) return {behaviour, rule, list: behaviour};
  }
  return undefined;
}

/**
 * The rule that allows a simple command of these literal words, the program first. It does so for the words alone: what is
 * around them (redirections, assignments, wrappers) is to be allowed by itself.
 */
export function ruleForWords(
  words: readonly string[],
  rules: PermissionRules,
  ground: Ground,
): PermissionRule | undefined {
  const home = pathOf(ground.homes()[0] ?? []);
  return rules.allow.find(
    ({about, tool}) => speaksOfCommands(tool) && about.kind === 'commands' && coversWords(about.pattern, {words, home}),
  );
}

/** The rule that allows changing this file, as an edit would. */
export const ruleForWriting = (path: string, rules: PermissionRules, ground: Ground): PermissionRule | undefined =>
  rules.allow.find(({about, tool}) => {
    if (!toolNamesOf('request-file-edits').includes(tool)) return false;
    return (
      // A rule of a tool's name alone speaks of ordinary work.
      (about.kind === 'every-call' &&
        [realParts(path, ground), writtenParts(path, ground)].every(
          parts => protectedPart(parts, ground) === undefined,
        )) ||
      (about.kind === 'paths' && coversPaths(about.pattern, {paths: [path], ground, fits: fitsPath}))
    );
  });

interface Manner extends Evidence {
  readonly behaviour: Behaviour;
}

function speaksOf({tool, about}: PermissionRule, action: Action, manner: Manner): boolean {
  const {behaviour} = manner;
  if (action.name === 'request-command-output' && about.kind === 'paths') {
    return behaviour !== 'allow' && commandNames({tool, pattern: about.pattern}, action.input.command, manner);
  }
  if (action.name === 'call-mcp-tool') {
    if (!namesMcpTool(tool, action.input, behaviour)) return false;
  } else if (!namesFor(action.name, behaviour).includes(tool)) return false;
  switch (about.kind) {
    case 'every-call':
      return true;
    case 'commands':
      if (action.name !== 'request-command-output') return false;
      return behaviour === 'allow'
        ? isTextOf(about.pattern, action.input.command)
        : fitsSomeForm(about.pattern, manner.forms(action.input.command));
    case 'paths':
      return pathsFit(about.pattern, action, manner);
    case 'other':
      return behaviour !== 'allow';
    default:
      return unreachable(about);
  }
}

const speaksOfCommands = (tool: string): boolean => toolNamesOf('request-command-output').includes(tool);

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

type Fits = typeof fitsPath;

/** An allow rule must cover every path, where it leads; a deny or ask rule fits when one path does, as written or where it leads. */
function pathsFit(pattern: PathPattern, action: Action, {behaviour, ground}: Manner): boolean {
  const paths = actionPaths(action);
  const fits = isSearch(action.name) ? fitsFolder : fitsPath;
  return behaviour === 'allow'
    ? coversPaths(pattern, {paths, ground, fits})
    : meetsPath(pattern, {paths, ground, fits});
}

interface PathTest {
  readonly paths: readonly string[];
  readonly ground: Ground;
  readonly fits: Fits;
}

function coversPaths(pattern: PathPattern, {paths, ground, fits}: PathTest): boolean {
  const anchored = anchor(pattern, ground);
  return paths.length > 0 && paths.every(path => anchored.some(each => fits(each, realParts(path, ground), 'exactly')));
}

const meetsPath = (pattern: PathPattern, {paths, ground, fits}: PathTest): boolean =>
  meetsPlace(pattern, {places: paths.flatMap(path => placesOfPath(path, ground)), ground, fits});

function meetsPlace(
  pattern: PathPattern,
  {places, ground, fits}: Omit<PathTest, 'paths'> & {readonly places: readonly PathParts[]},
): boolean {
  const anchored = anchorWide(pattern, ground);
  return places.some(parts => anchored.some(each => fits(each, parts, ground.letterCase())));
}

/** Where the path leads, and what it says. */
const placesOfPath = (path: string, ground: Ground): readonly PathParts[] => [
  realParts(path, ground),
  writtenParts(path, ground),
];

/** Whether a command looks into whole folders, among whose files are some that the rule names: somebody has to decide. */
function mayBeSearched({tool, about}: PermissionRule, action: Action, manner: Manner): boolean {
  if (action.name !== 'request-command-output' || about.kind !== 'paths') return false;
  const {pattern} = about;
  if (!toolNamesOf('read-files').includes(tool)) return false;
  const folders = searchedFolders(manner.forms(action.input.command))
    .filter(({names}) => names === 'all' || !namesHidden(pattern))
    .map(({folder}) => folder);
  return (
    (folders.length > 0 && meetsPlace(pattern, {places: placesOf(folders, manner), ...manner, fits: mayLieBelow})) ||
    // A program that is given the folder may look into all of it.
    meetsPlace(pattern, {places: placesNamed(action.input.command, manner).mentioned, ...manner, fits: fitsFolder})
  );
}

/** What may not be read may not be named in a command; what may not be edited may not be what a command writes to. */
function commandNames(
  {tool, pattern}: {readonly tool: string; readonly pattern: PathPattern},
  command: string,
  manner: Manner,
): boolean {
  const isReading = toolNamesOf('read-files').includes(tool);
  if (!isReading && !toolNamesOf('request-file-edits').includes(tool)) return false;
  const {mentioned, written} = placesNamed(command, manner);
  return meetsPlace(pattern, {places: isReading ? mentioned : written, ...manner, fits: mayFit});
}

interface NamedPlaces {
  /** What is written to among them. */
  readonly mentioned: readonly PathParts[];
  readonly written: readonly PathParts[];
}

/** Several rules ask about one command, and looking up where names lead takes time. */
const placesOfCommands = new WeakMap<CommandForms, NamedPlaces>();

function placesNamed(command: string, manner: Manner): NamedPlaces {
  const forms = manner.forms(command);
  const known = placesOfCommands.get(forms);
  if (known !== undefined) return known;
  const names = namesInCommand(forms);
  const written = placesOf(names.written, manner);
  const places = {mentioned: [...placesOf(names.mentioned, manner), ...written], written};
  placesOfCommands.set(forms, places);
  return places;
}

/** Where names in a command may lead: from where it starts, and from the workspace in case it goes back there. */
function placesOf(names: readonly string[], {ground, directory}: Manner): readonly PathParts[] {
  const isElsewhere = pathOf(partsOf(directory)) !== pathOf(ground.roots()[0] ?? []);
  return names.flatMap(name => [
    ...placesOfPath(name, ground),
    ...(isElsewhere && !/^[/~]/u.test(name) ? placesOfPath(`${directory}/${name}`, ground) : []),
  ]);
}
