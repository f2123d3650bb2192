import {byKind} from '../base/unreachable.ts';
import type {JudgedPath, Obligation} from './obligation.ts';
import {type CommandEnvironment, type Confinement, noDetail, type Verdict} from './risk.ts';

/** A runner of actions. A new kind of obligation compiles only once every executor has an answer to it. */
export interface Executor<Means> {
  readonly name: string;
  readonly directory: string;
  /** The means to run an action without obligations. */
  readonly means: Means;
  /** How the executor discharges each kind of obligation: it returns other means. `cannot`: a person is asked instead. */
  readonly discharge: {
    readonly [Kind in Obligation['kind']]: (
      obligation: Extract<Obligation, {readonly kind: Kind}>,
      means: Means,
    ) => Means | 'cannot';
  };
}

/** A verdict whose obligations the executor has accepted. The executor runs the action with `means`. */
export interface Judged<Means> {
  readonly verdict: Verdict;
  readonly obligations: readonly Obligation[];
  readonly means: Means;
}

/** Passes the obligations to the executor. `allow` becomes `ask` if the executor cannot discharge an obligation. */
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

/** Returns the strictest judgment of the parts: a denial, else a question, else the first. */
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
  // No rule or grant can keep a link from changing.
  return obligation.kind === 'paths'
    ? {...asked, sessionApproval: 'none', detail: {...verdict.detail, rules: noDetail.rules}}
    : asked;
}

/** The terms on which weft itself runs an action. */
export interface RunTerms {
  readonly environment: CommandEnvironment;
  readonly confinement: Confinement;
  readonly directory: string;
  /** The paths that the action names, and what they resolved to. The action may touch no others. */
  readonly paths: readonly JudgedPath[];
}

/** Returns the terms of a command that a person has typed, for which no judge has set a condition. */
export const plainTerms = (directory: string): RunTerms => ({
  environment: 'inherited',
  confinement: 'chosen',
  directory,
  paths: [],
});

/** Returns weft's own engine as an executor. It discharges every obligation. */
export const weftItself = (directory: string): Executor<RunTerms> => ({
  name: 'weft',
  directory,
  means: plainTerms(directory),
  discharge: {
    'restricted-environment': (_, means) => ({...means, environment: 'restricted'}),
    confined: ({to}, means) => ({...means, confinement: to}),
    directory: ({path}, means) => ({...means, directory: path}),
    paths: ({paths}, means) => ({...means, paths}),
    // weft's own search applies the rules already.
    'left-out': (_, means) => means,
  },
});
