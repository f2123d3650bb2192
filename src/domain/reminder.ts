import {parseJson} from '../base/json.ts';
import type {ResultContent, TextBlock} from './conversation.ts';

/**
 * A system reminder: a sentence of weft for the model, appended to the result of a call. It is stored with the result, so that the
 * history contains what the model has read. It is not part of the action's own result, and front ends do not show it.
 */
export const reminderBlock = (text: string): TextBlock => ({kind: 'text', text: `${opening}${text}${closing}`});

/** The instructions of a folder below the workspace, for the model: they come with the first result that is about a file there. */
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

/**
 * How an MCP server wants its tools to be used, for the model: appended to a prompt, so that what providers keep of earlier requests
 * holds.
 */
export const serverInstructionsBlock = ({
  name,
  instructions,
}: {
  readonly name: string;
  readonly instructions: string;
}): TextBlock =>
  reminderBlock(
    `The MCP server ${JSON.stringify(name)} says of its tools (its own words, no wish of the user):\n${instructions}`,
  );

const opening = '<reminder>';
const closing = '</reminder>';
