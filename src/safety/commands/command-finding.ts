import type {FileEffect, ResolvedCommand, RiskLevel, TextRange, VerdictDetail} from '../../domain/risk.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {PartEffect, Reason, WrittenFile} from '../../domain/reason.ts';
import {belowRoots, type PathContext, realParts, writtenParts} from '../paths/path-context.ts';
import {protectedPart} from '../paths/protected-paths.ts';
import {suggestedRules} from '../rules/suggested-rules.ts';
import {type CommandAnalysis, type JudgedInvocation, quotedPart, type SideEffect} from './analyze-command.ts';
import type {CommandForms} from './command-forms.ts';
import {fileEffects, type InvocationEffect} from './file-effects.ts';
import {operandsWritten, pathsInCommand} from './command-paths.ts';
import {plainText} from './only-reads.ts';
import {type SentData, sentData, sentDataOfForms} from './sent-data.ts';
import {isWorse, type KnownRisk, riskOfWords, riskWithTexts, staysOnLoopback} from './risks.ts';
import {hasTrait} from './known-programs.ts';
import {layers} from './layers.ts';

/**
 * The host's finding about an action, before rules and mode. `reasons` name anything unusual, and are often empty.
 *
 * By themselves, modes do not allow changes `outside` the workspace or of `secret` files. No mode allows changes of
 * `protected` files or of weft's own settings and permissions, but a user's rule that names them does. No rule or mode
 * allows an `always-asked` action, and no one can allow a `refused` one.
 */
export interface Finding {
  readonly decision: 'allow' | 'ask';
  readonly risk: RiskLevel;
  readonly reasons: readonly Reason[];
  readonly target: 'ordinary' | 'outside' | 'secret' | 'protected' | 'weft-files' | 'always-asked' | 'refused';
  readonly detail: VerdictDetail;
}

/** A command, and the model's claims about it. */
interface Claimed {
  readonly command: string;
  readonly claims: {readonly risky: string; readonly readOnly: string};
  /** Further reasons to ask: the secrets that the command receives. */
  readonly handed: readonly Reason[];
}

interface CommandEvidence {
  readonly context: PathContext;
  readonly forms: (command: string) => CommandForms;
  readonly parsed: CommandAnalysis;
}

/**
 * Judges a command. It is allowed if every part certainly only reads. The model's claims only add reasons to ask. The judge
 * checks that the grammar agrees before it allows anything.
 */
export function commandFinding({command, claims, handed}: Claimed, evidence: CommandEvidence): Finding {
  const {parsed} = evidence;
  const found =
    parsed.reading === 'parsed'
      ? analysisFinding(command, parsed, evidence.context)
      : unparsedFinding(command, evidence);
  const claimReasons: readonly Reason[] = [
    ...(claims.risky === 'yes' ? [{kind: 'model-claim', claim: 'risky'} as const] : []),
    ...(claims.readOnly === 'no' ? [{kind: 'model-claim', claim: 'not-read-only'} as const] : []),
    // weft redacts the command's output, but the command may print the secret in another form.
    ...handed,
  ];
  if (claimReasons.length === 0) return found;
  const risk = found.risk === 'read-only' ? 'unknown' : found.risk;
  return {...found, decision: 'ask', risk, reasons: [...found.reasons, ...claimReasons]};
}

const sendsReason = ({host, what}: SentData): Reason => ({kind: 'sends', what, host});

/** An invocation that weft asks about, and its effect. */
interface AskedInvocation {
  readonly invocation: JudgedInvocation;
  readonly known: KnownRisk;
  readonly does: PartEffect;
  readonly part: string;
}

