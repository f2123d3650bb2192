import {writeFile} from 'node:fs/promises';
import type {McpPort, McpResult} from '../../actions/mcp-port.ts';
import {truncationNote} from '../../actions/web-port.ts';
import {ok, type Outcome} from '../../base/outcome.ts';
import {blockTexts} from '../../domain/conversation.ts';
import type {Fault} from '../../domain/fault.ts';

/** The maximum amount of text from a page or an MCP server that the model reads at once, in UTF-16 units. */
export const maxShownLength = 30_000;

/**
 * Returns the beginning of a text, at most `most` UTF-16 units. Cuts at a line end if one is in the second half, and never inside a
 * character.
 */
export function truncateText(text: string, most = maxShownLength): string {
  if (text.length <= most) return text;
  const line = text.lastIndexOf('\n', most);
  const end = line > most / 2 ? line : most - (/[\uD800-\uDBFF]/u.test(text[most - 1] ?? '') ? 1 : 0);
  return text.slice(0, end);
}

/**
 * Saves a text in a file that the model can read. Returns `undefined` if the file can't be written: the model still reads the beginning.
 */
export async function saveText(text: string, newFile: () => string): Promise<string | undefined> {
  try {
    const file = newFile();
    await writeFile(file, text, {flag: 'wx', mode: 0o600});
    return file;
  } catch {
    return undefined;
  }
}

/** Wraps an MCP port: saves long results in files, and gives the model the beginning and the file's path. Results are already redacted. */
export function saveLongAnswers(mcp: McpPort, newFile: () => string): McpPort {
  const kept = async (answer: Promise<Outcome<McpResult, Fault>>): Promise<Outcome<McpResult, Fault>> => {
    const settled = await answer;
    return settled.tag === 'ok' ? ok(await saveLongAnswer(settled.value, newFile)) : settled;
  };
  return {
    ...mcp,
    call: (request, observer, signal) => kept(mcp.call(request, observer, signal)),
    readResource: (request, signal) => kept(mcp.readResource(request, signal)),
  };
}

async function saveLongAnswer(result: McpResult, newFile: () => string): Promise<McpResult> {
  const whole = blockTexts(result.blocks).join('\n');
  if (whole.length <= maxShownLength) return result;
  const file = await saveText(whole, newFile);
  let shown = 0;
  const blocks = result.blocks.flatMap((block): McpResult['blocks'] => {
    if (block.kind !== 'text') return [block];
    const text = truncateText(block.text, Math.max(0, maxShownLength - shown));
    shown += text.length;
    return text === '' ? [] : [{...block, text}];
  });
  return {blocks: [...blocks, {kind: 'text', text: truncationNote({shown, length: whole.length, file})}]};
}
