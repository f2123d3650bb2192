import {byKind} from '../base/unreachable.ts';
import type {JudgedPath, Obligation} from './obligation.ts';
import {type CommandEnvironment, type Confinement, noDetail, type Verdict} from './risk.ts';

/** A runner of actions. A new kind of obligation compiles only once every executor has an answer to it. */
export interface Executor<Means> {
  readonly name: string;
  readonly directory: string;
  /** The means to run an action without obligations. */
  readonly means: Means;
  /** How it discharges each kind: with other means. `cannot`: a person is asked instead. */
  readonly discharge: {
    readonly [Kind in Obligation['kind']]: (
      obligation: Extract<Obligation, {readonly kind: Kind}>,
      means: Means,
    ) => Means | 'cannot';
  };
}

/** A verdict whose obligations the executor has taken on: `means` is what it runs the action with. */
export interface Judged<Means> {
  readonly verdict: Verdict;
  readonly obligations: readonly Obligation[];
  readonly means: Means;
}

/** Hands the obligations to the executor. A yes turns into a question if the executor cannot discharge one of them. */
export function judgedFor<Means>(
  {verdict, obligations}: Omit<Judged<Means>, 'means'>,
  executor: Executor<Means>,
): Judged<Means> {
  let {means} = executor;
  let settled = verdict;
  for (const obligation of obligations) {
    const next = dischargedBy(executor, obligation, means);
    if (next !== 'cannot') means = next;
    else if (settled.decision === 'allow') settled = askedBecause(obligation, settled, executor.name);
  }
  return {verdict: settled, obligations, means};
}

/** The strictest judgement on the parts of one thing: a denial, else a question, else the first. */
export async function strictest<Part, Judgement extends {readonly verdict: Verdict}>(
  parts: readonly [Part, ...Part[]],
  judge: (part: Part) => Promise<Judgement>,
): Promise<Judgement> {
  const [first, ...rest] = parts;
  const all = [await judge(first), ...(await Promise.all(rest.map(judge)))] as const;
  const decided = (wanted: Verdict['decision']) => all.find(({verdict}) => verdict.decision === wanted);
  return decided('deny') ?? decided('ask') ?? all[0];
}

const dischargedBy = <Means>({discharge}: Executor<Means>, obligation: Obligation, means: Means): Means | 'cannot' =>
  byKind<Obligation, Means | 'cannot'>(obligation, {
    'restricted-environment': given => discharge['restricted-environment'](given, means),
    confined: given => discharge.confined(given, means),
    directory: given => discharge.directory(given, means),
    paths: given => discharge.paths(given, means),
    'left-out': given => discharge['left-out'](given, means),
  });

function askedBecause(obligation: Obligation, verdict: Verdict, executor: string): Verdict {
  const asked = {...verdict, decision: 'ask', reasons: [{kind: 'obligation', executor, obligation}]} as const;
  // No rule and no grant holds a link where it is.
  return obligation.kind === 'paths'
    ? {...asked, sessionApproval: 'none', detail: {...verdict.detail, rules: noDetail.rules}}
    : asked;
}

/** The terms on which weft itself runs an action. */
export interface RunTerms {
  readonly environment: CommandEnvironment;
  readonly confinement: Confinement;
  readonly directory: string;
  /** The paths that the action names, where they led. The action may touch no others. */
  readonly paths: readonly JudgedPath[];
}

/** The terms of a command that a person has typed: no judge has set a condition. */
export const plainTerms = (directory: string): RunTerms => ({
  environment: 'inherited',
  confinement: 'chosen',
  directory,
  paths: [],
});

/** weft's own engine, which discharges every obligation. */
export const weftItself = (directory: string): Executor<RunTerms> => ({
  name: 'weft',
  directory,
  means: plainTerms(directory),
  discharge: {
    'restricted-environment': (_, means) => ({...means, environment: 'restricted'}),
    confined: ({to}, means) => ({...means, confinement: to}),
    directory: ({path}, means) => ({...means, directory: path}),
    paths: ({paths}, means) => ({...means, paths}),
    // Its search has the rules.
    'left-out': (_, means) => means,
  },
});
