import type {Check, CheckKind, CheckSetting, FoundCheck} from '../../domain/receipt.ts';
import {belowRoots, type PathContext, writtenParts} from '../paths/path-context.ts';
import {partsOf as pathParts, pathFrom, pathOf} from '../paths/path-parts.ts';
import {literalText} from '../shell/expansion.ts';
import {parseShell} from '../shell/parser.ts';
import type {Command, Script, SimpleCommand} from '../shell/syntax-tree.ts';
import {analyzeCommand} from './analyze-command.ts';
import {checksNothing, choosesTests, isEmptied, isItself, kindOf, preloads} from './check-kinds.ts';
import {mayReplaceCheck, plainVariable, programFolders} from './check-variables.ts';
import {hasTrait, isShell, mayOnlyRead, rowFor, rowOf} from './known-programs.ts';
import {isAssignment, isWrapper, keywords, layers, programName, scriptFileOf} from './layers.ts';
import {wordsOf} from './program-table.ts';
import {reachesOf} from './risks.ts';

/** The place where a command would run, and the checks that the user's settings name. */
interface CheckPlace {
  readonly directory: string;
  readonly context: PathContext;
  readonly named: readonly CheckSetting[];
}

/** Returns the checks that a command runs, and what its exit code says about each. */
export function checksIn(written: string, place: CheckPlace): readonly FoundCheck[] {
  const whole = settingFor(place, ({command: text}) => text.trim() === written.trim());
  if (replacesProgram(written, place.context)) return [];
  const command = inSimplerWords(written);
  const parts = partsOf(command);
  if (parts === undefined) return whole === undefined ? [] : [{...namedCheck(whole, 'test', place), ...plain}];
  if (whole !== undefined && parts.length > 1) {
    const zero = parts.find(part => part.zero !== 'passed')?.zero ?? 'passed';
    return [{...namedCheck(whole, 'test', place), ...plain, zero, nonZero: zero === 'passed' ? 'failed' : zero}];
  }
  const analysis = analyzeCommand(command, place);
  const {invocations, sideEffects} = analysis.reading === 'parsed' ? analysis : {invocations: [], sideEffects: []};
  const invocationOf = ({range}: SimpleCommand) => invocations.find(each => each.range.from === range.from);
  let isChanged = false;
  const found = parts.map(({command: simple, zero, changes, variables}) => {
    const directories = invocationOf(simple)?.directories ?? [];
    const here = {...place, directory: directories[0] ?? place.directory};
    const checks = checksOfSimple(simple, {text: command, variables}, here);
    const isLost = directories.length !== 1;
    const part = {
      zero: isChanged || isLost ? ('changed' as const) : zero,
      checks: isLost ? checks.map(check => ({...check, files: 'outside' as const})) : checks,
    };
    isChanged ||= changes;
    return part;
  });
  const mayWrite = parts.map(({command: simple}, at) =>
    (found[at]?.checks ?? []).length > 0
      ? changesWhatItChecks.test(wordTexts(simple, command).join(' '))
      : !isHarmless(simple, command) &&
        !/^(?:tail|cat)$/u.test(wordTexts(simple, command)[0] ?? '') &&
        invocationOf(simple)?.reason !== undefined,
  );
  // The output of the check is written while it runs, as by `> log`.
  const isLog = (at: number, part: number): boolean => {
    const {command: simple, pipeline} = parts[at] ?? {};
    return simple !== undefined && pipeline === parts[part]?.pipeline && wordTexts(simple, command)[0] === 'tee';
  };
  const isWritten = (part: number): boolean =>
    mayWrite.some(
      (writes, at) => writes && ((at > part && !isLog(at, part)) || (at < part && parts[at]?.zero === 'background')),
    ) ||
    sideEffects.some(
      ({effect, range}) => /^(?:writes|appends)$/u.test(effect) && range.from >= (parts[part]?.command.range.to ?? 0),
    );
  // After a zero exit code every visible part has succeeded. After another one, only one of them has failed.
  const mayFail = parts.filter(
    (part, at) =>
      part.zero === 'passed' &&
      ((found[at]?.checks.length ?? 0) > 0 || !(isHarmless(part.command, command) || passesOn(part.command, command))),
  ).length;
  return found.flatMap(({zero, checks}, at) =>
    checks.map(check => ({
      ...check,
      files: isWritten(at) ? 'written' : check.files,
      ...(zero !== 'passed'
        ? {zero, nonZero: zero}
        : {nonZero: check.nonZero === 'failed' && mayFail > 1 ? 'unreached' : check.nonZero}),
    })),
  );
}

