import type {PromptSummary} from '../actions/agent-event.ts';
import {eventWarning} from '../actions/event-warning.ts';
import type {AgentClient} from '../agent/client.ts';
import {messageId} from '../domain/ids.ts';
import {oneLine} from './prompt-summary.ts';
import type {HeadlessOptions} from './run-headless.ts';

/** Sends one prompt and waits for its end. Prints the session's warnings with `note`, one line each. */
export async function askOnce(
  engine: AgentClient,
  text: string,
  {note, uuid}: Pick<HeadlessOptions, 'note' | 'uuid'>,
): Promise<PromptSummary> {
  const finished = Promise.withResolvers<PromptSummary>();
  const unsubscribe = engine.subscribe(events => {
    for (const event of events) {
      const warning = eventWarning(event);
      if (warning !== undefined) note(oneLine(warning));
      if (event.event === 'prompt-finished') finished.resolve(event.summary);
    }
  });
  engine.submit({op: 'prompt', id: messageId(uuid()), text, images: [], when: 'queued'});
  const summary = await finished.promise;
  unsubscribe();
  return summary;
}
