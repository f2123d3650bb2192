import type {PartEffect} from '../../domain/reason.ts';
import {
  printsAnything,
  type Invocation,
  type AfterCommand,
  type OutputUse,
  subshellScope,
  type ShellScope,
  inSameFolders,
  unionOfFolders,
} from './scope.ts';
import {firstFound} from '../../base/first-found.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type TextRange, unknownContent, type WrittenContent} from '../../domain/risk.ts';
import {anyPaths, type PathRules, workspacePaths} from '../paths/judge-path.ts';
import type {PathContext} from '../paths/path-context.ts';
import {isAbsolutePath, partsThatMayBePaths, pathOf} from '../paths/path-parts.ts';
import {
  type Argument,
  expandWord,
  readAssignment,
  forgetMentioned,
  isScriptVariable,
  mergeInto,
  type PrintedOutput,
  type ExpansionContext,
  unionOfValues,
} from '../shell/expansion.ts';
import {parseShell} from '../shell/parser.ts';
import {confirmsReading} from '../shell/second-reading.ts';
import type {AndOr, Command, Redirection, Script, SimpleCommand, AndOrStep, Word} from '../shell/syntax-tree.ts';
import {judgeCd, judgeRead, readOnlyProblem} from './judge-invocation.ts';
import {plainText} from './only-reads.ts';
import {outputOf} from './command-output.ts';
import {outputBefore} from './secret-output.ts';
import {doubleTestProblem} from './special-programs.ts';

/** The parts of a command, or why they are not certain. */
export type CommandAnalysis =
  | (ScriptAnalysis & {
      readonly reading: 'parsed';
      /**
       * Returns whether a second reading of the command agrees, see `confirmsReading`. It is computed once, at the first call,
       * because only allowing needs it.
       */
      readonly confirmed: () => Promise<boolean>;
      /** True if the shell may end in another folder. */
      readonly mayMove: boolean;
    })
  | {readonly reading: 'unparsed'; readonly what: string; readonly at: number};

/** Analyzes a command that would start in `directory`. Never throws. */
export function analyzeCommand(
  command: string,
  {directory, context}: {readonly directory: string; readonly context: PathContext},
): CommandAnalysis {
  const parsed = parseShell(command);
  if (parsed.tag === 'failed') return {reading: 'unparsed', ...parsed.error};
  const walk: Walk = {
    text: command,
    paths: workspacePaths(context),
    home: pathOf(context.homes()[0] ?? []),
    invocations: [],
    sideEffects: [],
    readOnly: new Map(),
    printed: new Map(),
  };
  const start = {directories: [directory], variables: new Map(), input: printsAnything, output: 'shown'} as const;
  const {success, failure} = walkList(parsed.value, start, walk);
  let confirmed: Promise<boolean> | undefined;
  return {
    reading: 'parsed',
    ...walk,
    mayMove: [success, failure].some(ends => ends.length === 0 || ends.some(end => end !== directory)),
    confirmed: () => (confirmed ??= confirmsReading(command, parsed.value)),
  };
}

/** A simple command in a script, and whether it only reads. */
export interface JudgedInvocation extends Pick<Invocation, 'words' | 'directories'> {
  readonly range: TextRange;
  /** Why weft asks about the command, or `undefined` if the command only reads. */
  readonly reason: PartEffect | undefined;
  /** Whether the command would only read if every path were allowed. */
  readonly elsewhere: 'only reads' | 'unsure';
  /** The files that the command's redirections overwrite, as written. */
  readonly overwrites: readonly string[];
  /** The new content of the overwritten files. */
  readonly content: WrittenContent;
}

/** An effect of a script besides running programs: an assignment, a redirection, a background job. */
export interface SideEffect {
  readonly range: TextRange;
  /** The text for the user: the quoted part, or a name such as "loop". */
  readonly part: string;
  readonly does: PartEffect;
  /**
   * `writes` and `appends`: to `target`. `reads`: a file that needs an approval. `sets`: a variable of the programs that run, to
   * a known text that names nothing outside the workspace. `unsure`: its changes are not known.
   */
  readonly effect: 'writes' | 'appends' | 'reads' | 'sets' | 'unsure';
  /** The absolute path of the file, or empty if it is not known. */
  readonly target: string;
}

