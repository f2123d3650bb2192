import {writeFile} from 'node:fs/promises';
import type {McpPort, McpResult} from '../../actions/mcp-port.ts';
import {cutNote} from '../../actions/web-port.ts';
import {ok, type Outcome} from '../../base/outcome.ts';
import {blockTexts} from '../../domain/conversation.ts';
import type {Fault} from '../../domain/fault.ts';

/** UTF-16 units of a text from elsewhere (a page, an answer of an MCP server) that the model reads at once. */
export const shownLength = 30_000;

/** The beginning of a text, of at most `most` UTF-16 units: whole lines where they are not too long, and never half a character. */
export function beginningOf(text: string, most = shownLength): string {
  if (text.length <= most) return text;
  const line = text.lastIndexOf('\n', most);
  const end = line > most / 2 ? line : most - (/[\uD800-\uDBFF]/u.test(text[most - 1] ?? '') ? 1 : 0);
  return text.slice(0, end);
}

/** Keeps a text in a file that the model can read; `undefined` where the disk does not take it: the beginning is read all the same. */
export async function keepText(text: string, newFile: () => string): Promise<string | undefined> {
  try {
    const file = newFile();
    await writeFile(file, text, {flag: 'wx', mode: 0o600});
    return file;
  } catch {
    return undefined;
  }
}

/** The same servers, whose long answers are kept in files: the model reads their beginnings, and where the rest is. Redacted before. */
export function keepLongAnswers(mcp: McpPort, newFile: () => string): McpPort {
  const kept = async (answer: Promise<Outcome<McpResult, Fault>>): Promise<Outcome<McpResult, Fault>> => {
    const settled = await answer;
    return settled.tag === 'ok' ? ok(await keepLongAnswer(settled.value, newFile)) : settled;
  };
  return {
    ...mcp,
    call: (request, observer, signal) => kept(mcp.call(request, observer, signal)),
    readResource: (request, signal) => kept(mcp.readResource(request, signal)),
  };
}

async function keepLongAnswer(result: McpResult, newFile: () => string): Promise<McpResult> {
  const whole = blockTexts(result.blocks).join('\n');
  if (whole.length <= shownLength) return result;
  const file = await keepText(whole, newFile);
  let shown = 0;
  const blocks = result.blocks.flatMap((block): McpResult['blocks'] => {
    if (block.kind !== 'text') return [block];
    const text = beginningOf(block.text, Math.max(0, shownLength - shown));
    shown += text.length;
    return text === '' ? [] : [{...block, text}];
  });
  return {blocks: [...blocks, {kind: 'text', text: cutNote({shown, length: whole.length, file})}]};
}
