import {type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ResultContent} from '../domain/conversation.ts';
import {faultText} from '../domain/fault.ts';
import {blockId} from '../domain/ids.ts';
import type {CancelReason, Cancellation, Settled} from '../domain/settled.ts';
import {type Access, type AskCase, type JudgedAction, type RuleKinds, unsaidClaims} from '../domain/access.ts';
import {askUserQuestion} from './ask-user-question.ts';
import {programName} from './block-text.ts';
import {callMcpTool} from './call-mcp-tool.ts';
import {createDocuments} from './create-documents.ts';
import type {ActionContext, ActionDefinition, ActionRunContext} from './define-action.ts';
import {editDocuments} from './edit-documents.ts';
import {exitPlan} from './exit-plan.ts';
import {fetchConversation} from './fetch-conversation.ts';
import {fileGlobV2} from './file-glob-v2.ts';
import {emptyUserChanges, type UserChanges} from '../domain/file-edit.ts';
import {giveStructuredAnswer} from './give-structured-answer.ts';
import {grep} from './grep.ts';
import {initProject} from './init-project.ts';
import {insertCodeReviewComments} from './insert-code-review-comments.ts';
import {openCodeReview} from './open-code-review.ts';
import type {BlocksPort} from './ports.ts';
import type {Preview} from './preview.ts';
import {readDocuments} from './read-documents.ts';
import {readFiles} from './read-files.ts';
import type {McpResourceRequest} from './mcp-port.ts';
import {readMcpResource} from './read-mcp-resource.ts';
import {readSkill} from './read-skill.ts';
import {readShellCommandOutput} from './read-shell-command-output.ts';
import {requestComputerUse} from './request-computer-use.ts';
import {requestCommandOutput} from './request-command-output.ts';
import {requestFileEdits} from './request-file-edits.ts';
import {sendMessageToAgent} from './send-message-to-agent.ts';
import {startAgent} from './start-agent.ts';
import {sandboxExec} from './sandbox-exec.ts';
import {searchCodebase} from './search-codebase.ts';
import {searchTools} from './search-tools.ts';
import {suggestNewConversation} from './suggest-new-conversation.ts';
import {suggestPrompt} from './suggest-prompt.ts';
import {transferShellCommandControlToUser} from './transfer-shell-command-control-to-user.ts';
import {updateTodos} from './update-todos.ts';
import {uploadArtifact} from './upload-artifact.ts';
import {useComputer} from './use-computer.ts';
import {webFetch} from './web-fetch.ts';
import {webSearch} from './web-search.ts';
import {writeToLongRunningShellCommand} from './write-to-long-running-shell-command.ts';

/** Every implemented action, in the order in which its tools are offered to the model. */
const catalogue = {
  'request-command-output': requestCommandOutput,
  'write-to-long-running-shell-command': writeToLongRunningShellCommand,
  'read-shell-command-output': readShellCommandOutput,
  'transfer-shell-command-control-to-user': transferShellCommandControlToUser,
  'read-files': readFiles,
  'request-file-edits': requestFileEdits,
  grep: grep,
  'file-glob-v2': fileGlobV2,
  'read-mcp-resource': readMcpResource,
  'search-tools': searchTools,
  'call-mcp-tool': callMcpTool,
  'web-fetch': webFetch,
  'web-search': webSearch,
  'start-agent': startAgent,
  'send-message-to-agent': sendMessageToAgent,
  'read-skill': readSkill,
  'ask-user-question': askUserQuestion,
  'update-todos': updateTodos,
  'give-structured-answer': giveStructuredAnswer,
  'exit-plan': exitPlan,
  'read-documents': readDocuments,
  'create-documents': createDocuments,
  'edit-documents': editDocuments,
  'insert-code-review-comments': insertCodeReviewComments,
  'open-code-review': openCodeReview,
  'upload-artifact': uploadArtifact,
  'init-project': initProject,
  'search-codebase': searchCodebase,
  'sandbox-exec': sandboxExec,
  'fetch-conversation': fetchConversation,
  'suggest-prompt': suggestPrompt,
  'suggest-new-conversation': suggestNewConversation,
  'request-computer-use': requestComputerUse,
  'use-computer': useComputer,
};

export type ActionName = keyof typeof catalogue;

