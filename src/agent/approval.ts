import {mustAskUser, type Reason, reasonsText, sameReason} from '../domain/reason.ts';
import type {Approval, Denial} from '../actions/agent-event.ts';
import {
  accessOf,
  type Action,
  type ActionName,
  cancelledResult,
  labelOf,
  previewAction,
  rationaleOf,
  type SettledOf,
  withCommand,
  withUserChanges,
} from '../actions/catalogue.ts';
import {citationsIn} from '../actions/citations.ts';
import {editPaths, type UserChanges} from '../domain/file-edit.ts';
import {emptyImpactReport, type ActionPorts, type ImpactReport} from '../actions/ports.ts';
import type {CallAnswer, PermissionAnswer, PermissionRequest} from '../actions/hooks-port.ts';
import type {Preview} from '../actions/preview.ts';
import type {JsonObject} from '../base/json.ts';
import {ok} from '../base/outcome.ts';
import {byKind, unreachable} from '../base/unreachable.ts';
import type {ToolCallBlock} from '../domain/conversation.ts';
import type {ChangeExtent, TouchedFiles} from '../domain/checkpoint.ts';
import {causeText, faultText, rejected} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import {type Executor, type RunTerms, weftItself} from '../domain/executor.ts';
import type {Obligation} from '../domain/obligation.ts';
import {noDetail, type RuleChange, type Verdict} from '../domain/risk.ts';
import type {ApprovalAnswer} from './client.ts';
import {recallResults} from './outside-text.ts';
import {
  actionPorts,
  decodeCall,
  journal,
  publishSandbox,
  warn,
  type PromptContext,
  type SessionContext,
} from './session-context.ts';

export interface VerdictWithTerms {
  readonly verdict: Verdict;
  readonly obligations: readonly Obligation[];
  readonly terms: RunTerms;
  readonly executor: Executor<RunTerms>;
}

/** An action that may need an approval, and that no rule, mode or hook denies. */
export interface ApprovalRequest extends VerdictWithTerms {
  readonly id: ActionId;
  readonly toolName: string;
  readonly call: ToolCallBlock;
  /** The action as the model requested it. */
  readonly action: Action;
  /** `always`: a hook wants the question, even if the user has allowed the same for this session. */
  readonly ask: 'always' | 'unless-granted';
  /** The machine on which the action runs. An action on another machine comes with the preview from there. */
  readonly place: 'here' | {readonly preview: Preview};
}

export type ApprovalContext = Omit<PromptContext, 'queue' | 'loopGuard' | 'compacted'>;

/** The action that would run: as the model requested it, or as the user or a program changed it. */
interface Proposal extends VerdictWithTerms {
  readonly action: Action;
  readonly preview: Preview;
  /** Text for the model before the result, such as that the user changed the command. Usually empty. */
  readonly note: string;
}

export interface Approved extends Proposal {
  readonly kind: 'approved';
  /** The tool input that a program has substituted for the model's. */
  readonly input: JsonObject | 'unchanged';
  readonly approval: 'answered' | 'not-asked';
}

interface Refused {
  readonly kind: 'refused';
  readonly settled: SettledOf<ActionName>;
  readonly deniedBy: Denial['by'] | 'not-denied';
}

/** The effect of an answer on a proposal. `changed`: there is a new proposal that needs its own answer. */
type AnswerEffect = Approved | Refused | {readonly kind: 'changed'; readonly proposal: Proposal};

/**
 * Decides whether an action may run: shows what it would do, asks if necessary, and takes the first answer. The answer
 * may change the action, but can't allow what a rule or a mode denies.
 */
