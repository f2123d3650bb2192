import type {PromptEnd} from '../actions/agent-event.ts';
import {firstLine} from '../base/clip.ts';
import {needsUser} from '../domain/fault.ts';
import type {SessionContext} from './session-context.ts';

/** The texts with which weft asks the model again after a cut answer. */
export const cutNotes = {
  text: {
    user: 'The answer was cut at the output limit. Asked the model to go on.',
    model:
      'Your answer was cut at the output limit. Go on exactly where it stopped, in smaller parts. Do not repeat any of it and do not ' +
      'mention the cut.',
  },
  thinking: {
    user: 'Thinking filled the whole answer. Asked again with less thinking.',
    model: 'Your thinking reached the output limit before you answered. Think briefly, then answer or call a tool.',
  },
} as const;

/** Returns the end of a prompt that failed. */
export const failedEnd = (message: string, fix: string): PromptEnd => ({
  kind: 'failed',
  fault: needsUser(message, fix),
});

const useCallingModel = 'Use a model that supports tool calls, or turn on tool calls at the server.';
const callProperly = ({tools}: SessionContext): string =>
  `Nothing was run. Call a tool in your API's own form, or answer without one. Your tools: ${tools.names().join(', ')}.`;

/** The texts with which weft asks again for what an answer lacks. `end`: the end of the prompt if the answer lacks it again. */
export const lostNotes = {
  unread: {
    repair: 'unread-call',
    user: 'The model wrote a tool call as text that could not be read. Asked it to call the tool properly.',
    model: (unread: string, session: SessionContext): string =>
      `You wrote a tool call as text, and it could not be read: ${JSON.stringify(firstLine(unread, 300))}. ${callProperly(session)}`,
    end: failedEnd('The model wrote a tool call as text again, and weft could not read it.', useCallingModel),
  },
  missing: {
    repair: 'missing-call',
    user: 'The answer announced a tool call, but had none. Asked the model to call the tool.',
    model: (_unread: string, session: SessionContext): string =>
      `Your answer ended to call a tool, but it had no call. ${callProperly(session)}`,
    end: failedEnd('The answer announced a tool call again, but had none.', useCallingModel),
  },
  empty: {
    repair: 'empty-answer',
    user: 'The answer was empty. Asked the model again.',
    model: (): string => 'Your answer had no text and no tool call. Write your answer now, or call a tool.',
    // An answer that is empty again ends the prompt as it is.
    end: undefined,
  },
} as const;

/** The ends of a prompt whose answers are cut again and again. */
export const cutEnd = {
  answer: (): PromptEnd =>
    failedEnd(
      "The answer was cut at the model's output limit again.",
      'Ask for less at a time, or use a model with a larger output limit.',
    ),
  call: (times: number): PromptEnd =>
    failedEnd(
      `The model's tool call was cut ${times} times in a row, so it was never run.`,
      'Ask for smaller steps, or use a model with a larger output limit.',
    ),
} as const;
