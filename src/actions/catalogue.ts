import type {Settled} from '../domain/settled.ts';
import {askUserQuestion} from './ask-user-question.ts';
import {callMcpTool} from './call-mcp-tool.ts';
import {createDocuments} from './create-documents.ts';
import {editDocuments} from './edit-documents.ts';
import {fetchConversation} from './fetch-conversation.ts';
import {fileGlob} from './file-glob.ts';
import {fileGlobV2} from './file-glob-v2.ts';
import {giveStructuredAnswer} from './give-structured-answer.ts';
import {grep} from './grep.ts';
import {initProject} from './init-project.ts';
import {insertCodeReviewComments} from './insert-code-review-comments.ts';
import {openCodeReview} from './open-code-review.ts';
import {readDocuments} from './read-documents.ts';
import {readFiles} from './read-files.ts';
import {readMcpResource} from './read-mcp-resource.ts';
import {readShellCommandOutput} from './read-shell-command-output.ts';
import {readSkill} from './read-skill.ts';
import {requestCommandOutput} from './request-command-output.ts';
import {requestComputerUse} from './request-computer-use.ts';
import {requestFileEdits} from './request-file-edits.ts';
import {searchCodebase} from './search-codebase.ts';
import {sendMessageToAgent} from './send-message-to-agent.ts';
import {startAgent} from './start-agent.ts';
import {suggestNewConversation} from './suggest-new-conversation.ts';
import {suggestPrompt} from './suggest-prompt.ts';
import {transferShellCommandControlToUser} from './transfer-shell-command-control-to-user.ts';
import {updateTodos} from './update-todos.ts';
import {uploadArtifact} from './upload-artifact.ts';
import {useComputer} from './use-computer.ts';
import {webFetch} from './web-fetch.ts';
import {webSearch} from './web-search.ts';
import {writeToLongRunningShellCommand} from './write-to-long-running-shell-command.ts';
import type {ActionDefinition} from './define-action.ts';

/** Every action there is, in the order in which built ones are offered to the model. The single truth: all else is derived. */
export const catalogue = {
  'request-command-output': requestCommandOutput,
  'write-to-long-running-shell-command': writeToLongRunningShellCommand,
  'read-shell-command-output': readShellCommandOutput,
  'transfer-shell-command-control-to-user': transferShellCommandControlToUser,
  'read-files': readFiles,
  'request-file-edits': requestFileEdits,
  'upload-artifact': uploadArtifact,
  'search-codebase': searchCodebase,
  grep: grep,
  'file-glob': fileGlob,
  'file-glob-v2': fileGlobV2,
  'read-mcp-resource': readMcpResource,
  'call-mcp-tool': callMcpTool,
  'read-documents': readDocuments,
  'edit-documents': editDocuments,
  'create-documents': createDocuments,
  'ask-user-question': askUserQuestion,
  'start-agent': startAgent,
  'send-message-to-agent': sendMessageToAgent,
  'suggest-new-conversation': suggestNewConversation,
  'suggest-prompt': suggestPrompt,
  'init-project': initProject,
  'open-code-review': openCodeReview,
  'insert-code-review-comments': insertCodeReviewComments,
  'fetch-conversation': fetchConversation,
  'read-skill': readSkill,
  'use-computer': useComputer,
  'request-computer-use': requestComputerUse,
  'update-todos': updateTodos,
  'web-fetch': webFetch,
  'web-search': webSearch,
  'give-structured-answer': giveStructuredAnswer,
};

export type ActionName = keyof typeof catalogue;

type InputIn<D> = D extends ActionDefinition<infer Input, infer _Output, infer _Cut> ? Input : never;
type OutputIn<D> = D extends ActionDefinition<infer _Input, infer Output, infer _Cut> ? Output : never;
type CutIn<D> = D extends ActionDefinition<infer _Input, infer _Output, infer Cut> ? Cut : never;

/** The types by name. Indexed maps, not conditional types, so that the compiler can follow one name through input and result. */
type Inputs = {readonly [N in ActionName]: InputIn<(typeof catalogue)[N]>};
type Outputs = {readonly [N in ActionName]: OutputIn<(typeof catalogue)[N]>};
type Cuts = {readonly [N in ActionName]: CutIn<(typeof catalogue)[N]>};

export type InputOf<N extends ActionName> = Inputs[N];
export type OutputOf<N extends ActionName> = Outputs[N];
export type CutOf<N extends ActionName> = Cuts[N];
export type SettledOf<N extends ActionName> = Settled<Outputs[N], Cuts[N]>;

/** One action as the model asked for it: a discriminated union over all names. */
export type Action<N extends ActionName = ActionName> = {
  [K in N]: {readonly name: K; readonly input: InputOf<K>};
}[N];

/** An action and how it ended: a discriminated union over all names. */
export type ActionResult<N extends ActionName = ActionName> = {
  [K in N]: {readonly name: K; readonly input: InputOf<K>; readonly settled: SettledOf<K>};
}[N];

/** The catalogue, typed so that a definition can be used with the input of its own name. */
export const definitions: {
  readonly [N in ActionName]: ActionDefinition<InputOf<N>, OutputOf<N>, CutOf<N>>;
} = catalogue;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the literal above are its names
export const actionNames = Object.keys(catalogue) as readonly ActionName[];

/** Joins a name and an input of that name. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the signature pairs them, which the union cannot see for itself
export const actionOf = <N extends ActionName>(name: N, input: InputOf<N>): Action => ({name, input}) as Action;
