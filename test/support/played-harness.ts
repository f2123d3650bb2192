import {expect} from 'vitest';
import {
  type HarnessDecision,
  type HarnessesPort,
  type HarnessEvent,
  type HarnessHost,
  type HarnessRun,
  noopHarnesses,
} from '../../src/actions/harness-port.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';
import {parseHarnessSessionId} from '../../src/domain/harness.ts';

/** What an agent of the harness does is what a test says. */
interface PlayedRun {
  readonly messages: string[];
  tell(event: HarnessEvent): void;
  finish(text: string): void;
  crash(): void;
  /** Wants to run a command. */
  approve(command: string): Promise<HarnessDecision>;
}

/** The start of a tool that weft does not know. */
export const look = (id: string): HarnessEvent => ({
  event: 'tool-started',
  id,
  name: 'look',
  title: '',
  input: {},
  access: {kind: 'other', title: 'look', input: {}},
});

/** Its runs begin with the agents and do nothing until they are told to. */
export function playedHarness() {
  const runs: PlayedRun[] = [];
  const waiting: (() => void)[] = [];
  const interrupted = Promise.withResolvers<void>();
  const start: HarnessesPort['start'] = async (_request, host) => {
    const run = playedRun(host, () => interrupted.resolve());
    runs.push(run);
    for (const go of waiting.splice(0)) go();
    return ok(run);
  };
  const port: HarnessesPort = {...noopHarnesses, names: () => ['played'], start};
  return {
    port,
    runs,
    interrupted: interrupted.promise,
    async count(wanted: number): Promise<void> {
      while (runs.length < wanted) await new Promise<void>(resolve => waiting.push(resolve));
    },
  };
}

function playedRun(host: HarnessHost, onInterrupt: () => void): HarnessRun & PlayedRun {
  const session = parseHarnessSessionId('played') ?? expect.fail();
  const messages: string[] = [];
  let state: 'working' | 'idle' | 'closed' = 'working';
  const tell = (event: HarnessEvent): void => host.observe(event);
  tell({event: 'started', session, model: '', version: ''});
  tell({event: 'working'});
  const end = (event: Extract<HarnessEvent, {event: 'finished'}>): void => {
    if (state !== 'working') return;
    state = 'idle';
    tell(event);
  };
  return {
    session,
    messages,
    tell,
    finish: (text: string) => end({event: 'finished', outcome: {kind: 'succeeded', text}}),
    approve: command =>
      host.approve(
        {
          id: 'c1',
          toolName: 'shell',
          access: {kind: 'command', command, directory: '/', paths: []},
          input: {command},
          reason: '',
        },
        new AbortController().signal,
      ),
    crash() {
      end({event: 'finished', outcome: {kind: 'failed', reason: 'It crashed.', text: ''}});
      if (state === 'closed') return;
      state = 'closed';
      tell({event: 'closed', reason: 'it crashed'});
    },
    async send(message: string) {
      messages.push(message);
      if (state === 'closed') return failed(rejected('It is gone.'));
      const how = state === 'working' ? 'steered' : 'begun';
      if (state === 'idle') {
        state = 'working';
        tell({event: 'working'});
      }
      return ok(how);
    },
    async interrupt() {
      end({event: 'finished', outcome: {kind: 'cancelled', text: ''}});
      onInterrupt();
    },
    async dispose() {
      end({event: 'finished', outcome: {kind: 'cancelled', text: ''}});
      if (state === 'closed') return;
      state = 'closed';
      tell({event: 'closed', reason: 'it was ended'});
    },
  };
}
