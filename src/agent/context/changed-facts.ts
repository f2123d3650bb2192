import type {AgentEvent} from '../../actions/agent-event.ts';
import {blockTexts, type Message, type ResultContent, type TextBlock} from '../../domain/conversation.ts';
import {effortChangeBlock, effortChangeIn, reminderBlock} from '../../domain/reminder.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {Asker} from '../../domain/sub-agent.ts';
import type {Effort} from '../../domain/model-stream.ts';
import type {AgentPorts} from '../ports.ts';

/** The values that the model knows of facts that may change in a session. `date` is empty if no note named it. */
export interface KnownFacts {
  planMode: 'on' | 'off';
  date: string;
  /** The model of the last request, with its effort. `unknown` before the first one. */
  effort: {readonly model: string; readonly level: Effort | 'default'} | 'unknown';
}

const planOn = 'Plan mode is on: explore, change nothing, and call ExitPlanMode when the plan is ready.';
const planOff = 'Plan mode is over: the user ended it.';
/** How the result of an approved plan begins. */
const approved = 'The user approved the plan, and plan mode is over.';
const dateNote = (date: string): string => `The date is now ${date}.`;

/** Returns the facts that the messages contain. */
export function factsInMessages(messages: readonly Message[]): KnownFacts {
  const knownFacts: KnownFacts = {planMode: 'off', date: '', effort: 'unknown'};
  for (const {role, blocks} of messages) if (role === 'user') noteFacts(knownFacts, blocks);
  return knownFacts;
}

function noteFacts(knownFacts: KnownFacts, blocks: Message['blocks']): void {
  for (const text of blockTexts(blocks.flatMap(contentOf))) {
    if (text === reminderBlock(planOn).text) knownFacts.planMode = 'on';
    else if (text === reminderBlock(planOff).text || text.startsWith(approved)) knownFacts.planMode = 'off';
    const date = /^<reminder>The date is now (\d{4}-\d\d-\d\d)\.<\/reminder>$/u.exec(text)?.[1];
    if (date !== undefined) knownFacts.date = date;
  }
}

const contentOf = (block: Message['blocks'][number]): readonly (Message['blocks'][number] | ResultContent)[] =>
  block.kind === 'tool-result' ? block.content : [block];

interface FactsSession {
  readonly conversation: {readonly knownFacts: KnownFacts; readonly messages: readonly Message[]};
  readonly mode: PermissionMode;
  readonly asker: Asker;
  readonly systemPrompt: string;
  readonly ports: Pick<AgentPorts, 'clock'>;
}

/**
 * Returns notes about facts that have changed since the model last learned them. They are appended, because a changed
 * system prompt or tool list costs the provider's cache and the model's thinking.
 */
export function changedFacts({conversation, mode, asker, systemPrompt, ports}: FactsSession): readonly TextBlock[] {
  const {knownFacts, messages} = conversation;
  noteFacts(knownFacts, messages.at(-1)?.blocks ?? []);
  const notes: string[] = [];
  const planMode = mode === 'plan' && asker === 'main' ? 'on' : 'off';
  if (planMode !== knownFacts.planMode) notes.push(planMode === 'on' ? planOn : planOff);
  const start = /^Date: (\d{4}-\d\d-\d\d)$/mu.exec(systemPrompt)?.[1];
  const date = new Date(ports.clock.now()).toISOString().slice(0, 10);
  if (start !== undefined && date !== (knownFacts.date || start)) notes.push(dateNote(date));
  knownFacts.planMode = planMode;
  if (notes.includes(dateNote(date))) knownFacts.date = date;
  return notes.map(reminderBlock);
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
  readonly conversation: FactsSession['conversation'];
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
