import {messageId} from '../domain/ids.ts';
import type {ModelEvent, ModelRequest} from '../domain/model-stream.ts';
import {noUsage} from '../domain/usage.ts';
import {AnswerBounds} from './answer-bounds.ts';
import {afterTrouble, type RetryClock} from './retry.ts';
import {Splice} from './splice.ts';
import {brokenOff, type SendOnce, type Trouble} from './trouble.ts';

/**
 * One answer, over as many tries as the policy of `retry.ts` allows. While nothing was shown, the same request is sent again. Once
 * text was shown, the model is given that text and asked to go on behind it, and the answer continues in the same message
 * (`splice.ts` has the rules).
 */
export async function* steadyStream(
  request: ModelRequest,
  {sendOnce, clock}: {readonly sendOnce: SendOnce; readonly clock: RetryClock},
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[], void, void> {
  const splice = new Splice();
  for (let attempt = 1; !signal.aborted; attempt++) {
    let trouble: Trouble | undefined;
    const bounds = new AnswerBounds();
    for await (const item of sendOnce(continued(request, splice.shownText), signal)) {
      if (item.kind === 'trouble') {
        trouble = item.trouble;
        break;
      }
      const events = splice.take(item.events);
      if (events.length > 0) yield events;
      const overrun = bounds.overrun(item.events);
      if (overrun?.kind === 'tool-input') {
        yield splice.endWithout(overrun);
        return;
      }
      if (overrun !== undefined) {
        trouble = overrun.trouble;
        break;
      }
      if (splice.finished) return;
    }
    if (signal.aborted) return;
    trouble ??= brokenOff('The model broke off its answer.');

    const broken = splice.breakOff();
    if (trouble.kind === 'passing' && splice.hasFinishedCalls) {
      yield [...broken, ...splice.endWithCalls()];
      return;
    }
    const next = afterTrouble(trouble, attempt, clock);
    if (next.step === 'give-up') {
      yield [...broken, ...splice.close(), {event: 'failed', fault: next.fault}];
      return;
    }
    const {step: _, ...retry} = next;
    const message = trouble.kind === 'passing' ? trouble.message : '';
    const status = trouble.kind === 'passing' ? trouble.status : 0;
    yield [...broken, {event: 'retrying', ...retry, status, message}];
    await clock.sleep(next.delayMs, signal);
  }
}

/** `request` as it was, or with what the model has already said and the wish to hear the rest. */
function continued(request: ModelRequest, shown: string): ModelRequest {
  // Providers refuse a message of white space only; a model that starts over then loses nothing.
  if (shown.trim() === '') return request;
  return {
    ...request,
    messages: [
      ...request.messages,
      {
        role: 'assistant',
        id: messageId('broken-off'),
        model: request.model,
        blocks: [{kind: 'text', text: shown}],
        stop: 'interrupted',
        usage: noUsage,
      },
      {role: 'user', id: messageId('go-on'), blocks: [{kind: 'text', text: goOn}]},
    ],
  };
}

const goOn =
  'The connection dropped after that text; the user has read it. Continue exactly where it stopped, in the middle of the word ' +
  'if need be. Do not repeat any of it and do not mention the interruption.';
