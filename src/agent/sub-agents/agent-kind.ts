import type {Isolation, SubAgent} from '../../domain/sub-agent.ts';
import type {PermissionMode} from '../../domain/risk.ts';

/** What a sub-agent is for and may do. */
export interface AgentKind {
  readonly name: string;
  /** One line, for the model that chooses among kinds. */
  readonly description: string;
  /** `same`: that of the agent that starts it, so that what the provider has cached of its requests is read again. */
  readonly systemPrompt: {readonly kind: 'same'} | {readonly kind: 'own'; readonly text: string};
  /** What it reads ahead of its task. */
  readonly brief: string;
  /** A name or an alias; empty for that of the agent that starts it. */
  readonly model: string;
  /** It counts only where it is narrower than the mode of the agent that starts it. */
  readonly mode: PermissionMode | 'inherit';
  /** Requests to the model that one prompt may take. */
  readonly maxTurns: number;
  readonly isolation: Isolation;
  readonly mayCall: (tool: string) => boolean;
  /** What its file asks for and weft does not do: sentences. */
  readonly notes: readonly string[];
}

/** Requests that a prompt of a sub-agent may take where nothing else is said. */
export const usualTurns = 100;

const answersOnce =
  'You are a sub-agent: another agent has given you the task below and reads nothing but your last message. Do the task without asking back, then answer with all that it needs to know, and name files as path:line.';

const onlyReads =
  'Change nothing: edits, and commands that do more than read, are refused. Several searches can go out in one answer.';

const builtIn = (name: string, description: string, brief: string, mode: AgentKind['mode']): AgentKind => ({
  name,
  description,
  systemPrompt: {kind: 'same'},
  brief: [answersOnce, brief].filter(text => text !== '').join('\n'),
  model: '',
  mode,
  maxTurns: usualTurns,
  isolation: 'none',
  mayCall: () => true,
  notes: [],
});

/**
 * The kinds that are always there. They have the tools and the system prompt of the agent that starts them, to the byte: plan mode keeps
 * those that only read from changing anything.
 */
export const builtInKinds: readonly AgentKind[] = [
  builtIn('general', 'Does a task from beginning to end.', '', 'inherit'),
  builtIn('explore', 'Finds things and only reads.', `Find what is asked for, fast. ${onlyReads}`, 'plan'),
  builtIn(
    'plan',
    'Works out how something can be done and only reads.',
    `Work out how it can be done: the steps in order, the files concerned, what could go wrong. ${onlyReads}`,
    'plan',
  ),
  builtIn(
    'review',
    'Looks for faults in what was done and only reads.',
    `Look for faults in what you are to review: what breaks, and when; the worst first. Say so where you find none. ${onlyReads}`,
    'plan',
  ),
];

/** What stands ahead of the task. A harness has a system prompt of its own. */
export const openingOf = ({brief, systemPrompt}: AgentKind, {harness}: SubAgent): string =>
  [systemPrompt.kind === 'own' && harness !== 'weft' ? systemPrompt.text : '', brief]
    .filter(text => text !== '')
    .map(text => `${text}\n\n`)
    .join('');
