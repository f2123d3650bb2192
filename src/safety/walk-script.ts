import {unreachable} from '../base/unreachable.ts';
import {isAbsolutePath, pathOf} from './path-parts.ts';
import {unknownContent, type TextRange, type WrittenContent} from '../domain/risk.ts';
import {anyPaths, workspacePaths, type PathRules} from './judge-path.ts';
import type {Ground} from './ground.ts';
import {judgeCd, judgeRead} from './judge-builtins.ts';
import {whyNotCall, type Call} from './judge-simple.ts';
import {printedBy} from './printed-by.ts';
import {plainText} from './programs/judge-program.ts';
import {whyNotDoubleTest} from './programs/special-programs.ts';
import {outputInto, type Output} from './shown-content.ts';
import {quotedPart} from './quoted-part.ts';
import {anything, ownScope, staying, union, type Ends, type Scope} from './shell-scope.ts';
import {assigned, forgetMentioned, isOwnVariable, mergeInto, together} from './shell/variables.ts';
import {argumentsOf, type Argument, type Printed, type Surroundings} from './shell/argument.ts';
import type {AndOr, Command, Redirection, Script, SimpleWords, Step, Word} from './shell/shell-tree.ts';

/** One simple command of a text, and whether it is known to only read. */
export interface JudgedCall {
  readonly range: TextRange;
  readonly words: readonly Argument[];
  /** Where it may run; none when that is not known. */
  readonly directories: readonly string[];
  /** Why it is asked about; `undefined` when it only reads. */
  readonly reason: string | undefined;
  /** Whether it would only read, wherever its paths lead. */
  readonly elsewhere: 'only reads' | 'unsure';
  /** Files it writes through redirections, as written. */
  readonly overwrites: readonly string[];
  /** What those files would then hold. */
  readonly content: WrittenContent;
}

/** What besides its simple commands makes a text more than reading: an assignment, a redirection, a background job. */
export interface Concern {
  readonly range: TextRange;
  /** In full: "`> out.txt` writes a file". */
  readonly reason: string;
  /** `writes`, `appends`: to `target`; `reads`: it reads where it should not; `unsure`: what it changes is not known. */
  readonly effect: 'writes' | 'appends' | 'reads' | 'unsure';
  /** The file as an absolute path, where it is known; empty otherwise. */
  readonly target: string;
}

export interface Judgement {
  readonly calls: readonly JudgedCall[];
  readonly concerns: readonly Concern[];
}

/** Judges every simple command there is, in the order in which they stand, each where it would run. */
export function walkScript(
  {text, script}: {readonly text: string; readonly script: Script},
  {directory, ground}: {readonly directory: string; readonly ground: Ground},
): Judgement {
  const walk: Walk = {
    text,
    paths: workspacePaths(ground),
    home: pathOf(ground.homes()[0] ?? []),
    calls: [],
    concerns: [],
    readOnly: new Map(),
    printed: new Map(),
  };
  walkList(script, {directories: [directory], variables: new Map(), input: anything, output: 'shown'}, walk);
  return walk;
}

interface Walk extends Judgement {
  readonly text: string;
  readonly paths: PathRules;
  readonly home: string;
  readonly calls: JudgedCall[];
  readonly concerns: Concern[];
  /** Plain commands that only read, by their texts: in long chains they come again. */
  readonly readOnly: Map<string, JudgedCall>;
  /** What the substitutions print that were walked so far. */
  readonly printed: Map<Script, Printed>;
}

function walkList(script: Script, scope: Scope, walk: Walk): Ends {
  let ends: Ends = staying(scope);
  for (const andOr of script) {
    const inner = {...scope, directories: union(ends.success, ends.failure)};
    if (andOr.runs === 'in-background') {
      const last = rangeOf(andOr);
      if (last !== undefined) {
        const reason = `${quotedPart(walk.text, last)} goes on in the background`;
        walk.concerns.push({range: last, reason, effect: 'unsure', target: ''});
      }
      walkSteps(andOr.steps, ownScope(inner), walk);
      ends = staying(inner);
    } else ends = walkSteps(andOr.steps, inner, walk);
  }
  return script.length === 1 ? ends : {...ends, prints: anything};
}