export async function approve(
  request: ApprovalRequest,
  context: ApprovalContext,
  signal: AbortSignal,
): Promise<Approved | Refused> {
  const {id, action, verdict, obligations, terms, executor} = request;
  const hook = needsNoApproval(request, verdict, context.session)
    ? ({kind: 'none'} as const)
    : await askHooks({call: request.call, rules: verdict.detail.rules, changes: []}, context, signal);
  if (hook.kind === 'deny') return deniedByHook(request, hook, context);
  // Checked before the preview is made, because the preview already reveals file content.
  const cannotAsk = askingProblem(context.session);
  // If no one can approve a plan, it is stored for later.
  const isKept = accessOf(action).kind === 'plan' && cannotAsk === 'unattended';
  if (
    cannotAsk !== undefined &&
    !isKept &&
    hook.kind === 'none' &&
    !needsNoApproval(request, verdict, context.session)
  ) {
    journal(context.session, {kind: 'approval', id, label: labelOf(action), decision: 'refused', by: 'nobody'});
    const message = unaskedText(verdict, cannotAsk);
    return refused(cancelledResult(action, {reason: 'denied', message}), 'nobody');
  }
  const cancelled = (): Refused => refused(cancelledResult(action, context.cancellation()));
  const ports = actionPorts(context.session, id, context.structured);
  const preview =
    request.place === 'here'
      ? await previewAction(action, {ports: portsForJudgedPaths(ports, terms), signal})
      : ok(request.place.preview);
  if (signal.aborted) return cancelled();
  if (preview.tag === 'failed') return refused(preview.error);
  let proposal: Proposal = {action, preview: preview.value, verdict, obligations, terms, executor, note: ''};
  if (isKept && hook.kind === 'none') return {...proposal, kind: 'approved', input: 'unchanged', approval: 'not-asked'};
  if (hook.kind === 'allow') {
    const answer = {decision: 'allow-updated', input: hook.input, rules: hook.rules} as const;
    const answered = await applyAnswer(answer, proposal, {request, ports, context}, signal);
    if (signal.aborted) return cancelled();
    journal(context.session, {kind: 'approval', id, label: labelOf(action), decision: 'allowed', by: 'hook'});
    if (answered.kind !== 'changed') return answered;
    ({proposal} = answered);
  }
  for (;;) {
    const isModels = proposal.action === action;
    if (isModels && needsNoApproval(request, proposal.verdict, context.session))
      return {...proposal, kind: 'approved', input: 'unchanged', approval: 'not-asked'};
    const answer = await ask(request, proposal, context, signal);
    // A question that is interrupted is a no of the user, as in Claude Code.
    if (answer === 'aborted') return {...cancelled(), deniedBy: 'user'};
    if (answer.decision === 'refuse') {
      await context.session.plans.recordRefusal(id, answer.message);
      return refusedByUser(answer, action);
    }
    const answered = await applyAnswer(answer, proposal, {request, ports, context}, signal);
    if (signal.aborted) return cancelled();
    if (answered.kind !== 'changed') return answered;
    ({proposal} = answered);
  }
}

/** Asks the hooks that run before a person is asked. Skipped if the user wants no questions, or someone else decides. */
export const askHooks = (
  request: PermissionRequest,
  {session, hooks}: ApprovalContext,
  signal: AbortSignal,
): Promise<PermissionAnswer['verdict']> | PermissionAnswer['verdict'] =>
  session.mode === 'dontAsk' || session.pending.askScope === 'everything'
    ? {kind: 'none'}
    : hooks.beforeAsking(request, signal);

function deniedByHook(
  {id, action, toolName}: ApprovalRequest,
  {reason, next}: Extract<PermissionAnswer['verdict'], {kind: 'deny'}>,
  context: ApprovalContext,
): Refused {
  journal(context.session, {kind: 'approval', id, label: labelOf(action), decision: 'refused', by: 'hook'});
  // Hooks act for the user here, so their message needs no addition.
  const message = reason === '' ? `A PermissionRequest hook refused ${toolName}.` : reason;
  if (next === 'interrupt') context.hooks.stopped ??= {reason: message};
  return refused(cancelledResult(action, {reason: 'denied', message}), 'hook');
}

