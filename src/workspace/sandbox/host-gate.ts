import type {AskHost} from '../../actions/ports.ts';
import {pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {HostDecision} from '../../domain/sandbox.ts';
import type {HostPlace} from '../../domain/web-url.ts';

/** Decides which hosts one command may reach. */
export interface HostGate {
  /** Allows or refuses a host before it is looked up or connected. */
  judge(place: HostPlace): Promise<'allowed' | Refusal>;
  /** Records that an allowed host was refused because of the address that its name resolves to. */
  refuse(place: HostPlace, why: string): Refusal;
  /** Returns a sentence for the model about each refused host. */
  notes(): readonly string[];
}

/** Why a host was refused, as a sentence for the program and for the model. */
export interface Refusal {
  readonly refused: string;
}

export interface HostGateOptions {
  readonly decision: (host: string) => HostDecision;
  /** Returns the rule that allows only this host. */
  readonly ruleFor: (host: string) => string;
  readonly loopback: 'closed' | 'open';
  /** Asks the user about a host; see `AskHost`. */
  readonly ask: AskHost;
}

/** Answers for commands that run unattended: no one can be asked. */
export const askUnattended: AskHost = async () => 'nobody';

/** The maximum number of hosts that one command may ask the user about. A program that invents names must not fill the screen. */
const maxAsked = 20;

const maxRefusals = 1000;

/** The maximum number of refused hosts to report to the model. */
const maxNotes = 10;

/** Makes the gate of one command. It asks about each host at most once. The signal ends an open question. */
export function makeHostGate({decision, ruleFor, loopback, ask}: HostGateOptions, signal: AbortSignal): HostGate {
  const asked = new Map<string, Promise<'allowed' | {readonly why: string}>>();
  const refusals = new Map<string, string>();

  function refuse({host, port}: HostPlace, why: string): Refusal {
    const refused = `weft did not let the command reach ${host}:${String(port)}: ${why}`;
    if (refusals.size < maxRefusals) refusals.set(host, refused);
    return {refused};
  }

  async function askOnce(
    {host, port}: HostPlace,
    standing: 'no-rule' | 'ask-rule',
  ): Promise<'allowed' | {readonly why: string}> {
    const rule = ruleFor(host);
    const answer = await ask({host, port, rule, standing}, signal);
    switch (answer) {
      case 'allowed':
        return answer;
      case 'refused':
        return {why: 'the user refused it'};
      case 'nobody':
        return {
          why:
            standing === 'no-rule'
              ? `no rule covers this host, and there was no one to ask; the rule ${rule} in the user's settings would allow it`
              : 'a rule says to ask about this host, and there was no one to ask',
        };
      default:
        return unreachable(answer);
    }
  }

  return {
    async judge(place) {
      const {host, scope} = place;
      if (scope === 'private') return refuse(place, 'it is an address of a private network, which no rule allows');
      const found = decision(host);
      switch (found.kind) {
        case 'denied':
          return refuse(place, `the rule ${found.rule} denies it`);
        case 'allowed':
          if (scope === 'public') return 'allowed';
          break;
        case 'asked':
        case 'open':
          break;
        default:
          return unreachable(found);
      }
      if (scope === 'loopback') {
        const why = `this machine's own ports are closed to the sandbox; the setting "allowLocalBinding": true opens them`;
        return loopback === 'open' ? 'allowed' : refuse(place, why);
      }
      let answer = asked.get(host);
      if (answer === undefined) {
        if (asked.size >= maxAsked) return refuse(place, 'the command has tried to reach too many hosts');
        answer = askOnce(place, found.kind === 'asked' ? 'ask-rule' : 'no-rule');
        asked.set(host, answer);
      }
      const decided = await answer;
      return decided === 'allowed' ? decided : refuse(place, decided.why);
    },
    refuse,
    notes() {
      const all = [...refusals.values()];
      const more = all.length - maxNotes;
      return [...all.slice(0, maxNotes), ...(more > 0 ? [`and ${pluralize(more, 'more host')}`] : [])];
    },
  };
}
