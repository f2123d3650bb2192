import type {AgentEvent} from '../../actions/agent-event.ts';
import type {FrontEndAbilities} from '../../actions/front-end.ts';
import {clip, pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Message, TextBlock} from '../../domain/conversation.ts';
import type {RepositoryState} from '../../domain/disk.ts';
import type {Effort} from '../../domain/model-stream.ts';
import {effortChangeBlock, effortChangeIn, reminderBlock} from '../../domain/reminder.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {confines, sandboxesAllCommands} from '../../domain/sandbox.ts';
import type {Asker} from '../../domain/sub-agent.ts';
import type {Interaction} from '../pending-requests.ts';
import type {AgentPorts} from '../ports.ts';
import type {ToolRegistry} from '../tool-registry.ts';

/** The facts that the model knows. */
export interface KnownFacts {
  /** Facts by name, as messages contain them. Empty before the first message. */
  facts: Map<string, string>;
  /** The model of the last request, with its effort. `unknown` before the first one. */
  effort: {readonly model: string; readonly level: Effort | 'default'} | 'unknown';
  /** The model for which weft has told the user that a request exceeded the window. Empty if there is none. */
  overflowOf: string;
}

/** The fields of a session from which the facts come. */
interface FactsSession {
  readonly environment: 'included' | 'portable' | 'left-out';
  readonly directory: string;
  readonly mode: PermissionMode;
  readonly asker: Asker;
  readonly interaction: Interaction;
  readonly frontEnd: FrontEndAbilities;
  readonly model: string;
  readonly promptModel: string | undefined;
  readonly conversation: {readonly knownFacts: KnownFacts};
  readonly ports: Pick<AgentPorts, 'environment' | 'judge' | 'secrets'>;
  readonly tools: Pick<ToolRegistry, 'lateTools'>;
}

const opening = 'Environment:';
const openingOfChange = 'Environment changed:';
const factsBlock = /^<reminder>Environment(?: changed)?:\n([^]*)<\/reminder>$/u;

/** Returns the facts that the messages contain. */
export function factsInMessages(messages: readonly Message[]): KnownFacts {
  const facts = new Map<string, string>();
  for (const {role, blocks} of messages) {
    if (role !== 'user') continue;
    for (const block of blocks) {
      const lines = block.kind === 'text' ? factsBlock.exec(block.text)?.[1]?.split('\n') : undefined;
      for (const line of lines ?? []) {
        const [name = '', ...value] = line.split(': ');
        facts.set(name, value.join(': '));
      }
    }
  }
  return {facts, effort: 'unknown', overflowOf: ''};
}

/** Reads the state of the repository for the first message of a conversation. Later messages do not need it. */
export async function initialRepositoryState(
  {conversation, environment, directory, ports}: FactsSession,
  signal: AbortSignal,
): Promise<RepositoryState | undefined> {
  if (conversation.knownFacts.facts.size > 0 || environment !== 'included') return undefined;
  return ports.environment.repository(directory, signal);
}

/** The maximum number of bytes of the text with all facts. Subjects of commits are left out if there is no room. */
const maxBytes = 600;
const maxSubject = 60;

/**
 * Returns a note with all facts if the model knows none, otherwise with those that have changed. Notes are appended,
 * because a changed system prompt would cost the provider's cache and the model's thinking. `turn`: only facts that
 * people change while the model works.
 */
export function environmentNote(
  session: FactsSession,
  moment: {readonly at: 'prompt'; readonly repository: RepositoryState | undefined} | {readonly at: 'turn'},
): readonly TextBlock[] {
  const {facts: known} = session.conversation.knownFacts;
  const isFirst = known.size === 0;
  const facts = factsOf(session).filter(
    ([name, value]) => known.get(name) !== value && (isFirst || moment.at === 'prompt' || changingInPrompts.has(name)),
  );
  if (facts.length === 0) return [];
  const repository = isFirst && moment.at === 'prompt' ? moment.repository : undefined;
  let text = '';
  for (let subjects = repository?.subjects ?? []; ; subjects = subjects.slice(0, -1)) {
    const lines = [...facts, ...stateFacts(repository, subjects)].map(fact => fact.join(': '));
    text = [isFirst ? opening : openingOfChange, ...lines].join('\n');
    if (subjects.length === 0 || Buffer.byteLength(reminderBlock(text).text) <= maxBytes) break;
  }
  for (const [name, value] of facts) known.set(name, value);
  return [reminderBlock(session.ports.secrets.redact(text))];
}

type Fact = readonly [name: string, value: string];

const modeFact = 'Approval mode';
const toolsFact = 'More tools';
const changingInPrompts: ReadonlySet<string> = new Set(['Model', 'Date', modeFact, toolsFact]);

