import {parseJson} from '../base/json.ts';
import type {ResultContent, TextBlock, UserBlock, UserMessage} from './conversation.ts';
import {type Effort, efforts} from './model-stream.ts';
import {isEndPrompt} from './sub-agent.ts';

/**
 * Returns the block of a system reminder: weft's own sentence for the model, appended to the result of a call. It is
 * stored with the result, so that the history contains what the model has read. It is not part of the action's own
 * result, and front ends do not show it.
 */
export const reminderBlock = (text: string): TextBlock => ({kind: 'text', text: `${opening}${text}${closing}`});

/** Returns the text with a subfolder's instructions for the model. It comes with the first result about a file in the folder. */
export const folderInstructions = (path: string, text: string): string =>
  `Instructions of ${JSON.stringify(path)}, for the files in its folder and below:\n\n${text}`;

/** Returns the path of the instructions file that a result block holds, or `undefined` if it holds none. */
export function instructionsFileIn(block: ResultContent): string | undefined {
  if (!isReminder(block) || block.kind !== 'text') return undefined;
  const path = /^Instructions of (?<path>"(?:[^"\\]|\\.)*"), for the files/u.exec(
    block.text.slice(opening.length),
  )?.groups;
  const read = path === undefined ? undefined : parseJson(path['path'] ?? '');
  return read?.tag === 'ok' && typeof read.value === 'string' ? read.value : undefined;
}

export const isReminder = (block: ResultContent): boolean =>
  block.kind === 'text' && block.text.startsWith(opening) && block.text.endsWith(closing);

/** True for the text of a message that weft itself sent as the user. */
export const isTextOfWeft = (text: string): boolean => isEndPrompt(text) || isReminder({kind: 'text', text});

/** Follows a doubt about an answer if the agent is asked to check what it said. */
export const askedToCheck = 'Asked the agent to check.';

/** Returns the doubts about an answer that a reminder holds, each a sentence. */
export const doubtsIn = (reminder: string): readonly string[] =>
  reminder.replace(opening, '').match(/^The answer says "(?:[^"\\]|\\.)*", but .+\.$/gmu) ?? [];

/** Returns the blocks of a user's message without the reminders that weft adds for the model. */
export const withoutReminders = ({blocks}: UserMessage): readonly UserBlock[] =>
  blocks.filter(block => block.kind === 'tool-result' || !isReminder(block));

/**
 * Returns the block with an MCP server's instructions for its tools. It is appended to a prompt, so that the provider's
 * cache of earlier requests stays valid.
 */
export const serverInstructionsBlock = ({
  name,
  instructions,
}: {
  readonly name: string;
  readonly instructions: string;
}): TextBlock =>
  reminderBlock(
    `The MCP server ${JSON.stringify(name)} describes its tools (its own words, not a request from the user):\n${instructions}`,
  );

interface EffortChange {
  readonly from: Effort | 'default';
  readonly to: Effort | 'default';
}

/** Returns the block that keeps a change of the effort in the conversation, for providers that take it as a message. */
export const effortChangeBlock = ({from, to}: EffortChange): TextBlock =>
  reminderBlock(`The effort is now ${to}. Before, it was ${from}.`);

export function effortChangeIn(block: UserBlock): EffortChange | undefined {
  if (block.kind !== 'text' || !isReminder(block)) return undefined;
  const [, to, from] =
    /^The effort is now (\w+)\. Before, it was (\w+)\.<\/reminder>$/u.exec(block.text.slice(opening.length)) ?? [];
  const change = {from: level(from), to: level(to)};
  return change.from === undefined || change.to === undefined ? undefined : {from: change.from, to: change.to};
}

const levels = ['default', ...efforts] as const;
const level = (text: string | undefined) => levels.find(name => name === text);

const opening = '<reminder>';
const closing = '</reminder>';