/** Returns why a zero exit code of a command says nothing about a part of it, by the command's form alone. */
export function hidingIn(written: string, context?: PathContext): FoundCheck['zero'] {
  const command = inSimplerWords(written);
  const hides = ({zero, command: simple}: Part): boolean => {
    const words = wordTexts(simple, command);
    if (zero === 'passed' || isHarmless(simple, command) || words[0] === 'exit') return false;
    // The input of a check, such as `git diff |`, and `! grep TODO` are what they seem.
    if (zero === 'pipe') return rowFor(words)?.row.yes === undefined || kindOf(words) !== undefined;
    return zero !== 'condition' || !/^\s*!/u.test(command);
  };
  const parts = partsOf(command);
  if (replacesProgram(command, context)) return 'changed';
  if (parts === undefined) return startsCoprocess(command) ? 'changed' : 'passed';
  const evaluated = parts.map(({command: simple}) => wordTexts(simple, command)).filter(([first]) => first === 'eval');
  if (evaluated.some(([, ...script]) => hidingIn(script.join(' ')) !== 'passed')) return 'changed';
  const checks = parts.flatMap(({command: simple, variables}) =>
    layers(wordTexts(simple, command)).map(({at, words}) => ({
      words,
      variables: [...variables, ...variablesBefore(simple, at, command)],
    })),
  );
  if (checks.some(({words}) => isEmptied(words))) return 'options';
  if (parts.some(({command: simple}) => isReplaced(wordTexts(simple, command)))) return 'program';
  if (/\bBASH_FUNC_/u.test(command)) return 'variables';
  if (checks.some(({words, variables}) => variables.some(mayReplaceCheck) && kindsInWords(words).length > 0))
    return 'variables';
  const inner = parts.map(({command: simple}) => hidingOfCheck(wordTexts(simple, command)));
  return parts.find(hides)?.zero ?? inner.find(zero => zero !== 'passed') ?? 'passed';
}

