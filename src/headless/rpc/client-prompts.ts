import type {AgentEvent} from '../../actions/agent-event.ts';
import {isBackgroundAgentEnd} from '../../actions/background-agent-end.ts';
import {BackgroundCommands} from '../../actions/background-commands.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import type {Op} from '../../agent/client.ts';
import type {Json} from '../../base/json.ts';
import {type BlockId, messageId, type MessageId, type SessionId} from '../../domain/ids.ts';
import {readSlashCommand} from '../../domain/slash-command.ts';
import {hasEnded} from '../../domain/sub-agent.ts';
import type {InputPrompt} from '../../protocol/rpc/decode-input.ts';

export interface ClientPromptsOptions {
  readonly submit: (op: Op) => void;
  readonly newId: () => string;
  /** Answers a prompt that can't be sent when its turn comes, because the client waits for a result of every prompt. */
  readonly refuse: (message: string) => void;
}

type Waiting =
  | {
      readonly kind: 'prompt';
      readonly id: MessageId;
      readonly text: string;
      readonly images: InputPrompt['images'];
      readonly when: InputPrompt['when'];
      readonly content: Json;
      readonly named: 'by-client' | 'by-weft';
    }
  | {readonly kind: 'refused'; readonly message: string};
type WaitingPrompt = Extract<Waiting, {kind: 'prompt'}>;

/**
 * The queue of a client's prompts, in the order of arrival. The engine gets steering prompts once the model has begun to answer, and its next
 * request carries them. It gets other prompts one at a time. An interrupt ends only the running prompt: the engine returns the others.
 */
export class ClientPrompts {
  readonly #options: ClientPromptsOptions;
  #queue: readonly Waiting[] = [];
  /** Prompts to send together with the next one. */
  #held: InputPrompt[] = [];
  /** The queued prompts that the engine has received but not started yet. */
  readonly #given = new Set<MessageId>();
  readonly #contents = new Map<MessageId, Json>();
  /** Sub-agents that are running in the background. */
  readonly #atWork = new Set<SessionId>();
  readonly #commands = new BackgroundCommands();
  /** The queued turns that will tell the model what ended. `#heard` is the last such turn that started. */
  readonly #hearings = new Set<MessageId>();
  #heard: MessageId | undefined;
  #run: 'none' | 'begun' | 'answering' = 'none';
  #open = false;
  #stopped = false;

  constructor(options: ClientPromptsOptions) {
    this.#options = options;
  }

  /** Starts sending prompts. Before this call, every prompt waits. */
  begin(): void {
    this.#open = true;
    this.#next('one');
  }

  /**
   * True if nothing runs or waits. Background sub-agents and commands count, too, because the model must learn of their end,
   * unless the user stopped them.
   */
  get idle(): boolean {
    const isAtWork = this.#atWork.size > 0 || this.#commands.awaited;
    const isQuiet = this.#stopped || (!isAtWork && this.#hearings.size === 0);
    return isQuiet && this.#run === 'none' && this.#queue.length === 0;
  }

  /** Drops queued prompts, and stops waiting for background work. */
  stop(): void {
    this.#stopped = true;
    this.drop();
  }

  /** True for a turn that no client prompt began: it tells the model that background work ended. */
  isOwnTurn(id: MessageId): boolean {
    return this.#heard === id;
  }

