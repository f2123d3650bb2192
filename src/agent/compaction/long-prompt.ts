import {plainQuestion} from '../../actions/ports.ts';
import {
  estimateBlockTokens,
  estimateMessageTokens,
  estimateMessagesTokens,
  groupDigits,
} from '../../domain/compaction.ts';
import type {Message, TextBlock, UserBlock} from '../../domain/conversation.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {actionId, type MessageId} from '../../domain/ids.ts';
import {attachmentBlock, attachmentName} from '../../domain/mention.ts';
import {latestPrompt} from '../../domain/history.ts';
import {pinnableMessages} from '../../domain/pin.ts';
import {clip, clipStart} from '../../base/clip.ts';
import {replaceMessages} from '../conversation.ts';
import {type RequestSize, requestSize} from '../context/context-usage.ts';
import {journal, nextRequest, type SessionContext} from '../session-context.ts';
import {isOrdinaryMessage} from './draft-compaction.ts';
import {tooLongText, publishRepair} from './repair-line.ts';

/** How much the model reads of the beginning and the end of a text in a file, in UTF-16 units: less if the window is small. */
const shownLength = (room: number): number => Math.round(Math.min(1500, Math.max(100, room / 4)));
/** A text is worth a file if it is so many times longer. */
const leastTimes = 5;

/**
 * Replaces the longest texts of a prompt, pasted or attached, by references to files that the model can read in parts. Stops when the
 * prompt has at most `most` tokens by estimate. `room` is the number of tokens that all messages may have. Returns the paths of the
 * files. `undefined` if that is impossible.
 */
async function inFiles<Block extends UserBlock>(
  blocks: readonly Block[],
  {most, room}: {readonly most: number; readonly room: number},
  save: SessionContext['ports']['saveText'],
): Promise<{readonly blocks: readonly (Block | TextBlock)[]; readonly files: readonly string[]} | undefined> {
  const after: (Block | TextBlock)[] = [...blocks];
  const files: string[] = [];
  let tokens = blocks.reduce((sum, block) => sum + estimateBlockTokens(block), 0);
  const shown = shownLength(room);
  const longest = [...blocks.entries()].toSorted(([, a], [, b]) => estimateBlockTokens(b) - estimateBlockTokens(a));
  for (const [at, block] of longest) {
    if (tokens <= most || block.kind !== 'text' || block.text.length < shown * leastTimes) break;
    const name = attachmentName(block);
    // A mention with lines, of a document or of a server's resource has a colon. A file without one is there already.
    const path = name === '' || name.includes(':') ? await save(block.text) : name;
    if (path === undefined) return undefined;
    files.push(path);
    const note = `[Too long for one request: ${groupDigits(block.text.length)} characters. The whole text is in ${path}: read it in parts.]`;
    after[at] =
      name === ''
        ? {kind: 'text', text: `${clip(block.text, shown)}\n${note}\n${clipStart(block.text, shown)}`}
        : attachmentBlock({name, text: note});
    tokens += estimateBlockTokens(after[at]) - estimateBlockTokens(block);
  }
  return files.length === 0 ? undefined : {blocks: after, files};
}

const fileText = (files: readonly string[]): string =>
  `the long ${files.length === 1 ? 'text is in a file' : 'texts are in files'} that the model reads in parts (${files.join(', ')}).`;

/**
 * Puts long texts of prompts into files until the request is short enough. The latest prompt comes first, if it takes more than half of a
 * request. Earlier prompts follow, the oldest first, unless they are pinned. Returns the tokens of the request afterwards; `undefined` if
 * nothing was changed.
 */
export async function promptsInFiles(size: RequestSize, session: SessionContext): Promise<number | undefined> {
  const {messages, journal: kept} = session.conversation;
  const room = size.limit / size.scale - size.fixed;
  const latest = latestPrompt(kept.records);
  const pinned = new Set(pinnableMessages(kept.records).flatMap(({id, state}) => (state === 'pinned' ? [id] : [])));
  const prompts = messages.filter(message => isOrdinaryMessage(message) && !pinned.has(message.id));
  const after: Message[] = [...messages];
  let total = estimateMessagesTokens(messages);
  const files: string[] = [];
  for (const prompt of [...prompts.filter(({id}) => id === latest), ...prompts.filter(({id}) => id !== latest)]) {
    const tokens = estimateMessageTokens(prompt);
    const most = prompt.id === latest ? room / 2 : room - total + tokens;
    if (prompt.role !== 'user' || tokens <= most) continue;
    const shorter = await inFiles(prompt.blocks, {most, room}, session.ports.saveText);
    if (shorter === undefined) continue;
    const filed = {...prompt, blocks: shorter.blocks};
    after[messages.indexOf(prompt)] = filed;
    total += estimateMessageTokens(filed) - tokens;
    files.push(...shorter.files);
  }
  if (files.length === 0) return undefined;
  const tokens = Math.round((size.fixed + total) * size.scale);
  journal(session, {
    kind: 'compaction',
    id: session.ports.ids.message(),
    trigger: 'auto',
    way: 'trim',
    summary: '',
    messages: after,
    tokens: {before: size.tokens, after: tokens},
  });
  replaceMessages(session);
  publishRepair(session, size, fileText(files));
  return tokens;
}

/**
 * Puts the texts of a new prompt into files if the prompt alone can't fit in the model's window. In the terminal UI,
 * weft asks the user first. Nothing has been sent yet.
 */
export async function fitPrompt<Block extends UserBlock>(
  prompt: {readonly id: MessageId; readonly blocks: readonly Block[]},
  session: SessionContext,
  signal: AbortSignal,
): Promise<Outcome<readonly (Block | TextBlock)[], Fault>> {
  const {blocks} = prompt;
  const request = nextRequest(session);
  const alone = {...request, messages: [{role: 'user', id: prompt.id, blocks} as const]};
  const size = requestSize(alone, session, {tokens: 0, window: 0});
  const tokens = Math.round(size.fixed + estimateMessagesTokens(alone.messages));
  if (size.window === 0 || tokens <= size.window || session.compaction === 'off') return ok(blocks);
  const most = size.window / 2 - size.fixed;
  const measured = {...size, shown: {...size.shown, tokens}};
  if (session.compaction === 'ask' && session.frontEnd.has('offers-compactions')) {
    const reply = await session.pending.ask(
      {
        id: actionId(`long-prompt:${prompt.id}`),
        asker: session.asker,
        questions: [question(measured, session)],
        files: [],
      },
      signal,
    );
    if (reply.kind !== 'answered' || reply.answers[0]?.selected[0] !== asFile)
      return failed(rejected(`${tooLongText(measured, session)}. Press Up to edit the prompt.`));
  }
  const room = size.window - size.fixed;
  const shorter = await inFiles(blocks, {most, room}, session.ports.saveText);
  if (shorter === undefined) return ok(blocks);
  publishRepair(session, measured, fileText(shorter.files));
  return ok(shorter.blocks);
}

const asFile = 'Send as a file';

const question = (size: RequestSize, session: SessionContext) =>
  plainQuestion('Long prompt', `${tooLongText(size, session)}.`, [
    [asFile, 'weft saves the text. The model reads it in parts.'],
    ["Don't send", 'Press Up to edit the prompt.'],
  ]);
