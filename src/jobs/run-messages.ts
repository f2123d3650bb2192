import {estimatedCosts, knownCost, unknownCosts} from '../domain/usage.ts';
import {wireCheck} from '../protocol/rpc/result-message.ts';
import type {Approval, PromptSummary} from '../actions/agent-event.ts';
import type {Question, QuestionAnswer} from '../actions/ports.ts';
import type {ApprovalAnswer} from '../agent/client.ts';
import {unreachable} from '../base/unreachable.ts';
import {changeEntry} from '../domain/change-set.ts';
import {faultText} from '../domain/fault.ts';
import {reasonText} from '../domain/reason.ts';
import type {JobAnswer} from '../domain/job.ts';
import {openSteps, type Plan} from '../domain/plan.ts';
import {stopText, toSentence} from '../domain/stop-text.ts';

/** Converts a client's answer to an approval for the engine. */
export const approvalAnswer = ({decision, message}: JobAnswer & {readonly kind: 'approval'}): ApprovalAnswer =>
  decision === 'deny'
    ? {decision: 'refuse', message, by: 'user'}
    : {decision: 'allow', scope: decision === 'allow' ? 'once' : 'session'};

/** The message of a run whose events or end couldn't be stored. */
export const runLostText =
  "The run failed, because weft can't save it. The server's stderr says why; so does logs/weft.log in its data folder, if it can be written.";

/** Returns the cost, the duration and the checks of a prompt, as its last message carries them. */
export function promptFigures(summary: PromptSummary | 'interrupted' | 'failed') {
  if (typeof summary === 'string') return {cost: 0, duration: 0};
  const {models} = summary.sessionUsage;
  const unknown = unknownCosts(models);
  const estimated = estimatedCosts(models);
  return {
    cost: knownCost(Object.values(models)) ?? 0,
    duration: Math.round(summary.durationMs),
    ...(summary.checks.length === 0 ? {} : {checks: summary.checks.map(wireCheck)}),
    ...(unknown.length === 0 ? {} : {unknownCosts: unknown}),
    ...(estimated.length === 0 ? {} : {estimatedCosts: estimated}),
  };
}

/** Returns why a prompt isn't done, one message each. */
export function promptProblems(summary: PromptSummary): readonly string[] {
  const {end} = summary;
  switch (end.kind) {
    case 'done': {
      const note = stopText(summary);
      return note === undefined ? [] : [toSentence(note)];
    }
    case 'interrupted':
      return ['The prompt was stopped.'];
    case 'failed':
    case 'not-sent':
      return [faultText(end.fault)];
    case 'max-turns':
      return [`The prompt was stopped after ${String(end.turns)} turns.`];
    case 'max-cost':
      return [`The prompt was stopped at ${String(end.usd)} US dollars.`];
    case 'invalid-output':
      return end.errors;
    case 'stopped-by-hook':
      return [`A hook stopped the prompt: ${end.reason}`];
    default:
      return unreachable(end);
  }
}

/** Converts an approval for clients. */
export const permissionOf = ({id, toolName, input, label, verdict, preview}: Approval): object => ({
  id,
  toolName,
  input,
  title: label,
  risk: verdict.risk,
  reasons: verdict.reasons.map(reasonText),
  options: verdict.sessionApproval === 'none' ? ['allow', 'deny'] : ['allow', 'allow_session', 'deny'],
  ...(preview.kind === 'changes' ? {changes: preview.asked.map(changeEntry)} : {}),
});

/** Converts a plan for clients: the task protocol's TaskPlan with its state. */
export const toClientPlan = ({id, goal, steps, notes, createdAt, state, session, directory, reason}: Plan) => ({
  id,
  goal,
  steps,
  ...(notes === '' ? {} : {notes}),
  createdAt: new Date(createdAt).toISOString(),
  state,
  sessionId: session,
  workDir: directory,
  ...(reason === '' ? {} : {reason}),
});

/** Accepts a label or a list of labels; other text is the user's own answer. */
export function toQuestionAnswer({options}: Question, given: string | readonly string[] | undefined): QuestionAnswer {
  const parts = (Array.isArray(given) ? given : [given]).filter(part => typeof part === 'string');
  const labels = options.map(({label}) => label);
  return {
    selected: parts.filter(part => labels.includes(part)),
    other: parts.filter(part => !labels.includes(part)).join(', '),
  };
}

/** True if the status of a step has changed. */
export const hasStepChanged = ({steps}: Plan, before: Plan | 'none'): boolean =>
  before !== 'none' && steps.some(({status}, at) => status !== before.steps[at]?.status);

/** Returns the state of a plan at the end of a prompt, and its remaining steps. */
export function planStateFields(plan: Plan): object {
  const open = plan.state === 'pending' ? [] : openSteps(plan);
  // A prompt that was stopped before it began changed nothing in its plan.
  return {state: plan.state === 'executing' ? 'stopped' : plan.state, ...(open.length === 0 ? {} : {openSteps: open})};
}