  add(prompt: InputPrompt): void {
    if (prompt.send === 'hold') {
      this.#held.push(prompt);
      return;
    }
    const parts = [...this.#held, prompt];
    this.#held = [];
    const text = parts.map(part => part.text).join('\n\n');
    const images = parts.flatMap(part => part.images);
    if (text.trim() === '' && images.length === 0) {
      this.refuse('The message is empty. There is nothing to send to the model.');
      return;
    }
    const id = messageId(prompt.id ?? this.#options.newId());
    const named = prompt.id === undefined ? 'by-weft' : 'by-client';
    // A command has its own turn.
    const when = readSlashCommand(text) === undefined ? prompt.when : 'queued';
    this.#enqueue({kind: 'prompt', id, text, images, when, content: prompt.content, named});
  }

  /** Queues the refusal of a message that can't be sent, so that it is answered in its turn. */
  refuse(message: string): void {
    this.#enqueue({kind: 'refused', message});
  }

  /** Returns the content of a prompt that the engine has started, as the client wrote it. */
  contentOf(id: MessageId): Json | undefined {
    return this.#contents.get(id);
  }

  /** Tells the model about commands that have ended. Servers and commands that wait for input are not waited for. */
  takeCommands(all: readonly BlockInfo[]): void {
    for (const end of this.#commands.ended(all)) if (!this.#stopped) this.#hear(id => ({op: 'hear-command', id, end}));
  }

  /** Forgets a command that the client stops: the model need not learn of its end. */
  forgetCommand(id: BlockId): void {
    this.#commands.forget(id);
  }

  /** Stops waiting for background commands, which may never end. */
  leaveCommands(): void {
    this.#commands.clear();
  }

  take(event: AgentEvent): void {
    this.#commands.take(event);
    switch (event.event) {
      case 'agent-started':
      case 'agent-changed':
        this.#follow(event);
        break;
      case 'prompt-accepted': {
        if (this.#run === 'none') this.#run = 'begun';
        if (this.#hearings.delete(event.id)) {
          this.#heard = event.id;
          break;
        }
        // The engine replaces an id that the session already has. The event then belongs to the first prompt that was sent.
        const given = this.#queue.filter(waiting => waiting.kind === 'prompt').filter(({id}) => this.#given.has(id));
        const prompt = given.find(({id}) => id === event.id) ?? given[0];
        if (prompt !== undefined) {
          this.#given.delete(prompt.id);
          this.#remove(prompt);
          this.#contents.set(event.id, prompt.content);
        }
        break;
      }
      case 'message-started':
        if (this.#run !== 'begun') break;
        this.#run = 'answering';
        this.#giveSteering();
        break;
      case 'prompt-withdrawn':
        this.#hearings.delete(event.id);
        this.#given.delete(event.id);
        this.#next('all');
        break;
      case 'prompt-finished':
        this.#run = 'none';
        // `clear` also removes prompts that never began.
        this.#contents.clear();
        this.#next('all');
        break;
      default:
      // The other events do not affect prompts.
    }
  }

  /** Returns the client's ids of prompts that have not started. */
  waiting(): readonly string[] {
    return this.#queue.flatMap(namedByClient);
  }

  /** Drops every prompt that has not started. Returns the client's ids of them. */
  drop(): readonly string[] {
    const ids = this.waiting();
    this.#held = [];
    for (const waiting of this.#queue) this.#remove(waiting);
    return ids;
  }

  /** Drops one queued prompt. Returns false if it was not queued. */
  dropOne(id: string): boolean {
    const found = this.#queue.find(waiting => waiting.kind === 'prompt' && waiting.id === id);
    if (found !== undefined) this.#remove(found);
    return found !== undefined;
  }

  #follow(event: Extract<AgentEvent, {event: 'agent-started' | 'agent-changed'}>): void {
    const {agent, place, status} = event.row;
    if (agent.parent === 'main' && place === 'background' && !hasEnded(status)) this.#atWork.add(agent.id);
    else this.#atWork.delete(agent.id);
    if (this.#stopped || !isBackgroundAgentEnd(event)) return;
    this.#hear(id => ({op: 'hear-agents', id}));
  }

  #hear(op: (id: MessageId) => Op): void {
    const id = messageId(this.#options.newId());
    this.#hearings.add(id);
    this.#options.submit(op(id));
  }

  #enqueue(waiting: Waiting): void {
    this.#queue = [...this.#queue, waiting];
    if (this.#run === 'answering' && isSteering(waiting)) this.#give(waiting);
    this.#next('one');
  }

  /** Removes a prompt from the queue, and from the engine's if the engine has not started it. */
  #remove(waiting: Waiting): void {
    this.#queue = this.#queue.filter(one => one !== waiting);
    if (waiting.kind === 'prompt' && this.#given.delete(waiting.id))
      this.#options.submit({op: 'withdraw-prompt', id: waiting.id});
  }

  /** Starts the next prompt unless one runs. With `all`, every steering prompt joins a steering one. */
  #next(extent: 'one' | 'all'): void {
    while (this.#open && this.#run === 'none' && this.#given.size === 0) {
      const waiting = this.#queue.find(one => one.kind === 'refused' || isSteering(one)) ?? this.#queue[0];
      if (waiting === undefined) return;
      if (waiting.kind === 'prompt') {
        this.#give(waiting);
        if (extent === 'all' && isSteering(waiting)) this.#giveSteering();
      } else {
        this.#remove(waiting);
        this.#options.refuse(waiting.message);
      }
    }
  }

  #giveSteering(): void {
    for (const waiting of this.#queue) if (isSteering(waiting)) this.#give(waiting);
  }

  #give({id, text, images, when}: WaitingPrompt): void {
    if (this.#given.has(id)) return;
    this.#given.add(id);
    this.#options.submit({op: 'prompt', id, text, images, when});
  }
}

const isSteering = (waiting: Waiting): waiting is WaitingPrompt =>
  waiting.kind === 'prompt' && waiting.when === 'steering';

const namedByClient = (waiting: Waiting): readonly string[] =>
  waiting.kind === 'prompt' && waiting.named === 'by-client' ? [waiting.id] : [];
