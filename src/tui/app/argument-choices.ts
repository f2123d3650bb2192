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

/** What the arguments of slash commands can be, where that has to be asked for; asked once, when such a command is typed. */
export class ArgumentChoices {
  readonly #options: Pick<TuiOptions, 'engine' | 'clock'>;
  readonly #changed: () => void;
  readonly #signal: AbortSignal;
  readonly #known = new Map<ChoiceSource, readonly ArgumentChoice[]>();

  constructor(options: Pick<TuiOptions, 'engine' | 'clock'>, changed: () => void, signal: AbortSignal) {
    this.#options = options;
    this.#changed = changed;
    this.#signal = signal;
  }

  /** The commands with the choices that are known by now. */
  of<Command extends CommandInfo>(commands: readonly Command[]): readonly Command[] {
    if (this.#known.size === 0) return commands;
    return commands.map(command =>
      typeof command.choices === 'string' ? {...command, choices: this.#known.get(command.choices) ?? []} : command,
    );
  }

  follow(draft: string, commands: readonly CommandInfo[]): void {
    const source = commandOf(draft, commands)?.choices;
    if (typeof source !== 'string' || this.#known.has(source)) return;
    this.#known.set(source, []);
    void this.#load(source);
  }

  async #load(source: ChoiceSource): Promise<void> {
    const choices = await choicesFrom(source, this.#options, this.#signal);
    if (this.#signal.aborted) return;
    this.#known.set(source, choices);
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

/** The names, and behind each its values. */
async function settingChoices(engine: AgentClient, signal: AbortSignal): Promise<readonly ArgumentChoice[]> {
  const answer = await engine.query({query: 'setting-rows'}, signal);
  if (answer.tag !== 'ok') return [];
  return answer.value.flatMap(({name, value, choices}) => [
    {value: name, summary: value === '' ? 'not set' : value},
    ...choices.map(choice => ({value: `${name} ${choice}`, summary: choice === value ? 'current' : ''})),
  ]);
}

/** The commands of files and servers, which become prompts; they may have changed, so they are asked for whenever a command is begun. */
export class PromptCommands {
  readonly #engine: AgentClient;
  readonly #changed: () => void;
  readonly #signal: AbortSignal;
  #isTyped = false;
  known: readonly CommandInfo[] = [];

  constructor(engine: AgentClient, changed: () => void, signal: AbortSignal) {
    this.#engine = engine;
    this.#changed = changed;
    this.#signal = signal;
  }

  follow(draft: string): void {
    const isCommand = draft.startsWith(commandPrefix);
    if (isCommand && !this.#isTyped) void this.#load();
    this.#isTyped = isCommand;
  }

  async #load(): Promise<void> {
    const answer = await this.#engine.query({query: 'commands'}, this.#signal);
    if (answer.tag !== 'ok' || this.#signal.aborted || answer.value.length + this.known.length === 0) return;
    this.known = answer.value.map(promptCommandInfo);
    this.#changed();
  }
}
