import {isAboutOutsideWorkspace, type Reason, reasonsText, taintIn} from '../../domain/reason.ts';
import * as z from 'zod/mini';
import type {Approval} from '../../actions/agent-event.ts';
import {accessOf} from '../../actions/catalogue.ts';
import {isJsonObject, type Json, type JsonObject, sameJson} from '../../base/json.ts';
import {type Change, changeEntry} from '../../domain/change-set.ts';
import type {Elicitation, ElicitationReply} from '../../actions/mcp-port.ts';
import type {Question, QuestionAnswer} from '../../actions/ports.ts';
import type {ApprovalAnswer, QuestionResponse} from '../../agent/client.ts';
import type {ActionId} from '../../domain/ids.ts';
import {readPermissionUpdates, type PermissionRequests} from '../../protocol/rpc/permission-updates.ts';
import type {CanUseToolRequest, PermissionUpdate} from '../../protocol/rpc/control-message.ts';
import type {ControlChannel} from './control-channel.ts';

/** Returns an approval as a request to the client. Its `input` is what the model wrote. */
export function canUseTool(approval: Approval): CanUseToolRequest {
  const {id, asker, toolName, input, verdict, label, rationale} = approval;
  const suggestions = suggestionsOf(approval);
  const blocked = blockedPath(approval);
  const changes = changesAskedAbout(approval);
  const taint = taintIn(verdict.reasons);
  return {
    subtype: 'can_use_tool',
    tool_name: toolName,
    display_name: toolName,
    title: label,
    input,
    tool_use_id: id,
    ...(asker === 'main' ? {} : {agent_id: asker.id}),
    ...(rationale === '' ? {} : {description: rationale}),
    ...(suggestions.length === 0 ? {} : {permission_suggestions: suggestions}),
    ...(verdict.reasons.length === 0
      ? {}
      : {decision_reason: reasonsText(verdict.reasons), decision_reason_type: reasonType(verdict.reasons)}),
    ...(blocked === undefined ? {} : {blocked_path: blocked}),
    ...(taint.length === 0 ? {} : {reasons: taint}),
    ...(changes.length === 0 ? {} : {changes: changes.map(changeEntry)}),
  };
}

/** Returns the changes of a command that has already run; none if the approval is for running it. */
const changesAskedAbout = ({preview}: Approval): readonly Change[] => (preview.kind === 'changes' ? preview.asked : []);

/** Suggests the narrowest rule that avoids the next question or, for an ordinary edit, the mode that allows such edits. */
function suggestionsOf(approval: Approval): readonly PermissionUpdate[] {
  const {action, verdict} = approval;
  const [narrowest] = verdict.detail.rules;
  const rule = narrowest === undefined ? undefined : ruleValue(narrowest);
  if (rule !== undefined) {
    return [{type: 'addRules', rules: [rule], behavior: 'allow', destination: 'localSettings'}];
  }
  const isAboutFiles = accessOf(action).kind === 'edit' || changesAskedAbout(approval).length > 0;
  return isAboutFiles && verdict.sessionApproval === 'kind'
    ? [{type: 'setMode', mode: 'acceptEdits', destination: 'session'}]
    : [];
}

/** Splits a rule such as `Bash(touch:*)` into tool and content. */
function ruleValue(rule: string): {readonly toolName: string; readonly ruleContent?: string} | undefined {
  const [, toolName, ruleContent] = /^([^()\s]+)(?:\(([\s\S]*)\))?$/u.exec(rule) ?? [];
  if (toolName === undefined) return undefined;
  return ruleContent === undefined ? {toolName} : {toolName, ruleContent};
}

function reasonType(reasons: readonly Reason[]): NonNullable<CanUseToolRequest['decision_reason_type']> {
  const [first] = reasons;
  if (first?.kind === 'rule' || first?.kind === 'mode') return first.kind;
  return reasons.some(isAboutOutsideWorkspace) ? 'workingDir' : 'other';
}

/** Returns the file that caused the question, if there is one. */
function blockedPath({action, verdict}: Approval): string | undefined {
  const access = accessOf(action);
  if (access.kind === 'read') return access.paths[0];
  if (access.kind === 'edit' && verdict.sessionApproval === 'exact') return access.edits[0]?.path;
  return undefined;
}

export type PermissionReply =
  | {
      readonly kind: 'allow';
      readonly answer: ApprovalAnswer;
      readonly input: JsonObject | 'unchanged';
      readonly wishes: PermissionRequests;
    }
  | {readonly kind: 'deny'; readonly message: string; readonly next: 'go-on' | 'interrupt'};

const allowed = z.looseObject({
  behavior: z.literal('allow'),
  updatedInput: z.optional(z.nullable(z.custom<JsonObject>(isJsonObject))),
  updatedPermissions: z.optional(z.nullable(z.array(z.custom<JsonObject>(isJsonObject)))),
});
const denied = z.looseObject({
  behavior: z.literal('deny'),
  message: z.optional(z.string()),
  interrupt: z.optional(z.boolean()),
});

