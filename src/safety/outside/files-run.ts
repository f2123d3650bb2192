import {type CommandAnalysis, analyzeCommand} from '../commands/analyze-command.ts';
import {resolvedForms} from '../commands/command-forms.ts';
import {foldersEnteredByOptions, pathCandidates} from '../commands/command-paths.ts';
import {
  actingOptionsOf,
  hasTrait,
  isInterpreter,
  isShell,
  rowFor,
  rowOf,
  takesCodeFromInput,
  takesScript,
} from '../commands/known-programs.ts';
import {isWrapper, programName, scriptFileOf} from '../commands/layers.ts';
import {plainText} from '../commands/only-reads.ts';
import {commandsStarted, reachesOf} from '../commands/risks.ts';
import type {PathContext} from '../paths/path-context.ts';
import {isAnchored, pathFrom, pathOf} from '../paths/path-parts.ts';
import {type Call, callOf, contentOf, type Find, isData, isTrusted, type OutsideEvidence} from './outside-evidence.ts';
import type {OutsidePart} from './outside-text.ts';
import {converts} from './text-source.ts';

/** A part of a file that a command may run. `whole`: a program that reached other machines wrote the file. */
export interface PartRun extends OutsidePart {
  readonly of: 'text' | 'whole file';
}

/**
 * Finds text from outside in the files that a command may run. It looks into scripts by name, into files that a shell or code
 * reads and runs, and into sources that programs load.
 */
export async function partsRun(command: string, find: Find, evidence: OutsideEvidence): Promise<readonly PartRun[]> {
  const {analysis, context, own, text} = evidence;
  if (analysis === undefined) return [];
  const isParsed = analysis.reading === 'parsed';
  const calls = isParsed ? analysis.invocations.map(invocation => callOf(invocation, command)) : [];
  const running = calls.filter(runsCode);
  const feeds =
    !isParsed ||
    feedsPrograms.test(command) ||
    running.some(call => runsWhatItReads(call)) ||
    (running.length > 0 && calls.some(({words}) => converts(words)));
  if (running.length === 0 && !feeds) return [];
  const folders = running.flatMap(
    ({
      words,
      invocation: {
        directories: [folder = ''],
      },
    }) => [folder, ...foldersEnteredByOptions(words).map(path => pathFrom(folder, path))],
  );
  const sourceOf = (path: string) => text.sourceOfFile(context.resolve(path).path, own.changedAt);
  const whole = (path: string): readonly PartRun[] => wholeFile(path, evidence);
  const parts = (path: string): readonly PartRun[] => [
    ...find(contentOf(path, context)).map(part => ({...part, of: 'text'}) as const),
    ...whole(path),
  ];
  const scripts = running.flatMap(({words, invocation}) =>
    commandsStarted(words)
      .flatMap(each => scriptsOf(each.words))
      .map(path => pathFrom(invocation.directories[0] ?? '', path)),
  );
  const changed = (await own.changedFiles(text.since)).slice(0, maxChanged);
  const downloaded = changed.filter(path => codeFiles.test(path) && sourceOf(path)?.files === 'foreign');
  const named = feeds ? filesNamed(command, {analysis, context}) : [];
  const joined = (paths: readonly string[]): readonly PartRun[] => {
    const contents = paths.map(path => contentOf(path, context));
    return find(contents.join(''), contents.flatMap(literalsIn)).map(part => ({...part, of: 'text'}) as const);
  };
  const isComputed =
    feeds && (computesNames.test(command) || named.some(path => contentOf(path, context).includes('\uFFFD')));
  const loads = running.some(({words}) => commandsStarted(words).some(each => loadsSources(each.words)));
  const sources = new Set([...scripts, ...(loads ? changed.filter(path => !prose.test(path)) : [])]);
  const acting = [...sources].flatMap(path => {
    const content = contentOf(path, context);
    const mine = sourceOf(path)?.name;
    const found = find(content).filter(part => part.source.name !== mine && acts(part, content, context));
    // Code that runs what another file says names that file, and code that loads another file names it without its ending.
    const isNamed = (each: string): boolean => each !== path && names(content, withoutEnding(each));
    const read = executes.test(content) ? changed.filter(isNamed) : [];
    return [
      ...found.map(part => ({...part, of: 'text'}) as const),
      ...read.flatMap(parts),
      ...joined(read.length === 0 ? [] : [path, ...read]),
      ...downloaded.filter(isNamed).flatMap(whole),
    ];
  });
  return [
    ...[...scripts, ...folders].flatMap(whole),
    ...[...named, ...(isComputed ? changed : [])].flatMap(parts),
    ...joined(named),
    ...acting,
  ];
}

