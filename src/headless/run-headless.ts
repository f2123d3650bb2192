import type {AgentEvent, PromptSummary} from '../actions/agent-event.ts';
import {messageId, type ActionId} from '../domain/ids.ts';
import type {Engine} from '../agent/engine.ts';
import type {ImageBlock} from '../domain/conversation.ts';
import {endOf, type HeadlessEnd} from './headless-end.ts';
import type {Renderer} from './render-events.ts';
import {makeStdoutWriter, mostUnread, type TextSink} from './stdout-writer.ts';
import {StallWatch, type StallClock} from './stall-watch.ts';
import {oneLine, summaryNotes} from './summary-notes.ts';

export interface HeadlessOptions {
  readonly engine: Engine;
  readonly prompt: string;
  readonly images: readonly ImageBlock[];
  readonly renderer: Renderer;
  readonly stdout: TextSink;
  /** Tells the user one line, without an end of line, that is not part of the answer. */
  readonly note: (line: string) => void;
  readonly clock: StallClock;
  readonly uuid: (name?: string) => string;
}

/**
 * Runs one prompt without a user interface. Order of work: subscribe, submit, write as events come, and when the prompt has
 * finished and stdout has taken everything, settle. A closed stdout interrupts the prompt and is no failure. The engine stays
 * open: closing it is for whoever made it.
 */
export async function runHeadless(options: HeadlessOptions): Promise<HeadlessEnd> {
  const {engine, note, renderer} = options;
  const writer = makeStdoutWriter(options.stdout, () => engine.submit({op: 'interrupt'}));
  const stalls = new StallWatch({clock: options.clock, note});
  const finished = Promise.withResolvers<PromptSummary>();

  const unsubscribe = engine.subscribe(events => {
    writer.write(renderer.render(events));
    for (const event of events) {
      stalls.take(event);
      if (event.event === 'notice' && event.level === 'warning') note(oneLine(event.text));
      if (event.event === 'retrying' && event.delayMs >= longWaitMs) note(retryNote(event));
      if (event.event === 'approval-requested') engine.submit(refusal(event.approval.id));
      if (event.event === 'question-asked') engine.submit(dismissal(event.id));
      if (event.event === 'prompt-finished') finished.resolve(event.summary);
    }
    return writer.room(mostUnread.messages);
  });
  const {prompt: text, images} = options;
  engine.submit({op: 'prompt', id: messageId(options.uuid()), text, images, when: 'queued'});
  const summary = await finished.promise;
  unsubscribe();

  const stdout = await writer.drained();
  if (stdout.kind === 'closed') return {exitCode: 0};
  for (const line of summaryNotes(summary)) note(line);
  if (stdout.kind === 'failed') {
    note(`the answer could not be written to stdout: ${oneLine(stdout.message)}`);
    return {exitCode: 1};
  }
  return endOf(summary);
}

/** Waits can add up to minutes: whoever watches stderr is told what weft waits for, short ones left out. */
const longWaitMs = 2000;

const retryNote = ({delayMs, attempt, maxAttempts, message}: Extract<AgentEvent, {event: 'retrying'}>): string =>
  `trying again in ${Math.max(1, Math.round(delayMs / 1000))} s (${attempt} of ${maxAttempts}): ${oneLine(message)}`;

/** An engine that knows nobody can be asked does not ask; one that asks must not wait for ever. */
const refusal = (id: ActionId) =>
  ({
    op: 'answer-approval',
    id,
    answer: {
      decision: 'refuse',
      message: 'Nobody could be asked. Go on without it, or say what you would have done.',
      voice: 'program',
    },
  }) as const;

const dismissal = (id: ActionId) => ({op: 'answer-question', id, answer: {kind: 'dismissed'}}) as const;
