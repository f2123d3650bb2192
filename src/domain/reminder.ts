import type {ResultContent, TextBlock} from './conversation.ts';

/**
 * A system reminder: a sentence of weft for the model, appended to the result of a call. It is stored with the result, so that the
 * history contains what the model has read. It is not part of the action's own result, and front ends do not show it.
 */
export const reminderBlock = (text: string): TextBlock => ({kind: 'text', text: `${opening}${text}${closing}`});

export const isReminder = (block: ResultContent): boolean =>
  block.kind === 'text' && block.text.startsWith(opening) && block.text.endsWith(closing);

const opening = '<reminder>';
const closing = '</reminder>';