/** Returns a file whose content comes from elsewhere or has another form, unless the user said to run it. */
export function wholeFile(path: string, {context, own, rules, text}: OutsideEvidence): readonly PartRun[] {
  const source = text.sourceOfFile(context.resolve(path).path, own.changedAt);
  const isSaid = own.said().some(prompt => asksToRun.test(prompt) && names(prompt, path));
  if (source?.files !== 'foreign' || isTrusted(source, rules) || isSaid) return [];
  return [{source, span: beginning(contentOf(path, context)) || path, at: undefined, of: 'whole file'}];
}

const withoutEnding = (path: string): string => path.replace(/\.\w+$/u, '');

/** Returns the texts in quotes, and the text itself. */
const literalsIn = (content: string): readonly string[] => {
  const quoted = [...content.matchAll(/"([^"\n]+)"|'([^'\n]+)'|`([^`]+)`/gu)];
  return [...quoted.map(([, double, single, template]) => double ?? single ?? template ?? ''), content];
};

const codeFiles = /\.(?:[cm]?[jt]sx?|py|rb|pl|php|sh|lua)$/u;

/** Matches a prompt that says to run something. */
const asksToRun = /\b(?:run|start|execute|test|build|install|try|use|set up)\b/iu;

/** True if a text contains the last name of a path. */
function names(text: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const at = name.length < shortestName ? -1 : text.indexOf(name);
  return at >= 0 && !/[\w-]/u.test(`${text.charAt(at - 1)}${text.charAt(at + name.length)}`);
}

const shortestName = 2;

const beginning = (text: string): string => (/[^\n]*\S[^\n]*/u.exec(text.slice(0, 1000)) ?? [''])[0];

const prose = /\.(?:md|mdx|markdown|txt|rst|adoc|html?|css|svg|csv|tsv|log|lock)$/iu;

/** True if a call may run more code than stands in it. */
const runsCode = ({invocation, words}: Call): boolean =>
  invocation.reason !== undefined &&
  !isData(words) &&
  (plainText(invocation.words[0]) === undefined ||
    (words[0] === 'git' && takesOutput(words)) ||
    reachesOf(words).some(
      ({words: [program = ''], reach}) =>
        program.includes('/') ||
        rowFor([programName(program)]) === undefined ||
        reach === 'runs-code' ||
        takesCodeFromInput(programName(program)) ||
        takesScript(programName(program)),
    ));

/** True if the output of another command stands in the words. */
const takesOutput = (words: readonly string[]): boolean => /\$\(|`|<\(/u.test(words.join(' '));

/** True if a program may load sources of the project: neither a shell nor one that runs what it is given. */
function loadsSources([program = '']: readonly string[]): boolean {
  const name = programName(program);
  const isFed = isWrapper(name) && takesCodeFromInput(name);
  return !isShell(name) && !takesScript(name) && !isFed && rowOf(name)?.wraps?.options === undefined;
}

/** Returns the files that a call runs by name: scripts of shells, programs, and the first operand of an interpreter. */
function scriptsOf(call: readonly string[]): readonly string[] {
  const [program = '', ...words] = call;
  const loaded = actingOptionsOf(call).flatMap(({act, value = ''}) => (act === 'loads' ? [value] : []));
  const name = programName(program);
  if (!isInterpreter(name)) return [...filesRun(call), ...loaded];
  return [
    ...(words.some(word => takesCode.test(word)) ? [] : words.filter(word => !word.startsWith('-')).slice(0, 1)),
    ...loaded,
  ];
}

/** Matches options of interpreters with code or a module in their value. */
const takesCode = /^(?:-[A-Za-z]*[cempr]|--(?:eval|print|command|module))(?:=|$)/u;

/** Matches a variable that a command sets to the output of another one: an editor, a pager, a tool for differences. */
const feedsPrograms = /(?<=^|[\s;&|(])[A-Za-z_]\w*\+?=["']?(?:\$\(|`)/u;

