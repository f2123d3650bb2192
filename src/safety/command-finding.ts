import type {Action} from '../actions/catalogue.ts';
import {unreachable} from '../base/unreachable.ts';
import type {FileEffect, RiskLevel, SimpleCommand} from '../domain/risk.ts';
import type {CommandForms} from './command-forms.ts';
import {namesInCommand, operandsWritten} from './command-names.ts';
import {fileEffects} from './file-effects.ts';
import type {Finding} from './host-finding.ts';
import {realParts, writtenParts, type Ground} from './ground.ts';
import {confirmWord} from './confirm-word.ts';
import {givenReasons} from './given-secrets.ts';
import {graveRanges, partReasons, type AskedPart} from './grave-parts.ts';
import {markedRanges} from './marked-ranges.ts';
import {pages} from './pagers.ts';
import {plainText} from './programs/judge-program.ts';
import {staysOnLoopback} from './programs/loopback.ts';
import {protectedPart} from './protected-paths.ts';
import {quotedPart} from './quoted-part.ts';
import type {ParsedCommand} from './read-command.ts';
import {isWorse, riskOfWords, type KnownRisk} from './risk-of-words.ts';
import {suggestedRules} from './suggested-rules.ts';
import {programName, startsIn} from './wrappers.ts';
import type {Concern, JudgedCall, Judgement} from './walk-script.ts';

export interface CommandEvidence {
  readonly ground: Ground;
  readonly forms: (command: string) => CommandForms;
  readonly parsed: ParsedCommand;
}

/**
 * A command is let through when every part of it is known to only read and nothing about it is unsure; the model's claims only add
 * reasons to ask. Whether the grammar agrees is for the judge to see to before it lets anything through.
 */
export function commandFinding(action: Action<'request-command-output'>, evidence: CommandEvidence): Finding {
  const {command, claims} = action.input;
  const {parsed} = evidence;
  const found = parsed.extent === 'whole' ? ofParts(command, parsed, evidence.ground) : ofTangle(command, evidence);
  const claimed: readonly string[] = [
    ...(claims.risky === 'yes' ? ['the model calls it risky'] : []),
    ...(claims.readOnly === 'no' ? ['the model says that it does more than read'] : []),
    // What it prints is hidden, yet it may print the secret in another form.
    ...givenReasons(action),
  ];
  if (claimed.length === 0) return found;
  const risk = found.risk === 'read-only' ? 'unknown' : found.risk;
  return {...found, decision: 'ask', risk, reasons: [...found.reasons, ...claimed]};
}

/** A call that is asked about, and what it does. */
interface AskedCall {
  readonly call: JudgedCall;
  readonly known: KnownRisk;
  readonly does: string;
  readonly reason: string;
}

function ofParts(command: string, judgement: Judgement, ground: Ground): Finding {
  const {calls, concerns} = judgement;
  const effects = fileEffects(judgement, ground);
  const asked = calls.flatMap(call =>
    call.reason === undefined ? [] : [askedCall(command, {call, reason: call.reason, effect: effects.ofCall(call)})],
  );
  const written = concerns.map(concern => ({concern, ...riskOfConcern(concern, effects.ofConcern(concern), command)}));
  const risks: readonly RiskLevel[] = [
    ...asked.map(({call, known}) => (call.elsewhere === 'only reads' ? 'read-only' : known.risk)),
    ...written.map(({risk}) => risk),
  ];
  const parts: readonly AskedPart[] = [
    ...asked.map(part => ofCall(part, ground)),
    ...written.map(({concern, risk, reason}) => ofConcern({concern, risk, reason}, {command, ground})),
  ];
  const destroying = asked.filter(({call, known}) => call.elsewhere === 'unsure' && known.risk === 'destructive');
  // What only creates files is not what has to be confirmed by its name.
  const writing = calls.flatMap(call => {
    const lost = call.overwrites.filter(path => losesAt(path, call, ground));
    return lost.length === 0 ? [] : [{...call, overwrites: lost}];
  });
  return {
    decision: asked.length === 0 && concerns.length === 0 ? 'allow' : 'ask',
    risk: worst(risks),
    scope: 'ordinary',
    reasons: partReasons(parts),
    detail: {
      marks: markedRanges([...asked.map(({call}) => call.range), ...concerns.map(({range}) => range)]),
      grave: graveRanges(parts),
      rules: suggestedRules(command, {
        asked: asked.map(({call}) => call),
        alone: concerns.length === 0,
        risk: worst(risks),
      }),
      destroys: distinctCalls([
        ...destroying.map(({call, known}) => simpleCommand(call, known.words)),
        ...writing.map(call => simpleCommand(call, wordsOf(call))),
      ]),
      confirmWord:
        [
          ...destroying.map(({known}) => known.words),
          ...writing.flatMap(({overwrites}) => overwrites.map(path => ['', path])),
        ]
          .map(confirmWord)
          .find(word => word !== '') ?? '',
      pagers: distinct(
        calls.filter(call => pages(wordsOf(call))).map(({range}) => command.slice(range.from, range.to)),
      ),
      places: [],
      environment: 'own',
    },
  };
}

