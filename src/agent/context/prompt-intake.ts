import {estimateBlockTokens} from '../../domain/compaction.ts';
import {
  attachedTo,
  attachmentBlock,
  type MentionCandidate,
  type MentionLines,
  parseMentions,
  resourceMention,
} from '../../domain/mention.ts';
import type {AgentEvent, Denial, PromptEnd} from '../../actions/agent-event.ts';
import {modelContent, readFilesAction, readResourceAction, resultOf} from '../../actions/catalogue.ts';
import type {McpPort, McpResourceRequest} from '../../actions/mcp-port.ts';
import {answerBytes, type ReadRequest} from '../../actions/files-port.ts';
import {defaultLines, maxDocumentData, type ReadEntry} from '../../actions/read-files.ts';
import {
  blockTexts,
  type DocumentBlock,
  type ImageBlock,
  maxImageData,
  type TextBlock,
  type UserMessage,
} from '../../domain/conversation.ts';
import {documentPrefix, documentText, findDocument} from '../../domain/document.ts';
import {causeText, faultText} from '../../domain/fault.ts';
import {reasonsText} from '../../domain/reason.ts';
import {reminderBlock} from '../../domain/reminder.ts';
import {visibleLine} from '../../base/visible.ts';
import {unreachable} from '../../base/unreachable.ts';
import {judgeOwnAction} from '../approval.ts';
import {environmentNote, initialRepositoryState} from './environment.ts';
import {applyCommand, readPrompt, runCommandLines} from './prompt-command.ts';
import {journal, type PromptContext, type SessionContext, warn} from '../session-context.ts';
import type {WaitingPrompt} from '../work-queue.ts';

/** How a run begins. `ended`: nothing of the prompt is kept, and the model is not asked. */
export type BeginResult =
  | {readonly kind: 'begun'; readonly denials: readonly Denial[]}
  | {readonly kind: 'ended'; readonly end: PromptEnd; readonly denials: readonly Denial[]};

/** Begins a run with a prompt, unless a hook blocks it or it is a command that can't be sent. */
export async function beginPrompt(
  prompt: WaitingPrompt,
  context: PromptContext,
  signal: AbortSignal,
): Promise<BeginResult> {
  // Wait here, because `system/init` reports the state of the servers. The first request checks them again.
  const {interaction, ports} = context.session;
  if (interaction === 'unattended') await ports.machine.mcp.ready(signal);
  const [beforehand, repository] = await Promise.all([
    readFitting(prompt, context, signal),
    initialRepositoryState(context.session, signal),
  ]);
  // A prompt that was stopped before it was sent may be sent again, so it must not be in the conversation twice.
  const read = signal.aborted && beforehand.kind === 'ready' ? stopPrompt({kind: 'interrupted'}) : beforehand;
  if (read.kind === 'ready') {
    accept(prompt, read.content, {...context, note: environmentNote(context.session, {at: 'prompt', repository})});
    return {kind: 'begun', denials: read.denials};
  }
  context.session.publish([acceptedEvent(prompt, [])]);
  return {kind: 'ended', end: read.end, denials: read.denials};
}

/** Takes the prompts that are to join the running one. A prompt that is blocked is withdrawn with a warning. */
export async function acceptSteering(context: PromptContext, signal: AbortSignal): Promise<void> {
  const {session, queue, checkpoints} = context;
  for (let prompt = queue.steering; prompt !== undefined && !signal.aborted; prompt = queue.steering) {
    const read = await readFitting(prompt, context, signal);
    // Until now the prompt could still be withdrawn, and an interrupt has dropped it.
    if (signal.aborted) return;
    if (!queue.prompts.includes(prompt)) continue;
    if (read.kind === 'ready') {
      checkpoints.joinPrompt(prompt.id);
      accept(prompt, read.content, {...context, note: []});
    } else {
      queue.take(prompt.id);
      session.publish([{event: 'prompt-withdrawn', id: prompt.id}]);
      warn(session, withdrawnText(read.end));
    }
  }
}

function withdrawnText(end: PromptEnd): string {
  if (end.kind === 'not-sent') return `Not sent: ${faultText(end.fault)}`;
  const reason = end.kind === 'stopped-by-hook' ? end.reason : '';
  return reason === '' ? 'A hook stopped a prompt.' : `A hook stopped a prompt: ${reason}`;
}

type ReadPrompt =
  | {readonly kind: 'ready'; readonly content: PromptContent; readonly denials: readonly Denial[]}
  | {readonly kind: 'stopped'; readonly end: PromptEnd; readonly denials: readonly Denial[]};

