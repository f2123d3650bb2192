import {blockTexts, type Message, type ResultContent, type TextBlock} from '../../domain/conversation.ts';
import {reminderBlock} from '../../domain/reminder.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {Asker} from '../../domain/sub-agent.ts';
import type {AgentPorts} from '../ports.ts';

/** The values that the model knows of facts that may change in a session. `date` is empty if no note named it. */
export interface KnownFacts {
  planMode: 'on' | 'off';
  date: string;
}

const planOn = 'Plan mode is on: explore, change nothing, and call ExitPlanMode when the plan is ready.';
const planOff = 'Plan mode is over: the user ended it.';
/** How the result of an approved plan begins. */
const approved = 'The user approved the plan, and plan mode is over.';
const dateNote = (date: string): string => `The date is now ${date}.`;

/** Returns the facts that the messages contain. */
export function factsInMessages(messages: readonly Message[]): KnownFacts {
  const knownFacts: KnownFacts = {planMode: 'off', date: ''};
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
