import type {AgentClient} from '../../agent/client.ts';
import {timeAgo} from '../../base/time-ago.ts';
import {unreachable} from '../../base/unreachable.ts';
import {sessionTitle} from '../../domain/session-list.ts';
import {
  type ArgumentChoice,
  type ChoiceSource,
  type CommandInfo,
  commandOf,
  promptCommandInfo,
} from '../commands/command-line.ts';
import type {TuiOptions} from '../options.ts';
import {commandPrefix} from '../terminal/keymap.ts';

/** The commands that a draft can run, with the values of their arguments. Loaded while the user types a command. */
export class KnownCommands {
  readonly #own: readonly CommandInfo[];
  readonly #options: Pick<TuiOptions, 'engine' | 'clock'>;
  readonly #changed: () => void;
  readonly #signal: AbortSignal;
  readonly #choices = new Map<ChoiceSource, readonly ArgumentChoice[]>();
  #prompts: readonly CommandInfo[] = [];
  #isTyped = false;

  constructor(
    own: readonly CommandInfo[],
    options: Pick<TuiOptions, 'engine' | 'clock'>,
    changed: () => void,
    signal: AbortSignal,
  ) {
    this.#own = own;
    this.#options = options;
    this.#changed = changed;
    this.#signal = signal;
  }

  get all(): readonly CommandInfo[] {
    if (this.#choices.size === 0 && this.#prompts.length === 0) return this.#own;
    const own = this.#own.map(command =>
      typeof command.choices === 'string' && this.#choices.size > 0
        ? {...command, choices: this.#choices.get(command.choices) ?? []}
        : command,
    );
    return [...own, ...this.#prompts];
  }

  loadFor(draft: string): void {
    const isCommand = draft.startsWith(commandPrefix);
    if (isCommand && !this.#isTyped) void this.#loadPrompts();
    this.#isTyped = isCommand;
    const source = commandOf(draft, this.#own)?.choices;
    if (typeof source !== 'string' || this.#choices.has(source)) return;
    this.#choices.set(source, []);
    void this.#loadChoices(source);
  }

  async #loadPrompts(): Promise<void> {
    const answer = await this.#options.engine.query({query: 'commands'}, this.#signal);
    if (answer.tag !== 'ok' || this.#signal.aborted || answer.value.length + this.#prompts.length === 0) return;
    const own = new Set(this.#own.flatMap(({name, aliases}) => [name, ...aliases]));
    this.#prompts = answer.value.filter(({name}) => !own.has(name)).map(promptCommandInfo);
    this.#changed();
  }

  async #loadChoices(source: ChoiceSource): Promise<void> {
    const choices = await choicesFrom(source, this.#options, this.#signal);
    if (this.#signal.aborted) return;
    this.#choices.set(source, choices);
    this.#changed();
  }
}

async function choicesFrom(
  source: ChoiceSource,
  {engine, clock}: Pick<TuiOptions, 'engine' | 'clock'>,
  signal: AbortSignal,
): Promise<readonly ArgumentChoice[]> {
  switch (source) {
    case 'models': {
      const answer = await engine.query({query: 'models'}, signal);
      if (answer.tag !== 'ok') return [];
      return answer.value.models.map(({model, defaultOf}) => ({
        value: model,
        summary: defaultOf === '' ? '' : 'default',
      }));
    }
    case 'settings':
      return settingChoices(engine, signal);
    case 'sessions': {
      const answer = await engine.query({query: 'sessions'}, signal);
      if (answer.tag !== 'ok') return [];
      const now = clock.date();
      return answer.value.map(session => ({
        value: session.id.slice(0, 8),
        summary: `${sessionTitle(session)} (${timeAgo(now - session.updatedAt)})`,
      }));
    }
    default:
      return unreachable(source);
  }
}

async function settingChoices(engine: AgentClient, signal: AbortSignal): Promise<readonly ArgumentChoice[]> {
  const answer = await engine.query({query: 'setting-rows'}, signal);
  if (answer.tag !== 'ok') return [];
  return answer.value.flatMap(({name, value, choices}) => [
    {value: name, summary: value === '' ? 'not set' : value},
    ...choices.map(choice => ({value: `${name} ${choice}`, summary: choice === value ? 'current' : ''})),
  ]);
}
