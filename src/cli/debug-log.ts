import type {AgentEvent} from '../actions/agent-event.ts';
import type {Engine} from '../agent/engine.ts';

/** `--debug`: every event of the engine on stderr as a line of JSON with its time, without the pieces of messages. */
export function logEvents(engine: Engine): void {
  engine.subscribe(events => {
    for (const event of events) {
      if (!isPiece(event)) process.stderr.write(`${JSON.stringify({time: new Date().toISOString(), ...event})}\n`);
    }
  });
}

const isPiece = ({event}: AgentEvent): boolean => event === 'block-delta' || event === 'action-output';