/** Prepares a prompt, and makes sure that it fits in the model's window. */
async function readFitting(prompt: WaitingPrompt, context: PromptContext, signal: AbortSignal): Promise<ReadPrompt> {
  const read = await readBeforeSending(prompt, context, signal);
  const {session} = context;
  if (read.kind !== 'ready' || !mayNotFit(read.content.blocks, session)) return read;
  const {fitPrompt} = await import('../compaction/long-prompt.ts');
  const fitting = await fitPrompt({id: prompt.id, blocks: read.content.blocks}, session, signal);
  if (fitting.tag === 'failed')
    return stopPrompt({kind: 'not-sent', why: 'failed', fault: fitting.error}, read.denials);
  return {...read, content: {...read.content, blocks: fitting.value}};
}

/** The share of the window from which weft checks exactly whether a prompt fits. */
const closeShare = 0.5;

function mayNotFit(blocks: readonly PromptBlock[], {ports, promptModel, model}: SessionContext): boolean {
  const {contextWindow} = ports.model.facts(promptModel ?? model);
  const tokens = blocks.reduce((sum, block) => sum + estimateBlockTokens(block), 0);
  return contextWindow > 0 && tokens > contextWindow * closeShare;
}

/** Prepares a prompt: reads it as a command, asks hooks, runs its command lines and attaches files. */
async function readBeforeSending(
  prompt: WaitingPrompt,
  context: PromptContext,
  signal: AbortSignal,
): Promise<ReadPrompt> {
  const {session, hooks} = context;
  const words: readonly PromptBlock[] = [...prompt.images, {kind: 'text', text: prompt.text}];
  if (prompt.by === 'weft') return {kind: 'ready', content: {hookContext: '', blocks: words}, denials: []};
  const reading = await readPrompt(prompt.text, session, signal);
  if (reading.kind === 'not-sent') return stopPrompt(reading.end);
  const {verdict, context: hookContext} = await hooks.beforePrompt(prompt, signal);
  if (verdict.kind === 'block') return stopPrompt({kind: 'stopped-by-hook', reason: verdict.reason});
  if (reading.kind === 'text') {
    return {
      kind: 'ready',
      content: {hookContext, blocks: [...words, ...(await attachMentions(prompt.text, 'prompt', session, signal))]},
      denials: [],
    };
  }
  await applyCommand(reading.expanded, session);
  const result = await runCommandLines({id: prompt.id, ...reading}, context, signal);
  switch (result.kind) {
    case 'content': {
      const {blocks, mentionsIn} = result.content;
      const files = await attachMentions(mentionsIn, 'command', session, signal);
      return {
        kind: 'ready',
        content: {hookContext, blocks: [...words, ...blocks, ...files]},
        denials: result.denials,
      };
    }
    case 'not-sent':
      return stopPrompt(result.end, result.denials);
    case 'aborted':
      return stopPrompt({kind: 'interrupted'});
    default:
      return unreachable(result);
  }
}

const stopPrompt = (end: PromptEnd, denials: readonly Denial[] = []): ReadPrompt => ({kind: 'stopped', end, denials});

type PromptBlock = TextBlock | ImageBlock | DocumentBlock;

interface PromptContent {
  readonly hookContext: string;
  /** The user's images, PDFs and text, and the attached content. */
  readonly blocks: readonly PromptBlock[];
}

/** Writes the prompt to the journal before it joins the conversation and is published. */
function accept(
  prompt: WaitingPrompt,
  {hookContext, blocks}: PromptContent,
  {session, queue, note}: PromptContext & {readonly note: readonly TextBlock[]},
): void {
  const {id} = prompt;
  const message: UserMessage = {
    role: 'user',
    id,
    blocks: [...blocks, ...session.addedContext, ...(hookContext === '' ? [] : [reminderBlock(hookContext)]), ...note],
  };
  journal(session, {kind: 'prompt', message});
  session.addedContext.length = 0;
  queue.take(id);
  session.conversation.messages.push(message);
  session.publish([acceptedEvent(prompt, attachedTo(message))]);
  const model = session.promptModel ?? session.model;
  const {images, pdfs} = session.ports.model.facts(model);
  const has = (media: 'image' | 'document'): boolean => message.blocks.some(({kind}) => kind === media);
  if (pdfs === 'named' && has('document'))
    warn(
      session,
      `The PDF was not sent: the server of ${model} takes none. The model can get its text with a command.`,
    );
  if (images === 'unseen' && has('image'))
    warn(session, `${model} can't see images. It only learns that you attached one.`);
}