function ofCall({call, known, does, reason}: AskedCall, ground: Ground): AskedPart {
  const {range, elsewhere} = call;
  if (elsewhere === 'only reads') return {range, risk: 'read-only', guarded: 'no', reason, does};
  if (known.risk !== 'local-change' || !writesGuarded(call, ground)) {
    return {range, risk: known.risk, guarded: 'no', reason, does};
  }
  return {
    range,
    risk: known.risk,
    guarded: 'yes',
    reason: reason.slice(0, -does.length) + grantsRights,
    does: grantsRights,
  };
}

const grantsRights = 'changes what can run or grant rights';

/** Whether a word of the call names what can run or grant rights, from where it may run. */
const writesGuarded = (call: JudgedCall, ground: Ground): boolean =>
  wordsOf(call)
    .slice(1)
    .filter(word => word !== '' && !word.startsWith('-'))
    .some(word =>
      call.directories.some(directory => isGuarded(/^[/~]/u.test(word) ? word : `${directory}/${word}`, ground)),
    );

const isGuarded = (path: string, ground: Ground): boolean =>
  [realParts(path, ground), writtenParts(path, ground)].some(parts => protectedPart(parts, ground) !== undefined);

function ofConcern(
  {concern, risk, reason}: {readonly concern: Concern; readonly risk: RiskLevel; readonly reason: string},
  {command, ground}: {readonly command: string; readonly ground: Ground},
): AskedPart {
  const {range, effect, target} = concern;
  const guarded = effect !== 'reads' && target !== '' && isGuarded(target, ground) ? 'yes' : 'no';
  const quoted = quotedPart(command, range);
  return {range, risk, guarded, reason, does: reason.startsWith(quoted) ? reason.slice(quoted.length) : reason};
}

/** How risky a part is that is no program call; a file that is written is known by what is there now. */
function riskOfConcern(
  {effect, reason, range}: Concern,
  {loses}: FileEffect,
  command: string,
): {readonly risk: RiskLevel; readonly reason: string} {
  switch (effect) {
    case 'writes':
      if (loses === 'nothing') return {risk: 'local-change', reason: `${quotedPart(command, range)} creates a file`};
      return {
        risk: 'destructive',
        reason: loses === 'something' ? `${quotedPart(command, range)} overwrites a file` : reason,
      };
    case 'appends':
      return {risk: 'local-change', reason};
    case 'reads':
      return {risk: 'read-only', reason};
    case 'unsure':
      return {risk: 'unknown', reason};
    default:
      return unreachable(effect);
  }
}

/** Whether a redirection of the call to `path` would lose what is there; where that is not known, it might. */
function losesAt(path: string, {directories, content}: JudgedCall, {effectOf}: Ground): boolean {
  const [directory, ...others] = directories;
  if (directory === undefined || others.length > 0) return true;
  return effectOf({argv: [''], directory, overwrites: [path], content}).loses !== 'nothing';
}

function askedCall(
  command: string,
  {call, reason, effect}: {readonly call: JudgedCall; readonly reason: string; readonly effect: FileEffect},
): AskedCall {
  const words = wordsOf(call);
  const isPlain = call.words.every(word => plainText(word) !== undefined);
  const expected =
    isPlain && staysOnLoopback(words)
      ? ({risk: 'local-change', does: 'talks to a server on this machine', words, texts: []} as const)
      : knownRisk(words);
  const known = withEffect(expected, {words, effect});
  const does = call.elsewhere === 'only reads' || known.does === '' ? reason : known.does;
  return {call, known, does, reason: `${quotedPart(command, call.range)} ${does}`};
}

/** What the disk says goes before what the words alone let expect, where the program itself is what does it. */
function withEffect(
  known: KnownRisk,
  {words, effect}: {readonly words: readonly string[]; readonly effect: FileEffect},
): KnownRisk {
  if (known.words.length !== words.length) return known;
  switch (effect.loses) {
    case 'unknown':
      return known;
    case 'nothing':
      return known.risk === 'destructive'
        ? {...known, risk: 'local-change', does: harmless[programName(words[0] ?? '')] ?? 'changes files'}
        : known;
    case 'something':
      return known.risk === 'destructive'
        ? known
        : {
            ...known,
            risk: 'destructive',
            does: known.risk === 'external' ? `${known.does} and overwrites files` : 'overwrites files',
          };
    default:
      return unreachable(effect.loses);
  }
}