function walkSteps(steps: readonly Step[], scope: Scope, walk: Walk): Ends {
  let ends = staying(scope);
  // Steps joined by `&&` run one after the other or not at all; what they set may not have been set.
  let chain = scope;
  for (const {when, pipeline} of steps) {
    if (when === 'after-failure' && chain !== scope) mergeInto(scope.variables, [chain.variables]);
    if (when !== 'always' && (chain === scope || when === 'after-failure')) chain = ownScope(scope);
    const before =
      when === 'after-success' ? ends.success : when === 'after-failure' ? ends.failure : scope.directories;
    const after = walkPipeline(pipeline, {...chain, directories: before}, walk);
    if (when === 'always') ends = after;
    else if (when === 'after-success') ends = {...after, failure: union(ends.failure, after.failure)};
    else ends = {...after, success: union(ends.success, after.success)};
  }
  if (chain !== scope) mergeInto(scope.variables, [chain.variables]);
  return steps.length === 1 ? ends : {...ends, prints: anything};
}

/** A command on its own runs in this shell; those of a pipe in shells of their own, the last one in some. */
function walkPipeline(pipeline: readonly Command[], scope: Scope, walk: Walk): Ends {
  const [only] = pipeline;
  if (only !== undefined && pipeline.length === 1) return walkCommand(only, scope, walk);
  let {input} = scope;
  const outputs = outputsOf(pipeline, scope, walk);
  for (const [at, command] of pipeline.entries())
    input = walkCommand(command, {...ownScope(scope), input, output: outputs[at] ?? 'reshaped'}, walk).prints;
  return {...staying(scope), prints: input};
}

/** Where goes what each command of a pipe prints. */
function outputsOf(pipeline: readonly Command[], {output}: Scope, {text}: Walk): readonly Output[] {
  const outputs: Output[] = [output];
  for (const next of pipeline.slice(1).toReversed()) {
    const end = text.slice(next.range.to).trim() === '' ? 'last' : 'goes on';
    outputs.unshift(outputInto(next, {output: outputs[0] ?? 'reshaped', end}));
  }
  return outputs;
}

function walkCommand(command: Command, outer: Scope, walk: Walk): Ends {
  const overwrites = walkRedirections(command.redirections, outer, walk);
  const scope: Scope = command.redirections.some(({sign}) => sign.startsWith('<'))
    ? {...outer, input: anything}
    : outer;
  switch (command.kind) {
    case 'simple':
      return walkSimple(command, {scope, overwrites}, walk);
    case 'group':
      if (command.scope === 'shared') return {...walkList(command.body, scope, walk), prints: anything};
      walkList(command.body, ownScope(scope), walk);
      return staying(scope);
    case 'branches':
      return walkBranches(command, scope, walk);
    case 'for':
      return walkFor(command, scope, walk);
    case 'test': {
      walkInner(command.words, scope, walk);
      const words = command.words.flatMap(word => argumentsOf(word, around(scope, walk)));
      const reason = whyNotDoubleTest(words, walk.paths.from(scope.directories));
      if (reason !== undefined)
        walk.concerns.push({
          range: command.span,
          reason: `${quotedPart(walk.text, command.span)} ${reason}`,
          effect: 'unsure',
          target: '',
        });
      return staying(scope);
    }
    default:
      return unreachable(command);
  }
}

/** The first script runs always, the others perhaps; those of a loop again and again. */
function walkBranches(branches: Command & {readonly kind: 'branches'}, scope: Scope, walk: Walk): Ends {
  const {scripts, words, runs, range} = branches;
  walkInner(words, scope, walk);
  if (runs === 'again') forgetMentioned(scope.variables, range, walk);
  const once = (moving: Scope): Ends => {
    let ends = staying(moving);
    const ways: Scope['variables'][] = [];
    for (const [at, script] of scripts.entries()) {
      const inner = at === 0 && words.length === 0 ? moving : ownScope(moving);
      const after = walkList(script, inner, walk);
      if (inner !== moving) ways.push(inner.variables);
      ends = {
        success: union(ends.success, after.success, after.failure),
        failure: union(ends.failure, after.success, after.failure),
        prints: anything,
      };
    }
    mergeInto(moving.variables, ways);
    return ends;
  };
  return runs === 'again' ? repeated(scope, once, walk) : once(scope);
}