/** True if a command, or a file that it reads into its shell, may replace a program that checks or runs one. */
function replacesProgram(command: string, context: PathContext | undefined): boolean {
  if (definesProgram(command) || context === undefined) return definesProgram(command);
  const [, ...read] = command.split(/(?<=^|[\s;&|({"'])(?:source|\.|eval)\s/u);
  return read
    .flatMap(rest => /^[^;&|\n]*/u.exec(rest)?.[0].match(/[\w./~-]+/gu) ?? [])
    .some(path => {
      const file = context.read(context.resolve(path).path);
      if (file.kind !== 'text') return false;
      const folders = [...file.text.matchAll(/^\s*(?:export\s+)?PATH=["']?([^\s"']*)/gmu)]
        .flatMap(([, value = '']) => value.split(':'))
        .map(folder => context.resolve(folder.replace(/^\$\{?PWD\}?/u, '.')).path);
      return (
        /^\s*(?:exit|exec)\b/mu.test(file.text) ||
        definesProgram(file.text) ||
        folders.some(
          folder => !programFolders.test(folder) && context.list(folder).some(({name}) => rowOf(name)?.checks),
        )
      );
    });
}

/** True if a path leads to another program than the check, or the program that runs one, of that name: `./npm test`. */
const isReplaced = (words: readonly string[]): boolean =>
  layers(words).some(({program, words: own}) => {
    const inner = isShell(program) ? scriptOf(own) : undefined;
    if (inner !== undefined) return partsOf(inner)?.some(({command}) => isReplaced(wordTexts(command, inner))) === true;
    const [script] = isShell(program) ? (scriptFileOf(own) ?? []) : [];
    const [first = '', ...args] = script === undefined ? own : own.slice(own.indexOf(script));
    return !isItself(first) && kindsInWords([programName(first.replaceAll(/["']/gu, '')), ...args]).length > 0;
  });

/** True if a function or an alias takes the name of a program that checks or runs one: `npm() { true; }`. */
const definesProgram = (command: string): boolean =>
  [
    ...command.matchAll(
      /(?:^|[;&|{(\n])\s*(?:function\s+|alias\s+(?:-\S+\s+)*['"]?(?=[\w.-]+=)|hash\s+-p\s+\S+\s+|(?=[\w.-]+\s*\(\s*\)))([\w.-]+)/gu,
    ),
  ].some(([, name = '']) => rowOf(name)?.checks !== undefined || rowOf(name)?.wraps !== undefined);

/** Returns the parts of a command that may run a check, without `echo npm test`, `ls test` and comments. */
export const ranIn = (command: string): string =>
  partsOf(command)
    ?.flatMap(({command: simple}) => {
      const written = command.slice(simple.range.from, simple.range.to);
      const words = wordTexts(simple, command);
      const shell = layers(words).find(({program}) => isShell(program));
      const script = shell === undefined ? undefined : scriptOf(shell.words);
      if (script !== undefined && !/[$`]/u.test(written)) return ranIn(script);
      // A substitution may run a check, and a log may tell of a run elsewhere.
      const isLog = mayOnlyRead(words) && /\.(?:log|out|tap|xml)\b/u.test(written);
      return mayRun(words) || isLog || /[$`]/u.test(written) ? written : [];
    })
    .filter(ran => ran !== '')
    .join('; ') ?? command;

/** True if a command may run code that stands elsewhere, by its row: not `mkdir test`, `grep -r test` or `env true npm test`. */
const mayRun = (words: readonly string[]): boolean =>
  reachesOf(words).some(
    ({words: [program = '', ...args], reach}) =>
      !/^\d/u.test(program) &&
      !mayOnlyRead([programName(program), ...args]) &&
      !isWrapper(programName(program)) &&
      !hasTrait(programName(program), 'shows') &&
      !/^(?:changes-files|puts-files|destroys|repository|shell)$/u.test(reach),
  );

/** True if a check runs beside the command: `coproc npm test`. */
const startsCoprocess = (command: string): boolean =>
  [...command.matchAll(/(?:^|[;&|{(\n])\s*coproc\s+([^;&|\n]*)/gu)].some(
    ([, words = '']) => checkKindsIn(words).length > 0,
  );

/** Returns the kinds of the checks in the words of a command, also if its exit code hides how they end. */
export const checkKindsIn = (command: string): readonly CheckKind[] =>
  (partsOf(command) ?? []).flatMap(({command: simple}) => kindsInWords(wordTexts(simple, command)));

const kindsInWords = (words: readonly string[]): readonly CheckKind[] =>
  layers(words).flatMap(({words: own, program}) => {
    const script = isShell(program) ? scriptOf(own) : undefined;
    return script === undefined ? (kindOf(own) ?? []) : checkKindsIn(script);
  });

/** Returns what hides the exit code of a check in the script of a shell, such as `bash -c "npm test | tail"`. */
function hidingOfCheck(words: readonly string[]): FoundCheck['zero'] {
  const shell = layers(words).find(({program}) => isShell(program));
  const inner = shell === undefined ? undefined : scriptOf(shell.words);
  const isCheck = (part: Part): boolean => kindsInWords(wordTexts(part.command, inner ?? '')).length > 0;
  return partsOf(inner ?? '')?.find(part => part.zero !== 'passed' && isCheck(part))?.zero ?? 'passed';
}

/** Returns the script in the words of a shell, after `-c`, with the options of the shell that decide how it ends. */
function scriptOf(words: readonly string[]): string | undefined {
  const option = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/u.test(word));
  const script = option < 0 ? undefined : words[option + 1];
  const given = words.slice(1, option + 1);
  const options = `${given.some(word => /^-[a-z]*e/u.test(word)) ? 'set -e; ' : ''}${given.includes('pipefail') ? 'set -o pipefail; ' : ''}`;
  return script === undefined ? undefined : options + script;
}

/**
 * Writes a command in words that the parser and the judge know. `pushd` goes where `cd` goes. The code of a check whose output
 * others pass on is `$?` with `pipefail`.
 */
function inSimplerWords(written: string): string {
  const command = written.replaceAll(/(?<=(?:^|[;&|({\n])[ \t]*)pushd(?=[ \t]+[^\s+-])/gu, 'cd');
  const [, before = ''] = /^([^]*?)[;\n][^;\n]*\$\{PIPESTATUS\[0\]\}/u.exec(command) ?? [];
  const line = before.trimEnd().split(/[;\n]/u).at(-1) ?? '';
  const isPassedOn = /^[^|]+(?:\|\s*(?:tail|tee|cat|head|grep|sed)\b[^|&]*(?:\d>&\d[^|&]*)?)+$/u.test(line);
  return isPassedOn && !/\bset\s+[-+]/u.test(command)
    ? `set -o pipefail; ${command.replace(/"\$\{PIPESTATUS\[0\]\}"|\$\{PIPESTATUS\[0\]\}/u, '$?')}`
    : command;
}

/** Returns the setting for a command: that of its folder, or one for all folders. Several such settings have no certain paths. */
function settingFor(
  {named, directory, context}: CheckPlace,
  isSame: (setting: CheckSetting) => boolean,
): CheckSetting | undefined {
  const same = named.filter(isSame);
  const here = pathOf(pathParts(directory));
  const own = same.find(each => each.directory !== undefined && pathOf(writtenParts(each.directory, context)) === here);
  const [first, second] = same.filter(each => each.directory === undefined);
  return own ?? (first !== undefined && second !== undefined ? {...first, paths: undefined} : first);
}

/** True if a check runs outside the workspace or names a path there, such as `npm --prefix ../other test`. Paths of output don't count. */
function readsOutside([, ...words]: readonly string[], {directory, context}: CheckPlace): boolean {
  const isOutside = (path: string): boolean => belowRoots(pathParts(pathFrom(directory, path)), context).length === 0;
  const named = words.flatMap((word, at) => {
    const path = /^(?:-[\w-]+=)?((?:~|\.\.(?=\/|$)|\/(?!dev\/|\/)).*|.*\/\.\.(?:\/.*)?)$/u.exec(word)?.[1] ?? '';
    const isOutput = outputOption.test(word.includes('=') ? word : (words[at - 1] ?? ''));
    return path === '' || isOutput ? [] : [path];
  });
  return [directory, ...named].some(isOutside);
}

const outputOption = /^-(?:o$|-.*(?:out|report|cache|cov|junit|log|tmp|temp))/iu;

const plain = {zero: 'passed', nonZero: 'failed', files: 'as-read', selection: 'all'} as const;

/** Checks that change files on purpose, such as `eslint --fix`. */
const changesWhatItChecks = /(?:^|[\s:.-])(?:fix|write|update|updateSnapshot|format|fmt|u|w)(?:$|[\s:=])/u;

/** A simple command of a script. A zero exit code of the script says `zero` about it. */
interface Part {
  readonly command: SimpleCommand;
  readonly zero: FoundCheck['zero'];
  /** Whether words may mean something else after it, or nothing after it runs. */
  readonly changes: boolean;
  /** The assignments that earlier parts certainly export to it. */
  readonly variables: readonly string[];
  /** The assignments that it certainly exports to later parts. */
  readonly exports: readonly string[];
  /** Where its pipe begins. */
  readonly pipeline: number;
}

interface Reach {
  readonly text: string;
  readonly zero: FoundCheck['zero'];
  readonly pipefail: boolean;
  /** Whether `set -e` has an effect: not before `&&`. */
  readonly canStop: boolean;
  /** Where the pipe of the command begins. */
  readonly pipeline: number;
  /** `certain`: it runs in this shell if anything after it does. */
  readonly run: 'certain' | 'possible';
  /** `!` before the pipe: `swaps` in `if ! npm test; then exit 1; fi`. */
  readonly negation: 'hides' | 'swaps';
}

/** Returns the simple commands of a command line, or `undefined` if it cannot be parsed. */
function partsOf(command: string): readonly Part[] | undefined {
  const parsed = parseShell(command);
  if (parsed.tag === 'failed') return undefined;
  const parts: Part[] = [];
  const reach = {
    zero: 'passed',
    pipefail: false,
    canStop: true,
    pipeline: 0,
    run: 'certain',
    negation: 'hides',
  } as const;
  collect(parsed.value, {...reach, text: command}, parts);
  return parts;
}

/** Collects the simple commands of a script, each with what a zero exit code of the script says about it. */
function collect(script: Script, outer: Reach, parts: Part[]): void {
  let {pipefail} = outer;
  let stopsAtErrors = false;
  const last = lastCounted(script, outer.text);
  for (const [at, {steps, runs}] of script.entries()) {
    const hasOr = steps.some(({when, pipeline}) => when === 'after-failure' && !isFailure(pipeline, outer.text));
    for (const [index, {when, pipeline}] of steps.entries()) {
      const [first] = pipeline;
      if (first === undefined || (when === 'after-failure' && !hasOr)) continue;
      // With `set -e`, a failure before the last `&&` of a line does not end the script.
      const canStop = outer.canStop && index === steps.length - 1;
      const endsScript = at === last || (stopsAtErrors && canStop);
      const own = runs === 'in-background' ? 'background' : hasOr || !endsScript ? 'list' : 'passed';
      const isNegated = startsNegated(first, outer.text);
      const isFirst = index === 0 || (at === script.length - 1 && steps.every(step => step.when !== 'after-failure'));
      const isCertain = isFirst && pipeline.length === 1 && runs === 'here';
      for (const [position, command] of pipeline.entries()) {
        const isPiped = position < pipeline.length - 1 && !pipefail;
        const isHidden = isNegated && outer.negation === 'hides';
        const zero = own !== 'passed' ? own : isHidden ? 'condition' : isPiped ? 'pipe' : outer.zero;
        const run = isCertain && outer.run === 'certain' ? 'certain' : 'possible';
        const reach = {zero, pipefail, canStop: canStop && !isNegated, pipeline: first.range.from, run} as const;
        collectCommand(command, {...outer, ...reach, negation: 'hides'}, parts);
      }
      const set = isCertain && index === 0 && first.kind === 'simple' ? wordTexts(first, outer.text) : [];
      if (set[0] === 'set') {
        pipefail ||= set.includes('pipefail');
        stopsAtErrors ||= set.some(word => /^-[a-z]*e/u.test(word) || word === 'errexit');
      }
    }
  }
}

/** Returns the statement whose exit code a script ends with: the one before `exit $?`, or before `code=$?` if `exit $code` is the end. */
function lastCounted(script: Script, text: string): number {
  const simple = script.map(({steps, runs}) => {
    const [first, ...more] = steps.length === 1 && runs === 'here' ? (steps[0]?.pipeline ?? []) : [];
    return first?.kind === 'simple' && more.length === 0 ? first : undefined;
  });
  const written = simple.map(each => (each === undefined ? '' : text.slice(each.range.from, each.range.to)));
  const end = script.length - 1;
  const [, name = ''] = /^exit(?: "?\$(?:\?|\{?(\w+)\}?)"?)?$/u.exec(written[end] ?? '') ?? ['', '-'];
  if (name === '-' || end === 0) return end;
  if (name === '') return end - 1;
  const kept = written.indexOf(`${name}=$?`);
  // Only this statement writes the variable.
  const isKept = simple
    .slice(kept + 1, end)
    .every(each => each !== undefined && (!changesShell(each, text) || wordTexts(each, text)[0] === 'popd'));
  const isWritten = simple
    .slice(kept + 1, end)
    .some(each => each?.assignments.some(({range}) => text.startsWith(`${name}=`, range.from)));
  return kept > 0 && isKept && !isWritten ? kept - 1 : end;
}

function collectCommand(command: Command, reach: Reach, parts: Part[]): void {
  if (command.kind === 'simple') addPart(command, reach, parts);
  else if (command.kind === 'group')
    collect(command.body, {...reach, run: command.scope === 'own' ? 'possible' : reach.run}, parts);
  else if (command.kind === 'for') {
    collect(command.body, {...reach, zero: 'condition', run: 'possible'}, parts);
    // The variable of the loop may be one that programs read.
    const {range} = command;
    const variable: SimpleCommand = {kind: 'simple', assignments: [], words: [], redirections: [], range};
    const {pipeline} = reach;
    parts.push({command: variable, zero: 'condition', pipeline, variables: [], exports: [], changes: true});
  } else if (command.kind === 'branches') {
    const [tested = [], ...bodies] = command.scripts;
    const [only, ...others] = tested.flatMap(({steps}) => steps);
    const isNegated = others.length === 0 && startsNegated(only?.pipeline[0], reach.text);
    // An `if` whose branch after a failure ends with `exit 1` ends as its check does.
    const failed = bodies[isNegated ? 0 : 1];
    const isIf = /^if\b/u.test(reach.text.slice(command.range.from)) && bodies.length <= 2;
    const isKnown = isIf && failed !== undefined && failsAlways(failed, reach.text);
    const inner = {...reach, run: 'possible', canStop: false} as const;
    collect(tested, {...inner, ...(isKnown ? {negation: isNegated ? 'swaps' : 'hides'} : {zero: 'condition'})}, parts);
    for (const script of bodies)
      collect(script, {...inner, ...(!isKnown || script === failed ? {zero: 'condition'} : {})}, parts);
  }
}

/** True if `!` stands before a pipe that begins with this command. */
const startsNegated = (first: Command | undefined, text: string): boolean =>
  first !== undefined && /!\s*$/u.test(text.slice(0, first.range.from));

function addPart(command: SimpleCommand, {zero, text, pipeline, run}: Reach, parts: Part[]): void {
  const last = parts.at(-1);
  const variables = last === undefined ? [] : [...last.variables, ...last.exports];
  const exports = run === 'certain' ? exportedBy(command, text) : [];
  parts.push({
    command,
    zero,
    pipeline,
    variables,
    exports,
    changes: exports.length === 0 && changesShell(command, text),
  });
}

/** True if a step after `||` certainly fails too, such as `exit 1`. */
function isFailure([first, ...more]: readonly Command[], text: string): boolean {
  if (first?.kind === 'group' && more.length === 0) return failsAlways(first.body, text);
  if (first?.kind !== 'simple' || more.length > 0) return false;
  return /^(?:(?:exit|return)(?: (?!0+$)\d+| \$\?)?|false)$/u.test(wordTexts(first, text).join(' '));
}

/** True if a script certainly ends with a failure: `{ echo failed; exit 1; }`. */
function failsAlways(script: Script, text: string): boolean {
  const pipelines = script.map(({steps, runs}) => (steps.length === 1 && runs === 'here' ? steps[0]?.pipeline : []));
  const [end = [], ...before] = pipelines.toReversed();
  const [last] = end;
  // After a message, `$?` is 0.
  const isOwn = last?.kind === 'simple' && !/\$\?|^(?:exit|return)$/u.test(wordTexts(last, text).join(' '));
  return isOwn && isFailure(end, text) && before.every(pipeline => cannotEnd(pipeline ?? [], text));
}

/** True if a step before `exit 1`, such as a message, can't end the shell. */
const cannotEnd = ([first, ...more]: readonly Command[], text: string): boolean =>
  first?.kind === 'simple' && more.length === 0 && isHarmless(first, text) && !changesShell(first, text);

/** The shell's own commands after which words may mean something else. */
const shellCommands: ReadonlySet<string> = new Set(
  wordsOf(
    '. source alias unalias builtin declare typeset local readonly enable disable eval exec exit export fc getopts hash let logout mapfile popd pushd read readarray return set shopt trap unset autoload emulate functions rehash setopt unsetopt zmodload',
  ),
);

const activation = /^(?:\.\/)?\.?venv\/bin\/activate$/u;

/** True if a command may change the shell: a variable, a name, the stack of folders, or that it ends. */
function changesShell(command: SimpleCommand, text: string): boolean {
  const written = wordTexts(command, text);
  const start = written.findIndex(word => !/^(?:command|time|-.*)$/u.test(word));
  const [program = '', ...args] = written.slice(Math.max(0, start));
  if (program === '' || program === ':')
    return command.assignments.some(({range}) => {
      const assignment = text.slice(range.from, range.to);
      return !plainVariable.test(assignment) && !scriptVariable.test(assignment);
    });
  if (program === 'set') return args.some(arg => !/^(?:-[eux]*o?|pipefail|errexit|nounset|xtrace)$/u.test(arg));
  if (program === 'export') return args.some(arg => !plainVariable.test(arg));
  // It finds programs in the same folder as `.venv/bin/pytest`.
  if (/^(?:\.|source)$/u.test(program) && args.length === 1 && activation.test(args[0] ?? '')) return false;
  if (program === 'printf') return args.includes('-v');
  if (program === 'exit') return !/^[1-9]\d?$/u.test(args.join(' '));
  return shellCommands.has(program) || /[$`]/u.test(program);
}

/** Variables that only the script itself reads, by their small letters. */
const scriptVariable = /^(?!npm_|path\b|\w+_proxy\b)[a-z][a-z\d_]*=/u;

/** Returns the assignments that `export` makes. Empty if it exports anything else. */
function exportedBy(command: SimpleCommand, text: string): readonly string[] {
  const [program, ...args] = writtenWords(command, text);
  const isPlain = program === 'export' && args.every(isAssignment);
  return isPlain ? args.filter(word => !plainVariable.test(word)) : [];
}

/** Returns the texts of a command's words, and words in which something expands as written. */
const wordTexts = ({words}: Pick<SimpleCommand, 'words'>, text: string): readonly string[] =>
  words.map(word => literalText(word) ?? text.slice(word.range.from, word.range.to));

/** Programs that fail so rarely that a failed script says more about the check beside them. */
const harmless: ReadonlySet<string> = new Set(
  wordsOf('cd pushd popd set export unset echo printf true clear mkdir : source .'),
);

/** True for programs that only pass on the output of a check. */
const passesOn = (command: SimpleCommand, text: string): boolean =>
  /^(?:tail|tee|cat)$/u.test(wordTexts(command, text)[0] ?? '');

const isHarmless = (command: SimpleCommand, text: string): boolean =>
  command.words.length === 0 || harmless.has(wordTexts(command, text)[0] ?? '');

/** Returns the check that a simple command runs. A shell with a script may run several. */
function checksOfSimple(
  command: SimpleCommand,
  {text, variables: exported}: {readonly text: string; readonly variables: readonly string[]},
  place: CheckPlace,
): readonly FoundCheck[] {
  const words = wordTexts(command, text);
  const written = writtenWords(command, text);
  const assignments = command.assignments.length;
  for (const {at, words: own, program, where} of layers(words)) {
    if (where === 'elsewhere') continue;
    // The words of `echo` are text: `stdbuf -oL echo npm test`.
    if (hasTrait(program, 'shows') || mayOnlyRead([program, ...own.slice(1)])) return [];
    const variables = [...exported, ...variablesBefore(command, at, text)];
    const before = words.slice(0, at);
    const isHidden = before.some(word => hidesExitCode(word) || word === '-v');
    if (isShell(program)) {
      const inner = scriptOf(own);
      const isUsual = own.slice(1, own.indexOf(inner ?? '')).every(word => /^(?:-[celuxo]+|pipefail)$/u.test(word));
      const hiding = isUsual ? (isHidden ? 'condition' : undefined) : 'changed';
      if (inner !== undefined && variables.some(mayReplaceCheck)) return [];
      if (inner !== undefined)
        return checksIn(variables.map(word => `export ${word}; `).join('') + inner, place).map(check =>
          hiding === undefined ? check : {...check, zero: hiding, nonZero: hiding},
        );
    }
    const named = settingFor(place, each => canonicalOf(each.command) === [...variables, canonical(own)].join(' '));
    const kind = isReplaced(words) ? undefined : kindOf(own);
    if (named === undefined && (kind === undefined || variables.some(mayReplaceCheck))) continue;
    const name = [
      ...variables,
      canonical([(own[0] ?? '').replace(usualFolder, ''), ...written.slice(assignments + at + 1)]),
    ].join(' ');
    const check = {
      ...namedCheck(named ?? {name, command: ''}, kind ?? 'test', place),
      command: [...exported, ...written].join(' '),
    };
    const files = readsOutside(own, place) ? 'outside' : 'as-read';
    const selection = choosesTests(own) && check.kind === 'test' ? 'by-name' : 'all';
    const hiding = isHidden
      ? 'condition'
      : before.some(word => checksNothing.test(word)) || (named === undefined && preloads(own))
        ? 'options'
        : undefined;
    return [{...check, ...plain, files, selection, ...(hiding && {zero: hiding, nonZero: hiding})}];
  }
  return [];
}

const writtenWords = ({assignments, words}: SimpleCommand, text: string): readonly string[] =>
  [...assignments, ...words].map(({range}) => text.slice(range.from, range.to));

/** Returns the variables before the word at `at` that may change what a check does. */
const variablesBefore = (command: SimpleCommand, at: number, text: string): readonly string[] =>
  writtenWords(command, text)
    .slice(0, command.assignments.length + at)
    .filter(word => isAssignment(word) && !plainVariable.test(word));

/** The folders in which package tools and systems put programs. A program of another folder is not the one of that name. */
const usualFolder = /^(?:(?:\.\/)?(?:node_modules\/\.bin|\.?venv\/bin)|(?:\/usr(?:\/local)?)?\/bin)\/(?=[^/]+$)/u;

/** Wrappers that do not wait for the command, or that load variables or other programs for it. */
const unlike: ReadonlySet<string> = new Set(
  wordsOf(
    'setsid systemd-run daemonize start-stop-daemon screen dbus-launch sem watchexec envdir chpst env-cmd dotenv summon envconsul bwrap firejail unshare nsenter proot fakechroot',
  ),
);

/** True for wrappers that run a command several times, later or elsewhere: `xargs`, `watch`, `find`. */
const hidesExitCode = (word: string): boolean =>
  keywords.has(word) ||
  unlike.has(programName(word)) ||
  rowOf(programName(word))?.wraps?.options !== undefined ||
  (['input-words', 'input', 'pages'] as const).some(trait => hasTrait(programName(word), trait));

const namedCheck = ({name, command, paths}: CheckSetting, kind: CheckKind, {directory}: CheckPlace): Check => ({
  // The name of a check is never that of another command.
  name: command !== '' && canonicalOf(name) !== canonicalOf(command) && kindOf(name.split(' ')) ? command : name,
  kind,
  command,
  directory,
  paths: paths ?? 'all',
});

/** Writes one command for the ways to run the same script: `npm run test` and `npm t` are `npm test`. */
const canonical = (words: readonly string[]): string =>
  words
    .join(' ')
    .replace(/^((?:p?npm|yarn|bun)\b(?:(?! -- ).)*?) (?:-s|--silent)(?= |$)/u, '$1')
    .replace(/^npm (?:t|tst|(?:run|run-script) test)(?= |$)/u, 'npm test');

/** Returns the text that a command of the settings is compared by. */
function canonicalOf(command: string): string {
  const parsed = parseShell(command);
  const [only] = (parsed.tag === 'ok' && parsed.value.length === 1 ? parsed.value[0]?.steps[0]?.pipeline : []) ?? [];
  if (only?.kind !== 'simple') return canonical([command.trim()]);
  const variables = only.assignments.map(({range}) => command.slice(range.from, range.to));
  return [...variables.filter(word => !plainVariable.test(word)), canonical(wordTexts(only, command))].join(' ');
}
