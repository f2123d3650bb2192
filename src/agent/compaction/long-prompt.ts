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
import {clip, clipStart} from '../../base/clip.ts';
import {replaceMessages} from '../conversation.ts';
import {type RequestSize, requestSize} from '../context/context-usage.ts';
import {journal, nextRequest, type SessionContext} from '../session-context.ts';
import {isOrdinaryMessage} from './draft-compaction.ts';
import {tooLongText, publishRepair} from './repair-line.ts';

/** Texts shorter than this stay in the prompt, in UTF-16 units. */
const shortLength = 8000;
/** How much the model reads of the beginning and the end of a text in a file, in UTF-16 units. */
const shownLength = 1500;

/**
 * Replaces the longest texts of a prompt, pasted or attached, by references to files that the model can read in parts. Stops when the
 * prompt has at most `most` tokens by estimate. Returns the paths of the files. `undefined` if that is impossible.
 */
async function inFiles<Block extends UserBlock>(
  blocks: readonly Block[],
  most: number,
  save: SessionContext['ports']['saveText'],
): Promise<{readonly blocks: readonly (Block | TextBlock)[]; readonly files: readonly string[]} | undefined> {
  const after: (Block | TextBlock)[] = [...blocks];
  const files: string[] = [];
  let tokens = blocks.reduce((sum, block) => sum + estimateBlockTokens(block), 0);
  const longest = [...blocks.entries()].toSorted(([, a], [, b]) => estimateBlockTokens(b) - estimateBlockTokens(a));
  for (const [at, block] of longest) {
    if (tokens <= most || block.kind !== 'text' || block.text.length < shortLength) break;
    const name = attachmentName(block);
    // A mention with lines, of a document or of a server's resource has a colon. A file without one is there already.
    const path = name === '' || name.includes(':') ? await save(block.text) : name;
    if (path === undefined) return undefined;
    files.push(path);
    const note = `[Too long for one request: ${groupDigits(block.text.length)} characters. The whole text is in ${path}: read it in parts.]`;
    after[at] =
      name === ''
        ? {kind: 'text', text: `${clip(block.text, shownLength)}\n${note}\n${clipStart(block.text, shownLength)}`}
        : attachmentBlock({name, text: note});
    tokens += estimateBlockTokens(after[at]) - estimateBlockTokens(block);
  }
  return files.length === 0 ? undefined : {blocks: after, files};
}

const fileText = (files: readonly string[]): string =>
  `the long text is in a file that the model reads in parts (${files.join(', ')}).`;

/** Puts the long texts of the latest prompt into files if they take more than half of a request. Returns whether they did. */
export async function promptInFiles(size: RequestSize, session: SessionContext): Promise<boolean> {
  const {messages} = session.conversation;
  const at = messages.findLastIndex(
    message =>
      message.role === 'user' && isOrdinaryMessage(message) && !message.blocks.some(({kind}) => kind === 'tool-result'),
  );
  const prompt = messages[at];
  const most = (size.limit / size.scale - size.fixed) / 2;
  if (prompt?.role !== 'user' || estimateMessageTokens(prompt) <= most) return false;
  const shorter = await inFiles(prompt.blocks, most, session.ports.saveText);
  if (shorter === undefined) return false;
  const after: readonly Message[] = messages.with(at, {...prompt, blocks: shorter.blocks});
  journal(session, {
    kind: 'compaction',
    id: session.ports.ids.message(),
    trigger: 'auto',
    way: 'trim',
    summary: '',
    messages: after,
    tokens: {before: size.tokens, after: Math.round((size.fixed + estimateMessagesTokens(after)) * size.scale)},
  });
  replaceMessages(session);
  publishRepair(session, size, fileText(shorter.files));
  return true;
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
  const shorter = await inFiles(blocks, most, session.ports.saveText);
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
