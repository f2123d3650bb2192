import type {AgentEvent} from '../actions/agent-event.ts';
import type {Engine} from '../agent/engine.ts';

/** `--debug`: every event of the engine on stderr as a line of JSON with its time, without the pieces of messages. */
export function logEvents(engine: Engine): void {
  engine.subscribe(events => {
    for (const event of events) {
      if (!isPiece(event)) process.stderr.write(`${new Date().toISOString()} ${JSON.stringify(event)}\n`);
    }
  });
}

const isPiece = ({event}: AgentEvent): boolean => event === 'block-delta' || event === 'action-output';
