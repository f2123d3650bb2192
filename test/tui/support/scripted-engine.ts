import type {AgentEvent, SessionInfo} from '../../../src/actions/agent-event.ts';
import type {
  AgentClient,
  Answer,
  EventListener,
  Op,
  Query,
  QueryName,
  Watch,
  Watches,
  WatchName,
} from '../../../src/agent/client.ts';
import type {PromptCommand} from '../../../src/actions/commands-port.ts';
import {terminalAbilities} from '../../../src/actions/front-end.ts';
import {unknownCommandText} from '../../../src/agent/context/prompt-command.ts';
import {readSlashCommand} from '../../../src/domain/slash-command.ts';
import type {QueryHandlers, WatchHandlers} from '../../../src/agent/answer-queries.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import type {HostPorts} from '../../../src/app/host-services.ts';
import {hostServices} from '../../../src/app/host-services.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {blankHost} from '../../support/blank-host.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {parseSessionId} from '../../../src/domain/ids.ts';

/** An engine that says what the test tells it to and keeps what it was asked. */
export interface ScriptedEngine extends AgentClient {
  readonly ops: readonly Op[];
  /** Those with which the user goes back, compacts or pins. */
  readonly queries: readonly {readonly query: QueryName}[];
  /** How queries are answered; those without a row here are for the host, or fail. */
  readonly answers: Answers;
  emit(...events: readonly AgentEvent[]): void;
  /** Publishes events, and resolves when every listener takes more. */
  offer(...events: readonly AgentEvent[]): Promise<void>;
}

export type TestHost = Partial<HostPorts> & {
  readonly records?: readonly JournalRecord[];
  readonly promptCommands?: readonly PromptCommand[];
};

const nobody = async () => failed(rejected('Nobody answers this here.'));
const noSteps = {
  'rewind-points': nobody,
  'preview-rewind': nobody,
  rewind: nobody,
  'preview-compaction': nobody,
  compact: nobody,
  'context-usage': nobody,
};
const steps: ReadonlySet<QueryName> = new Set([
  'rewind-points',
  'preview-rewind',
  'rewind',
  'preview-compaction',
  'compact',
  'change-pin',
]);

type Answers = {-readonly [Name in QueryName]?: Answer<Name> | Promise<Answer<Name>>};

const id = parseSessionId('00000000-0000-4000-8000-000000000001');
if (id === undefined) throw new Error('not a session id');

export const sessionInfo: SessionInfo = {
  id,
  origin: 'new',
  directory: '/home/user/project',
  provider: 'replay',
  model: 'test-model',
  mode: 'default',
  tools: [],
};

/** The first event of every engine. */
export const opening: AgentEvent & {readonly event: 'session-opened'} = {
  event: 'session-opened',
  session: sessionInfo,
  history: [],
  todoFrames: [],
  usage: {models: {}, contextTokens: 0, contextWindow: 0},
};

/** `host` is the machine behind it, `records` what is kept of its session, `promptCommands` the commands that become prompts. */
export function scriptedEngine({records = [], promptCommands = [], ...given}: TestHost = {}): ScriptedEngine {
  const host = hostServices({...blankHost, ...given});
  const ops: Op[] = [];
  const queries: {readonly query: QueryName}[] = [];
  const answers: Answers = {};
  const listeners = new Set<EventListener>();
  return {
    ops,
    queries,
    answers,
    async query<Name extends QueryName>(request: Query<Name>, signal: AbortSignal) {
      if (steps.has(request.query)) queries.push(request);
      const answer = answers[request.query];
      if (answer !== undefined) return answer;
      const handlers: QueryHandlers = {
        ...noSteps,
        ...host.queries,
        agents: async () => ({tag: 'ok', value: []}),
        records: async ({from}) => ok(records.slice(from)),
        commands: async () => ok(promptCommands),
        hooks: async () => ok([]),
        documents: async () => ok([]),
        checks: async () => ok([]),
        pins: async () => ok([]),
        'change-pin': async () => ok([]),
        'ask-aside': async () => failed(rejected('There is no model here.')),
        'readable-path': async ({path}) => ok(path),
        'rename-session': async ({title}) => ok(title),
        goal: async ({text}) => ok(`Goal: ${text}.`),
        review: async () => failed(rejected('There is no repository here.')),
        blame: async () => failed(rejected('There are no files here.')),
        'session-changes': async () => ok({files: [], more: 0, coverage: 'all files'}),
        'change-review': async () => ok([]),
        'write-document': async () => failed(rejected('There are no documents here.')),
        'look-up-command': async ({text}) => {
          const name = readSlashCommand(text)?.name;
          return ok(
            name === undefined || promptCommands.some(command => command.name === name)
              ? {kind: 'prompt'}
              : {kind: 'unknown', text: unknownCommandText(name, promptCommands, terminalAbilities)},
          );
        },
      };
      return handlers[request.query](request, signal);
    },
    watch<Name extends WatchName>(
      request: Watch<Name>,
      listener: (piece: Watches[Name]['piece']) => void,
      signal: AbortSignal,
    ) {
      const handlers: WatchHandlers = host.watches;
      return handlers[request.watch](request, listener, signal);
    },
    submit(op) {
      switch (op.op) {
        case 'remember-prompt':
        case 'stop-terminal':
        case 'keep-terminal':
        case 'write-terminal':
        case 'resize-terminal':
          host.submit(op);
          return;
        default:
          ops.push(op);
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      void listener([opening]);
      return () => listeners.delete(listener);
    },
    close: () => Promise.resolve(),
    emit(...events) {
      for (const listener of listeners) void listener(events);
    },
    async offer(...events) {
      await Promise.all([...listeners].map(async listener => listener(events)));
    },
  };
}
