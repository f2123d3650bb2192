import type {AgentHappening} from '../../actions/agent-event.ts';
import type {Worktree} from '../../actions/worktrees-port.ts';
import {ok, type Outcome} from '../../base/outcome.ts';
import type {Fault} from '../../domain/fault.ts';
import type {HarnessSessionId} from '../../domain/harness.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {AgentRow, AgentStatus} from '../../domain/sub-agent.ts';
import {Branch, type Tree} from './agent-branch.ts';
import {HarnessAgent} from './harness-agent.ts';
import {modeOf, type Spending, type WeftAgentSetup, weftAgent} from './weft-agent.ts';

/** What runs a sub-agent: an engine of its own, or a harness. */
export interface AgentRunner {
  /** Begins with a message, or lets it join what runs. */
  send(text: string): Promise<Outcome<unknown, Fault>>;
  /** Ends what runs; its end is told as every other. */
  interrupt(): void;
  setMode(mode: PermissionMode): void;
  /** Ends what stays between two prompts, and could be in the way of its folder; another message begins it anew. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** What a sub-agent begins with, or goes on with. */
export interface Held extends Pick<WeftAgentSetup, 'agent' | 'kind' | 'session' | 'origin'> {
  readonly worktree: Worktree | 'none';
  readonly branch: Branch;
  readonly status: AgentStatus;
  readonly place: AgentRow['place'];
  readonly resume: HarnessSessionId | 'new';
}

export interface AgentObserver {
  readonly happened: (happening: AgentHappening) => void;
  readonly spent: (spending: Spending) => void;
}

export interface RunnerDeps extends Pick<WeftAgentSetup, 'directory' | 'place' | 'openEngine'> {
  readonly observer: AgentObserver;
  /** All sub-agents of the session. */
  readonly tree: Tree;
}

export const agentRunner = (held: Held, deps: RunnerDeps): AgentRunner =>
  held.agent.harness === 'weft' ? weftRunner(held, deps) : harnessRunner(held, deps);

function weftRunner(
  {agent, kind, session, origin, branch}: Held,
  {directory, place, observer, openEngine, tree}: RunnerDeps,
): AgentRunner {
  const parent = branch.session();
  const engine = weftAgent({
    openEngine,
    agent,
    kind,
    session,
    origin,
    parent,
    directory,
    place,
    checkpoints: () => branch.checkpoints,
    agents: own => new Branch(tree, {session: own, parent: agent.id, depth: branch.depth + 1}),
    observe: event => observer.happened({by: 'weft', event}),
    spent: spending => observer.spent(spending),
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

function harnessRunner(
  {agent, kind, session, resume, branch}: Held,
  {directory, place, observer}: RunnerDeps,
): AgentRunner {
  const parent = branch.session();
  return new HarnessAgent({
    agent,
    session,
    resume,
    parent,
    directory,
    place,
    mode: modeOf(kind, parent.mode),
    checkpoints: () => branch.checkpoints,
    observe: event => observer.happened({by: 'harness', event}),
    spent: spending => observer.spent(spending),
    denied: denials => branch.denied(denials),
  });
}
