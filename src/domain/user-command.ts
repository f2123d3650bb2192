import {parseJson} from '../base/json.ts';
import type {TextBlock} from './conversation.ts';

/** A command that the user ran beside the conversation, and what the model is told of its end. */
export interface UserCommand {
  readonly command: string;
  readonly told: string;
}

/** How the conversation holds it: the whole text of a message of its own. */
export const userCommandBlock = ({command, told}: UserCommand): TextBlock => ({
  kind: 'text',
  text: `<command-run-by-user command=${JSON.stringify(command)}>\n${told}\n</command-run-by-user>`,
});

/** Reads it back; `undefined` for any other text. */
export function readUserCommand(text: string): UserCommand | undefined {
  const match = /^<command-run-by-user command=("(?:[^"\\]|\\.)*")>\n([^]*)\n<\/command-run-by-user>$/u.exec(text);
  const command = parseJson(match?.[1] ?? '');
  return command.tag === 'ok' && typeof command.value === 'string'
    ? {command: command.value, told: match?.[2] ?? ''}
    : undefined;
}

/** The command in a line, as it was typed. */
export const userCommandLabel = (command: string): string => `! ${command}`;