type InputIn<D> = D extends ActionDefinition<infer Input, infer _Output, infer _Partial> ? Input : never;
type OutputIn<D> = D extends ActionDefinition<infer _Input, infer Output, infer _Partial> ? Output : never;
type PartialIn<D> =
  D extends ActionDefinition<infer _Input, infer _Output, infer PartialOutput> ? PartialOutput : never;

/**
 * The types by name. These are indexed maps and not conditional types, so that the compiler can follow one name through input and result.
 */
type Inputs = {readonly [N in ActionName]: InputIn<(typeof catalogue)[N]>};
type Outputs = {readonly [N in ActionName]: OutputIn<(typeof catalogue)[N]>};
type Partials = {readonly [N in ActionName]: PartialIn<(typeof catalogue)[N]>};

export type InputOf<N extends ActionName> = Inputs[N];
export type OutputOf<N extends ActionName> = Outputs[N];
export type PartialOf<N extends ActionName> = Partials[N];
export type SettledOf<N extends ActionName> = Settled<Outputs[N], Partials[N]>;

/** One action as the model requested it: a discriminated union over all names. */
export type Action<N extends ActionName = ActionName> = {
  [K in N]: {readonly name: K; readonly input: InputOf<K>};
}[N];

/** An action and how it ended: a discriminated union over all names. */
export type ActionResult<N extends ActionName = ActionName> = {
  [K in N]: {readonly name: K; readonly input: InputOf<K>; readonly settled: SettledOf<K>};
}[N];

export const definitions: {
  readonly [N in ActionName]: ActionDefinition<InputOf<N>, OutputOf<N>, PartialOf<N>>;
} = catalogue;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the literal above are its names
export const actionNames = Object.keys(catalogue) as readonly ActionName[];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the signature pairs them, which the union cannot see for itself
export const actionOf = <N extends ActionName>(name: N, input: InputOf<N>): Action => ({name, input}) as Action;

/** Returns the cancelled result of an action that never started. */
export function cancelledResult<N extends ActionName>(action: Action<N>, why: Cancellation): SettledOf<N> {
  return {state: 'cancelled', why, partial: definitions[action.name].cancelled(action.input)};
}

/** Returns the action with its target, in words: `Run npm test`. */
export function labelOf<N extends ActionName>(action: Action<N>): string {
  return definitions[action.name].label(action.input);
}

export function accessOf<N extends ActionName>(action: Action<N>): Access {
  return definitions[action.name].access(action.input);
}

export const toolNamesOf = (name: ActionName): readonly string[] => definitions[name].tools.map(tool => tool.name);

/** The rule kind of each tool, which says what its permission rules can match. */
export const ruleKinds: RuleKinds = new Map(
  actionNames.flatMap(name => toolNamesOf(name).map(tool => [tool, definitions[name].ruleKind] as const)),
);

/** Returns the parts of an action that the judge looks at. */
export const judgedAction = (action: Action): JudgedAction => ({
  access: accessOf(action),
  tools: toolNamesOf(action.name),
  risk: definitions[action.name].risk,
});

/** Returns every case in which weft may ask about an action, with the names of its tools. */
export const askClasses = (): readonly (AskCase & {readonly tools: readonly string[]})[] =>
  actionNames.flatMap(action => definitions[action].asks.map(each => ({...each, tools: toolNamesOf(action)})));

/** Returns what to show before asking. A failure is the action's result. */
export async function previewAction<N extends ActionName>(
  action: Action<N>,
  context: ActionContext,
): Promise<Outcome<Preview, SettledOf<N>>> {
  return definitions[action.name].preview(action.input, context);
}

/** Runs the action. The caller turns a throw into a fault. */
export async function runAction<N extends ActionName>(
  action: Action<N>,
  context: ActionRunContext,
): Promise<SettledOf<N>> {
  return definitions[action.name].run(action.input, context);
}

/** Joins an action and its settled result. */
export const resultOf = <N extends ActionName>(action: Action<N>, settled: SettledOf<N>): ActionResult =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the signature pairs them, which the union cannot see for itself
  ({name: action.name, input: action.input, settled}) as ActionResult;

/** Returns an edit of these files without content, for judging any change of them. */
export const writeFilesAction = (paths: readonly string[]): Action<'request-file-edits'> => ({
  name: 'request-file-edits',
  input: {edits: paths.map(path => ({kind: 'write', path, content: ''})), userChanges: emptyUserChanges},
});

