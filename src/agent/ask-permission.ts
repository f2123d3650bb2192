import type {Denial} from '../actions/agent-event.ts';
import type {Action} from '../actions/catalogue.ts';
import type {Amendment} from '../actions/files-port.ts';
import {noVictims, type VictimReport} from '../actions/ports.ts';
import type {Preview} from '../actions/preview.ts';
import {citationsOf, labelOf, rationaleOf} from '../actions/settle-action.ts';
import type {JsonObject} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import type {TouchedFiles} from '../domain/checkpoint.ts';
import {faultText} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import type {RuleChange, Verdict} from '../domain/risk.ts';
import type {Cancellation} from '../domain/settled.ts';
import type {CallContext} from './call-context.ts';
import type {ApprovalAnswer} from './engine.ts';
import {nobodyText} from './refusal-text.ts';
import {sessionGrant} from './session-grants.ts';

/** An action that may have to be asked about. */
export interface Asked {
  readonly id: ActionId;
  readonly toolName: string;
  readonly action: Action;
  readonly verdict: Verdict;
  /** `always`: what was let through for the session is asked about all the same. `edited`: so is what nobody would ask about. */
  readonly ask: 'always' | 'unless-granted' | 'edited';
}

export type Permission = Granted | Refused;

export type Granted =
  | {readonly kind: 'granted'}
  | {readonly kind: 'edited'; readonly command: string}
  | {readonly kind: 'updated'; readonly input: JsonObject}
  | {readonly kind: 'amended'; readonly amendment: Amendment};

/** `voice`: in whose words the model is told. */
export interface Refused {
  readonly kind: 'refused';
  readonly why: Cancellation;
  readonly by: Denial['by'] | 'no';
  readonly voice: 'user' | 'program';
}

/** Why an action that would be asked about is refused without asking: nobody is there, or nobody wants to be asked. */
export function refusedUnasked(asked: Asked, context: CallContext): Cancellation | undefined {
  if (context.asking === 'somebody' && context.mode() !== 'dontAsk') return undefined;
  if (isFree(asked, context)) return undefined;
  const {id, action, verdict} = asked;
  context.keep({kind: 'approval', id, label: labelOf(action), decision: 'refused', by: 'nobody'});
  return {reason: 'denied', message: nobodyText(verdict, context.asking)};
}

/** Asks where it must, and takes the first answer. */
export async function askPermission(
  asked: Asked & {readonly preview: Preview},
  context: CallContext,
  signal: AbortSignal,
): Promise<Permission> {
  if (isFree(asked, context)) return {kind: 'granted'};
  const {id, toolName, action, verdict, preview} = asked;
  const grant = sessionGrant(action, verdict);
  const label = labelOf(action);
  const victims = verdict.detail.destroys.length === 0 ? noVictims : await victimsOf(verdict, context, signal);
  const undone = verdict.risk === 'read-only' ? '' : await context.checkpoints.notCovered(touchedBy(verdict), signal);
  if (signal.aborted) return {kind: 'refused', why: context.whyStopped(), by: 'no', voice: 'user'};
  if (verdict.risk !== 'read-only') context.checkpoints.expectChange();
  // The wait begins before the question is published: a listener may answer at once.
  const waiting = context.approvals.wait(id, 'aborted', signal);
  context.publish([
    {
      event: 'approval-requested',
      approval: {
        id,
        toolName,
        action,
        label,
        preview,
        verdict: undone === '' ? verdict : {...verdict, reasons: [...verdict.reasons, undone]},
        wording: asked.ask === 'edited' ? 'user' : 'model',
        rationale: rationaleOf(action),
        sessionGrant: grant.words,
        victims,
        citations: citationsOf(action),
      },
    },
  ]);
  const answer = await waiting;
  if (answer === 'aborted') {
    context.publish([{event: 'approval-settled', id, decision: 'refused'}]);
    return {kind: 'refused', why: context.whyStopped(), by: 'no', voice: 'user'};
  }
  if (answer.decision === 'allow-edited') {
    context.publish([{event: 'approval-settled', id, decision: 'edited'}]);
    return {kind: 'edited', command: answer.command};
  }
  const decision = answer.decision === 'refuse' ? 'refused' : 'allowed';
  context.keep({kind: 'approval', id, label, decision, by: 'user'});
  context.publish([{event: 'approval-settled', id, decision}]);
  return permissionOf(answer, grant.key, context);
}

const isFree = ({action, verdict, ask}: Asked, {grants}: CallContext): boolean =>
  (verdict.decision === 'allow' && ask !== 'edited') ||
  (ask === 'unless-granted' && grants.has(sessionGrant(action, verdict).key));

async function permissionOf(answer: FinalAnswer, grantKey: string, context: CallContext): Promise<Permission> {
  switch (answer.decision) {
    case 'allow':
      if (answer.scope === 'session') context.grants.add(grantKey);
      return {kind: 'granted'};
    case 'allow-rule':
      await changeRules([{change: 'add', list: 'allow', rule: answer.rule, lasting: answer.lasting}], context);
      return {kind: 'granted'};
    case 'allow-amended':
      return {kind: 'amended', amendment: answer.amendment};
    case 'allow-updated':
      await changeRules(answer.rules, context);
      return answer.input === 'unchanged' ? {kind: 'granted'} : {kind: 'updated', input: answer.input};
    case 'refuse': {
      const {message, voice} = answer;
      // A program's own words stand alone; without any, the model still has to learn that it was refused.
      const reason = voice === 'program' && message !== '' ? 'denied' : 'declined';
      return {kind: 'refused', why: {reason, message}, by: 'user', voice};
    }
    default:
      return unreachable(answer);
  }
}

type FinalAnswer = Exclude<ApprovalAnswer, {readonly decision: 'allow-edited'}>;

async function changeRules(changes: readonly RuleChange[], {judge, publish}: CallContext): Promise<void> {
  for (const change of changes) {
    const changed = await judge.changeRules(change);
    if (changed.tag === 'failed') publish([{event: 'notice', level: 'warning', text: faultText(changed.error)}]);
  }
}

const touchedBy = ({detail}: Verdict): TouchedFiles => ({
  paths: detail.places.flatMap(({path, place}) => (place === 'inside-workspace' ? [path] : [])),
  commands: detail.destroys,
});

/** Looking for victims must not keep anybody from answering: where it breaks, the card has none. */
async function victimsOf({detail}: Verdict, {victims}: CallContext, signal: AbortSignal): Promise<VictimReport> {
  try {
    return await victims.find(detail.destroys, signal);
  } catch {
    return noVictims;
  }
}
