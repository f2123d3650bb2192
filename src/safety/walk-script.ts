import {unreachable} from '../base/unreachable.ts';
import {isAbsolutePath, pathOf} from './path-parts.ts';
import type {TextRange} from '../domain/risk.ts';
import {anyPaths, workspacePaths, type PathRules} from './judge-path.ts';
import type {Ground} from './ground.ts';
import {printsNames, whyNotCall, type Call} from './judge-simple.ts';
import {plainText} from './programs/judge-program.ts';
import {whyNotDoubleTest} from './programs/special-programs.ts';
import {quotedPart} from './quoted-part.ts';
import {argumentsOf, type Argument, type Surroundings} from './shell/argument.ts';
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
  };
  walkList(script, {directories: [directory], variables: new Map()}, walk);
  return walk;
}

interface Walk extends Judgement {
  readonly text: string;
  readonly paths: PathRules;
  readonly home: string;
  readonly calls: JudgedCall[];
  readonly concerns: Concern[];
}

/** What holds where a command begins. `variables` is shared by all that runs in one shell. */
interface Scope {
  readonly directories: readonly string[];
  readonly variables: Map<string, Argument['value']>;
}

/** Where the shell is when a command went well, and when it did not. */
interface Ends {
  readonly success: readonly string[];
  readonly failure: readonly string[];
}

function walkList(script: Script, scope: Scope, walk: Walk): Ends {
  let ends: Ends = {success: scope.directories, failure: scope.directories};
  for (const andOr of script) {
    const inner = {...scope, directories: union(ends.success, ends.failure)};
    if (andOr.runs === 'in-background') {
      const last = rangeOf(andOr);
      if (last !== undefined)
        walk.concerns.push({
          range: last,
          reason: `${quotedPart(walk.text, last)} goes on in the background`,
          effect: 'unsure',
          target: '',
        });
      walkSteps(andOr.steps, ownScope(inner), walk);
      ends = {success: inner.directories, failure: inner.directories};
    } else ends = walkSteps(andOr.steps, inner, walk);
  }
  return ends;
}

function walkSteps(steps: readonly Step[], scope: Scope, walk: Walk): Ends {
  let ends: Ends = {success: scope.directories, failure: scope.directories};
  for (const {when, pipeline} of steps) {
    const before =
      when === 'after-success' ? ends.success : when === 'after-failure' ? ends.failure : scope.directories;
    const after = walkPipeline(pipeline, {...scope, directories: before}, walk);
    if (when === 'always') ends = after;
    else if (when === 'after-success') ends = {success: after.success, failure: union(ends.failure, after.failure)};
    else ends = {success: union(ends.success, after.success), failure: after.failure};
  }
  return ends;
}

/** A command on its own runs in this shell; those of a pipe in shells of their own, the last one in some. */
function walkPipeline(pipeline: readonly Command[], scope: Scope, walk: Walk): Ends {
  const [only] = pipeline;
  if (only !== undefined && pipeline.length === 1) return walkCommand(only, {scope, input: 'anything'}, walk).ends;
  let input: Call['input'] = 'anything';
  for (const command of pipeline) input = walkCommand(command, {scope: ownScope(scope), input}, walk).prints;
  return {success: scope.directories, failure: scope.directories};
}

interface Walked {
  readonly ends: Ends;
  readonly prints: Call['input'];
}

function walkCommand(
  command: Command,
  {scope, input}: {readonly scope: Scope; readonly input: Call['input']},
  walk: Walk,
): Walked {
  const overwrites = walkRedirections(command.redirections, scope, walk);
  const stay: Ends = {success: scope.directories, failure: scope.directories};
  const silent = (ends: Ends): Walked => ({ends, prints: 'anything'});
  switch (command.kind) {
    case 'simple':
      return walkSimple(command, {scope, input, overwrites}, walk);
    case 'group':
      if (command.scope === 'shared') return silent(walkList(command.body, scope, walk));
      walkList(command.body, ownScope(scope), walk);
      return silent(stay);
    case 'branches': {
      const moving = settled(scope, {range: command.range, walk});
      let ends: Ends = {success: moving.directories, failure: moving.directories};
      for (const script of command.scripts) {
        const after = walkList(script, moving, walk);
        ends = {
          success: union(ends.success, after.success, after.failure),
          failure: union(ends.failure, after.success, after.failure),
        };
      }
      return silent(ends);
    }
    case 'for': {
      walkInner(command.values, scope, walk);
      const values = command.values.flatMap(word => argumentsOf(word, around(scope, walk)));
      // Others steer the shell or programs: PATH, IFS.
      if (!isOwnVariable(command.variable))
        walk.concerns.push({
          range: command.range,
          reason: `the loop sets \`${command.variable}\``,
          effect: 'unsure',
          target: '',
        });
      const moving = settled(scope, {range: command.range, walk});
      scope.variables.set(command.variable, together(values));
      const after = walkList(command.body, moving, walk);
      return silent({
        success: union(after.success, moving.directories),
        failure: union(after.failure, moving.directories),
      });
    }
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
      return silent(stay);
    }
    default:
      return unreachable(command);
  }
}

