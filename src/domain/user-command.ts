import {parseJson} from '../base/json.ts';
import type {TextBlock} from './conversation.ts';

/** A command that the user ran with `!`, and its result as the model reads it. */
export interface UserCommand {
  readonly command: string;
  readonly result: string;
}

/** Returns the block that stores a user command in the conversation, in a separate message. */
export const userCommandBlock = ({command, result}: UserCommand): TextBlock => ({
  kind: 'text',
  text: `<command-run-by-user command=${JSON.stringify(command)}>\n${result}\n</command-run-by-user>`,
});

/** Reads a text that `userCommandBlock` wrote; `undefined` for any other text. */
export function parseUserCommand(text: string): UserCommand | undefined {
  const match = /^<command-run-by-user command=("(?:[^"\\]|\\.)*")>\n([^]*)\n<\/command-run-by-user>$/u.exec(text);
  const command = parseJson(match?.[1] ?? '');
  return command.tag === 'ok' && typeof command.value === 'string'
    ? {command: command.value, result: match?.[2] ?? ''}
    : undefined;
}

export const userCommandLabel = (command: string): string => `! ${command}`;
