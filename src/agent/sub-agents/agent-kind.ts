import type {Isolation, SubAgent} from '../../domain/sub-agent.ts';
import type {PermissionMode} from '../../domain/risk.ts';

/** The purpose and permissions of a sub-agent. */
export interface AgentKind {
  readonly name: string;
  /** One line, for the model that chooses among kinds. */
  readonly description: string;
  /** `same`: the parent's prompt, so that the provider's cache of the parent's requests is used. */
  readonly systemPrompt: {readonly kind: 'same'} | {readonly kind: 'own'; readonly text: string};
  /** Text that the sub-agent reads before its task. */
  readonly brief: string;
  /** The model: a name or an alias. Empty for the parent's model. */
  readonly model: string;
  /** The permission mode. Applies only if it is narrower than the parent's mode. */
  readonly mode: PermissionMode | 'inherit';
  /** The maximum number of requests to the model per prompt. */
  readonly maxTurns: number;
  readonly isolation: Isolation;
  readonly canCall: (tool: string) => boolean;
  /** Sentences about fields of the kind's file that weft does not support. */
  readonly notes: readonly string[];
}

/** The default for the maximum number of requests per prompt of a sub-agent. */
export const defaultMaxTurns = 100;

const baseBrief =
  'You are a sub-agent. Another agent gave you the task below and reads only your last message. Do the task without asking back, then answer with everything it needs to know, and name files as path:line.';

const readOnlyBrief =
  'Change nothing: edits, and commands that do more than read, are refused. You can make several searches in one answer.';

const builtIn = (name: string, description: string, brief: string, mode: AgentKind['mode']): AgentKind => ({
  name,
  description,
  systemPrompt: {kind: 'same'},
  brief: [baseBrief, brief].filter(text => text !== '').join('\n'),
  model: '',
  mode,
  maxTurns: defaultMaxTurns,
  isolation: 'none',
  canCall: () => true,
  notes: [],
});

/**
 * The built-in kinds. They share the tools and the system prompt of their parent byte for byte. Plan mode keeps
 * read-only kinds from changing anything.
 */
export const builtInKinds: readonly AgentKind[] = [
  builtIn('general', 'Does a whole task.', '', 'inherit'),
  builtIn('explore', 'Finds things and only reads.', `Find what is asked for, fast. ${readOnlyBrief}`, 'plan'),
  builtIn(
    'plan',
    'Plans how to do something and only reads.',
    `Plan how to do it: the steps in order, the files concerned, what could go wrong. ${readOnlyBrief}`,
    'plan',
  ),
  builtIn(
    'review',
    'Reviews work for faults and only reads.',
    `Look for faults: what breaks, and when, worst first. If you find none, say so. ${readOnlyBrief}`,
    'plan',
  ),
];

/** Returns the text before the task. A harness has its own system prompt. */
export const openingOf = ({brief, systemPrompt}: AgentKind, {harness}: SubAgent): string =>
  [systemPrompt.kind === 'own' && harness !== 'weft' ? systemPrompt.text : '', brief]
    .filter(text => text !== '')
    .map(text => `${text}\n\n`)
    .join('');