/** An approved action runs in the workspace itself. A separate view is a condition only of the judge's own approval. */
export const inWorkspace = (terms: RunTerms): RunTerms =>
  terms.confinement === 'sandbox' ? {...terms, confinement: 'chosen'} : terms;

const approved = (proposal: Proposal, input: Approved['input'] = 'unchanged'): Approved => ({
  ...proposal,
  terms: inWorkspace(proposal.terms),
  kind: 'approved',
  input,
  approval: 'answered',
});

const refused = (settled: SettledOf<ActionName>, deniedBy: Refused['deniedBy'] = 'not-denied'): Refused => ({
  kind: 'refused',
  settled,
  deniedBy,
});

function refusedByUser({message, by}: Extract<ApprovalAnswer, {decision: 'refuse'}>, action: Action): Refused {
  // A program's message needs no addition. Without one, the model still has to learn that the call was refused.
  const reason = by === 'program' && message !== '' ? 'denied' : 'declined';
  const settled = cancelledResult(action, {reason, message});
  return refused(settled, 'user');
}

export const askingProblem = ({interaction, mode}: SessionContext): 'unattended' | 'unwanted' | undefined => {
  if (interaction === 'unattended') return 'unattended';
  return mode === 'dontAsk' ? 'unwanted' : undefined;
};

const needsNoApproval = ({action, ask: when}: ApprovalRequest, verdict: Verdict, session: SessionContext): boolean =>
  verdict.decision === 'allow' || (when === 'unless-granted' && isGranted(sessionGrant(action, verdict), session));

/** Publishes the question and waits for the first answer. */
async function ask(
  {id, toolName, call, action: own, place}: ApprovalRequest,
  {action, preview, verdict, obligations, terms}: Proposal,
  {session, checkpoints, hooks}: ApprovalContext,
  signal: AbortSignal,
): Promise<ApprovalAnswer | 'aborted'> {
  const label = labelOf(action);
  const impact = place === 'here' ? await findImpact(verdict, session, signal) : emptyImpactReport;
  const changes = verdict.risk !== 'read-only';
  const extent = changes && place === 'here' ? await changeExtent(action, terms.directory, session) : 'any';
  const uncovered =
    changes && place === 'here' ? await checkpoints.uncoveredText(touchedFiles(verdict, terms), signal, extent) : '';
  const cost = await agentCostText(action, session);
  if (signal.aborted) return 'aborted';
  // If an action names its files, nothing has to be read in advance.
  if (changes && extent === 'any') checkpoints.expectChange();
  const more: readonly Reason[] = [
    ...(uncovered === '' ? [] : [{kind: 'not-undoable', text: uncovered} as const]),
    ...(cost === '' ? [] : [{kind: 'cost', text: cost} as const]),
  ];
  return askPerson(
    {
      id,
      toolName,
      input: call.input,
      action,
      label,
      preview,
      verdict: more.length === 0 ? verdict : {...verdict, reasons: [...verdict.reasons, ...more]},
      obligations,
      wording: action === own ? 'model' : 'user',
      rationale: rationaleOf(action),
      sessionGrant: sessionGrant(action, verdict).words,
      impact,
      citations: citationsIn(call.input),
    },
    {session, hooks},
    signal,
  );
}

/** Returns the expected cost of each request of a new sub-agent. Empty for other actions. */
async function agentCostText(action: Action, session: SessionContext): Promise<string> {
  const access = accessOf(action);
  if (access.kind !== 'agent' || access.task === '') return '';
  const [{agentCost}, {estimateText}] = await Promise.all([
    import('./context/context-usage.ts'),
    import('../domain/cost-estimate.ts'),
  ]);
  return `Each request costs ${estimateText(agentCost(access.task, session))}`;
}