function analysisFinding(
  command: string,
  analysis: Extract<CommandAnalysis, {reading: 'parsed'}>,
  context: PathContext,
): Finding {
  const {invocations, sideEffects} = analysis;
  const effects = fileEffects(analysis, context);
  const asked = invocations.flatMap(invocation =>
    invocation.reason === undefined
      ? []
      : [askedInvocation(command, {invocation, reason: invocation.reason, effect: effects.ofInvocation(invocation)})],
  );
  const written = sideEffects.map(sideEffect => ({
    sideEffect,
    ...riskOfSideEffect(sideEffect, effects.ofSideEffect(sideEffect), context),
  }));
  const risks: readonly RiskLevel[] = [
    ...asked.map(({invocation, known}) => (invocation.elsewhere === 'only reads' ? 'read-only' : known.risk)),
    ...written.map(({risk}) => risk),
  ];
  const parts: readonly AskedPart[] = [
    ...asked.map(each => invocationPart(each, context)),
    ...written.map(each => sideEffectPart(each, context)),
  ];
  const destroying = asked.filter(
    ({invocation, known}) => invocation.elsewhere === 'unsure' && known.risk === 'destructive',
  );
  // Created files need no typed confirmation.
  const writing = invocations.flatMap(invocation => {
    const lostFiles = effects.overwritten(invocation);
    return lostFiles.length === 0 ? [] : [{...invocation, overwrites: lostFiles}];
  });
  const sent = sentData(command, analysis, context);
  return {
    decision: asked.length === 0 && sideEffects.length === 0 && sent.length === 0 ? 'allow' : 'ask',
    risk: worst(risks),
    target: 'ordinary',
    reasons: [...sent.map(sendsReason), ...commandPartReasons(parts)],
    detail: {
      highlights: highlightedRanges([
        ...asked.map(({invocation}) => invocation.range),
        ...sideEffects.map(({range}) => range),
      ]),
      criticalRanges: criticalRanges(parts),
      rules:
        sent.length > 0
          ? []
          : suggestedRules(command, {
              asked: asked.map(({invocation}) => invocation),
              alone: sideEffects.length === 0,
              risk: worst(risks),
            }),
      destructiveCommands: distinctCommands([
        ...destroying.map(({invocation, known}) =>
          known.where === 'here' ? simpleCommand(invocation, known.words) : [],
        ),
        ...writing.map(invocation => simpleCommand(invocation, wordsOf(invocation))),
      ]),
      confirmWord:
        sent[0]?.host.split(' and ')[0] ??
        [
          ...destroying.map(({known}) => known.words),
          ...writing.flatMap(({overwrites}) => overwrites.map(path => ['', path])),
        ]
          .map(confirmWord)
          .find(word => word !== '') ??
        '',
      pagers: distinct(
        invocations
          .filter(invocation => pages(wordsOf(invocation)))
          .map(({range}) => command.slice(range.from, range.to)),
      ),
      mayMove: analysis.mayMove,
    },
  };
}

function invocationPart({invocation, known, does, part}: AskedInvocation, context: PathContext): AskedPart {
  const {range, elsewhere} = invocation;
  if (elsewhere === 'only reads') return {range, risk: 'read-only', guarded: 'no', part, does};
  return known.risk === 'local-change' && namesProtected(invocation, context)
    ? {range, risk: known.risk, guarded: 'yes', part, does: grantsRights}
    : {range, risk: known.risk, guarded: 'no', part, does};
}

const grantsRights = 'changes files that can run code or grant permissions';

/** True if a word of the invocation names a file that can run code or grant permissions, in any of its folders. */
const namesProtected = (invocation: JudgedInvocation, context: PathContext): boolean =>
  wordsOf(invocation)
    .slice(1)
    .filter(word => word !== '' && !word.startsWith('-'))
    .some(word =>
      invocation.directories.some(directory =>
        isProtectedPath(/^[/~]/u.test(word) ? word : `${directory}/${word}`, context),
      ),
    );

const isProtectedPath = (path: string, context: PathContext): boolean =>
  [realParts(path, context), writtenParts(path, context)].some(parts => protectedPart(parts, context) !== undefined);

