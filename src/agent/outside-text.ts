import {accessOf, type Action, type ActionResult, actionOf} from '../actions/catalogue.ts';
import type {JsonObject} from '../base/json.ts';
import {type Access, unsaidClaims} from '../domain/access.ts';
import {blockTexts, type ResultContent} from '../domain/conversation.ts';
import {blockId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import {decodeCall, type SessionContext} from './session-context.ts';

/** Tells the judge what the model reads of a result, so that it knows text from outside again. */
export async function learnResult(
  result: ActionResult,
  content: readonly ResultContent[],
  session: SessionContext,
): Promise<void> {
  const access = sourceAccess(actionOf(result.name, result.input), session);
  // The sub-agent's own results are known already, unless it ran before a resume.
  if (access.kind !== 'agent') await learn(access, content, session);
}

const learn = (
  access: Access,
  content: readonly ResultContent[],
  {ports}: SessionContext,
  since?: number,
): Promise<void> => ports.judge.learn(access, blockTexts(content).join('\n'), ports.machine.shell.directory, since);

/** Returns what the result of an action comes from. The output of a running command comes from that command. */
function sourceAccess(action: Action, {ports}: SessionContext): Access {
  const id = 'blockId' in action.input ? action.input.blockId : undefined;
  const block = typeof id === 'string' ? ports.machine.blocks.find(blockId(id)) : undefined;
  return block?.tag === 'ok'
    ? {kind: 'command', command: block.value.command, place: 'block', claims: unsaidClaims}
    : accessOf(action);
}

/** A tool that a harness uses itself. */
export interface HarnessTool {
  readonly name: string;
  readonly input: JsonObject;
}

/** Tells the judge what a harness's tool returned. The harness's answer may quote it. */
export function learnToolOutput({name, input}: HarnessTool, output: string, session: SessionContext): Promise<void> {
  const action = decodeCall(name, input, session);
  const access = action.tag === 'ok' ? accessOf(action.value) : foreignAccess(name, input);
  return learn(access, [{kind: 'text', text: output}], session);
}

/** Returns what a tool that weft does not have touches, by the usual names of fields. */
function foreignAccess(name: string, input: JsonObject): Access {
  const text = (field: string): string =>
    [input[field] ?? '']
      .flat()
      .filter(each => typeof each === 'string')
      .join(' ');
  const [command, url, path] = [text('command') || text('cmd'), text('url'), text('path') || text('file_path')];
  if (command !== '') return {kind: 'command', command, place: 'foreground', claims: unsaidClaims};
  if (url !== '') return {kind: 'web-page', url};
  if (path !== '') return {kind: 'read', paths: [path]};
  const server = /^mcp__(.+?)__/u.exec(name)?.[1];
  if (server !== undefined) return {kind: 'mcp-tool', server, toolName: name, standing: 'as-known', arguments: input};
  return /search|fetch|web/iu.test(name) ? {kind: 'web-query', text: text('query')} : {kind: 'none'};
}

/** The journals whose results the judge knows. */
const recalled = new WeakSet<OpenSession>();

/**
 * Tells the judge once about the results of a resumed session, also of those before a compaction. Returns a function for what the user
 * wrote in the session.
 */
export async function recallResults(session: SessionContext): Promise<() => readonly string[]> {
  await learnTools(session);
  const {journal} = session.conversation;
  const said = (): readonly string[] => promptsOf(session.owner());
  if (journal.writtenAt === undefined || recalled.has(journal)) return said;
  recalled.add(journal);
  const calls = new Map(
    journal.records.flatMap(record =>
      record.kind === 'answer'
        ? record.message.blocks.flatMap(block => (block.kind === 'tool-call' ? [[block.id, block] as const] : []))
        : [],
    ),
  );
  for (const record of journal.records) {
    const call = record.kind === 'result' ? calls.get(record.result.id) : undefined;
    const action = call === undefined ? undefined : decodeCall(call.name, call.input, session);
    if (record.kind === 'result' && action?.tag === 'ok')
      await learn(sourceAccess(action.value, session), record.result.content, session, journal.createdAt);
  }
  return said;
}

/** The lists of tools whose descriptions the judge knows. */
const learnedTools = new WeakSet<object>();

/** Tells the judge about the descriptions of MCP servers' tools, which the model reads before any call. */
async function learnTools(session: SessionContext): Promise<void> {
  const tools = session.ports.machine.mcp.tools();
  if (tools.length === 0 || learnedTools.has(tools)) return;
  learnedTools.add(tools);
  for (const {server, toolName, standing, description} of tools) {
    const access = {kind: 'mcp-tool', server, toolName, standing, arguments: {}} as const;
    await learn(access, [{kind: 'text', text: description}], session);
  }
}

/** Returns the user's prompts of a session, without what weft attached to them. A sub-agent's prompts are not the user's. */
const promptsOf = ({conversation}: SessionContext): readonly string[] =>
  conversation.journal.records.flatMap(record =>
    record.kind === 'prompt' ? blockTexts(record.message.blocks).slice(0, 1) : [],
  );