export async function askPerson(
  approval: Omit<Approval, 'asker'>,
  {session, hooks}: Pick<ApprovalContext, 'session' | 'hooks'>,
  signal: AbortSignal,
): Promise<ApprovalAnswer | 'aborted'> {
  const {id, toolName, label} = approval;
  const {asker, pending} = session;
  const asked = async (): Promise<ApprovalAnswer | 'aborted'> => {
    // The wait begins before the question is published, because a listener may answer at once.
    const waiting = pending.approvals.wait(id, 'aborted', signal);
    const message = `weft needs your permission to use ${toolName}`;
    void hooks.notify({event: 'Notification', type: 'permission_prompt', message}, signal);
    pending.publish([{event: 'approval-requested', approval: {...approval, asker}}]);
    const answer = await waiting;
    const decision = answer === 'aborted' ? 'refused' : decisionOf(answer);
    // An edited command needs another question, so nothing is decided yet.
    if (answer !== 'aborted' && decision !== 'edited') {
      journal(session, {kind: 'approval', id, label, decision, by: 'user'});
    }
    pending.publish([{event: 'approval-settled', id, decision}]);
    return answer;
  };
  return pending.runInTurn({asker, on: label}, asked, signal);
}

const decisionOf = ({decision}: ApprovalAnswer): 'allowed' | 'refused' | 'edited' => {
  if (decision === 'allow-edited') return 'edited';
  return decision === 'refuse' ? 'refused' : 'allowed';
};

const touchedFiles = ({detail}: Verdict, {paths}: RunTerms): Omit<TouchedFiles, 'isNamed'> => ({
  paths: paths.flatMap(({path, place}) => (place === 'inside-workspace' ? [path] : [])),
  commands: detail.destructiveCommands,
});

/** Returns the files that an edit or a command certainly names. Everything else may change any file. */
export async function changeExtent(
  action: Action,
  directory: string,
  {ports}: Pick<SessionContext, 'ports'>,
): Promise<ChangeExtent> {
  const access = accessOf(action);
  if (access.kind === 'command') return ports.judge.writes(access.command, directory);
  if (access.kind !== 'edit') return 'any';
  return access.edits.flatMap(editPaths).map(path => ports.machine.files.resolve(path).path);
}

/** Finds what a destructive command would destroy. If the search fails, the question does not name it. */
async function findImpact({detail}: Verdict, {ports}: SessionContext, signal: AbortSignal): Promise<ImpactReport> {
  if (detail.destructiveCommands.length === 0) return emptyImpactReport;
  try {
    return await ports.impact.find(detail.destructiveCommands, signal);
  } catch {
    return emptyImpactReport;
  }
}

interface AnswerDeps {
  readonly request: ApprovalRequest;
  readonly ports: ActionPorts;
  readonly context: ApprovalContext;
}

async function applyAnswer(
  answer: Exclude<ApprovalAnswer, {decision: 'refuse'}>,
  proposal: Proposal,
  deps: AnswerDeps,
  signal: AbortSignal,
): Promise<AnswerEffect> {
  const {session} = deps.context;
  switch (answer.decision) {
    case 'allow':
      revokeGrantOfChangedProgram(proposal, session);
      if (answer.scope === 'session') {
        await grantForSession(sessionGrant(proposal.action, proposal.verdict), session);
      }
      return approved(proposal);
    case 'allow-files':
      return refuseMismatch(proposal.action, 'The user selected changes, but this command has not run yet.');
    case 'allow-rule':
      await changeRules([{change: 'add', list: 'allow', rule: answer.rule, scope: answer.scope}], session);
      return approved(proposal);
    case 'allow-edited':
      return applyEditedCommand(answer.command, proposal, deps, signal);
    case 'allow-with-changes':
      return applyChanges(answer.userChanges, proposal, deps, signal);
    case 'allow-updated':
      await changeRules(answer.rules, session);
      return answer.input === 'unchanged' ? approved(proposal) : applyInput(answer.input, proposal, deps, signal);
    default:
      return unreachable(answer);
  }
}