/** The simple commands of a script in text order, and its side effects. */
export interface ScriptAnalysis {
  readonly invocations: readonly JudgedInvocation[];
  readonly sideEffects: readonly SideEffect[];
}

interface Walk extends ScriptAnalysis {
  readonly text: string;
  readonly paths: PathRules;
  readonly home: string;
  readonly invocations: JudgedInvocation[];
  readonly sideEffects: SideEffect[];
  /** Plain commands that only read, by text. Long chains repeat them. */
  readonly readOnly: Map<string, JudgedInvocation>;
  /** The output of the walked substitutions. */
  readonly printed: Map<Script, PrintedOutput>;
}

function walkList(script: Script, scope: ShellScope, walk: Walk): AfterCommand {
  let ends: AfterCommand = inSameFolders(scope);
  for (const andOr of script) {
    const inner = {...scope, directories: unionOfFolders(ends.success, ends.failure)};
    if (andOr.runs === 'in-background') {
      const last = rangeOf(andOr);
      if (last !== undefined) addSideEffect(walk, last, {does: 'keeps running in the background'});
      walkSteps(andOr.steps, subshellScope(inner), walk);
      ends = inSameFolders(inner);
    } else ends = walkSteps(andOr.steps, inner, walk);
  }
  return script.length === 1 ? ends : {...ends, prints: printsAnything};
}

function walkSteps(steps: readonly AndOrStep[], scope: ShellScope, walk: Walk): AfterCommand {
  let ends = inSameFolders(scope);
  // Steps joined by `&&` may not all run, so a variable that they set may be unset.
  let chain = scope;
  for (const {when, pipeline} of steps) {
    if (when === 'after-failure' && chain !== scope) mergeInto(scope.variables, [chain.variables]);
    if (when !== 'always' && (chain === scope || when === 'after-failure')) chain = subshellScope(scope);
    const before =
      when === 'after-success' ? ends.success : when === 'after-failure' ? ends.failure : scope.directories;
    const after = walkPipeline(pipeline, {...chain, directories: before}, walk);
    if (when === 'always') ends = after;
    else if (when === 'after-success') ends = {...after, failure: unionOfFolders(ends.failure, after.failure)};
    else ends = {...after, success: unionOfFolders(ends.success, after.success)};
  }
  if (chain !== scope) mergeInto(scope.variables, [chain.variables]);
  return steps.length === 1 ? ends : {...ends, prints: printsAnything};
}

/** Walks a pipeline. A single command runs in this shell. The commands of a pipe run in subshells, except the last one in some shells. */
function walkPipeline(pipeline: readonly Command[], scope: ShellScope, walk: Walk): AfterCommand {
  const [only] = pipeline;
  if (only !== undefined && pipeline.length === 1) return walkCommand(only, scope, walk);
  let {input} = scope;
  const outputs = outputsOf(pipeline, scope, walk);
  for (const [at, command] of pipeline.entries())
    input = walkCommand(command, {...subshellScope(scope), input, output: outputs[at] ?? 'reshaped'}, walk).prints;
  return {...inSameFolders(scope), prints: input};
}

/** Returns where the output of each command in a pipe goes. */
function outputsOf(pipeline: readonly Command[], {output}: ShellScope, {text}: Walk): readonly OutputUse[] {
  const outputs: OutputUse[] = [output];
  for (const next of pipeline.slice(1).toReversed()) {
    const end = text.slice(next.range.to).trim() === '' ? 'last' : 'goes on';
    outputs.unshift(outputBefore(next, {output: outputs[0] ?? 'reshaped', end}));
  }
  return outputs;
}

