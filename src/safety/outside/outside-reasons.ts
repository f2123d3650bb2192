import {clip} from '../../base/clip.ts';
import type {Access, JudgedAction} from '../../domain/access.ts';
import {unreachable} from '../../base/unreachable.ts';
import {editPaths, editTexts, type FileEdit} from '../../domain/file-edit.ts';
import {mcpServerName, serverPartOf} from '../../domain/mcp-tool-name.ts';
import type {TaintedData} from '../../domain/reason.ts';
import {readWebUrl} from '../../domain/web-url.ts';
import {analyzeCommand, type CommandAnalysis, type JudgedInvocation} from '../commands/analyze-command.ts';
import {operandsWritten} from '../commands/command-paths.ts';
import {filtersOf, kindOf} from '../commands/check-kinds.ts';
import {layers, programName} from '../commands/layers.ts';
import {runsPackage, talksToDaemon} from '../commands/programs/effect-rules.ts';
import {commandsStarted, riskOfWords} from '../commands/risks.ts';
import {connection, uploadOf, writesToTracker} from '../commands/uploads.ts';
import {belowRoots, type PathContext, writtenParts} from '../paths/path-context.ts';
import {joinPath, pathFrom, pathOf} from '../paths/path-parts.ts';
import {decodedForms} from './decoded-forms.ts';
import {filesNamed, filesRun, partsRun, readsCommands, wholeFile} from './files-run.ts';
import {address, goesBack, keysOf, textsOf, trackerOf} from './goes-back.ts';
import {type Call, callOf, contentOf, type Find, isData, isTrusted, type OutsideEvidence} from './outside-evidence.ts';
import type {OutsidePart} from './outside-text.ts';
import {runsLater} from './runs-later.ts';
import {TextFinder} from './text-finder.ts';
import {converts, exists, type TextSource} from './text-source.ts';

/** The maximum number of reasons of one action. The card has room for few, and one is enough. */
const maxReasons = 3;
const longestSpan = 200;

/**
 * Returns a reason for each text from outside that an action sends away, runs, or writes where it runs later. Looks only at what the
 * action's words are, not at what the model says about them.
 */
export async function outsideReasons(action: JudgedAction, evidence: OutsideEvidence): Promise<readonly TaintedData[]> {
  let said: TextFinder | undefined;
  const options = {
    isTrusted: (source: TextSource) => isTrusted(source, evidence.rules),
    own: () => (said ??= indexOf(evidence.own.said())),
  };
  const find: Find = (text, pieces = []) => [
    ...evidence.text.find(text, options),
    ...evidence.text.findJoined(pieces, options),
  ];
  const {access} = action;
  const given =
    access.kind === 'terminal-input' ? {...evidence, analysis: analyzeLine(access.input, evidence.context)} : evidence;
  const inFiles = await partsRun(commandIn(access), find, given);
  const carried = carriedBy(commandIn(access), find, given);
  if (carried !== undefined) evidence.text.carried.set(commandIn(access), carried);
  const inWords = partsOfAction(access, find, given).map(part => ({...part, of: 'text'}) as const);
  const found = [...inWords, ...inFiles].toSorted((a, b) => b.span.length - a.span.length);
  const reasons = new Map<string, TaintedData>();
  for (const {source, span, of} of found) {
    const shown = span.trim().replaceAll(/\s+/gu, ' ');
    const clipped = clip(shown, longestSpan);
    const isRepeated = [...reasons.values()].some(each => each.source === source.name && each.span.includes(clipped));
    if (isRepeated || (of === 'text' && (await isInOldFile(span, evidence)))) continue;
    reasons.set(`${source.name}\n${clipped}`, {kind: 'tainted-data', source: source.name, span: clipped});
    if (reasons.size === maxReasons) break;
  }
  return [...reasons.values()];
}

