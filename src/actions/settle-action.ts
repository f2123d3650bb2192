import type {ResultContent} from '../domain/conversation.ts';
import {faultText, rejected} from '../domain/fault.ts';
import type {Cancellation} from '../domain/settled.ts';
import {unreachable} from '../base/unreachable.ts';
import {
  definitions,
  type Action,
  type ActionName,
  type ActionResult,
  type CutOf,
  type InputOf,
  type OutputOf,
  type SettledOf,
} from './catalogue.ts';
import type {Amendment} from './files-port.ts';
import type {ActionBuild, ActionContext, ActionDefinition, RunContext} from './define-action.ts';
import type {Preview} from './preview.ts';
import type {Outcome} from '../base/outcome.ts';
import {failed} from '../base/outcome.ts';

/** The cancelled result of an action that never started: every action has its own. */
export function cancelledResult<N extends ActionName>(action: Action<N>, why: Cancellation): SettledOf<N> {
  return {state: 'cancelled', why, cut: definitions[action.name].cancelled(action.input)};
}

/** `Run command: npm test`: the action with its target, in words. */
export function labelOf<N extends ActionName>(action: Action<N>): string {
  return definitions[action.name].label(action.input);
}

/** What to show before asking; a failure is the action's result. */
export async function previewAction<N extends ActionName>(
  action: Action<N>,
  context: ActionContext,
): Promise<Outcome<Preview, SettledOf<N>>> {
  const build: ActionBuild<InputOf<N>, OutputOf<N>, CutOf<N>> = definitions[action.name].build;
  return build.state === 'built' ? build.preview(action.input, context) : failed(notBuilt);
}

/** Runs the action; the caller turns a throw into a fault. */
export async function runAction<N extends ActionName>(action: Action<N>, context: RunContext): Promise<SettledOf<N>> {
  const build: ActionBuild<InputOf<N>, OutputOf<N>, CutOf<N>> = definitions[action.name].build;
  return build.state === 'built' ? build.run(action.input, context) : notBuilt;
}

/** Joins an action and how it ended. */
export const resultOf = <N extends ActionName>(action: Action<N>, settled: SettledOf<N>): ActionResult =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the signature pairs them, which the union cannot see for itself
  ({name: action.name, input: action.input, settled}) as ActionResult;

/** The model's reason for an action, empty when it gave none. */
export const rationaleOf = (action: Action): string =>
  action.name === 'request-command-output' ? action.input.rationale || action.input.description : '';

/** What the model refers to in a command. */
export const citationsOf = (action: Action): readonly string[] =>
  action.name === 'request-command-output' ? action.input.citations : [];

/**
 * The same action with the user's command in the place of the model's; `undefined` where there is no command to edit. That the
 * model called its own harmless says nothing of this one, nor does its reason.
 */
export function withCommand(action: Action, command: string): Action<'request-command-output'> | undefined {
  if (action.name !== 'request-command-output') return undefined;
  const {claims} = action.input;
  const risky = claims.risky === 'yes' ? 'yes' : 'unsaid';
  return {
    ...action,
    input: {
      ...action.input,
      command,
      claims: {...claims, readOnly: 'unsaid', risky},
      description: '',
      rationale: '',
      citations: [],
    },
  };
}

/** The same edits as the user amended them; `undefined` where there are none. */
export const withAmendment = (action: Action, amendment: Amendment): Action<'request-file-edits'> | undefined =>
  action.name === 'request-file-edits' ? {...action, input: {...action.input, amendment}} : undefined;

/** What the model reads of a result. */
export function tellModel<N extends ActionName>(result: ActionResult<N>): readonly ResultContent[] {
  const definition: ActionDefinition<InputOf<N>, OutputOf<N>, CutOf<N>> = definitions[result.name];
  const settled: SettledOf<N> = result.settled;
  switch (settled.state) {
    case 'success':
      return definition.tell(settled.output);
    case 'error':
      return [{kind: 'text', text: faultText(settled.fault)}];
    case 'cancelled':
      return [
        {
          kind: 'text',
          text: [cancellationText(settled.why), definition.tellCut(settled.cut)].filter(line => line !== '').join('\n'),
        },
      ];
    default:
      return unreachable(settled);
  }
}

const notBuilt = {
  state: 'error',
  fault: rejected('This action is not built yet in this version of weft.'),
} as const;

/** Whether a command ran and did not end well: its exit code is its result, but a tick beside it would read as if all were well. */
export function exitedBadly(result: ActionResult): boolean {
  if (result.name !== 'request-command-output' || result.settled.state !== 'success') return false;
  const {output} = result.settled;
  const end = output.kind === 'completed' ? output.report.end : output.block.state;
  return end.kind === 'exited' ? end.code !== 0 : output.kind === 'completed' || end.kind === 'signalled';
}

/** Why there is no result, in words for the model. */
export function cancellationText({reason, message}: Cancellation): string {
  switch (reason) {
    case 'declined':
      return message === '' ? 'The user said no to this.' : `The user said no to this: ${message}`;
    case 'denied':
      return message === '' ? 'This was not permitted.' : message;
    case 'interrupted':
      return 'The user interrupted this.';
    case 'shutdown':
      return 'weft was stopped before this ended.';
    case 'not-run':
      return message;
    default:
      return unreachable(reason);
  }
}
