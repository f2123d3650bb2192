import {eventWarning} from '../actions/event-warning.ts';
import type {AgentEvent, PromptSummary} from '../actions/agent-event.ts';
import {messageId, type ActionId} from '../domain/ids.ts';
import type {AgentClient} from '../agent/client.ts';
import type {ImageBlock} from '../domain/conversation.ts';
import {type HeadlessEnd, oneLine} from './prompt-summary.ts';
import type {OutputRenderer} from './render-events.ts';
import {makeStdoutWriter, mostUnread, type TextSink} from './stdout-writer.ts';
import {StallWatch, type StallClock} from './stall-watch.ts';

export interface HeadlessOptions {
  readonly engine: AgentClient;
  readonly prompt: string;
  readonly images: readonly ImageBlock[];
  readonly renderer: OutputRenderer;
  readonly stdout: TextSink;
  /** Tells the user one line, without an end of line, that is not part of the answer. */
  readonly note: (line: string) => void;
  readonly clock: StallClock;
  readonly uuid: (name?: string) => string;
  readonly endOf: (summary: PromptSummary) => HeadlessEnd;
}

/**
 * Runs one prompt without a user interface. Order of work: subscribe, submit, write as events come, and when the prompt has
 * finished and stdout has taken everything, settle with the exit code. A closed stdout interrupts the prompt and is no failure. The
 * engine stays open: the caller closes it.
 */
export async function runHeadless(options: HeadlessOptions): Promise<HeadlessEnd['exitCode'] | 'stdout-closed'> {
  const {engine, note, renderer} = options;
  const writer = makeStdoutWriter(options.stdout, () => engine.submit({op: 'interrupt'}));
  const stalls = new StallWatch({clock: options.clock, note});
  const finished = Promise.withResolvers<PromptSummary>();

  const unsubscribe = engine.subscribe(events => {
    writer.write(renderer.render(events));
    for (const event of events) {
      stalls.take(event);
      const warning = eventWarning(event);
      if (warning !== undefined) note(oneLine(warning));
      if (event.event === 'prompt-suggested') note(`suggested next prompt: ${oneLine(event.prompt)}`);
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
  if (stdout.kind === 'closed') return 'stdout-closed';
  const {exitCode, notes} = options.endOf(summary);
  for (const line of notes) note(line);
  if (stdout.kind === 'failed') {
    note(`cannot write the answer to stdout: ${oneLine(stdout.message)}`);
    return 1;
  }
  return exitCode;
}

/** In milliseconds. Waits can add up to minutes, so stderr says what weft waits for; shorter waits are left out. */
const longWaitMs = 2000;

const retryNote = ({delayMs, attempt, maxAttempts, message}: Extract<AgentEvent, {event: 'retrying'}>): string =>
  `retrying in ${Math.max(1, Math.round(delayMs / 1000))} s (${attempt} of ${maxAttempts}): ${oneLine(message)}`;

/** An unattended engine does not ask. If it does all the same, it must not wait for ever. */
const refusal = (id: ActionId) =>
  ({
    op: 'answer-approval',
    id,
    answer: {
      decision: 'refuse',
      message: 'Nobody could be asked. Go on without it, or say what you would have done.',
      by: 'program',
    },
  }) as const;

const dismissal = (id: ActionId) => ({op: 'answer-question', id, answer: {kind: 'dismissed'}}) as const;
