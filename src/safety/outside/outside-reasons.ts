import {clip} from '../../base/clip.ts';
import type {Access, JudgedAction} from '../../domain/access.ts';
import {unreachable} from '../../base/unreachable.ts';
import {editPaths, editTexts, type FileEdit} from '../../domain/file-edit.ts';
import {mcpServerName, serverPartOf} from '../../domain/mcp-tool-name.ts';
import type {TaintedData} from '../../domain/reason.ts';
import {readWebUrl} from '../../domain/web-url.ts';
import type {CommandAnalysis, JudgedInvocation} from '../commands/analyze-command.ts';
import {resolvedForms} from '../commands/command-forms.ts';
import {operandsWritten, pathCandidates} from '../commands/command-paths.ts';
import {plainText} from '../commands/only-reads.ts';
import {hasTrait, takesCodeFromInput} from '../commands/known-programs.ts';
import {programName, scriptFileOf} from '../commands/layers.ts';
import {runsPackage, talksToDaemon} from '../commands/programs/effect-rules.ts';
import {commandsStarted, riskOfWords} from '../commands/risks.ts';
import {connection, uploadOf, writesToTracker} from '../commands/uploads.ts';
import type {Finding} from '../commands/command-finding.ts';
import {belowRoots, type PathContext, writtenParts} from '../paths/path-context.ts';
import {isAnchored, joinPath, pathFrom} from '../paths/path-parts.ts';
import {matchesDomain} from '../rules/domain-pattern.ts';
import {type PermissionRules, trustRuleTool} from '../rules/permission-rule.ts';
import {decodedForms} from './decoded-forms.ts';
import {address, goesBack, keysOf, textsOf, trackerOf} from './goes-back.ts';
import type {OutsidePart, OutsideText} from './outside-text.ts';
import {runsLater} from './runs-later.ts';
import {TextFinder} from './text-finder.ts';
import type {TextSource} from './text-source.ts';

/** The user's own texts. A text from outside that one of them contains does not count. */
export interface OwnTexts {
  /** Returns the user's prompts of this session. */
  readonly said: () => readonly string[];
  /** Returns the texts of the workspace's files that contain a word and have not changed since that time. */
  readonly oldTexts: (word: string, before: number) => Promise<readonly string[]>;
  readonly isExecutable: (path: string) => boolean;
}

interface OutsideEvidence {
  readonly text: OutsideText;
  readonly own: OwnTexts;
  readonly rules: PermissionRules;
  readonly context: PathContext;
  readonly analysis: CommandAnalysis | undefined;
  readonly finding: Finding;
}

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
  const found = partsOfAction(action.access, find, evidence).toSorted((a, b) => b.span.length - a.span.length);
  const reasons = new Map<string, TaintedData>();
  for (const {source, span} of found) {
    const shown = span.trim().replaceAll(/\s+/gu, ' ');
    const clipped = clip(shown, longestSpan);
    const isRepeated = [...reasons.values()].some(each => each.source === source.name && each.span.includes(clipped));
    if (isRepeated || (await isInOldFile(span, evidence))) continue;
    reasons.set(`${source.name}\n${clipped}`, {kind: 'tainted-data', source: source.name, span: clipped});
    if (reasons.size === maxReasons) break;
  }
  return [...reasons.values()];
}

/** True if a file of the workspace already contained the text when the first text from outside came. */
async function isInOldFile(span: string, {own, text: {since}}: OutsideEvidence): Promise<boolean> {
  const [word = ''] = (span.match(/[\w-]{6,}/gu) ?? []).toSorted((a, b) => b.length - a.length);
  if (word === '') return false;
  return contains(indexOf(await own.oldTexts(word, since)), span);
}

/** Finds text from outside in a text, and in pieces that may belong together. */
type Find = (text: string, pieces?: readonly string[]) => readonly OutsidePart[];

function isTrusted({name, host}: TextSource, {allow, ask, deny}: PermissionRules): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname.replace(/^\[(.*)\]$/su, '$1') ?? '';
  const covers = (rules: PermissionRules['allow']): boolean =>
    rules.some(
      ({tool, about}) =>
        tool === trustRuleTool &&
        ((about.kind === 'domains' && hostname !== '' && matchesDomain(about.pattern, hostname)) ||
          (about.kind === 'names' && about.name === name)),
    );
  return covers(allow) && !covers(ask) && !covers(deny);
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
      return find(access.input);
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