export const grantForSession = (grant: SessionGrant, session: SessionContext): Promise<void> =>
  byKind<SessionGrant, Promise<void>>(grant, {
    alike: async ({key}) => void session.conversation.grants.add(key),
    rule: ({rule}) => changeRules([{change: 'add', list: 'allow', rule, scope: 'session'}], session),
    none: async () => {},
  });

/** Revokes the grant for the running program if the line may start a different one in the block. */
function revokeGrantOfChangedProgram({action, verdict}: Proposal, {conversation}: SessionContext): void {
  const access = accessOf(action);
  if (access.kind === 'terminal-input' && verdict.sessionApproval === 'exact')
    conversation.grants.delete(terminalInputKey(access));
}

const terminalInputKey = ({blockId, program}: {readonly blockId: string; readonly program: string}): string =>
  `input to ${program} in ${blockId}`;

/** Rules of the session are left to the judge. */
export const isGranted = (grant: SessionGrant, {conversation}: SessionContext): boolean =>
  grant.kind === 'alike' && conversation.grants.has(grant.key);

export async function changeRules(changes: readonly RuleChange[], session: SessionContext): Promise<void> {
  for (const change of changes) {
    const changed = await session.ports.judge.changeRules(change);
    if (changed.tag === 'failed') warn(session, faultText(changed.error));
  }
}

/** Takes a command that the user edited on the card. The user sees its new preview before it runs. */
async function applyEditedCommand(
  command: string,
  {action}: Proposal,
  deps: AnswerDeps,
  signal: AbortSignal,
): Promise<AnswerEffect> {
  const {action: own} = deps.request;
  // If the user edited it back to the model's command, the model's own description applies again.
  const ownAccess = accessOf(own);
  const isOwn = ownAccess.kind === 'command' && ownAccess.command === command;
  const edited = isOwn ? own : withCommand(action, command);
  if (edited === undefined)
    return refuseMismatch(action, 'The user answered with a command, but this action is not a command.');
  const rejudged = await judgeAndPreview(edited, action, deps, signal);
  if (rejudged.kind === 'refused') return rejudged;
  const note = isOwn ? '' : `[The user changed the command; what ran is: ${command}]`;
  return {kind: 'changed', proposal: {...rejudged, note}};
}

/** Takes another input from a program. The program has seen what it answers with, so it is not asked again. */
async function applyInput(
  input: JsonObject,
  {action}: Proposal,
  deps: AnswerDeps,
  signal: AbortSignal,
): Promise<AnswerEffect> {
  const decoded = decodeCall(deps.request.toolName, input, deps.context.session);
  if (decoded.tag === 'failed') return refused({state: 'error', fault: decoded.error});
  const rejudged = await judgeAndPreview(decoded.value, action, deps, signal);
  return rejudged.kind === 'refused' ? rejudged : approved({...rejudged, note: ''}, input);
}

/**
 * Applies the user's changes to a proposed edit. They refer to the files as shown, so the edit fails if one has changed since.
 * Asks again only if the judge has a reason that the first question did not name.
 */
async function applyChanges(
  userChanges: UserChanges,
  {action, preview: shown, verdict, terms, note}: Proposal,
  {request, ports, context}: AnswerDeps,
  signal: AbortSignal,
): Promise<AnswerEffect> {
  const edited = withUserChanges(action, userChanges);
  if (edited === undefined)
    return refuseMismatch(action, 'The user answered with a changed edit, but this action is not an edit.');
  const preview = await previewAction(edited, {ports: portsForJudgedPaths(ports, terms), signal});
  if (preview.tag === 'failed') return refused(preview.error, preview.error.state === 'cancelled' ? 'user' : undefined);
  const changed = changedSince(shown, preview.value);
  if (changed !== undefined) {
    const fault = rejected(`${changed} changed since the edit was shown; nothing was written. Read it again.`);
    return refused({state: 'error', fault});
  }
  const judged = await judgeAction(edited, {session: context.session, executor: request.executor}, signal);
  const now = judged.verdict;
  if (now.decision === 'deny') return deniedByRule(action, now);
  const proposal = {action: edited, preview: preview.value, ...judged, note};
  return hasNewReasons(verdict, now) ? {kind: 'changed', proposal} : approved(proposal);
}

