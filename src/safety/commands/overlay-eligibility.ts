import {hasTrait, isReader, isShell} from './known-programs.ts';
import {unreachable} from '../../base/unreachable.ts';
import {isCode} from '../../domain/reason.ts';
import type {FileEffect} from '../../domain/risk.ts';
import {workspacePaths} from '../paths/judge-path.ts';
import {belowRoots, type PathContext, realParts} from '../paths/path-context.ts';
import {isAbsolutePath, partsOf, partsThatMayBePaths, pathOf} from '../paths/path-parts.ts';
import {looksSecret} from '../paths/secret-paths.ts';
import {analyzeCommand, type CommandAnalysis, type JudgedInvocation, type SideEffect} from './analyze-command.ts';
import {type FileEffects, fileEffects} from './file-effects.ts';
import {reachesOf} from './risks.ts';
import {programName, shellTextsFrom} from './layers.ts';

/**
 * True if an overlay holds all effects of a command besides reading.
 *
 * The command may run code and change files of the workspace. It must not name files elsewhere or secrets, lose a file, or call a
 * program that needs more. The same applies to the commands in its words. The sandbox confines the code, and the changes show
 * what the code did.
 */
export async function isHeldByOverlay(
  command: string,
  analysis: CommandAnalysis,
  context: PathContext,
): Promise<boolean> {
  if (analysis.reading !== 'parsed') return false;
  const {invocations, sideEffects} = analysis;
  const effects = fileEffects(analysis, context);
  const inner = invocations.map(invocation => heldInvocation(invocation, {effects, context}));
  if (!inner.every(each => each !== 'asks') || !sideEffects.every(each => isHeldSideEffect(each, {effects, context})))
    return false;
  const [start] = invocations;
  const asked = invocations.filter(({reason}) => reason !== undefined);
  if (asked.length > 0) {
    // A relative path starts at the folder in which its own part of the command runs.
    const parts = invocations.map(({range: {from, to}, directories}) => ({text: command.slice(from, to), directories}));
    const rest = {text: withoutRanges(command, invocations), directories: start?.directories ?? []};
    if ([...parts, rest].some(each => namesOthersInCode(each.text, each.directories, context))) return false;
  }
  if (!(await analysis.confirmed())) return false;
  for (const {text, directory} of inner.flat()) {
    if (!(await isHeldByOverlay(text, analyzeCommand(text, {directory, context}), context))) return false;
  }
  return true;
}

/** Blanks out the text of the invocations. */
const withoutRanges = (command: string, invocations: readonly JudgedInvocation[]): string =>
  invocations.reduce(
    (text, {range: {from, to}}) => text.slice(0, from) + ' '.repeat(to - from) + text.slice(to),
    command,
  );

interface Place {
  readonly effects: FileEffects;
  readonly context: PathContext;
}

/** The shell scripts that an invocation runs, which the overlay must also hold. `asks`: the overlay does not hold the invocation. */
type HeldInvocation = 'asks' | readonly {readonly text: string; readonly directory: string}[];

function heldInvocation(invocation: JudgedInvocation, {effects, context}: Place): HeldInvocation {
  const {reason, elsewhere, directories} = invocation;
  if (reason === undefined) return [];
  const all = wordLists(invocation);
  const isKnown =
    isCode(reason) &&
    elsewhere === 'unsure' &&
    all !== 'unknown' &&
    directories.length > 0 &&
    directories.every(directory => belowRoots(realParts(directory, context), context).length > 0);
  if (!isKnown || namesOthers(invocation, context)) return 'asks';
  const {loses} = effects.ofInvocation(invocation);
  if (!all.every(words => isHeldProgram(words, {loses, directories, context}))) return 'asks';
  const texts = all.flatMap(words => reachesOf(words).flatMap(each => shellTextsFrom(each.words, 0)));
  return texts.flatMap(text => directories.map(directory => ({text, directory})));
}

/** Returns the words of the invocation, once for each text that one of them may be. */
function wordLists({words}: JudgedInvocation): readonly (readonly string[])[] | 'unknown' {
  const texts = words.map(({value}) => (typeof value === 'string' ? [] : value.map(({text}) => text)));
  const several = texts.filter(({length}) => length > 1);
  if (texts.some(({length}) => length === 0) || several.length > 1 || (texts[0]?.length ?? 0) !== 1) return 'unknown';
  return (several[0] ?? ['']).map((_, at) => texts.map(each => each[Math.min(at, each.length - 1)] ?? ''));
}

