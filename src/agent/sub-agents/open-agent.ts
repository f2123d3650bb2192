import type {AgentRequest} from '../../actions/agents-port.ts';
import type {Worktree} from '../../actions/worktrees-port.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import {toolCalls} from '../../domain/conversation.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {parseHarnessSessionId} from '../../domain/harness.ts';
import type {ActionId, SessionId} from '../../domain/ids.ts';
import {isMissingFamily, resolveModelAlias} from '../../domain/model-alias.ts';
import type {SubAgent} from '../../domain/sub-agent.ts';
import type {SessionContext} from '../session-context.ts';
import type {AgentBranch} from './agent-branch.ts';
import {type AgentKind, builtInKinds} from './agent-kind.ts';
import type {AgentSetup} from './agent-runner.ts';
import {isolationOf, worktreeName} from './agent-worktree.ts';

/** Creates the sub-agent that a call asks for, with its own session. Leaves nothing open if that fails. */
export async function createAgent(
  request: AgentRequest,
  {branch, call}: {readonly branch: AgentBranch; readonly call: ActionId},
  signal: AbortSignal,
): Promise<Outcome<AgentSetup, Fault>> {
  const parent = branch.session();
  const {ports} = parent;
  const kind = await findKind(request.kind, parent, signal);
  if (kind.tag === 'failed') return kind;
  const {harness} = request;
  const elsewhere = machineProblem(request, ports.harnesses.hostOf(harness));
  if (elsewhere !== '') return failed(rejected(elsewhere));
  const known = ['weft', ...ports.harnesses.names()];
  if (!known.includes(harness)) {
    return failed(rejected(`Unknown harness ${JSON.stringify(harness)}. Available: ${known.join(', ')}.`));
  }
  const named =
    resolveModelAlias(request.model, ports.model.provider) ?? resolveModelAlias(kind.value.model, ports.model.provider);
  const model = harness === 'weft' ? (named ?? parent.promptModel ?? parent.model) : request.model;
  const session = ports.sessions.createSubSession(parent.conversation.journal.id, {
    directory: parent.directory,
    model: model || harness,
    title: request.title || request.name,
  });
  const agent: SubAgent = {
    id: session.id,
    call,
    parent: branch.parent,
    name: request.name,
    kind: kind.value.name,
    harness,
    model,
    prompt: request.prompt,
    isolation: isolationOf(request, kind.value, parent.mode),
    computerUse: request.computerUse,
    lifecycle: request.lifecycle,
    startedAt: ports.clock.now(),
  };
  const worktree = await openWorktree(agent, parent, signal);
  if (worktree.tag === 'failed') {
    session.close();
    return worktree;
  }
  session.append({kind: 'agent', agent, harnessSession: ''});
  const begun = {agent, status: {kind: 'started'}, place: request.place} as const;
  const notes = isMissingFamily(request.model, ports.model.provider)
    ? [...kind.value.notes, `The provider has no model ${JSON.stringify(request.model)}, so it uses ${model}.`]
    : kind.value.notes;
  const kindWithNotes = {...kind.value, notes};
  return ok({...begun, branch, kind: kindWithNotes, session, worktree: worktree.value, origin: 'new', resume: 'new'});
}

/** Returns why a harness on `host` can't do what was asked of another machine. Empty if it can. */
function machineProblem({machine, harness}: AgentRequest, host: string): string {
  if (machine === 'any') return '';
  const name = JSON.stringify(harness);
  if (host === '')
    return `environment_id ${name} is not a weft server. Give the name of one in the setting harnesses, or leave environment_id out.`;
  const names = [host, host.replace(/:\d+$/u, '')];
  return machine.host === '' || names.includes(machine.host)
    ? ''
    : `worker_host ${JSON.stringify(machine.host)} is not the host of environment_id ${name}, which is ${host}. Give that, or leave worker_host out.`;
}

/** Reopens a sub-agent of an earlier run of weft. Returns `undefined` if the conversation of `branch` has started none with this id. */
export async function reopenAgent(
  id: SessionId,
  branch: AgentBranch,
  signal: AbortSignal,
): Promise<Outcome<AgentSetup, Fault> | undefined> {
  const parent = branch.session();
  const opened = parent.ports.sessions.resume(id);
  if (opened.tag === 'failed') return undefined;
  const session = opened.value;
  const kept = session.records.findLast(record => record.kind === 'agent');
  if (kept?.kind !== 'agent' || !hasCalled(kept.agent.call, parent)) {
    session.close();
    return undefined;
  }
  const {agent, harnessSession} = kept;
  const refuse = (error: Fault): Outcome<AgentSetup, Fault> => {
    session.close();
    return failed(error);
  };
  const kind = await findKind(agent.kind, parent, signal);
  if (kind.tag === 'failed') return refuse(kind.error);
  const worktree = await openWorktree(agent, parent, signal);
  if (worktree.tag === 'failed') return refuse(worktree.error);
  const resume = parseHarnessSessionId(harnessSession) ?? 'new';
  const ended = {agent, status: {kind: 'succeeded', answer: ''}, place: 'foreground'} as const;
  return ok({...ended, branch, kind: kind.value, session, worktree: worktree.value, origin: 'resumed', resume});
}

export async function openWorktree(
  agent: SubAgent,
  {directory, ports}: SessionContext,
  signal: AbortSignal,
): Promise<Outcome<Worktree | 'none', Fault>> {
  return agent.isolation === 'none'
    ? ok('none')
    : ports.worktrees.open({from: directory, name: worktreeName(agent)}, signal);
}

async function findKind(
  name: string,
  {ports}: SessionContext,
  signal: AbortSignal,
): Promise<Outcome<AgentKind, Fault>> {
  await raceAbort(ports.agentKinds.ready(signal), signal);
  const fileKinds = ports.agentKinds.list();
  // A file may override a built-in kind.
  const kind = fileKinds.find(each => each.name === name) ?? builtInKinds.find(each => each.name === name);
  if (kind !== undefined) return ok(kind);
  const names = [...builtInKinds, ...fileKinds].map(each => each.name);
  const near = nearestName(name, names);
  const hint = near === undefined ? `Available: ${names.join(', ')}.` : `Did you mean ${near}?`;
  return failed(
    rejected(ports.agentKinds.whyWithheld(name) || `Unknown kind of agent ${JSON.stringify(name)}. ${hint}`),
  );
}

const hasCalled = (call: ActionId, {conversation}: SessionContext): boolean =>
  conversation.journal.records.some(
    record => record.kind === 'answer' && toolCalls(record.message).some(({id}) => id === call),
  );
