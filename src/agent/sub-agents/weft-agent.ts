import type {SessionUsage} from '../../actions/agent-event.ts';
import {noopCommands} from '../../actions/commands-port.ts';
import {noopHooks, type HooksPort, type Subagent} from '../../actions/hooks-port.ts';
import {actionNames, definitions} from '../../actions/catalogue.ts';
import {emptyAbilities} from '../../actions/front-end.ts';
import {failed, ok} from '../../base/outcome.ts';
import {rejected} from '../../domain/fault.ts';
import {isMissingFamily} from '../../domain/model-alias.ts';
import {narrowerMode, type PermissionMode} from '../../domain/risk.ts';
import {noUsage, usageSince} from '../../domain/usage.ts';
import type {AgentPorts} from '../ports.ts';
import {limitedServers} from '../../actions/mcp-port.ts';
import {emptyConditions, type SessionContext} from '../session-context.ts';
import {AgentBranch} from './agent-branch.ts';
import type {AgentKind} from './agent-kind.ts';
import type {AgentRunner, AgentSetup, RunnerDeps, Spending} from './agent-runner.ts';

/** Runs a sub-agent in this process: its own engine, on the ports of its parent. */
export function makeWeftRunner(setup: AgentSetup, deps: RunnerDeps): AgentRunner {
  const {agent, kind, session, origin, branch} = setup;
  const parent = branch.session();
  const engine = deps.openEngine({
    ports: portsOf(setup, deps),
    session,
    origin,
    directory: deps.directory,
    model: agent.model,
    mode: modeOf(kind, parent.mode),
    ...promptOf(kind, parent),
    // The session checks the total cost of all sub-agents.
    limits: {maxTurns: minTurns(kind.maxTurns, parent.limits.maxTurns), maxCostUsd: 'unlimited'},
    // In the mode `dontAsk`, a sub-agent asks nothing either.
    interaction: parent.mode === 'dontAsk' ? 'unattended' : parent.interaction,
    // A sub-agent has no screen.
    frontEnd: emptyAbilities,
    backgroundAgents: 'waited-for',
    structuredOutput: {kind: 'none'},
    // Only the main agent's work ends by the conditions.
    conditions: emptyConditions,
    loopGuard: parent.loopGuard,
    selfReports: parent.selfReports,
    disabledTools: disabledToolsOf(kind),
    thinking: parent.thinking,
    compaction: parent.compaction,
    place: {
      kind: 'sub-agent',
      asker: {id: agent.id, name: agent.name, kind: agent.kind, harness: agent.harness},
      pending: parent.pending,
      owner: parent.owner,
      grants: parent.conversation.grants,
      canCall: kind.canCall,
      agents: own => new AgentBranch(deps.tree, {session: own, parent: agent.id, depth: branch.depth + 1}),
    },
  });
  let before: SessionUsage['models'] = {};
  engine.subscribe(async events => {
    for (const event of events) {
      if (event.event === 'session-opened') before = event.usage.models;
      if (event.event === 'usage-changed') {
        for (const spending of usageDelta(before, event.usage.models)) deps.onUsage(spending);
        before = event.usage.models;
      }
      deps.onEvent({by: 'weft', event});
    }
    await parent.listenersReady();
  });
  return {
    async send(text) {
      engine.submit({op: 'prompt', id: parent.ports.ids.message(), text, images: [], when: 'steering'});
      return ok(undefined);
    },
    interrupt: () => engine.submit({op: 'interrupt'}),
    setMode: mode => engine.submit({op: 'set-mode', mode}),
    rest: async () => {},
    close: () => engine.close('shutdown'),
  };
}

function promptOf(
  {systemPrompt}: AgentKind,
  parent: SessionContext,
): Pick<SessionContext, 'systemPrompt' | 'environment'> {
  if (systemPrompt.kind === 'same') return {systemPrompt: parent.systemPrompt, environment: parent.environment};
  return {
    systemPrompt: () => systemPrompt.text,
    environment: parent.environment === 'portable' ? 'portable' : 'included',
  };
}

/** Returns the narrower of the kind's and the parent's mode. */
export const modeOf = ({mode}: AgentKind, parent: PermissionMode): PermissionMode =>
  mode === 'inherit' ? parent : narrowerMode(mode, parent);

/** Returns the smaller of the turn limits of the kind and the parent. */
export const minTurns = (own: number, parent: number | 'unlimited'): number =>
  parent === 'unlimited' ? own : Math.min(own, parent);