function sideEffectPart(
  {sideEffect, risk, does}: {readonly sideEffect: SideEffect; readonly risk: RiskLevel; readonly does: PartEffect},
  context: PathContext,
): AskedPart {
  const {range, effect, target, part} = sideEffect;
  const guarded = effect !== 'reads' && target !== '' && isProtectedPath(target, context) ? 'yes' : 'no';
  return {range, risk, guarded, part, does};
}

/** Returns the risk of a side effect. A written file is judged by its current content. */
function riskOfSideEffect(
  {effect, does, target}: SideEffect,
  {loses}: FileEffect,
  context: PathContext,
): {readonly risk: RiskLevel; readonly does: PartEffect} {
  const writes = (change: WrittenFile['change'], lines = 0): PartEffect =>
    target === '' ? does : {kind: 'writes-file', change, path: shownPath(target, context), lines};
  switch (effect) {
    case 'writes':
      if (loses === 'nothing') return {risk: 'local-change', does: writes('creates')};
      return {
        risk: 'destructive',
        does: loses === 'something' ? writes('overwrites', lineCount(target, context)) : writes('writes'),
      };
    case 'appends':
      return {risk: 'local-change', does: writes('appends')};
    case 'reads':
      return {risk: 'read-only', does};
    case 'sets':
    case 'unsure':
      return {risk: 'unknown', does};
    default:
      return unreachable(effect);
  }
}

/** Returns the path relative to the workspace. A path outside stays unchanged. */
function shownPath(path: string, context: PathContext): string {
  const [inside] = belowRoots(writtenParts(path, context), context);
  return inside === undefined || inside.below.length === 0 ? path : inside.below.join('/');
}

/** Returns how many lines a workspace file has, or 0 if that is not known. */
function lineCount(path: string, context: PathContext): number {
  const {place, path: real} = context.resolve(path);
  const file = place === 'inside-workspace' ? context.read(real) : undefined;
  return file?.kind === 'text' ? file.text.replace(/\n$/u, '').split('\n').length : 0;
}

function askedInvocation(
  command: string,
  {
    invocation,
    reason,
    effect,
  }: {readonly invocation: JudgedInvocation; readonly reason: PartEffect; readonly effect: InvocationEffect},
): AskedInvocation {
  const words = wordsOf(invocation);
  const isPlain = invocation.words.every(word => plainText(word) !== undefined);
  const expected =
    isPlain && staysOnLoopback(words)
      ? ({
          risk: 'local-change',
          does: 'talks to a server on this machine',
          otherwise: '',
          words,
          where: 'here',
        } as const)
      : riskWithTexts(words);
  const known = withEffect(expected, {words, effect});
  const does = invocation.elsewhere === 'only reads' || known.does === '' ? reason : known.does;
  return {invocation, known, does, part: quotedPart(command, invocation.range)};
}

/** Corrects a known risk with the effect on the disk, if the program itself has that effect. */
function withEffect(
  known: KnownRisk,
  {words, effect}: {readonly words: readonly string[]; readonly effect: InvocationEffect},
): KnownRisk {
  switch (effect.loses) {
    case 'unknown':
      return known;
    case 'nothing':
      return known.risk === 'destructive' && known.words.length === words.length
        ? {...known, risk: 'local-change', does: known.otherwise}
        : known;
    case 'something':
      return known.risk === 'destructive'
        ? known
        : {
            words: effect.words,
            where: 'here',
            risk: 'destructive',
            otherwise: '',
            does: known.risk === 'external' ? `${known.does} and overwrites files` : 'overwrites files',
          };
    default:
      return unreachable(effect.loses);
  }
}

