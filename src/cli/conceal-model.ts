import type {ModelPort} from '../agent/ports.ts';
import type {ModelEvent} from '../domain/model-stream.ts';
import {concealFault} from '../safety/secrets/conceal-fault.ts';
import type {Secrets} from '../safety/secrets/make-secrets.ts';

/** `model`, whose servers may quote the key they were given when they complain. */
export const concealModel = (model: ModelPort, secrets: Secrets): ModelPort => ({
  provider: model.provider,
  facts: name => model.facts(name),
  async *stream(request, signal) {
    for await (const batch of model.stream(request, signal)) yield batch.map(event => concealed(event, secrets));
  },
});

function concealed(event: ModelEvent, secrets: Secrets): ModelEvent {
  if (event.event === 'failed') return {...event, fault: concealFault(event.fault, secrets)};
  return event.event === 'retrying' ? {...event, message: secrets.conceal(event.message)} : event;
}