/** Returns the source of a text that a command reads from a file, to write it in another form. */
function carriedBy(command: string, find: Find, {analysis, context}: OutsideEvidence): TextSource | undefined {
  if (analysis?.reading !== 'parsed') return undefined;
  const calls = analysis.invocations.flatMap(invocation => commandsStarted(callOf(invocation, command).words));
  if (!calls.some(({words}) => converts(words))) return undefined;
  return filesNamed(command, {analysis, context}).flatMap(path => find(contentOf(path, context)))[0]?.source;
}

const commandIn = (access: Access): string =>
  access.kind === 'command' ? access.command : access.kind === 'terminal-input' ? access.input : '';

/** Reads a line for a running program as a command of the workspace. */
const analyzeLine = (line: string, context: PathContext): CommandAnalysis =>
  analyzeCommand(line, {directory: pathOf(context.roots()[0] ?? []), context});

/** True if a file of the workspace already contained the text when the first text from outside came. */
async function isInOldFile(span: string, {own, text: {since}}: OutsideEvidence): Promise<boolean> {
  const [word = ''] = (span.match(/[\w-]{6,}/gu) ?? []).toSorted((a, b) => b.length - a.length);
  if (word === '') return false;
  return contains(indexOf(await own.oldTexts(word, since)), span);
}

function partsOfAction(access: Access, find: Find, evidence: OutsideEvidence): readonly OutsidePart[] {
  switch (access.kind) {
    case 'web-page':
      return find(access.url, piecesOf(access.url)).filter(part => !isOwnLink(access.url, part));
    case 'web-query':
      return find(access.text);
    case 'mcp-tool': {
      const server = serverPartOf(access.toolName) ?? mcpServerName(access.server);
      const call = {server, tool: access.toolName.slice(server.length + 2), arguments: access.arguments};
      const texts = textsOf(access.arguments);
      return find([...keysOf(access.arguments), ...texts].join('\n'), texts).filter(
        part => !goesBack(part, call, evidence.own.said()),
      );
    }
    case 'mcp-resource':
      return find(access.uri).filter(({source}) => source.name !== mcpServerName(access.server));
    case 'command':
      return partsOfCommand(access.command, find, evidence);
    case 'terminal-input':
      return [...find(access.input), ...partsOfCommand(access.input, find, evidence)];
    case 'computer-steps':
      return find(access.typed);
    case 'edit':
      return access.edits.flatMap(each => partsOfEdit(each, find, evidence));
    case 'none':
    case 'read':
    case 'search':
    case 'skill':
    case 'plan':
    case 'computer-request':
    case 'agent':
      return [];
    default:
      return unreachable(access);
  }
}

/** The least number of characters beside a known address that may carry something out. */
const leastCargo = 24;

/** True if a page links to another page of its host. Nothing leaves with such an address: it has no query, and little else is added. */
function isOwnLink(url: string, {source, at}: OutsidePart): boolean {
  const page = URL.parse(url);
  if (page === null || at === undefined || page.search !== '' || source.host !== page.host) return false;
  return readWebUrl(url).tag === 'ok' && url.length - at.to < leastCargo;
}

function partsOfEdit(edit: FileEdit, find: Find, {context, own}: OutsideEvidence): readonly OutsidePart[] {
  const texts = editTexts(edit);
  // A renamed file brings its content to a name under which it may run.
  const added = edit.kind === 'rename' ? contentOf(edit.path, context) : texts.map(({newText}) => newText).join('\n');
  const paths = (edit.kind === 'rename' ? [edit.to] : editPaths(edit)).filter(path =>
    runsLater(path, added, {context, isExecutable: own.isExecutable}),
  );
  if (paths.length === 0) return [];
  const old = paths.map(path => contentOf(path, context));
  const before = indexOf([...old, ...texts.map(({oldText}) => oldText)]);
  return find(added).filter(({span}) => !contains(before, span));
}