/** Parses a client's answer. Any answer except a clear yes counts as a no. `input` is the input in the question. */
export function permissionReply(payload: JsonObject, input: Json): PermissionReply {
  const no = z.safeParse(denied, payload);
  if (no.success) {
    return {kind: 'deny', message: no.data.message ?? '', next: no.data.interrupt === true ? 'interrupt' : 'go-on'};
  }
  const yes = z.safeParse(allowed, payload);
  if (!yes.success) {
    const message = 'The program that drives weft answered neither allow nor deny.';
    return {kind: 'deny', message, next: 'go-on'};
  }
  const {updatedInput, updatedPermissions} = yes.data;
  const {rules, ...wishes} = readPermissionUpdates(updatedPermissions ?? []);
  // Clients send the input back unless they change it. An empty object changes nothing either, as in Claude Code.
  const isSame = (given: JsonObject): boolean => Object.keys(given).length === 0 || sameJson(given, input);
  const changed =
    updatedInput === undefined || updatedInput === null || isSame(updatedInput) ? 'unchanged' : updatedInput;
  const answer: ApprovalAnswer =
    changed === 'unchanged' && rules.length === 0
      ? {decision: 'allow', scope: 'once'}
      : {decision: 'allow-updated', input: changed, rules};
  return {kind: 'allow', answer, input: updatedInput ?? 'unchanged', wishes};
}

/** The tool in questions to a client, no matter which action asks. */
export const questionTool = 'AskUserQuestion';

/** Returns the input of a call of that tool, for questions of other actions. */
export const questionsInput = (questions: readonly Question[]): Json => ({
  questions: questions.map(({question, header, options, choice}) => ({
    question,
    header,
    multiSelect: choice === 'many',
    options: options.map(({label, description}) => ({label, description})),
  })),
});

/** Returns the agent's questions as a request to the client: a call whose input the client completes. */
export const askQuestions = (id: ActionId, input: Json): CanUseToolRequest => ({
  subtype: 'can_use_tool',
  tool_name: questionTool,
  display_name: questionTool,
  input,
  tool_use_id: id,
  requires_user_interaction: true,
});

/** Parses the client's answers in `updatedInput.answers`, by question. Without answers, the questions are dismissed. */
export function questionResponse(payload: JsonObject, questions: readonly Question[]): QuestionResponse {
  const {behavior, updatedInput, message} = payload;
  if (behavior === 'deny' && typeof message === 'string' && message !== '') return {kind: 'dismissed', reason: message};
  const given = isJsonObject(updatedInput) ? updatedInput['answers'] : undefined;
  if (behavior !== 'allow' || !isJsonObject(given)) return {kind: 'dismissed'};
  const answers = questions.map(question => answerFrom(question, given[question.question]));
  return answers.every(({selected, other}) => selected.length === 0 && other === '')
    ? {kind: 'dismissed'}
    : {kind: 'answered', answers};
}

/** Parses one answer. Several choices are a list or a comma-separated text. Other text is the user's own answer. */
function answerFrom({options, choice}: Question, given: Json | undefined): QuestionAnswer {
  const labels = options.map(({label}) => label);
  if (Array.isArray(given)) return sorted(given.map(String), labels);
  if (typeof given !== 'string' || given.trim() === '') return {selected: [], other: ''};
  if (labels.includes(given) || choice === 'one') return sorted([given], labels);
  const parts = given.split(',').map(part => part.trim());
  return parts.some(part => labels.includes(part)) ? sorted(parts, labels) : {selected: [], other: given};
}

const sorted = (parts: readonly string[], labels: readonly string[]): QuestionAnswer => ({
  selected: parts.filter(part => labels.includes(part)),
  other: parts.filter(part => !labels.includes(part)).join(', '),
});

const reply = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.optional(z.nullable(z.custom<JsonObject>(isJsonObject))),
});

/** Passes an MCP server's elicitation to the client, without empty fields. An invalid answer declines it. */
export const elicitBy =
  (channel: ControlChannel) =>
  async (
    {server, message, mode, url, elicitationId, requestedSchema}: Elicitation,
    signal: AbortSignal,
  ): Promise<ElicitationReply> => {
    const answer = await channel.request(
      {
        subtype: 'elicitation',
        mcp_server_name: server,
        message,
        mode,
        ...(url === '' ? {} : {url}),
        ...(elicitationId === '' ? {} : {elicitation_id: elicitationId}),
        ...(requestedSchema === undefined ? {} : {requested_schema: requestedSchema}),
      },
      signal,
    );
    if (answer.tag === 'failed') {
      return {action: answer.error.kind === 'aborted' ? 'cancel' : 'decline', content: undefined};
    }
    const read = z.safeParse(reply, answer.value);
    return read.success
      ? {action: read.data.action, content: read.data.content ?? undefined}
      : {action: 'decline', content: undefined};
  };