const acceptedEvent = ({id, text}: WaitingPrompt, attached: readonly string[]): AgentEvent => ({
  event: 'prompt-accepted',
  id,
  text,
  attached,
});

/** The maximum number of mentions of one prompt that are attached. */
const maxAttached = 50;
/** The maximum number of mentions of one prompt that are looked up. A pasted text may be full of words that look like mentions. */
const maxLookups = 200;

/**
 * Returns the content of the files and folders that a prompt mentions, as Read would, limited to ranges of lines if
 * given. The judge decides as for Read: what it would ask about or deny is not attached, and the user gets a warning. A
 * word that names no file is ignored. Never throws. Attaches nothing after an abort.
 */
async function attachMentions(
  prompt: string,
  source: MentionSource,
  session: SessionContext,
  signal: AbortSignal,
): Promise<readonly PromptBlock[]> {
  const blocks: PromptBlock[] = [];
  const seen = new Set<string>();
  let attached = 0;
  const room = {text: answerBytes, image: maxImageData, document: maxDocumentData};
  for (const {candidates: readings} of parseMentions(prompt)) {
    const key = JSON.stringify(readings);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > maxLookups) break;
    const found = await attach(readings, source, session, signal);
    if (signal.aborted) return [];
    if (found.length === 0) continue;
    attached += 1;
    const size = sizeOf(found);
    if (attached > maxAttached || mediaKinds.some(kind => size[kind] > room[kind])) {
      warn(session, `${nameOf(readings[0])} not attached: the prompt is full.`);
      continue;
    }
    for (const kind of mediaKinds) room[kind] -= size[kind];
    blocks.push(...found);
  }
  return blocks;
}

/** The source of the text with the mention: the user's prompt, or the file of a command. */
type MentionSource = 'prompt' | 'command';

async function attach(
  readings: readonly MentionCandidate[],
  source: MentionSource,
  session: SessionContext,
  signal: AbortSignal,
): Promise<readonly PromptBlock[]> {
  const {files} = session.ports.machine;
  for (const reading of readings) {
    const document = documentBlock(reading, session);
    if (document !== undefined) return [document];
    const request = requestOf(reading);
    const action = readFilesAction([request]);
    try {
      const {verdict, terms} = await judgeOwnAction(action, session, signal);
      if (signal.aborted) return [];
      if (verdict.decision === 'allow') {
        const read = await files.limitedTo(terms.paths).read(request, signal);
        if (signal.aborted) return [];
        if (read.tag === 'ok') return blocksOf(reading, {state: 'read', file: read.value});
        const problem = faultText(read.error);
        if (notFoundPattern.test(problem)) continue;
        warn(session, `${nameOf(reading)} not attached: ${problem}`);
        return [attachmentBlock({name: nameOf(reading), text: problem})];
      }
      const exists = (await files.read({...request, offset: 1, limit: 1}, signal)).tag === 'ok';
      if (!exists) continue;
      const why = verdict.reasons.length === 0 ? 'Reading it is not allowed' : reasonsText(verdict.reasons);
      warn(session, `${nameOf(reading)} not attached: ${why.replace(/\.$/u, '')}.`);
      return [];
    } catch (cause) {
      warn(session, `${nameOf(reading)} not attached: ${causeText(cause)} (a bug in weft).`);
      return [];
    }
  }
  const paths = readings.filter(({lines}) => lines === 'all').map(({path}) => path);
  return attachResource(paths, source, session, signal);
}

/**
 * Reads a mentioned resource from its MCP server. Typing a mention counts as approval: only further reasons, such as an
 * ask rule, keep it from being attached. A mention by a command or a sub-agent is attached only if it needs no
 * question.
 */