function changedSince(shown: Preview, now: Preview): string | undefined {
  if (shown.kind !== 'diff' || now.kind !== 'diff') return undefined;
  // A moved file was shown under its new name. If the user rejects the move, it is now shown under its old name.
  const before = new Map([
    ...shown.files.flatMap(file => (file.movedFrom === undefined ? [] : [[file.movedFrom, file.before] as const])),
    ...shown.files.map(file => [file.path, file.before] as const),
  ]);
  return now.files.find(file => before.get(file.path) !== file.before)?.path;
}

const hasNewReasons = (before: Verdict, now: Verdict): boolean =>
  now.decision === 'ask' &&
  (now.risk !== before.risk ||
    now.detail.confirmWord !== before.detail.confirmWord ||
    now.reasons.some(reason => !before.reasons.some(earlier => sameReason(earlier, reason))));

/** Refuses an answer that doesn't fit the kind of action. */
const refuseMismatch = (action: Action, message: string): Refused =>
  refused(cancelledResult(action, {reason: 'declined', message}), 'user');

const deniedByRule = (action: Action, verdict: Verdict): Refused =>
  refused(cancelledResult(action, {reason: 'denied', message: deniedText(verdict)}), 'rule');

async function judgeAndPreview(
  edited: Action,
  before: Action,
  {request, ports, context}: AnswerDeps,
  signal: AbortSignal,
): Promise<Refused | ({readonly kind: 'judged'} & Omit<Proposal, 'note'>)> {
  const judged = await judgeAction(edited, {session: context.session, executor: request.executor}, signal);
  const {verdict, terms} = judged;
  if (verdict.decision === 'deny') return deniedByRule(before, verdict);
  const preview = await previewAction(edited, {ports: portsForJudgedPaths(ports, terms), signal});
  return preview.tag === 'failed'
    ? refused(preview.error)
    : {kind: 'judged', action: edited, preview: preview.value, ...judged};
}

/** Judges an action that `executor` would run. If the judge throws, the action is denied. */
export async function judgeAction(
  action: Action,
  {session, executor}: {readonly session: SessionContext; readonly executor: Executor<RunTerms>},
  signal: AbortSignal,
): Promise<VerdictWithTerms> {
  const {ports, mode, pending} = session;
  try {
    const said = await recallResults(session);
    const {verdict, obligations, means: terms} = await ports.judge.assess(action, {executor, mode, said}, signal);
    publishSandbox(session);
    const judged = {verdict, obligations, terms, executor};
    return pending.askScope === 'everything' ? {...judged, verdict: alwaysAsk(verdict, action)} : judged;
  } catch (cause) {
    const reasons: readonly Reason[] = [{kind: 'judge-failed', cause: causeText(cause)}];
    const verdict = {decision: 'deny', risk: 'unknown', reasons, sessionApproval: 'exact', detail: noDetail} as const;
    return {verdict, obligations: [], terms: executor.means, executor};
  }
}

export const judgeOwnAction = (
  action: Action,
  session: SessionContext,
  signal: AbortSignal,
): Promise<VerdictWithTerms> =>
  judgeAction(action, {session, executor: weftItself(session.ports.machine.shell.directory)}, signal);

/**
 * Makes weft ask about every action of an agent that works for a client, because the client decides. Starting a
 * sub-agent needs no question, because weft asks about the sub-agent's actions.
 */
function alwaysAsk(verdict: Verdict, action: Action): Verdict {
  const {kind} = accessOf(action);
  if (verdict.decision === 'deny' || kind === 'none' || kind === 'skill' || kind === 'agent') return verdict;
  return {...verdict, decision: 'ask', reasons: [...verdict.reasons, {kind: 'delegated'}], sessionApproval: 'none'};
}