function walkFor({variable, values, body, range}: Command & {readonly kind: 'for'}, scope: Scope, walk: Walk): Ends {
  walkInner(values, {...scope, output: 'reshaped'}, walk);
  const given = values.flatMap(word => argumentsOf(word, around(scope, walk)));
  // Others steer the shell or programs: PATH, IFS.
  if (!isOwnVariable(variable))
    walk.concerns.push({range, reason: `the loop sets \`${variable}\``, effect: 'unsure', target: ''});
  const [first] = body;
  const from = (first === undefined ? undefined : rangeOf(first)?.from) ?? range.from;
  const once = (moving: Scope): Ends => {
    const inner = ownScope(moving);
    forgetMentioned(inner.variables, {from, to: range.to}, walk);
    inner.variables.set(variable, together(given));
    const after = walkList(body, inner, walk);
    mergeInto(moving.variables, [inner.variables]);
    return {
      success: union(after.success, moving.directories),
      failure: union(after.failure, moving.directories),
      prints: anything,
    };
  };
  return repeated(scope, once, walk);
}

/** What runs again starts where it ended: where that is somewhere else, it may start anywhere. */
function repeated(scope: Scope, once: (scope: Scope) => Ends, walk: Walk): Ends {
  const before = {calls: walk.calls.length, concerns: walk.concerns.length, variables: new Map(scope.variables)};
  const ends = once(scope);
  if ([...ends.success, ...ends.failure].every(each => scope.directories.includes(each))) return ends;
  walk.calls.length = before.calls;
  walk.concerns.length = before.concerns;
  for (const [name, value] of before.variables) scope.variables.set(name, value);
  return once({...scope, directories: []});
}