/** Judges an unparsed text by its appearance. */
function unparsedFinding(command: string, {parsed, forms, context}: CommandEvidence): Finding {
  const read = forms(command)
    .forms.slice(0, maxForms)
    .map(form => ({form, known: riskOfWords(form.slice(0, longestForm).split(' '))}));
  const worstForm = read.find(({known}) => known.risk === 'destructive');
  const sent = sentDataOfForms(command, forms(command), context);
  return {
    decision: 'ask',
    risk: worstForm === undefined ? 'unknown' : 'destructive',
    target: 'ordinary',
    reasons: [
      ...sent.map(sendsReason),
      ...(worstForm === undefined
        ? []
        : [
            {
              kind: 'command-part',
              part: quotedPart(worstForm.form, {from: 0, to: worstForm.form.length}),
              effect: worstForm.known.does,
              alike: 0,
            } as const,
          ]),
      {kind: 'unparsed', what: parsed.reading === 'unparsed' ? parsed.what : ''},
    ],
    detail: {
      highlights:
        parsed.reading === 'unparsed' && parsed.at < command.length
          ? [{from: parsed.at, to: Math.min(parsed.at + 1, command.length)}]
          : [],
      criticalRanges: [{from: 0, to: command.length}],
      rules: sent.length > 0 ? [] : suggestedRules(command, {asked: [], alone: false, risk: 'unknown'}),
      destructiveCommands: [],
      confirmWord:
        sent[0]?.host.split(' and ')[0] ?? (worstForm === undefined ? '' : confirmWord(worstForm.known.words)),
      pagers: [],
      mayMove: true,
    },
  };
}

const maxForms = 20_000;
const longestForm = 2000;

/** Returns the words of an invocation, as far as they are known. */
const wordsOf = ({words}: JudgedInvocation): readonly string[] =>
  words.map(word => plainText(word) ?? firstText(word.value));

const firstText = (value: JudgedInvocation['words'][number]['value']): string =>
  typeof value === 'string' ? '' : (value[0]?.text ?? '');

function simpleCommand(
  {directories, overwrites, content}: JudgedInvocation,
  [program = '', ...args]: readonly string[],
): readonly ResolvedCommand[] {
  const [directory] = directories;
  // If the command's folder is not known, the command would affect other files.
  return directory === undefined || directories.length > 1
    ? []
    : [{argv: [program, ...args], directory, overwrites, content}];
}

function distinctCommands(commands: readonly (readonly ResolvedCommand[])[]): readonly ResolvedCommand[] {
  const byText = new Map(commands.flat().map(command => [JSON.stringify(command), command]));
  return [...byText.values()];
}

/** True if a command visibly writes to files that can run code or grant permissions. */
export function writesProtected(
  command: string,
  {forms, context, parsed}: Omit<CommandEvidence, 'parsed'> & {readonly parsed: (command: string) => CommandAnalysis},
): boolean {
  const guards = (path: string): boolean => isProtectedPath(path, context);
  if (pathsInCommand(forms(command)).written.some(guards)) return true;
  const read = parsed(command);
  // Only the full parse tells in which folder each invocation runs.
  return (
    read.reading === 'parsed' &&
    read.invocations.some(invocation => {
      const words = wordsOf(invocation);
      const inner = invocation.reason === undefined ? [] : layers(words);
      const written = inner.flatMap(({program, words: [, ...args]}) => operandsWritten([program, ...args]));
      if (written.some(path => pathsFrom(path, invocation.directories).some(guards))) return true;
      const isAnywhere = invocation.directories.length === 0 && written.some(path => !/^[/~]/u.test(path));
      return isAnywhere && [...forms(command).words].some(guards);
    })
  );
}

const pathsFrom = (path: string, directories: readonly string[]): readonly string[] =>
  /^[/~]/u.test(path) ? [path] : directories.map(directory => `${directory}/${path}`);

const worst = (risks: readonly RiskLevel[]): RiskLevel =>
  risks.reduce<RiskLevel>((worse, each) => (isWorse(each, worse) ? each : worse), 'read-only');

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