/** Makes an index of own texts, in all their forms. */
function indexOf(texts: readonly string[]): TextFinder {
  const index = new TextFinder();
  for (const form of texts.flatMap(text => decodedForms(text))) index.add(form, 0);
  return index;
}

/** True if the index contains the whole text. */
const contains = (index: TextFinder, text: string): boolean =>
  index.find(text).some(({from, to}) => text.slice(0, from).trim() === '' && text.slice(to).trim() === '');

/** Common commands that name nothing but the project's own files and scripts. */
const projectWork =
  /^(?:(?:npm|pnpm|yarn|bun) (?:ci|install|i|test|t|start|(?:run |run-script )?[\w:.-]+)(?: --?[\w-]+)?(?: -- [\w=:,.@ -]+)?|(?:python3? -m )?pip3? install (?:-r [\w./-]+|-e \.(?:\[\w+\])?)|python3? -m (?:venv \.?\w+|pytest(?: -[qvx]+)*)|pytest(?: -[qvx]+)*|make(?: [\w-]+)?|docker[ -]compose (?:up|down|build|ps|logs)(?: --?[\w-]+)*|cargo (?:build|test|run|check|clippy|fmt)(?: --[\w-]+)*|go (?:build|test|vet|run) \.(?:\/\.\.\.)?|(?:\.\/)?(?:gradlew|mvnw|mvn|gradle) [\w: -]+|bundle (?:install|exec \w+)|composer install|dotnet (?:build|test|run|restore))$/u;