/** What programs do where nothing is lost. */
const harmless: Readonly<Record<string, string>> = {
  mv: 'moves files',
  git: 'moves files',
  cp: 'copies files',
  install: 'copies files',
  ln: 'makes links',
  tee: 'creates files',
  truncate: 'creates files',
  dd: 'creates files',
};

/** What words do, and what the texts do that they hand to a shell. */
function knownRisk(words: readonly string[]): KnownRisk {
  const own = riskOfWords(words);
  const inner = own.texts
    .flatMap(text => text.split(/[;&|\n(){}]+/u))
    .map(piece => riskOfWords(piece.trim().split(/\s+/u)));
  return inner.reduce((worse, each) => (isWorse(each.risk, worse.risk) ? each : worse), own);
}

/** Nothing is surely known of the text: what it looks like decides how risky it is. */
function ofTangle(command: string, {parsed, forms}: CommandEvidence): Finding {
  const read = forms(command)
    .forms.slice(0, mostForms)
    .map(form => ({form, known: riskOfWords(form.slice(0, longestForm).split(' '))}));
  const worstForm = read.find(({known}) => known.risk === 'destructive');
  const why = parsed.extent === 'partial' ? parsed.what : '';
  return {
    decision: 'ask',
    risk: worstForm === undefined ? 'unknown' : 'destructive',
    scope: 'ordinary',
    reasons: [
      ...(worstForm === undefined
        ? []
        : [`${quotedPart(worstForm.form, {from: 0, to: worstForm.form.length})} ${worstForm.known.does}`]),
      `weft cannot tell all that it does: ${why}`,
    ],
    detail: {
      marks:
        parsed.extent === 'partial' && parsed.at < command.length
          ? [{from: parsed.at, to: Math.min(parsed.at + 1, command.length)}]
          : [],
      grave: [{from: 0, to: command.length}],
      rules: suggestedRules(command, {asked: [], alone: false, risk: 'unknown'}),
      destroys: [],
      confirmWord: worstForm === undefined ? '' : confirmWord(worstForm.known.words),
      pagers: [],
      places: [],
      environment: 'own',
    },
  };
}

const mostForms = 20_000;
const longestForm = 2000;

/** The words of a call as far as they are known. */
const wordsOf = ({words}: JudgedCall): readonly string[] => words.map(word => plainText(word) ?? firstText(word.value));

const firstText = (value: JudgedCall['words'][number]['value']): string =>
  typeof value === 'string' ? '' : (value[0]?.text ?? '');

function simpleCommand(
  {directories, overwrites, content}: JudgedCall,
  [program = '', ...given]: readonly string[],
): readonly SimpleCommand[] {
  const [directory] = directories;
  // Where it runs must be known, else what it would hit is somewhere else.
  return directory === undefined || directories.length > 1
    ? []
    : [{argv: [program, ...given], directory, overwrites, content}];
}

function distinctCalls(calls: readonly (readonly SimpleCommand[])[]): readonly SimpleCommand[] {
  const byText = new Map(calls.flat().map(call => [JSON.stringify(call), call]));
  return [...byText.values()];
}

/** Whether it visibly writes to what can run or grant rights. */
export function writesProtected(
  command: string,
  {forms, ground, parsed}: Omit<CommandEvidence, 'parsed'> & {readonly parsed: (command: string) => ParsedCommand},
): boolean {
  const guards = (path: string): boolean => isGuarded(path, ground);
  if (namesInCommand(forms(command)).written.some(guards)) return true;
  const read = parsed(command);
  // Where each of them runs is known only after the full parse.
  return (
    read.extent === 'whole' &&
    read.calls.some(call => {
      const words = wordsOf(call);
      const starts = call.reason === undefined ? [] : startsIn(words.map(plain => ({raw: plain, plain})));
      const written = starts.flatMap(at => operandsWritten([programName(words[at] ?? ''), ...words.slice(at + 1)]));
      if (written.some(path => pathsFrom(path, call.directories).some(guards))) return true;
      const isAnywhere = call.directories.length === 0 && written.some(path => !/^[/~]/u.test(path));
      return isAnywhere && [...forms(command).words].some(guards);
    })
  );
}

const pathsFrom = (path: string, directories: readonly string[]): readonly string[] =>
  /^[/~]/u.test(path) ? [path] : directories.map(directory => `${directory}/${path}`);

const worst = (risks: readonly RiskLevel[]): RiskLevel =>
  risks.reduce<RiskLevel>((worse, each) => (isWorse(each, worse) ? each : worse), 'read-only');

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];