async function attachResource(
  paths: readonly string[],
  source: MentionSource,
  session: SessionContext,
  signal: AbortSignal,
): Promise<readonly PromptBlock[]> {
  const {machine} = session.ports;
  const request = resourceOf(paths, machine.mcp);
  if (request === undefined || signal.aborted) return [];
  const name = resourceMention(request);
  const refuse = (why: string): readonly TextBlock[] => {
    warn(session, `${visibleLine(name)} not attached: ${why.replace(/\.$/u, '')}.`);
    return [];
  };
  if (machine.mcp.servers().every(server => server.name !== request.server))
    return refuse(`no MCP server is named ${visibleLine(request.server)}`);
  try {
    const action = readResourceAction(request);
    const {verdict} = await judgeOwnAction(action, session, signal);
    const isTyped = source === 'prompt' && session.asker === 'main';
    const isAgreed = isTyped && verdict.reasons.every(({kind}) => kind === 'mcp-resource' || kind === 'mode');
    if (verdict.decision !== 'allow' && !isAgreed) return refuse(reasonsText(verdict.reasons));
    const read = await machine.mcp.readResource(request, signal);
    if (signal.aborted) return [];
    if (read.tag === 'failed') {
      refuse(faultText(read.error));
      return [attachmentBlock({name, text: faultText(read.error)})];
    }
    const {blocks} = read.value;
    // A server's text is data. It must not fake the end of the attachment.
    const text = blockTexts(blocks).join('\n').replaceAll('</attached', '<\\/attached');
    return [attachmentBlock({name, text}), ...blocks.filter(block => block.kind === 'image')];
  } catch (cause) {
    return refuse(`${causeText(cause)} (a bug in weft)`);
  }
}

/**
 * Interprets a mention that is not a file as a resource of an MCP server. The paths are its readings, the last one
 * without the punctuation of the sentence. If no server has that name, only text that looks like an address counts as a
 * resource.
 */
function resourceOf(paths: readonly string[], mcp: McpPort): McpResourceRequest | undefined {
  const servers = mcp.servers();
  const known = servers.map(({name}) => name).filter(name => paths.some(path => path.startsWith(`${name}:`)));
  const server = known.toSorted((a, b) => b.length - a.length)[0];
  if (server === undefined) {
    const [, name, uri] = /^([\w.-]+):([a-z][\w+.-]*:\/\/.*)$/iu.exec(paths.at(-1) ?? '') ?? [];
    return servers.length === 0 || name === undefined || uri === undefined ? undefined : {server: name, uri};
  }
  const uris = paths.flatMap(path => (path.startsWith(`${server}:`) ? [path.slice(server.length + 1)] : []));
  const listed = mcp.listedResources().find(resource => resource.server === server && uris.includes(resource.uri));
  const uri = listed?.uri ?? uris.findLast(each => /^[a-z][\w+.-]*:./iu.test(each));
  return uri === undefined ? undefined : {server, uri};
}

/** Returns the document that is mentioned as `doc:` and its id or title, or `undefined` for any other mention. */
function documentBlock({path, lines}: MentionCandidate, {conversation}: SessionContext): TextBlock | undefined {
  if (!path.startsWith(documentPrefix)) return undefined;
  const document = findDocument(path.slice(documentPrefix.length), conversation.documents.list());
  if (document === undefined) return undefined;
  const all = documentText(document).split('\n');
  const shown = lines === 'all' ? all : all.slice(lines.first - 1, lines.last === 'end' ? all.length : lines.last);
  return attachmentBlock({name: `${documentPrefix}${document.id}`, text: shown.join('\n')});
}

/** Matches the fault of a read if nothing is at the path. A file that exists but can't be read has another fault. */
const notFoundPattern =
  /there is no such file|a part of its path is a file|too long|could not be read: (?!permission|operation)|A path cannot/u;

function requestOf({path, lines}: MentionCandidate): ReadRequest {
  if (lines === 'all') return {path, offset: 1, limit: defaultLines};
  const {first, last} = lines;
  return {path, offset: first, limit: last === 'end' ? defaultLines : last - first + 1};
}

function blocksOf(reading: MentionCandidate, entry: ReadEntry): readonly PromptBlock[] {
  const content = modelContent(resultOf(readFilesAction([]), {state: 'success', output: {files: [entry]}}));
  const texts = content.filter(block => block.kind === 'text').map(({text}) => text);
  const name = nameOf(reading);
  const document = content.find(block => block.kind === 'document');
  if (document !== undefined) return [{...document, name}];
  return [attachmentBlock({name, text: texts.join('\n')}), ...content.filter(block => block.kind === 'image')];
}

const nameOf = (reading: MentionCandidate | undefined): string =>
  reading === undefined ? '' : `${reading.path}${linesText(reading.lines)}`;

function linesText(lines: MentionLines): string {
  if (lines === 'all') return '';
  const {first, last} = lines;
  return last === first ? `:${first}` : `:${first}-${last === 'end' ? '' : last}`;
}

const mediaKinds = ['text', 'image', 'document'] as const;

function sizeOf(blocks: readonly PromptBlock[]): Readonly<Record<(typeof mediaKinds)[number], number>> {
  const size = {text: 0, image: 0, document: 0};
  for (const block of blocks)
    size[block.kind] += block.kind === 'text' ? new TextEncoder().encode(block.text).length : block.data.length;
  return size;
}