function partsOfCommand(command: string, find: Find, evidence: OutsideEvidence): readonly OutsidePart[] {
  const {analysis, finding, context, own} = evidence;
  const found = find(command);
  if (analysis?.reading !== 'parsed') return found;
  const {invocations, sideEffects} = analysis;
  const calls = invocations.map(invocation => callOf(invocation, command));
  const targets = [
    ...sideEffects.flatMap(({effect, target}) => (effect === 'writes' || effect === 'appends' ? [target] : [])),
    ...calls.flatMap(({words: [program = '', ...words], invocation}) =>
      operandsWritten([programName(program), ...words]).map(path => pathFrom(invocation.directories[0] ?? '', path)),
    ),
  ];
  const isRunLater = (path: string): boolean =>
    runsLater(path, content(command), {context, isExecutable: own.isExecutable});
  const real = (path: string): string => context.resolve(path).path;
  const isKept = targets.every(path => path !== '' && !isRunLater(path));
  const uploads = calls.flatMap(({words}) => uploadOf(words) ?? []);
  const isSent = uploads.length > 0 || connection.test(command);
  const leaves = isSent || calls.some(({words}) => reachesOthers(words));
  // The words as the shell joins them from variables, quotes and braces.
  const joined = /[$`{\\~*?]/u.test(command) ? calls.flatMap(({words}) => find(words.join(' '))) : [];
  const split = leaves
    ? find(
        '',
        calls.flatMap(({words}) => words.flatMap(piecesOf)),
      )
    : [];
  const run = calls.flatMap(({words, invocation}) =>
    filesRun(words).map(path => pathFrom(invocation.directories[0] ?? '', path)),
  );
  const carries =
    isSent ||
    !isKept ||
    run.some(path => targets.some(target => real(target) === real(path))) ||
    calls.some(readsCommands);
  const before = indexOf(targets.filter(isRunLater).map(path => contentOf(path, context)));
  const inFiles = [...run, ...(carries ? filesNamed(command, {analysis, context}) : [])].flatMap(path => [
    ...find(contentOf(path, context)).filter(({span}) => !contains(before, span)),
    ...(carries ? wholeFile(path, evidence) : []),
  ]);
  if (inFiles.length > 0) return inFiles;
  const all = [...found, ...[...joined, ...split].map(part => ({...part, at: undefined}))];
  if (all.length === 0 || calls.every(call => projectWork.test(call.text) || runsOwnScript(call, context))) return [];
  const values = [...command.matchAll(assignment)].map(({index, 0: name}) => ({range: {from: index + name.length}}));
  const assigned = found.filter(part => values.some(value => spellsOut(part, value, command)));
  if (assigned.length > 0) return assigned;
  const isQuiet =
    isKept && !leaves && calls.every(({invocation, words}) => invocation.reason === undefined || isData(words));
  if (isQuiet) return found.filter(part => calls.some(({invocation}) => spellsOut(part, invocation, command)));
  // The message of a commit goes where the commit goes: to the project's own remote.
  const isPushed = calls.every(({words}) => !reachesOthers(words) || isPlainPush(words));
  const flows = /(?<!\|)\|(?!\|)|\$\(|`|<\(/u.test(command);
  const inert = calls.flatMap(({invocation, words}) => [
    ...messageRanges(invocation, words).map(range =>
      leaves ? {...range, by: isPushed && range.by === 'message' ? ('push' as const) : ('tracker' as const)} : range,
    ),
    ...(flows || leaves || invocation.reason !== undefined || !isKept
      ? []
      : [{...invocation.range, by: 'reader' as const}]),
    ...(finding.risk === 'destructive' ? [] : pathRanges(invocation, words, context)),
  ]);
  const mayInstall = calls.some(({words}) =>
    commandsStarted(words).some(each => riskOfWords(each.words).risk === 'external'),
  );
  const begins = new Set(calls.map(({invocation}) => invocation.range.from));
  return all.filter(part => {
    const {at, source, span} = part;
    if (at === undefined) return true;
    if (!mayInstall && !begins.has(at.from) && isProjectName(span, {context, finding})) return false;
    return !inert.some(
      ({from, to, by}) =>
        from <= at.from &&
        at.to <= to &&
        (by === 'tracker' || by === 'push' ? span.search(address) < 0 : true) &&
        // A file outside the workspace may hold a secret.
        (by !== 'push' || !source.name.startsWith('/')) &&
        (by !== 'tracker' || `${trackerOf(source.host)}${trackerOf(source.name)}` !== ''),
    );
  });
}

/** True if a call only runs a script of the project. Its text is looked at, too. */
function runsOwnScript({text, invocation}: Call, context: PathContext): boolean {
  const [, script] = ownScript.exec(text) ?? [];
  return (
    script !== undefined &&
    context.resolve(pathFrom(invocation.directories[0] ?? '', script)).place === 'inside-workspace'
  );
}

const ownScript =
  /^(?:node|tsx|npx tsx|bun|deno run|python3?|ruby|php) ((?!-)[\w./@-]+\.\w+)(?: -(?:[hvVq]|-(?:help|version|verbose|quiet|dry-run)))*$/u;

/** True if a text is a name in code, such as `computeDiscountForItem`, or names a file of the workspace. */
function isProjectName(span: string, {context, finding}: Pick<OutsideEvidence, 'context' | 'finding'>): boolean {
  const name = span.replaceAll(/^[^\w./@]+|[^\w)]+$/gu, '');
  const words = name.split(/_|(?<=[a-z\d])(?=[A-Z])/u);
  if (words.length > 2 && words.every(word => /^[A-Za-z][a-z]+\d?$/u.test(word))) return true;
  if (finding.risk === 'destructive' || !/^[\w.@-]+(?:\/[\w.@-]+)+$/u.test(name)) return false;
  return context.resolve(name).place === 'inside-workspace' && exists(context.resolve(name).path, context);
}

/** Matches the beginning of an assignment, whose value a program may run: an editor, a pager, a tool for differences. */
const assignment = /(?<=^|[\s;&|(])[A-Za-z_]\w*\+?=["']?/gu;

/** True if a program sends something to another machine, or may. */
const reachesOthers = (words: readonly string[]): boolean =>
  commandsStarted(words).some(({words: [program = '', ...args]}) => {
    const {risk, does} = riskOfWords([program, ...args]);
    return risk === 'external' && does !== runsPackage.does && does !== talksToDaemon.does;
  });

/** True if git pushes to a remote that the repository knows. */
const isPlainPush = (words: readonly string[]): boolean =>
  words[0] === 'git' &&
  words[1] === 'push' &&
  words.slice(2).every(word => /^[\w./-]+$/u.test(word) && !/^[./]/u.test(word));

/** Returns the pieces of a word or an address that may belong together. */
const piecesOf = (word: string): readonly string[] => word.split(/[?&]?[\w-]*=|[\s,:;@(){}[\]"']+/u);

/** Returns the text after the beginning of a here-document. */
const content = (command: string): string => command.slice(command.indexOf('\n') + 1).trimStart();

/** True if the part begins with a program or before it: the text from outside names the program, too. */
function spellsOut({at}: OutsidePart, {range}: {readonly range: {readonly from: number}}, command: string): boolean {
  if (at === undefined || at.from > range.from || at.to <= range.from) return false;
  return command.slice(range.from, at.to).replaceAll(/[\s"'`\\]/gu, '').length >= leastCargo;
}

interface InertRange {
  readonly from: number;
  readonly to: number;
  /** `tracker`: inert only for what the same tracker said. `push`: inert without an address. */
  readonly by: 'message' | 'tracker' | 'push' | 'reader' | 'path';
}

/** Finds the words that only people read: messages of commits, names of tests, texts for the tracker from which they come. */
function messageRanges(
  {words: args}: JudgedInvocation,
  [program = '', ...words]: readonly string[],
): readonly InertRange[] {
  const name = programName(program);
  const row = messageOptions.find(
    ({programs, verbs}) => programs.test(name) && verbs.test(words.slice(0, 2).join(' ')),
  );
  const filters = filtersOf(layers([program, ...words]).find(each => kindOf(each.words) !== undefined)?.program ?? '');
  const isMessage = (option: string): boolean => row?.options.test(option) ?? filters.includes(option);
  return words.flatMap((word, at): readonly InertRange[] => {
    const isValue = isMessage(words[at - 1] ?? '') || isMessage(word.split('=', 1)[0] ?? '');
    const range = args[at + 1]?.range;
    // A here-document is a usual way to write a long message.
    const isPlain = !/\$\(|`/u.test(word.replace(/\$\(\s*cat\s+<<-?\s*(['"])\w+\1/u, ''));
    return isValue && range !== undefined && isPlain ? [{...range, by: row?.by ?? 'message'}] : [];
  });
}

const messageOptions = [
  {
    programs: /^(?:git|hg|jj)$/u,
    verbs: /^(?:commit|tag|stash|notes|merge|describe)\b/u,
    options: /^(?:-[a-z]*m|--message)$/u,
    by: 'message',
  },
  {
    programs: /^(?:gh|glab)$/u,
    verbs: writesToTracker,
    options: /^(?:-[tbmd]|--(?:title|body|message|description|comment))$/u,
    by: 'tracker',
  },
] as const;

/** Returns the name that a source, its test and its other companions share. */
const stemOf = (name: string): string => /^\.?[^.]*/u.exec(name)?.[0] ?? name;

/** Finds the words that name files of the workspace, or new ones beside them: the test of a source. */
const pathRanges = (
  {words, directories}: JudgedInvocation,
  texts: readonly string[],
  context: PathContext,
): readonly InertRange[] =>
  words.flatMap(({range}, at): readonly InertRange[] => {
    const word = texts[at] ?? '';
    const parts = writtenParts(joinPath(directories[0] ?? '', word).replace(/(?::\d+)+$/u, ''), context);
    const isThere =
      at > 0 &&
      word.includes('/') &&
      belowRoots(parts, context).length > 0 &&
      context.list(`/${parts.slice(0, -1).join('/')}`).some(({name}) => stemOf(name) === stemOf(parts.at(-1) ?? ''));
    return isThere ? [{...range, by: 'path'}] : [];
  });