/** True if the programs that these words start need no more than an overlay gives them. */
function isHeldProgram(
  words: readonly string[],
  {
    loses,
    directories,
    context,
  }: Pick<FileEffect, 'loses'> & Pick<JudgedInvocation, 'directories'> & {readonly context: PathContext},
): boolean {
  const started = reachesOf(words);
  if (
    words.some(
      word => /\s/u.test(word) && word.split(/[;&|\n(){}]+/u).some(part => wouldDestroy(part.trim().split(/\s+/u))),
    )
  )
    return false;
  return started.every(({words: own, where, reach}, at) => {
    const name = programName(own[0] ?? '');
    if (where === 'elsewhere' || readsCommandsFromInput(own) || !/^[\w.][\w.+/@:-]*$/u.test(own[0] ?? '')) return false;
    switch (reach) {
      case 'unknown':
        return !isReader(name) && !wouldDestroy(own);
      case 'runs-code':
      case 'changes-files':
        return true;
      case 'puts-files':
        return at === 0 && loses === 'nothing';
      case 'network':
        // `npx` downloads only what the project has not installed.
        return (
          (hasTrait(name, 'packages') || hasTrait(own.slice(0, 2).join(' '), 'packages')) &&
          started.length > at + 1 &&
          started.slice(at + 1).every(next => isInstalled(next.words[0] ?? '', directories, context))
        );
      case 'secrets':
        // `env` without a command prints the environment.
        return (
          name === 'env' &&
          started.length > at + 1 &&
          own.slice(1, own.length - (started[at + 1]?.words.length ?? 0)).every(word => !/^-[^i]/u.test(word))
        );
      case 'destroys':
      case 'repository':
      case 'machine':
      case 'shell':
        return false;
      default:
        return unreachable(reach);
    }
  });
}

/** True if some of the words destroy something when a program that receives them runs them. */
const wouldDestroy = (words: readonly string[]): boolean =>
  words.some((_, from) => reachesOf(words.slice(from)).some(({reach}) => reach === 'destroys'));

/** True if a shell reads its commands from its input, which is unknown. */
const readsCommandsFromInput = ([program = '', ...args]: readonly string[]): boolean =>
  isShell(programName(program))
    ? !args.some(word => !/^[-+]/u.test(word)) || args.some(word => fromInput.test(word))
    : /^(?:source|\.)$/u.test(program) && args.some(word => fromInput.test(word));

const fromInput = /^(?:-s?|\/(?:dev|proc)\/.*)$/u;

/** True if the project has installed a program with this name. */
const isInstalled = (name: string, directories: readonly string[], context: PathContext): boolean =>
  directories.every(directory => {
    const parts = partsOf(directory);
    return parts.some((_, at) => {
      const folder = parts.slice(0, parts.length - at);
      return (
        belowRoots(folder, context).length > 0 &&
        context.list(`${pathOf(folder)}/node_modules/.bin`).some(entry => entry.name === name)
      );
    });
  });

/** True if a word names a file outside the workspace, or one that may contain secrets. */
function namesOthers({words, directories}: JudgedInvocation, context: PathContext): boolean {
  const paths = workspacePaths(context);
  const judge = paths.from(directories);
  return words.some(({value}, at) => {
    if (typeof value === 'string') return true;
    return value.some(each => {
      if (each.style === 'wild' && paths.names(each, directories).to === 'options') return true;
      if (at === 0 && /^(?:\/(?:usr\/)?(?:local\/)?bin\/)?[^/]+$/u.test(each.text)) return false;
      if (each.style === 'found' || each.style === 'searched') return judge(each, 'read') !== undefined;
      const {style} = each;
      return partsThatMayBePaths(each.text).some(text => !isText(text) && judge({text, style}, 'read') !== undefined);
    });
  });
}

/** True if a word is a text or code, and not a path. */
const isText = (word: string): boolean => /[\s(]/u.test(word) && !/^(?:~|\.{0,2}\/)/u.test(word);

/** True if code in the command names a file outside the workspace, one that may contain secrets, or the environment. */
function namesOthersInCode(command: string, directories: readonly string[], context: PathContext): boolean {
  const judge = workspacePaths(context).from(directories);
  const home = pathOf(context.homes()[0] ?? []);
  const names = new Set(command.split(/[\s"'`()\\;,=<>|&{}[\]]+/u));
  const paths = [...names].filter(name => name.includes('/'));
  const top = context.list('/').map(({name}) => name);
  return (
    paths.length > maxPaths ||
    [...names].some(
      name => !plainVariable.test(name) && (environment.test(name) || (/[./]/u.test(name) && looksSecret(name))),
    ) ||
    paths.some(path => {
      // A word that begins with a slash may also be an expression.
      if (path.startsWith('/') && !top.includes(path.split('/')[1] ?? '')) return false;
      return judge({text: path.replace(/^~(?=\/)/u, home), style: 'plain'}, 'read') !== undefined;
    })
  );
}

const environment = /^(?:ENVIRON|(?:os\.)?(?:environ|getenv)|process\.env|System\.getenv|\$ENV)\b/u;

/** Matches variables without secrets. */
const plainVariable = /^process\.env\.(?:CI|DEBUG|HOME|LANG|NODE_ENV|PATH|PORT|PWD|TZ|USER)$/u;
const maxPaths = 300;

function isHeldSideEffect(sideEffect: SideEffect, {effects, context}: Place): boolean {
  const {effect, target} = sideEffect;
  switch (effect) {
    case 'sets':
      return true;
    case 'appends':
    case 'writes':
      return (
        isAbsolutePath(target) &&
        workspacePaths(context).from([])({text: target, style: 'plain'}, 'read') === undefined &&
        (effect === 'appends' || effects.ofSideEffect(sideEffect).loses === 'nothing')
      );
    case 'reads':
    case 'unsure':
      return false;
    default:
      return unreachable(effect);
  }
}