function walkCommand(command: Command, outer: ShellScope, walk: Walk): AfterCommand {
  const overwrites = walkRedirections(command.redirections, outer, walk);
  const scope: ShellScope = command.redirections.some(({operator}) => operator.startsWith('<'))
    ? {...outer, input: printsAnything}
    : outer;
  switch (command.kind) {
    case 'simple':
      return walkSimple(command, {scope, overwrites}, walk);
    case 'group':
      if (command.scope === 'shared') return {...walkList(command.body, scope, walk), prints: printsAnything};
      walkList(command.body, subshellScope(scope), walk);
      return inSameFolders(scope);
    case 'branches':
      return walkBranches(command, scope, walk);
    case 'for':
      return walkFor(command, scope, walk);
    case 'test': {
      walkInner(command.words, scope, walk);
      const words = command.words.flatMap(word => expandWord(word, expansionContext(scope, walk)));
      const reason = doubleTestProblem(words, walk.paths.from(scope.directories));
      if (reason !== undefined) addSideEffect(walk, command.span, {does: reason});
      return inSameFolders(scope);
    }
    default:
      return unreachable(command);
  }
}

/** Walks branches. The first script always runs, and the others may run. The scripts of a loop may run repeatedly. */
function walkBranches(branches: Command & {readonly kind: 'branches'}, scope: ShellScope, walk: Walk): AfterCommand {
  const {scripts, words, runs, range} = branches;
  walkInner(words, scope, walk);
  if (runs === 'again') forgetMentioned(scope.variables, range, walk);
  const runBody = (moving: ShellScope): AfterCommand => {
    let ends = inSameFolders(moving);
    const ways: ShellScope['variables'][] = [];
    for (const [at, script] of scripts.entries()) {
      const inner = at === 0 && words.length === 0 ? moving : subshellScope(moving);
      const after = walkList(script, inner, walk);
      if (inner !== moving) ways.push(inner.variables);
      ends = {
        success: unionOfFolders(ends.success, after.success, after.failure),
        failure: unionOfFolders(ends.failure, after.success, after.failure),
        prints: printsAnything,
      };
    }
    mergeInto(moving.variables, ways);
    return ends;
  };
  return runs === 'again' ? runRepeatedly(scope, runBody, walk) : runBody(scope);
}

function walkFor(
  {variable, values, body, range}: Command & {readonly kind: 'for'},
  scope: ShellScope,
  walk: Walk,
): AfterCommand {
  walkInner(values, {...scope, output: 'reshaped'}, walk);
  const args = values.flatMap(word => expandWord(word, expansionContext(scope, walk)));
  // Other variables, such as PATH and IFS, control the shell or programs.
  if (!isScriptVariable(variable)) addSideEffect(walk, range, {part: 'loop', does: `sets the variable ${variable}`});
  const [first] = body;
  const from = (first === undefined ? undefined : rangeOf(first)?.from) ?? range.from;
  const runBody = (moving: ShellScope): AfterCommand => {
    const inner = subshellScope(moving);
    forgetMentioned(inner.variables, {from, to: range.to}, walk);
    inner.variables.set(variable, unionOfValues(args));
    const after = walkList(body, inner, walk);
    mergeInto(moving.variables, [inner.variables]);
    return {
      success: unionOfFolders(after.success, moving.directories),
      failure: unionOfFolders(after.failure, moving.directories),
      prints: printsAnything,
    };
  };
  return runRepeatedly(scope, runBody, walk);
}

/**
 * Walks a loop. Each round starts in the folder in which the round before it ended. If the body changes the folder, a round may start in
 * any folder.
 */
function runRepeatedly(scope: ShellScope, runBody: (scope: ShellScope) => AfterCommand, walk: Walk): AfterCommand {
  const before = {
    invocations: walk.invocations.length,
    sideEffects: walk.sideEffects.length,
    variables: new Map(scope.variables),
  };
  const ends = runBody(scope);
  if ([...ends.success, ...ends.failure].every(each => scope.directories.includes(each))) return ends;
  walk.invocations.length = before.invocations;
  walk.sideEffects.length = before.sideEffects;
  for (const [name, value] of before.variables) scope.variables.set(name, value);
  return runBody({...scope, directories: []});
}

