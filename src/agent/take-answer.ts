import type {Denial} from '../actions/agent-event.ts';
import type {Action, ActionName, SettledOf} from '../actions/catalogue.ts';
import {decodeAction} from '../actions/decode-action.ts';
import type {ActionPorts} from '../actions/ports.ts';
import type {Preview} from '../actions/preview.ts';
import {cancelledResult, previewAction, withCommand} from '../actions/settle-action.ts';
import type {JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {Verdict, VerdictDetail} from '../domain/risk.ts';
import type {Cancellation} from '../domain/settled.ts';
import type {Granted} from './ask-permission.ts';
import type {CallContext} from './call-context.ts';
import {judge} from './judge-call.ts';
import {deniedText} from './refusal-text.ts';
import {takeAmended} from './take-amended.ts';

/** What comes of an answer: what it was shown to do, and what the model must know of it. */
export interface Chosen {
  /** `ask`: it is another one than was asked about, and runs only once it has been asked about itself. */
  readonly next: 'run' | 'ask';
  readonly action: Action;
  readonly shown: Preview;
  readonly verdict: Verdict;
  /** What the model is told ahead of the result; empty mostly. */
  readonly preface: string;
}

/** Why nothing runs after all. */
export interface NotChosen {
  readonly settled: SettledOf<ActionName>;
  readonly deniedBy: Denial['by'] | 'no';
}

/** Whoever lets an action through may have changed it; `own` is the model's. What a rule or a mode forbids stays forbidden. */
export async function takeAnswer(
  granted: Granted,
  asked: {readonly tool: string; readonly own: Action} & Omit<Chosen, 'next'>,
  context: CallContext & Parameters<typeof previewAction>[1],
): Promise<Outcome<Chosen, NotChosen>> {
  const {action, shown, verdict, preface} = asked;
  const {signal} = context;
  switch (granted.kind) {
    case 'granted':
      return ok({next: 'run', action, shown, verdict, preface});
    case 'edited': {
      const {command} = granted;
      const {own} = asked;
      // Edited back to what the model asked for, it is that again, with the model's own words on it.
      if (own.name === 'request-command-output' && own.input.command === command) {
        return rejudged({action, edited: own, next: 'ask', preface: ''}, context);
      }
      const edited = withCommand(action, command);
      if (edited === undefined) return no(action, 'The user answered with a command, but this is no command.');
      return rejudged(
        {action, edited, next: 'ask', preface: `[The user changed the command; what ran is: ${command}]`},
        context,
      );
    }
    case 'updated': {
      const edited = decoded(asked.tool, granted.input, context);
      if (edited.tag === 'failed') return edited;
      return rejudged({action, edited: edited.value, next: 'run', preface: ''}, context);
    }
    case 'amended': {
      const ports = portsWithin(context.ports, verdict.detail);
      const amended = await takeAmended({action, amendment: granted.amendment, shown}, {ports, signal});
      if (amended.tag === 'failed') {
        return failed({settled: amended.error, deniedBy: amended.error.state === 'cancelled' ? 'user' : 'no'});
      }
      const now = await judge(amended.value.action, context, signal);
      if (now.decision === 'deny') return denied(action, now);
      return ok({...amended.value, next: asksMore(verdict, now) ? 'ask' : 'run', verdict: now, preface});
    }
    default:
      return unreachable(granted);
  }
}

/** The effects for an action of which this was found: its paths lead where they led then. */
export const portsWithin = (ports: ActionPorts, {places}: VerdictDetail): ActionPorts =>
  places.length === 0 ? ports : {...ports, files: ports.files.judged(places), search: ports.search.judged(places)};

const no = (action: Action, message: string): Outcome<Chosen, NotChosen> =>
  failed({settled: cancelledResult(action, {reason: 'declined', message}), deniedBy: 'user'});

function decoded(tool: string, input: JsonObject, {toolSources}: CallContext): Outcome<Action, NotChosen> {
  const action = decodeAction(tool, input, toolSources());
  return action.tag === 'ok' ? action : failed({settled: {state: 'error', fault: action.error}, deniedBy: 'no'});
}

/** Whether a question speaks of something that the one before it did not. */
const asksMore = (before: Verdict, now: Verdict): boolean =>
  now.decision === 'ask' &&
  (now.risk !== before.risk ||
    now.detail.confirmWord !== before.detail.confirmWord ||
    now.reasons.some(reason => !before.reasons.includes(reason)));

function denied(action: Action, verdict: Verdict): Outcome<Chosen, NotChosen> {
  const why: Cancellation = {reason: 'denied', message: deniedText(verdict)};
  return failed({settled: cancelledResult(action, why), deniedBy: 'rule'});
}

/** A program that answers has read what it answers with; a person sees on a card what weft makes of it, before it runs. */
async function rejudged(
  {
    action,
    edited,
    next,
    preface,
  }: {readonly action: Action; readonly edited: Action} & Pick<Chosen, 'next' | 'preface'>,
  context: CallContext & Parameters<typeof previewAction>[1],
): Promise<Outcome<Chosen, NotChosen>> {
  const {signal, ports} = context;
  const verdict = await judge(edited, context, signal);
  if (verdict.decision === 'deny') return denied(action, verdict);
  const preview = await previewAction(edited, {ports: portsWithin(ports, verdict.detail), signal});
  if (preview.tag === 'failed') return failed({settled: preview.error, deniedBy: 'no'});
  return ok({next, action: edited, shown: preview.value, verdict, preface});
}