function contentOf(path: string, context: PathContext): string {
  const file = context.read(context.resolve(path).path);
  // The bytes of a file come as one character each.
  return file.kind === 'text' ? Buffer.from(file.text, 'latin1').toString() : '';
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

/** Programs that print, keep or name what they are given, and run none of it. */
const dataPrograms = /^(?:echo|printf|cat|tee|mkdir|touch|cd|pwd|true|:|test|\[|export|set|sleep)$/u;
const gitData = /^(?:add|commit|tag|stash|notes|status|diff|log|show|branch|switch|checkout|restore|merge)$/u;

/** Common commands that name nothing but the project's own files and scripts. */
const projectWork =
  /^(?:(?:npm|pnpm|yarn|bun) (?:ci|install|i|test|t|start|(?:run |run-script )?[\w:.-]+)(?: --?[\w-]+)?|(?:python3? -m )?pip3? install (?:-r [\w./-]+|-e \.(?:\[\w+\])?)|python3? -m (?:venv \.?\w+|pytest(?: -[qvx]+)*)|pytest(?: -[qvx]+)*|make(?: [\w-]+)?|docker[ -]compose (?:up|down|build|ps|logs)(?: --?[\w-]+)*|cargo (?:build|test|run|check|clippy|fmt)(?: --[\w-]+)*|go (?:build|test|vet|run) \.(?:\/\.\.\.)?|(?:\.\/)?(?:gradlew|mvnw|mvn|gradle) [\w: -]+|bundle (?:install|exec \w+)|composer install|dotnet (?:build|test|run|restore))$/u;

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
  const inFiles = [...run, ...(carries ? filesNamed(command, {analysis, context}) : [])].flatMap(path =>
    find(contentOf(path, context)).filter(({span}) => !contains(before, span)),
  );
  if (inFiles.length > 0) return inFiles;
  const all = [...found, ...[...joined, ...split].map(part => ({...part, at: undefined}))];
  if (all.length === 0 || calls.every(({text}) => projectWork.test(text))) return [];
  const values = [...command.matchAll(assignment)].map(({index, 0: name}) => ({range: {from: index + name.length}}));
  const assigned = found.filter(part => values.some(value => spellsOut(part, value, command)));
  if (assigned.length > 0) return assigned;
  const isQuiet =
    isKept && !leaves && calls.every(({invocation, words}) => invocation.reason === undefined || isData(words));
  if (isQuiet) return found.filter(part => calls.some(({invocation}) => spellsOut(part, invocation, command)));
  const flows = /(?<!\|)\|(?!\|)|\$\(|`|<\(/u.test(command);
  const inert = calls.flatMap(({invocation, words}) => [
    ...messageRanges(invocation, words).map(range => (leaves ? {...range, by: 'tracker' as const} : range)),
    ...(flows || leaves || invocation.reason !== undefined || !isKept
      ? []
      : [{...invocation.range, by: 'reader' as const}]),
    ...(finding.risk === 'destructive' ? [] : pathRanges(invocation, words, context)),
  ]);
  return all.filter(part => {
    const {at, source, span} = part;
    if (at === undefined) return true;
    return !inert.some(
      ({from, to, by}) =>
        from <= at.from &&
        at.to <= to &&
        (by !== 'tracker' || (`${trackerOf(source.host)}${trackerOf(source.name)}` !== '' && span.search(address) < 0)),
    );
  });
}

/** Matches the beginning of an assignment, whose value a program may run: an editor, a pager, a tool for differences. */
const assignment = /(?<=^|[\s;&|(])[A-Za-z_]\w*\+?=["']?/gu;

/** True if a program sends something to another machine, or may. */
const reachesOthers = (words: readonly string[]): boolean =>
  commandsStarted(words).some(({words: [program = '', ...args]}) => {
    const {risk, does} = riskOfWords([program, ...args]);
    return risk === 'external' && does !== runsPackage.does && does !== talksToDaemon.does;
  });

/** Returns the pieces of a word or an address that may belong together. */
const piecesOf = (word: string): readonly string[] => word.split(/[?&]?[\w-]*=|[\s,:;@(){}[\]"']+/u);

/** True if a shell or an interpreter runs what comes by its input. */
const readsCommands = ({words: [program = '', ...words]}: Call): boolean =>
  takesCodeFromInput(programName(program)) && words.every(word => /^-\w?$/u.test(word));

/** The maximum number of files of one command that weft reads. */
const maxFiles = 100;

/** Returns the files that stand anywhere in a command, with those that a pattern may mean. */
function filesNamed(
  command: string,
  {
    analysis,
    context,
  }: {readonly analysis: CommandAnalysis & {readonly reading: 'parsed'}; readonly context: PathContext},
): readonly string[] {
  const {words, redirected} = resolvedForms(command, analysis);
  const folders = [...new Set(analysis.invocations.flatMap(({directories}) => directories))];
  const written = [...words, ...redirected]
    .flatMap(word => pathCandidates(word))
    .flatMap(word => (isAnchored(word) ? [word] : folders.map(each => `${each}/${word}`)));
  return [...new Set(written)]
    .flatMap(path => {
      if (!/[*?[]/u.test(path)) return [path];
      const folder = context.resolve(path.replace(/\/[^/]*[*?[].*$/su, '') || '/').path;
      return context.list(folder).map(({name}) => `${folder}/${name}`);
    })
    .filter(path => context.read(context.resolve(path).path).kind === 'text')
    .slice(0, maxFiles);
}

/** Returns the files whose text a call runs as commands, or makes ready to run. */
function filesRun(call: readonly string[]): readonly string[] {
  const script = scriptFileOf(call);
  if (script !== undefined) return script;
  const [program = '', ...words] = call;
  const makesRunnable =
    hasTrait(programName(program), 'rights') &&
    /(?:^|\s)(?:[ugoa,]*\+?[rwst]*x|[0-7]*[1357][0-7]{0,2}(?=\s))/u.test(words.join(' '));
  return makesRunnable ? words.filter(word => !/^[-+]/u.test(word)) : program.includes('/') ? [program] : [];
}

interface Call {
  readonly invocation: JudgedInvocation;
  readonly words: readonly string[];
  readonly text: string;
}

function callOf(invocation: JudgedInvocation, command: string): Call {
  const words = invocation.words.map(word => plainText(word) ?? command.slice(word.range.from, word.range.to));
  return {invocation, words, text: words.join(' ')};
}

/** Returns the text after the beginning of a here-document. */
const content = (command: string): string => command.slice(command.indexOf('\n') + 1).trimStart();

const isData = ([program = '', ...words]: readonly string[]): boolean =>
  dataPrograms.test(program) || (program === 'git' && gitData.test(words[0] ?? '') && !words.includes('-c'));

/** True if the part begins with a program or before it: the text from outside names the program, too. */
function spellsOut({at}: OutsidePart, {range}: {readonly range: {readonly from: number}}, command: string): boolean {
  if (at === undefined || at.from > range.from || at.to <= range.from) return false;
  return command.slice(range.from, at.to).replaceAll(/[\s"'`\\]/gu, '').length >= leastCargo;
}

interface InertRange {
  readonly from: number;
  readonly to: number;
  /** `tracker`: inert only for what the same tracker said. */
  readonly by: 'message' | 'tracker' | 'reader' | 'path';
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
  if (row === undefined) return [];
  return words.flatMap((word, at): readonly InertRange[] => {
    const isValue = row.options.test(words[at - 1] ?? '') || row.options.test(word.split('=', 1)[0] ?? '');
    const range = args[at + 1]?.range;
    // A here-document is a usual way to write a long message.
    const isPlain = !/\$\(|`/u.test(word.replace(/\$\(\s*cat\s+<<-?\s*(['"])\w+\1/u, ''));
    return isValue && range !== undefined && isPlain ? [{...range, by: row.by}] : [];
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
  {
    programs:
      /^(?:npm|npx|pnpm|yarn|bun|vitest|jest|mocha|pytest|python3?|go|cargo|node|deno|rspec|dotnet|mvn|gradle)$/u,
    verbs: /^/u,
    options: /^(?:-[tkg]|-run|--(?:grep|testNamePattern|test-name-pattern|filter|example))$/u,
    by: 'message',
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
