import {appendFileSync} from 'node:fs';
import type {AgentEvent} from '../actions/agent-event.ts';
import type {Engine} from '../agent/engine.ts';
import {printErrorJson} from './say.ts';

/** `--debug`: every event of the engine on stderr (or in a file) as a line of JSON with its time, without the pieces of messages. */
export function logEvents(engine: Engine, file: string | undefined): void {
  const write = (line: string): void => {
    if (file === undefined) printErrorJson(line);
    else appendFileSync(file, line, {mode: 0o600});
  };
  engine.subscribe(events => {
    for (const event of events) {
      if (!isPiece(event)) write(`${JSON.stringify({time: new Date().toISOString(), ...event})}\n`);
    }
  });
}

const isPiece = ({event}: AgentEvent): boolean => event === 'block-delta' || event === 'action-output';