function factsOf(session: FactsSession): readonly Fact[] {
  const {environment, directory, conversation, mode, ports} = session;
  const ofMode: Fact = [modeFact, modeText(session)];
  const late = ports.secrets.redact(session.tools.lateTools());
  const {facts: known} = conversation.knownFacts;
  const ofTools: readonly Fact[] = late === '' && !known.has(toolsFact) ? [] : [[toolsFact, late || 'none']];
  // The user's own prompt replaces weft's. It says what the model should know, except that plan mode is on.
  if (environment === 'left-out') return [...(mode === 'plan' || known.has(modeFact) ? [ofMode] : []), ...ofTools];
  const {platform, shell} = ports.environment.machine();
  const facts: readonly Fact[] = [
    ['Directory', visibleLine(directory)],
    ['Git branch', visibleLine(ports.environment.branch(directory)) || 'none, not a repository'],
    ['Platform', `${platform}, ${shell}`],
    ['Date', ports.environment.date()],
    ['Model', visibleLine(session.promptModel ?? session.model)],
    ['Front end', frontEndText(session)],
    ofMode,
    ['Sandbox', sandboxText(session)],
  ];
  return [
    ...facts
      .filter(([name]) => environment === 'included' || !factsOfMachine.has(name))
      .map(([name, value]): Fact => [name, ports.secrets.redact(value)]),
    ...ofTools,
  ];
}

/** Facts that differ between machines, or between two days. */
const factsOfMachine: ReadonlySet<string> = new Set(['Git branch', 'Platform', 'Date', 'Sandbox']);

function stateFacts(state: RepositoryState | undefined, subjects: readonly string[]): readonly Fact[] {
  if (state === undefined) return [];
  const changed = state.changed === 'unknown' ? [] : [pluralize(state.changed, 'changed file')];
  const last = subjects.map(subject => JSON.stringify(clip(visibleLine(subject), maxSubject)));
  const parts = [...changed, ...(last.length === 0 ? [] : [`last commits ${last.join(', ')}`])];
  return parts.length === 0 ? [] : [['Git at this time', parts.join('; ')]];
}

function frontEndText({asker, interaction, frontEnd}: FactsSession): string {
  const place = asker === 'main' ? (frontEnd.has('offers-compactions') ? 'terminal' : 'another program') : 'sub-agent';
  if (interaction === 'interactive') return place;
  return `${asker === 'main' ? 'headless' : place}, nobody answers questions`;
}

const modeText = ({mode, asker}: Pick<FactsSession, 'mode' | 'asker'>): string =>
  `${mode} (${mode === 'plan' && asker !== 'main' ? 'change nothing' : modeTexts[mode]})`;

const modeTexts = {
  plan: 'explore, change nothing, and call ExitPlanMode when the plan is ready',
  dontAsk: 'what needs approval is refused',
  default: 'edits and risky commands need approval',
  acceptEdits: 'edits need no approval, risky commands do',
  bypassPermissions: 'nothing needs approval',
} as const satisfies Record<PermissionMode, string>;

function sandboxText({ports}: FactsSession): string {
  const choice = ports.environment.sandbox;
  const proof = ports.judge.sandbox();
  const network = 'network only to allowed hosts';
  if (sandboxesAllCommands(choice)) return `${choice}, for all commands, ${network}`;
  if (choice === 'auto' && proof === 'unknown') return `auto, commands may run in one, ${network}`;
  return proof !== 'unknown' && confines(proof) ? `${proof.provider}, for unapproved commands, ${network}` : 'none';
}

/**
 * Returns the note that the effort has changed since the last request, for providers that take it as a message. With other
 * providers, tells the user that the change costs the cache.
 */
export function changedEffort({conversation, model, promptModel, ports, publish}: EffortSession): readonly TextBlock[] {
  const {knownFacts, messages} = conversation;
  const asked = promptModel ?? model;
  const {effort: level, effortChange} = ports.model.facts(asked);
  const before = knownFacts.effort === 'unknown' ? lastEffort(messages, asked) : knownFacts.effort;
  knownFacts.effort = {model: asked, level};
  if (before === 'unknown' || before.model !== asked || before.level === level) return [];
  if (effortChange === 'appended') return [effortChangeBlock({from: before.level, to: level})];
  const text = `The effort is now ${level}. The next request costs more, because ${asked} reads the whole conversation again.`;
  publish([{event: 'notice', level: 'info', text}]);
  return [];
}

interface EffortSession {
  readonly conversation: {readonly knownFacts: KnownFacts; readonly messages: readonly Message[]};
  readonly model: string;
  readonly promptModel: string | undefined;
  readonly ports: Pick<AgentPorts, 'model'>;
  readonly publish: (events: readonly AgentEvent[]) => void;
}

/** Returns the last effort that a resumed conversation holds. */
function lastEffort(messages: readonly Message[], model: string): KnownFacts['effort'] {
  for (const {role, blocks} of messages.toReversed()) {
    if (role !== 'user') continue;
    const change = blocks.map(effortChangeIn).find(each => each !== undefined);
    if (change !== undefined) return {model, level: change.to};
  }
  return 'unknown';
}
