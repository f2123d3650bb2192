import type {TextBlock} from './conversation.ts';

/**
 * What the host puts behind the words of a prompt: the content of a file that they mention. It is kept with the prompt, so that
 * history says what the model was told.
 */
export const attachmentBlock = ({name, text}: {readonly name: string; readonly text: string}): TextBlock => ({
  kind: 'text',
  text: `<attached name=${JSON.stringify(name)}>\n${text}\n</attached>`,
});