/** True if a call runs text that does not stand in the command: what it reads, or what its words are computed from. */
function runsWhatItReads({invocation, words}: Call): boolean {
  const isComputed = invocation.words.some(word => plainText(word) === undefined);
  if (plainText(invocation.words[0]) === undefined || (isComputed && takesOutput(words))) return true;
  if (words.some(word => /^\/dev\/(?:fd\/|stdin)/u.test(word))) return true;
  const started = commandsStarted(words);
  return started.some(({words: [program = '', ...args]}, at) => {
    const name = programName(program);
    const isLast = at === started.length - 1;
    if (isShell(name) || /^(?:eval|source|\.)$/u.test(name))
      return isComputed || at > 0 || args.every(word => word.startsWith('-'));
    if (isInterpreter(name) && args.every(word => word.startsWith('-') && !takesCode.test(word))) return true;
    if (isLast && at > 0 && isWrapper(name)) return true;
    if (takesCodeFromInput(name) && !isInterpreter(name)) return isLast || hasTrait(name, 'runs-given');
    return (isInterpreter(name) || takesScript(name)) && [executes, hides].some(form => form.test(args.join(' ')));
  });
}

/** Matches code that runs a program, or text as code, in any language. */
const executes =
  /\b(?:subprocess|child_process|popen\w*|exec(?:Sync|File\w*|v[pe]*|l[pe]*)|importlib|runpy|__import__|shell_exec|passthru|proc_open|ProcessBuilder|getRuntime|dlopen|ctypes|loadstring|instance_eval|os\/exec)\b|\b(?:spawn\w*|Function|posix_spawn|run_path|run_module)\s*\(|\bsystem\s*[("'$@]|(?<![.\w])(?:exec|eval|compile)\s*[({"'$]|(?<![.\w])exec\.Command|Command::new|os\.(?:exec\w*|startfile)|\$\(shell|\bDeno\.(?:Command|run)|Bun\.\$|(?<=[\s=(;])\$`|pickle\.load|["'.:]vm\b|\bimport\s*\((?!\s*["'])|%x[({[]|\|\s*getline|\|&?\s*"|\bqx\b/u;

/** Matches code in a command that may hide what it runs. */
const hides =
  /\b(?:getattr|globals|locals|vars)\s*\(|__(?!name|main|file|dirname|filename)\w+__|\bconstructor\b|\bReflect\b|(?:^|[\s"'])(?:\.(?:read|shell|system|load|import\s+\S*\|)|\\(?:i|!))/u;

/** Matches words of a command that compute the names of files. */
const computesNames =
  /\$\{?[\w@*#]|\$\((?!\s*(?:cat\s|<))|`|[*?]|["']\s*\+|\+\s*["']|\bjoin\(|\b(?:glob|rglob|iterdir|listdir|scandir|readdir\w*|walk|opendir|argv|ARGV|stdin)\b/u;

/** True if a part of a source does more than compute: it runs programs, erases files, reaches another host, or spells a command. */
function acts({span, source, at}: OutsidePart, content: string, context: PathContext): boolean {
  const from = at === undefined ? 0 : content.lastIndexOf('\n', at.from) + 1;
  const end = at === undefined ? -1 : content.indexOf('\n', at.to);
  const lines = at === undefined ? span : content.slice(from, end < 0 ? undefined : end);
  if (executes.test(lines) || erases.test(lines) || (changes.test(lines) && places.test(lines))) return true;
  const code = lines.replaceAll(/^\s*(?:\/\/|#|\*|\/\*|<!--).*$/gmu, '');
  const hosts = [...code.matchAll(/\bhttps?:\/\/([\w.:-]+)/gu)].map(([, host = '']) => host);
  if (hosts.some(host => !schemas.test(host) && siteOf(host) !== siteOf(source.host))) return true;
  return lines.split(/["'`\n]|(?<=:)\s|^\s*-\s/u).some(piece => isCommand(piece, context));
}

const erases = /\b(?:unlink\w*|rmtree|rmSync|rmdir\w*|removedirs|remove_dir_all|fs\.rm|os\.remove)\b/u;
const changes = /\b(?:write|append|copy|rename|symlink|link|chmod|chown|open|create|put)\w*/iu;
const places =
  /homedir|expanduser|\bHOME\b|~\/|\/etc\/|\.ssh\b|\.aws\b|\.npmrc|\.netrc|(?<!\w)\.env\b|\.(?:bash|zsh|profile)|\.git\/|\/proc\//u;
/** Hosts that names of formats contain, and that no program asks. */
const schemas = /^(?:www\.)?(?:w3\.org|json-schema\.org|schemastore\.org|json\.schemastore\.org)$/u;
const siteOf = (host: string): string =>
  /^[\d.:]+$/u.test(host) ? host : host.replace(/:\d+$/u, '').split('.').slice(-2).join('.');

/** True if a text is a command that does more than read. Programs without verbs need a sign of a shell, too: `make` is a word of prose. */
function isCommand(text: string, context: PathContext): boolean {
  const written = text.trim();
  const [program = ''] = /^[\w./-]+(?=\s)/u.exec(written) ?? [];
  if (program === '' || written.replaceAll(/\s/gu, '').length < leastCommand) return false;
  if (!program.startsWith('./') && rowFor([programName(program)]) === undefined) return false;
  if (!takesVerb(programName(program)) && !/(?:^|\s)(?:-{1,2}\w|[|&;<>]|[\w-]*[/$=])|[;|&]/u.test(written))
    return false;
  const analysis = analyzeCommand(written, {directory: '/', context});
  return analysis.reading === 'parsed' && analysis.invocations.some(({reason}) => reason !== undefined);
}

const leastCommand = 12;

/** True for programs such as `npm` that a verb follows. */
const takesVerb = (name: string): boolean =>
  name.length > 2 && !hasTrait(name, 'tasks') && (hasTrait(name, 'verbs') || hasTrait(name, 'subcommands'));

/** True if a shell or an interpreter runs what comes by its input. */
export const readsCommands = ({words: [program = '', ...words]}: Call): boolean =>
  takesCodeFromInput(programName(program)) && words.every(word => /^-\w?$/u.test(word));

/** The maximum number of changed files that weft looks into. */
const maxChanged = 1000;

/** The maximum number of files of one command that weft reads. */
const maxFiles = 100;

/** Returns the files that stand anywhere in a command, with those that a pattern may mean. */
export function filesNamed(
  command: string,
  {analysis, context}: {readonly analysis: CommandAnalysis; readonly context: PathContext},
): readonly string[] {
  const {words, redirected} = resolvedForms(command, analysis);
  const folders =
    analysis.reading === 'parsed'
      ? [...new Set(analysis.invocations.flatMap(({directories}) => directories))]
      : context.roots().map(pathOf);
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
export function filesRun(call: readonly string[]): readonly string[] {
  const script = scriptFileOf(call);
  if (script !== undefined) return script;
  const [program = '', ...words] = call;
  const makesRunnable =
    hasTrait(programName(program), 'rights') &&
    /(?:^|\s)(?:[ugoa,]*\+?[rwst]*x|[0-7]*[1357][0-7]{0,2}(?=\s))/u.test(words.join(' '));
  return makesRunnable ? words.filter(word => !/^[-+]/u.test(word)) : program.includes('/') ? [program] : [];
}