function walkSimple(
  {words, assignments, range}: SimpleWords,
  {
    scope,
    input,
    overwrites,
  }: {readonly scope: Scope; readonly input: Call['input']; readonly overwrites: readonly string[]},
  walk: Walk,
): Walked {
  for (const assignment of assignments) {
    const reason = `${quotedPart(walk.text, assignment.range)} sets a variable, which can change what runs`;
    walk.concerns.push({range: assignment.range, reason, effect: 'unsure', target: ''});
  }
  walkInner([...assignments, ...words], scope, walk);
  const given = words.flatMap(word => argumentsOf(word, around(scope, walk)));
  const call: Call = {words: given, directories: scope.directories, input};
  const stay: Ends = {success: scope.directories, failure: scope.directories};
  if (given.length === 0) return {ends: stay, prints: 'anything'};
  const name = plainText(given[0]);
  const judged =
    name === 'cd'
      ? judgeCd(call, walk)
      : name === 'read'
        ? judgeRead(call, scope)
        : {reason: whyNotCall(call, walk.paths), ends: stay};
  const elsewhere =
    judged.reason === undefined || name === 'cd' || whyNotCall(call, anyPaths) === undefined ? 'only reads' : 'unsure';
  walk.calls.push({range, words: given, directories: scope.directories, reason: judged.reason, elsewhere, overwrites});
  const prints = judged.reason === undefined ? printsNames(call, walk.paths) : 'anything';
  return {ends: judged.ends, prints};
}

interface JudgedBuiltin {
  readonly reason: string | undefined;
  readonly ends: Ends;
}

function judgeCd({words, directories}: Call, {paths}: Walk): JudgedBuiltin {
  const nowhere: Ends = {success: [], failure: directories};
  const [target, ...more] = words.slice(1).map(plainText);
  if (words.length !== 2 || target === undefined || more.length > 0 || target.startsWith('-') || target === '') {
    return {
      reason: words.length === 1 ? 'leaves the workspace for the home folder' : 'goes to a folder that is not known',
      ends: nowhere,
    };
  }
  const after = paths.after(target, directories);
  return typeof after === 'string'
    ? {reason: after, ends: nowhere}
    : {reason: undefined, ends: {success: after, failure: directories}};
}

/** `read -r line` sets variables of the script alone. */
function judgeRead({words, directories}: Call, scope: Scope): JudgedBuiltin {
  const names = words
    .slice(1)
    .map(plainText)
    .filter((name, at) => at > 0 || name !== '-r');
  const fine = names.every(name => name !== undefined && isOwnVariable(name));
  for (const name of names) if (name !== undefined) scope.variables.set(name, 'opaque');
  return {
    reason: fine ? undefined : 'sets variables, which can change what runs',
    ends: {success: directories, failure: directories},
  };
}

/** Redirections to files and what the rest of them reads; what is written comes back. */
function walkRedirections(redirections: readonly Redirection[], scope: Scope, walk: Walk): readonly string[] {
  walkInner(
    redirections.map(({target}) => target),
    scope,
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
    return [text ?? walk.text.slice(target.range.from, target.range.to)];
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
      if (piece.kind === 'substitution' || piece.kind === 'process') walkList(piece.script, ownScope(scope), walk);
    }
  }
}

const ownScope = (scope: Scope): Scope => ({...scope, variables: new Map(scope.variables)});

const around = ({directories, variables}: Scope, {home}: Walk): Surroundings => ({home, directories, variables});

/** The scope of a body that may run again: where it moves, it may start anywhere. */
const settled = (scope: Scope, {range, walk}: {readonly range: TextRange; readonly walk: Walk}): Scope =>
  /\b(?:cd|pushd|popd)\b/u.test(walk.text.slice(range.from, range.to)) ? {...scope, directories: []} : scope;

/** A value that may be any of several. */
function together(values: readonly Argument[]): Argument['value'] {
  const texts = values.flatMap(({value}) => (typeof value === 'string' ? [] : value));
  if (values.some(({value}) => value === 'unknown') || texts.length > 64) return 'unknown';
  if (values.some(({value}) => value === 'opaque')) return 'opaque';
  return texts;
}

const isOwnVariable = (name: string): boolean => /^(?!npm_|http)[a-z][a-z0-9_]*$/u.test(name);

/** More places than these and it counts as not known. */
const mostPlaces = 8;

function union(first: readonly string[], ...others: readonly (readonly string[])[]): readonly string[] {
  if (others.every(each => each === first)) return first;
  const places = [first, ...others];
  if (places.some(each => each.length === 0)) return [];
  const all = [...new Set(places.flat())];
  return all.length > mostPlaces ? [] : all;
}

function rangeOf({steps}: AndOr): TextRange | undefined {
  const ranges = steps.flatMap(({pipeline}) => pipeline.map(({range}) => range));
  const [first] = ranges;
  const last = ranges.at(-1);
  return first === undefined || last === undefined ? undefined : {from: first.from, to: last.to};
}
