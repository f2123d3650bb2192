import type {ResultContent, TextBlock} from './conversation.ts';

/**
 * A sentence of the host for the model, put behind the result of a call. It is kept with the result, so that history says what
 * the model was told, and it is not part of what the call came to: front ends leave it out.
 */
export const reminderBlock = (text: string): TextBlock => ({kind: 'text', text: `${opening}${text}${closing}`});

export const isReminder = (block: ResultContent): boolean =>
  block.kind === 'text' && block.text.startsWith(opening) && block.text.endsWith(closing);

const opening = '<reminder>';
const closing = '</reminder>';