/** Combines the verdict with that of a hook that runs before the call. A denial by the host stays. */
export function withHookVerdict(judged: VerdictWithTerms, hook: CallAnswer['verdict']): VerdictWithTerms {
  const {verdict, terms} = judged;
  if (verdict.decision === 'deny') return judged;
  if (hook.kind === 'allow')
    return verdict.reasons.some(mustAskUser)
      ? judged
      : {...judged, verdict: {...verdict, decision: 'allow'}, terms: inWorkspace(terms)};
  if (hook.kind !== 'ask') return judged;
  const reasons: readonly Reason[] = [...verdict.reasons, {kind: 'hook', text: hook.reason}];
  return {...judged, verdict: {...verdict, decision: 'ask', reasons}};
}

/** Returns an action's ports, with each judged path fixed to the target that the judge saw. */
export const portsForJudgedPaths = (ports: ActionPorts, {paths}: RunTerms): ActionPorts =>
  paths.length === 0 ? ports : {...ports, files: ports.files.limitedTo(paths), search: ports.search.limitedTo(paths)};

/**
 * The effect and the wording of "for this session": actions with the same key, or those that a permission rule matches, which are judged as
 * strictly as with every rule.
 */
type SessionGrant = {readonly words: string} & (
  | {readonly kind: 'alike'; readonly key: string}
  | {readonly kind: 'rule'; readonly rule: string}
  | {readonly kind: 'none'}
);

/**
 * Returns a deliberately narrow grant. It covers ordinary edits inside the workspace, lines to the same interpreter
 * until it ends, or the same test or script of the project, if no ask rule applies. Otherwise it covers exactly one
 * action. Only the user writes wider rules.
 */
export function sessionGrant(action: Action, {sessionApproval, detail}: Verdict): SessionGrant {
  const access = accessOf(action);
  if (sessionApproval === 'none') return {kind: 'none', words: ''};
  if (sessionApproval === 'kind') {
    if (access.kind === 'edit') {
      return {kind: 'alike', key: 'edits inside the workspace', words: 'all edits inside the workspace'};
    }
    if (access.kind === 'terminal-input') {
      const {blockId, program} = access;
      const words = `every line to ${program === '' ? blockId : `${program} (${blockId})`}`;
      return {kind: 'alike', key: terminalInputKey(access), words};
    }
    const rule = detail.rules.find(text => prefixRule.test(text));
    if (access.kind === 'command' && rule !== undefined) {
      return {kind: 'rule', rule, words: rule.replace(prefixRule, '$1 …')};
    }
    const [hostRule] = detail.rules;
    if (access.kind === 'web-page' && hostRule !== undefined) {
      return {
        kind: 'rule',
        rule: hostRule,
        words: `all pages of ${hostRule.replace(/^WebFetch\(domain:(.*)\)$/u, '$1')}`,
      };
    }
  }
  const words = access.kind === 'command' ? 'this exact command' : 'exactly this action';
  return {kind: 'alike', key: `${action.name} ${JSON.stringify(action.input)}`, words};
}

/** A rule that allows any arguments after a prefix. */
const prefixRule = /^Bash\((.+):\*\)$/su;

export const deniedText = ({reasons}: Verdict): string =>
  `Not permitted: ${reasonsText(reasons)}. Go on without it, or say what you would have done.`;

/** Returns what the model reads about an action that needed a question. */
function unaskedText({reasons, detail}: Verdict, why: 'unattended' | 'unwanted'): string {
  const reason = why === 'unattended' ? 'there is no one to ask' : 'the user does not want to be asked';
  const [rule] = detail.rules;
  const allows = rule === undefined ? '' : ` The user can allow it with the rule ${rule}.`;
  return `Not permitted: this needs the user's approval, and ${reason}. Reasons: ${reasonsText(reasons)}.${allows} Go on without it, or say what you would have done.`;
}