export const readFilesAction = (requests: InputOf<'read-files'>['requests']): Action<'read-files'> => ({
  name: 'read-files',
  input: {requests},
});

/** Reads a resource that the user mentions. */
export const readResourceAction = ({server, uri}: McpResourceRequest): Action<'read-mcp-resource'> => ({
  name: 'read-mcp-resource',
  input: {kind: 'read', server, uri},
});

/** Runs a command that the user typed, in the foreground and without claims of a model. */
export const userCommandAction = (command: string, timeoutMs: number): Action<'request-command-output'> => ({
  name: 'request-command-output',
  input: {
    command,
    place: 'foreground',
    timeoutMs,
    claims: unsaidClaims,
    description: '',
    rationale: '',
  },
});

/** True if weft waits for this command or sub-agent, so the user can move it to the background. */
export const canMoveToBackground = (action: Action): boolean =>
  (action.name === 'request-command-output' || action.name === 'start-agent') && action.input.place === 'foreground';

export const isAgentAction = ({name}: Pick<Action, 'name'>): boolean =>
  name === 'start-agent' || name === 'send-message-to-agent';

/** Returns the names that a hook's matcher may use for a tool. Hooks that watch commands also watch sandboxed ones. */
export const hookToolNames = (tool: string): readonly string[] =>
  toolNamesOf('sandbox-exec').includes(tool) ? [tool, ...toolNamesOf('request-command-output')] : [tool];

/** The tools that start a sub-agent. */
export const agentTools: ReadonlySet<string> = new Set(definitions['start-agent'].tools.map(({name}) => name));

/** Returns the bare output of a command that exited with 0. `undefined` for any other end or action. */
export function successfulOutput(result: ActionResult): string | undefined {
  if (result.name !== 'request-command-output' || result.settled.state !== 'success') return undefined;
  const {output} = result.settled;
  if (output.kind !== 'completed' || output.report.end.kind !== 'exited' || output.report.end.code !== 0)
    return undefined;
  return output.report.output.text.replace(/\n$/u, '');
}

export const rationaleOf = (action: Action): string =>
  action.name === 'request-command-output' ? action.input.rationale || action.input.description : '';

/**
 * Returns the action with the user's command instead of the model's, or `undefined` if the action has no command.
 * The model's reason and its claim that the command is harmless don't apply to the new one.
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
    },
  };
}

/** Adds the name of the running program to input for a block, for people. Returns any other action unchanged. */
export function withProgramName(action: Action, {find}: Pick<BlocksPort, 'find'>): Action {
  if (action.name !== 'write-to-long-running-shell-command') return action;
  const found = find(blockId(action.input.blockId));
  const program = found.tag === 'ok' ? programName(found.value.command) : '';
  return {...action, input: {...action.input, program}};
}

/** Returns the same edits with the user's changes to them, or `undefined` if the action has no edits. */
export const withUserChanges = (action: Action, userChanges: UserChanges): Action<'request-file-edits'> | undefined =>
  action.name === 'request-file-edits' ? {...action, input: {...action.input, userChanges}} : undefined;

export const planAction = (plan: InputOf<'exit-plan'>): Action<'exit-plan'> => ({name: 'exit-plan', input: plan});

export function modelContent<N extends ActionName>(result: ActionResult<N>): readonly ResultContent[] {
  const definition: ActionDefinition<InputOf<N>, OutputOf<N>, PartialOf<N>> = definitions[result.name];
  const settled: SettledOf<N> = result.settled;
  switch (settled.state) {
    case 'success':
      return definition.modelContent(settled.output);
    case 'error':
      return [{kind: 'text', text: faultText(settled.fault)}];
    case 'cancelled':
      return [
        {
          kind: 'text',
          text: [cancellationText(settled.why), definition.partialText(settled.partial)]
            .filter(line => line !== '')
            .join('\n'),
        },
      ];
    default:
      return unreachable(settled);
  }
}

export const cancellationText = ({reason, message}: Cancellation): string => cancellationTexts[reason](message);

const cancellationTexts: Readonly<Record<CancelReason, (message: string) => string>> = {
  declined: message => (message === '' ? 'The user said no to this.' : `The user said no to this: ${message}`),
  denied: message => message || 'This was not permitted.',
  interrupted: () => 'The user interrupted this.',
  shutdown: () => 'weft was stopped before this ended.',
  'not-run': message => message,
};