const gitPages = new Set(
  'log show diff blame reflog shortlog grep branch tag stash whatchanged range-diff config help'.split(' '),
);

/** True if a command pages its output or takes over the terminal. */
function pages(words: readonly string[]): boolean {
  const [program = '', ...args] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (args.some(word => /^(?:--no-pager|--version|--help|--paging=never)$/u.test(word))) return false;
  if (name !== 'git') return hasTrait(name, 'pages');
  if (args.some(word => word === '-P')) return false;
  return args.some(word => word === '-p' || word === '--paginate' || gitPages.has(word));
}

/** Sorts ranges and merges overlapping ones. */
function highlightedRanges(ranges: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && range.from <= last.to)
      merged[merged.length - 1] = {from: last.from, to: Math.max(last.to, range.to)};
    else merged.push(range);
  }
  return merged;
}

/** A part of a command that weft asks about. */
interface AskedPart {
  readonly range: TextRange;
  readonly risk: RiskLevel;
  /** Whether the part writes to files that can run code or grant permissions. */
  readonly guarded: 'yes' | 'no';
  /** The part's text, quoted for display. */
  readonly part: string;
  readonly does: PartEffect;
}

/**
 * Returns the ranges that a person must read before approving, the worst first: everything that does more than change ordinary
 * workspace files. Among hundreds of harmless parts they would be missed.
 */
const criticalRanges = (parts: readonly AskedPart[]): readonly TextRange[] =>
  worstFirst(parts).flatMap(part => (isCritical(part) ? [part.range] : []));

/**
 * Returns the distinct reasons to ask, the worst first. Beyond `maxReasons`, parts with the same effect share one reason, and the
 * rest is only counted.
 */
function commandPartReasons(parts: readonly AskedPart[]): readonly Reason[] {
  const sorted = worstFirst(parts);
  const all = new Map(sorted.map(({part, does}) => [JSON.stringify([part, does]), partReason(part, does, 0)]));
  if (all.size <= maxReasons) return [...all.values()];
  const groups = Map.groupBy(sorted, ({does}) =>
    typeof does !== 'string' && does.kind === 'writes-file' ? does.change : JSON.stringify(does),
  );
  const grouped = [...groups.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [partReason(first.part, first.does, more.length)],
  );
  return grouped.length <= maxReasons
    ? grouped
    : [...grouped.slice(0, maxReasons - 1), {kind: 'more-command-parts', count: grouped.length - maxReasons + 1}];
}

const partReason = (part: string, effect: PartEffect, alike: number): Reason => ({
  kind: 'command-part',
  part,
  effect,
  alike,
});

/** The maximum number of reasons that a person reads. */
const maxReasons = 20;

const worstFirst = (parts: readonly AskedPart[]): readonly AskedPart[] =>
  parts.toSorted((a, b) => weight(b) - weight(a));

const isCritical = ({risk, guarded}: AskedPart): boolean => risk !== 'local-change' || guarded === 'yes';

const weight = ({risk, guarded}: AskedPart): number =>
  Math.max(weights[risk], guarded === 'yes' ? weights.external : 0);

/** If weft asks about a read-only part, the part reads secrets or reads outside the workspace. */
const weights: Readonly<Record<RiskLevel, number>> = {
  'local-change': 0,
  'read-only': 1,
  unknown: 2,
  external: 3,
  destructive: 4,
};

/** Returns the word that a person types to accept a destructive command: the name of its last target, or else the program. */
function confirmWord(words: readonly string[]): string {
  const [program = '', ...args] = words;
  const target = args.filter(word => !word.startsWith('-') && !/^[.*?/~]*$/u.test(word)).at(-1) ?? '';
  const name = lastPart(target);
  return /^[\p{L}\p{N}._@+-]{1,60}$/u.test(name) ? name : lastPart(program);
}

const lastPart = (path: string): string => path.replace(/\/+$/u, '').replace(/^.*\//u, '');
