import {firstLine} from '../base/clip.ts';
import type {BlockId} from '../domain/ids.ts';
import type {AgentEvent} from './agent-event.ts';
import {blockStateText, isRunning} from './block-text.ts';
import {commandStandOf} from './outcome.ts';
import type {BlockInfo} from './ports.ts';

/** The agent's background commands whose end the model does not know. */
export class BackgroundCommands {
  /** `awaited` commands probably end by themselves. `left` ones are servers, or wait for input. */
  readonly #commands = new Map<BlockId, {readonly command: string; readonly life: 'awaited' | 'left'}>();

  /** True if a command runs that probably ends by itself. */
  get awaited(): boolean {
    return [...this.#commands.values()].some(({life}) => life === 'awaited');
  }

  take(event: AgentEvent): void {
    if (event.event === 'session-opened') this.clear();
    if (event.event !== 'action-settled' || event.result.tag !== 'action') return;
    const stand = commandStandOf(event.result.result);
    if (stand?.kind === 'moved') this.#commands.set(stand.block, {command: stand.command, life: 'awaited'});
    if (stand?.kind === 'seen' && !isRunning(stand.block.state)) this.forget(stand.block.id);
  }

  /** Returns the commands that have ended since the last call, each as a sentence for the model. */
  ended(all: readonly BlockInfo[]): readonly string[] {
    return [...this.#commands].flatMap(([id, {command}]) => {
      const {state, ports} = all.find(block => block.id === id) ?? {state: {kind: 'ended'} as const, ports: []};
      if (isRunning(state)) {
        this.#commands.set(id, {command, life: state.kind === 'running' && ports.length === 0 ? 'awaited' : 'left'});
        return [];
      }
      this.forget(id);
      return [`The background command of block ${id} has ended (${blockStateText(state)}): ${firstLine(command, 200)}`];
    });
  }

  /** Forgets a command that the user stops: the model need not learn of its end. */
  forget(id: BlockId): void {
    this.#commands.delete(id);
  }

  clear(): void {
    this.#commands.clear();
  }
}