function walkSimple(
  {words, assignments, range, redirections}: SimpleWords,
  {scope, overwrites}: {readonly scope: Scope; readonly overwrites: readonly string[]},
  walk: Walk,
): Ends {
  const written = walk.text.slice(range.from, range.to);
  const known = scope.variables.size === 0 ? walk.readOnly.get(`${scope.output} ${written}`) : undefined;
  if (known !== undefined && known.directories === scope.directories) {
    walk.calls.push({...known, range});
    return {...staying(scope), prints: () => printedBy({...known, input: scope.input, output: scope.output})};
  }
  const [first] = words;
  const tests = first !== undefined && /^(?:test|\[)$/u.test(walk.text.slice(first.range.from, first.range.to));
  walkInner(assignments, {...scope, output: 'reshaped'}, walk);
  walkInner(words, tests ? scope : {...scope, output: 'reshaped'}, walk);
  for (const assignment of assignments) {
    const value = assigned(assignment, around(scope, walk));
    if (value.kind === 'own' && words.length === 0) scope.variables.set(value.name, value.value);
    else if (value.kind !== 'harmless') {
      const reason = `${quotedPart(walk.text, assignment.range)} sets a variable, which can change what runs`;
      walk.concerns.push({range: assignment.range, reason, effect: 'unsure', target: ''});
    }
  }
  const given = words.flatMap(word => argumentsOf(word, around(scope, walk)));
  const call: Call = {words: given, directories: scope.directories, input: scope.input, output: scope.output};
  if (given.length === 0) return staying(scope);
  const name = plainText(given[0]);
  const judged =
    name === 'cd'
      ? judgeCd(call, walk.paths)
      : name === 'read'
        ? judgeRead(
            words.map(word => walk.text.slice(word.range.from, word.range.to)),
            call,
            scope,
          )
        : {
            reason: isLiteral(words[0]) ? whyNotCall(call, walk.paths) : 'runs a program by what a variable holds',
            ends: staying(scope),
          };
  const elsewhere =
    judged.reason === undefined || name === 'cd' || whyNotCall(call, anyPaths) === undefined ? 'only reads' : 'unsure';
  const content = overwrites.length === 0 ? unknownContent : writtenContent(given, redirections, {scope, walk});
  const found: JudgedCall = {...call, range, reason: judged.reason, elsewhere, overwrites, content};
  walk.calls.push(found);
  if (found.reason === undefined && !moves.has(name ?? '') && plainCommand.test(written))
    walk.readOnly.set(`${scope.output} ${written}`, found);
  return {...judged.ends, prints: judged.reason === undefined ? () => printedBy(call) : anything};
}

/** What a command that says all its output itself prints: `echo` of plain words, `cat` of a here-document without anything to expand. */
function writtenContent(
  given: readonly Argument[],
  redirections: readonly Redirection[],
  {scope, walk}: {readonly scope: Scope; readonly walk: Walk},
): WrittenContent {
  const [program, ...texts] = given.map(plainText);
  const outputs = redirections.filter(({sign}) => sign.includes('>'));
  const inputs = redirections.filter(({sign}) => sign.includes('<'));
  const [input] = inputs;
  if (outputs.length !== 1 || outputs[0]?.sign !== '>') return unknownContent;
  if (program === 'cat' && (texts.length === 0 || (texts.length === 1 && texts[0] === '-'))) {
    // `<<-` takes tabs away.
    if (inputs.length !== 1 || input?.sign !== '<<' || walk.text.slice(input.range.from).startsWith('<<-'))
      return unknownContent;
    const text = plainText(argumentsOf(input.target, around(scope, walk))[0]);
    return text === undefined ? unknownContent : {kind: 'text', text};
  }
  if (program !== 'echo' || inputs.length > 0 || texts.some(text => text === undefined || text.includes('\\')))
    return unknownContent;
  const options = texts.findIndex(text => text?.startsWith('-') !== true);
  const flags = options < 0 ? texts : texts.slice(0, options);
  if (flags.some(flag => flag !== '-n')) return unknownContent;
  return {kind: 'text', text: texts.slice(flags.length).join(' ') + (flags.length > 0 ? '' : '\n')};
}

/** A program is to stand there by its name. */
const isLiteral = (word: Word | undefined): boolean =>
  word?.pieces.every(({kind}) => kind === 'text' || kind === 'braces') === true;

/** What the very same words come to does not depend on anything but where they run. */
const plainCommand = /^[\w ./:,@%+-]+$/u;

/** What goes elsewhere, sets variables, or takes words from its input. */
const moves: ReadonlySet<string> = new Set(['cd', 'read', 'xargs']);

/** Redirections to files and what the rest of them reads; what is written comes back. */
function walkRedirections(redirections: readonly Redirection[], scope: Scope, walk: Walk): readonly string[] {
  walkInner(
    redirections.map(({target}) => target),
    {...scope, output: 'reshaped'},
    walk,
  );
  return redirections.flatMap(redirection => {
    const {sign, range, target} = redirection;
    if (sign === '<<') return [];
    const values = argumentsOf(target, around(scope, walk));
    const text = plainText(values[0]);
    const one = values.length === 1;
    if (sign === '<<<') {
      if (values.some(({value}) => value === 'unknown'))
        concern(range, 'hands on a value that may be a secret', 'unsure');
      return [];
    }
    if (one && /^[<>]&$/u.test(sign) && text !== undefined && /^(?:\d{1,2}|-)$/u.test(text) && plainSign(range, walk))
      return [];
    if (sign === '<') {
      const value = values[0]?.value;
      const path = one && value !== undefined && typeof value !== 'string' ? value : undefined;
      const reasons = path?.map(each => walk.paths.from(scope.directories)(each, 'read')) ?? [
        'reads a file that is not known',
      ];
      const reason = reasons.find(each => each !== undefined);
      if (reason !== undefined) concern(range, reason, 'reads');
      return [];
    }
    const harmless =
      one &&
      text !== undefined &&
      /^\/dev\/(?:null|stdout|stderr)$/u.test(text) &&
      plainSign(range, walk) &&
      sign !== '<>';
    if (harmless) return [];
    const effect = sign.endsWith('>>') ? 'appends' : 'writes';
    walk.concerns.push({
      range,
      reason: `${quotedPart(walk.text, range)} writes a file`,
      effect,
      target: absolute(text, scope),
    });
    return effect === 'appends' ? [] : [text ?? walk.text.slice(target.range.from, target.range.to)];
  });

  function concern(range: TextRange, reason: string, effect: Concern['effect']): void {
    walk.concerns.push({range, reason: `${quotedPart(walk.text, range)} ${reason}`, effect, target: ''});
  }
}

function absolute(path: string | undefined, {directories}: Scope): string {
  if (path === undefined) return '';
  if (isAbsolutePath(path)) return path;
  const [only] = directories;
  return only === undefined || directories.length > 1 ? '' : `${only}/${path}`;
}

/** Without a variable for its descriptor, `{name}>`. */
const plainSign = ({from}: TextRange, {text}: Walk): boolean => text.charAt(from) !== '{';

/** The scripts inside words run first, in shells of their own. */
function walkInner(words: readonly Word[], scope: Scope, walk: Walk): void {
  for (const {pieces} of words) {
    for (const piece of pieces) {
      if (piece.kind === 'substitution' || piece.kind === 'process')
        walk.printed.set(piece.script, walkList(piece.script, ownScope(scope), walk).prints());
    }
  }
}

const around = ({directories, variables}: Scope, {home, printed}: Walk): Surroundings => ({
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
