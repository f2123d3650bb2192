import {knownTable} from '../../support/model-info.ts';
import type {ModelEvent, ModelPort, ModelRequest} from '../../../src/domain/model-stream.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {connectOpenAi} from '../../../src/models/openai.ts';
import type {RetryClock} from '../../../src/models/retry.ts';
import {ask, eventsOf} from '../../support/model-events.ts';
import {startModelServer, type DialectName, type ModelServer, type Script} from '../../support/model-server.ts';

export const dialects = ['anthropic', 'openai', 'responses'] as const;

/** The waits asked for, none of them waited for. */
export class NoWaiting implements RetryClock {
  readonly waits: number[] = [];
  random(): number {
    return 0;
  }
  sleep(ms: number): Promise<void> {
    this.waits.push(ms);
    return Promise.resolve();
  }
}

/** A client of `dialect` that never waits, unless `clock` says otherwise. */
export function connect(
  dialect: DialectName,
  baseUrl: string,
  {clock = new NoWaiting(), fallbacks = []}: {clock?: RetryClock; fallbacks?: readonly string[]} = {},
): ModelPort {
  const options = {
    apiKey: 'key-1',
    baseUrl,
    models: knownTable,
    fallbacks,
    environment: {},
    clock,
  } as const;
  if (dialect === 'anthropic') return connectAnthropic({...options, cacheTtl: '5m', toolReferences: 'refused'});
  return connectOpenAi({...options, wireApi: dialect === 'responses' ? 'responses' : 'chat'});
}

export interface Run {
  readonly events: readonly ModelEvent[];
  readonly server: ModelServer;
  readonly waits: readonly number[];
}

/** Where thinking came from, which only chat completions need to know. */
export const sourceOf = (dialect: DialectName, server: ModelServer): object =>
  dialect === 'openai'
    ? {
        source: {
          host: new URL(server.baseUrl.openai).host,
          model: 'small-model',
          field: 'reasoning_content',
          details: [],
        },
      }
    : {};

/** What a client of `dialect` hears of the scripted server, and what the server got. */
export async function run(
  dialect: DialectName,
  script: Script,
  {request = ask('hello'), fallbacks = []}: {request?: ModelRequest; fallbacks?: readonly string[]} = {},
): Promise<Run> {
  await using server = await startModelServer(script);
  const clock = new NoWaiting();
  const stream = connect(dialect, server.baseUrl[dialect], {clock, fallbacks}).stream(
    request,
    new AbortController().signal,
  );
  return {events: await eventsOf(stream), server, waits: clock.waits};
}
