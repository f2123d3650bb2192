import type {ComputerPort, ComputerRequest, SessionComputer} from '../actions/computer-port.ts';
import type {ClockPort} from './ports.ts';

/**
 * The user's permission for the agent to use the computer. It ends with its time, an interrupt, `/computer off` or the
 * session, and is never stored.
 */
export class ComputerUse {
  readonly #computer: ComputerPort;
  readonly #clock: ClockPort;
  #granted: (ComputerRequest & {readonly until: number}) | undefined;

  constructor({computer, clock}: {readonly computer: ComputerPort; readonly clock: ClockPort}) {
    this.#computer = computer;
    this.#clock = clock;
  }

  /** Revokes the permission. Returns whether there was one. */
  end(): 'ended' | 'nothing' {
    const was = this.#now();
    this.#granted = undefined;
    return was === undefined ? 'nothing' : 'ended';
  }

  port(): SessionComputer {
    const computer = this.#computer;
    return {
      probe: signal => computer.probe(signal),
      act: (step, signal) => computer.act(step, signal),
      screenshot: signal => computer.screenshot(signal),
      grant: asked => {
        const until = this.#clock.now() + asked.minutes * 60_000;
        this.#granted = {...asked, until};
        return until;
      },
      granted: () => this.#now(),
    };
  }

  #now(): ComputerRequest | undefined {
    return this.#granted !== undefined && this.#clock.now() < this.#granted.until ? this.#granted : undefined;
  }
}