/** Returns the tools that a kind may not call. Tools that need a person belong to the user's own agent. */
function disabledToolsOf({canCall}: AgentKind): ReadonlyMap<string, 'absent'> {
  const names = actionNames.flatMap(name => {
    const {offered, tools} = definitions[name];
    if (offered === 'answer-schema' || offered === 'more-tools') return [];
    return tools.map(tool => tool.name).filter(tool => offered === 'with-display' || !canCall(tool));
  });
  return new Map(names.map(name => [name, 'absent']));
}

function portsOf({agent, kind, branch}: AgentSetup, {directory, place: own}: RunnerDeps): AgentPorts {
  const {ports} = branch.session();
  return {
    ...ports,
    machine: {...own.machine, mcp: limitedServers(own.machine.mcp, ({toolName}) => kind.canCall(toolName))},
    judge: own.judge,
    hooks: hooksOfSubAgent(ports.hooks, {agentId: agent.id, agentType: agent.kind}),
    commands: noopCommands,
    separateMachine: place =>
      own.separateMachine(place === 'same' && agent.isolation === 'worktree' ? {in: directory} : place),
    checkpoints: {
      prefetch: async () => {},
      uncoveredFiles: (touched, signal) => ports.checkpoints.uncoveredFiles(touched, signal),
      async take(signal, extent) {
        // Undo covers the user's prompt, so the checkpoint of that prompt counts. In a worktree, the sub-agent changes
        // none of the user's files.
        if (agent.isolation === 'none')
          await branch.checkpoints?.beforeChange(signal, ports.hooks.list().length > 0 ? 'any' : extent);
        return ok('off');
      },
      takeStep:
        agent.isolation === 'none'
          ? (ports.checkpoints.takeStep ?? ports.checkpoints.take)
          : (own.takeStep ?? (async () => ok('off'))),
      preview: async () => failed(rejected("A sub-agent can't be rewound.")),
      revert: async () => failed(rejected("A sub-agent can't be rewound.")),
    },
  };
}

/** Adapts the user's hooks for a sub-agent: its start and end have separate hooks, and no one submits its prompt. */
const hooksOfSubAgent = (hooks: HooksPort, agent: Subagent): HooksPort => ({
  preToolUse: (call, signal) => hooks.preToolUse(call, signal),
  permissionRequest: (request, signal) => hooks.permissionRequest(request, signal),
  postToolUse: (ended, signal) => hooks.postToolUse(ended, signal),
  postToolUseFailure: (ended, signal) => hooks.postToolUseFailure(ended, signal),
  userPromptSubmit: (prompt, signal) => noopHooks.userPromptSubmit(prompt, signal),
  stop: (ending, signal) => hooks.subagentStop({...ending, ...agent}, signal),
  sessionStart: (_, signal) => hooks.subagentStart(agent, signal),
  preCompact: (compaction, signal) => hooks.preCompact(compaction, signal),
  subagentStart: (started, signal) => hooks.subagentStart(started, signal),
  subagentStop: (ending, signal) => hooks.subagentStop(ending, signal),
  notify: (happening, signal) => (happening.event === 'SessionEnd' ? noopHooks : hooks).notify(happening, signal),
  attach: () => {},
  list: () => [],
});

function usageDelta(before: SessionUsage['models'], now: SessionUsage['models']): readonly Spending[] {
  return Object.entries(now).flatMap(([model, {usage, costUsd, requests}]) => {
    const earlier = before[model];
    if (earlier?.requests === requests) return [];
    const known = costUsd !== 'unknown' && earlier?.costUsd !== 'unknown';
    return [
      {
        model,
        usage: usageSince(usage, earlier?.usage ?? noUsage),
        costUsd: known ? costUsd - (earlier?.costUsd ?? 0) : 'unknown',
      },
    ];
  });
}

/** Returns warnings about fields of the agent file that have no effect here. */
export function unsupportedFieldWarnings(
  kind: AgentKind,
  {mode, ports}: SessionContext,
  harness: string,
): readonly string[] {
  if (harness !== 'weft') {
    return kind.systemPrompt.kind === 'own' ? [`In ${harness}, only the prompt of ${kind.name} applies.`] : [];
  }
  const own = modeOf(kind, mode);
  return [
    ...kind.notes,
    ...(kind.mode === 'inherit' || own === kind.mode
      ? []
      : [`It runs in mode ${own} and not ${kind.mode}, since it may do no more than its parent.`]),
    ...(isMissingFamily(kind.model, ports.model.provider)
      ? [`The provider has no model ${JSON.stringify(kind.model)}, so it uses its parent's model.`]
      : []),
  ];
}