function walkSimple(
  {words, assignments, range, redirections}: SimpleCommand,
  {scope, overwrites}: {readonly scope: ShellScope; readonly overwrites: readonly string[]},
  walk: Walk,
): AfterCommand {
  const written = walk.text.slice(range.from, range.to);
  const known = scope.variables.size === 0 ? walk.readOnly.get(`${scope.output} ${written}`) : undefined;
  if (known !== undefined && known.directories === scope.directories) {
    walk.invocations.push({...known, range});
    return {...inSameFolders(scope), prints: () => outputOf({...known, input: scope.input, output: scope.output})};
  }
  const [first] = words;
  const tests = first !== undefined && /^(?:test|\[)$/u.test(walk.text.slice(first.range.from, first.range.to));
  walkInner(assignments, {...scope, output: 'reshaped'}, walk);
  walkInner(words, tests ? scope : {...scope, output: 'reshaped'}, walk);
  for (const assignment of assignments) {
    const value = readAssignment(assignment, expansionContext(scope, walk));
    if (value.kind === 'own' && words.length === 0) scope.variables.set(value.name, value.value);
    else if (value.kind !== 'harmless') {
      const does = 'sets a variable, which can change what runs';
      const judge = walk.paths.from(scope.directories);
      const isOrdinary =
        value.kind === 'known' &&
        value.texts.flatMap(partsThatMayBePaths).every(text => judge({text, style: 'plain'}, 'read') === undefined);
      addSideEffect(walk, assignment.range, {does, effect: isOrdinary ? 'sets' : 'unsure'});
    }
  }
  const args = words.flatMap(word => expandWord(word, expansionContext(scope, walk)));
  const invocation: Invocation = {
    words: args,
    directories: scope.directories,
    input: scope.input,
    output: scope.output,
  };
  if (args.length === 0) return inSameFolders(scope);
  const name = plainText(args[0]);
  const judged =
    name === 'cd'
      ? judgeCd(invocation, walk.paths)
      : name === 'read'
        ? judgeRead(
            words.map(word => walk.text.slice(word.range.from, word.range.to)),
            invocation,
            scope,
          )
        : {
            reason: isLiteral(words[0])
              ? readOnlyProblem(invocation, walk.paths)
              : 'runs a program named by a variable',
            ends: inSameFolders(scope),
          };
  const elsewhere =
    judged.reason === undefined || name === 'cd' || readOnlyProblem(invocation, anyPaths) === undefined
      ? 'only reads'
      : 'unsure';
  const content = overwrites.length === 0 ? unknownContent : writtenContent(args, redirections, {scope, walk});
  const found: JudgedInvocation = {...invocation, range, reason: judged.reason, elsewhere, overwrites, content};
  walk.invocations.push(found);
  if (found.reason === undefined && !moves.has(name ?? '') && plainCommand.test(written))
    walk.readOnly.set(`${scope.output} ${written}`, found);
  return {...judged.ends, prints: judged.reason === undefined ? () => outputOf(invocation) : printsAnything};
}

/**
 * Returns the output of a command whose text contains the whole output: `echo` of plain words, `cat` of a here-document
 * with nothing to expand.
 */
function writtenContent(
  args: readonly Argument[],
  redirections: readonly Redirection[],
  {scope, walk}: {readonly scope: ShellScope; readonly walk: Walk},
): WrittenContent {
  const [program, ...texts] = args.map(plainText);
  const outputs = redirections.filter(({operator}) => operator.includes('>'));
  const inputs = redirections.filter(({operator}) => operator.includes('<'));
  const [input] = inputs;
  if (outputs.length !== 1 || outputs[0]?.operator !== '>') return unknownContent;
  if (program === 'cat' && (texts.length === 0 || (texts.length === 1 && texts[0] === '-'))) {
    // `<<-` strips tabs.
    if (inputs.length !== 1 || input?.operator !== '<<' || walk.text.slice(input.range.from).startsWith('<<-'))
      return unknownContent;
    const text = plainText(expandWord(input.target, expansionContext(scope, walk))[0]);
    return text === undefined ? unknownContent : {kind: 'text', text};
  }
  if (program !== 'echo' || inputs.length > 0 || texts.some(text => text === undefined || text.includes('\\')))
    return unknownContent;
  const options = texts.findIndex(text => text?.startsWith('-') !== true);
  const flags = options < 0 ? texts : texts.slice(0, options);
  if (flags.some(flag => flag !== '-n')) return unknownContent;
  return {kind: 'text', text: texts.slice(flags.length).join(' ') + (flags.length > 0 ? '' : '\n')};
}

/** True if the program's word is its name, without any expansion. */
const isLiteral = (word: Word | undefined): boolean =>
  word?.parts.every(({kind}) => kind === 'text' || kind === 'braces') === true;

/** Matches a command whose meaning depends only on its folder. */
const plainCommand = /^[\w ./:,@%+-]+$/u;

/** Commands that change the folder, set variables, or take arguments from their input. */
const moves: ReadonlySet<string> = new Set(['cd', 'read', 'xargs']);

/** Records the side effects of redirections. Returns the files that they overwrite. */
function walkRedirections(redirections: readonly Redirection[], scope: ShellScope, walk: Walk): readonly string[] {
  walkInner(
    redirections.map(({target}) => target),
    {...scope, output: 'reshaped'},
    walk,
  );
  return redirections.flatMap(redirection => {
    const {operator, range, target} = redirection;
    if (operator === '<<') return [];
    const values = expandWord(target, expansionContext(scope, walk));
    const text = plainText(values[0]);
    const one = values.length === 1;
    if (operator === '<<<') {
      if (values.some(({value}) => value === 'unknown'))
        addSideEffect(walk, range, {does: 'passes on a value that may be a secret'});
      return [];
    }
    if (
      one &&
      /^[<>]&$/u.test(operator) &&
      text !== undefined &&
      /^(?:\d{1,2}|-)$/u.test(text) &&
      plainSign(range, walk)
    )
      return [];
    if (operator === '<') {
      const value = values[0]?.value;
      const path = one && value !== undefined && typeof value !== 'string' ? value : undefined;
      const reason =
        path === undefined
          ? 'reads an unknown file'
          : firstFound(path, each => walk.paths.from(scope.directories)(each, 'read'));
      if (reason !== undefined) addSideEffect(walk, range, {does: reason, effect: 'reads'});
      return [];
    }
    const harmless =
      one &&
      text !== undefined &&
      /^\/dev\/(?:null|stdout|stderr)$/u.test(text) &&
      plainSign(range, walk) &&
      operator !== '<>';
    if (harmless) return [];
    const effect = operator.endsWith('>>') ? 'appends' : 'writes';
    addSideEffect(walk, range, {does: 'writes a file', effect, target: absolute(text, scope)});
    return effect === 'appends' ? [] : [text ?? walk.text.slice(target.range.from, target.range.to)];
  });
}

function addSideEffect(
  {text, sideEffects}: Walk,
  range: TextRange,
  {
    part = quotedPart(text, range),
    effect = 'unsure',
    target = '',
    does,
  }: Partial<SideEffect> & Pick<SideEffect, 'does'>,
): void {
  sideEffects.push({range, part, does, effect, target});
}

function absolute(path: string | undefined, {directories}: ShellScope): string {
  if (path === undefined) return '';
  if (isAbsolutePath(path)) return path;
  const [only] = directories;
  return only === undefined || directories.length > 1 ? '' : `${only}/${path}`;
}

/** True if a redirection has no variable for its file descriptor, unlike `{name}>`. */
const plainSign = ({from}: TextRange, {text}: Walk): boolean => text.charAt(from) !== '{';

/** Walks the scripts of substitutions in words: they run before the command, in subshells. */
function walkInner(words: readonly Word[], scope: ShellScope, walk: Walk): void {
  for (const {parts} of words) {
    for (const part of parts) {
      if (part.kind === 'substitution' || part.kind === 'process')
        walk.printed.set(part.script, walkList(part.script, subshellScope(scope), walk).prints());
    }
  }
}

const expansionContext = ({directories, variables}: ShellScope, {home, printed}: Walk): ExpansionContext => ({
  home,
  directories,
  variables,
  prints: script => printed.get(script) ?? 'anything',
});

function rangeOf({steps}: AndOr): TextRange | undefined {
  const ranges = steps.flatMap(({pipeline}) => pipeline.map(({range}) => range));
  const [first] = ranges;
  const last = ranges.at(-1);
  return first === undefined || last === undefined ? undefined : {from: first.from, to: last.to};
}

/** Returns a part of a command for a sentence: on one line, shortened if long. */
export function quotedPart(text: string, {from, to}: TextRange): string {
  const part = text.slice(from, to).replaceAll(/\s+/gu, ' ');
  return part.length > 80 ? `${part.slice(0, 79)}…` : part;
}
