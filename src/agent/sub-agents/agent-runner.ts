import type {NestedAgentEvent} from '../../actions/agent-event.ts';
import type {Worktree} from '../../actions/worktrees-port.ts';
import type {Outcome} from '../../base/outcome.ts';
import type {Fault} from '../../domain/fault.ts';
import type {HarnessSessionId} from '../../domain/harness.ts';
import type {JournalRecord, OpenSession} from '../../domain/journal.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {AgentRow, AgentStatus, SubAgent} from '../../domain/sub-agent.ts';
import type {AgentClient} from '../client.ts';
import type {SeparateMachine} from '../ports.ts';
import type {EngineSetup} from '../session-context.ts';
import type {AgentBranch, AgentTree} from './agent-branch.ts';
import type {AgentKind} from './agent-kind.ts';

/** Runs a sub-agent: in its own engine, or in a harness. */
export interface AgentRunner {
  /** Begins with a message, or adds it to the running work. */
  send(text: string): Promise<Outcome<unknown, Fault>>;
  /** Ends the running work. Its end is reported like any other. */
  interrupt(): void;
  setMode(mode: PermissionMode): void;
  /** Ends whatever outlives a prompt and could block the sub-agent's folder. Another message starts it again. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** The state with which a sub-agent begins or continues. */
export interface AgentSetup {
  readonly agent: SubAgent;
  readonly kind: AgentKind;
  readonly session: OpenSession;
  readonly origin: 'new' | 'resumed';
  readonly worktree: Worktree | 'none';
  readonly branch: AgentBranch;
  readonly status: AgentStatus;
  readonly place: AgentRow['place'];
  readonly resume: HarnessSessionId | 'new';
}

/** The usage of one request of a sub-agent. */
export type Spending = Omit<Extract<JournalRecord, {kind: 'agent-usage'}>, 'kind'>;

export interface RunnerDeps {
  readonly directory: string;
  readonly place: SeparateMachine;
  readonly openEngine: (setup: EngineSetup) => AgentClient;
  readonly onEvent: (happening: NestedAgentEvent) => void;
  readonly onUsage: (spending: Spending) => void;
  readonly tree: AgentTree;
}
