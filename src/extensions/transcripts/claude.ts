import {isJsonList, isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf} from '../../base/json.ts';
import {isCompactionMessage} from '../../domain/compaction.ts';
import {
  type AssistantBlock,
  blockTexts,
  type Message,
  type ResultContent,
  type UserBlock,
} from '../../domain/conversation.ts';
import {actionId} from '../../domain/ids.ts';
import {wirePart} from '../../protocol/rpc/wire-content.ts';
import {messageSegments} from './message-segments.ts';
import {type ForeignSession, imageOf, SessionBuilder, type WrittenSession} from './session-builder.ts';

/**
 * Records of Claude Code that are not part of the conversation: its context, its interface and its statistics. Seen in
 * the files of versions 1.0 to 2.1, and in `source-docs/JSONL_LOGGING.md` of `jeremedia/claude-code-log-format`.
 */
const silentTypes: ReadonlySet<string> = new Set([
  'agent-name',
  'ai-title',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attachment',
  'cost-state',
  'custom-title',
  'file-history-delta',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'summary',
  'system',
  'tag',
  'tools-used',
]);

/**
 * Reads a file of `~/.claude/projects`. Each line names its parent, and edited prompts leave branches: the conversation is
 * the path to the last line. Answers have a line for each block, and results of parallel calls are not on the path.
 * weft leaves out thinking, because its signatures belong to the other agent's requests.
 */
export function readClaudeSession(text: string, uuid: () => string): ForeignSession {
  const builder = new SessionBuilder(uuid);
  const lines = builder.parseLines(text);
  const path = pathToEnd(lines);
  const answered = new Set(lines.filter(line => path.has(line)).map(answerId));
  let session = {id: '', directory: '', model: ''};
  let title = '';
  for (const line of lines) {
    const {type} = line;
    title = textOf(line['customTitle']) || title || textOf(line['aiTitle']) || textOf(line['summary']);
    session = {
      id: session.id || textOf(line['sessionId']),
      directory: textOf(line['cwd']) || session.directory,
      model: session.model,
    };
    if (type !== 'user' && type !== 'assistant') {
      const {type: attached, prompt} = objectOf(line['attachment']);
      if (typeof type !== 'string' || !silentTypes.has(type)) builder.leaveOut(`record "${textOf(type)}"`);
      else if (attached === 'queued_command' && path.has(line))
        addUser(builder, {...line, message: {content: prompt ?? ''}});
    } else if (line['isSidechain'] === true) {
      builder.leaveOut('message of a sub-agent');
    } else if (line['isApiErrorMessage'] === true || objectOf(line['message'])['model'] === '<synthetic>') {
      builder.leaveOut('message of Claude Code itself');
    } else if (type === 'user') {
      addUser(builder, path.has(line) ? line : resultsOnly(line, builder));
    } else if (path.has(line) || answered.has(answerId(line))) {
      const {content, model} = objectOf(line['message']);
      session = {...session, model: textOf(model) || session.model};
      builder.answer(
        listOf(content).flatMap(block => answerBlock(objectOf(block), builder)),
        {id: answerId(line), model: textOf(model)},
      );
    } else {
      builder.leaveOut('message of an earlier branch');
    }
  }
  return builder.build({...session, title});
}

const answerId = (line: JsonObject): string => textOf(objectOf(line['message'])['id']) || textOf(line['uuid']);

const isMessage = (line: JsonObject | undefined): boolean =>
  line !== undefined && (line['type'] === 'user' || line['type'] === 'assistant') && line['isSidechain'] !== true;

/** Returns the lines between the root and the last message. A parent that is missing from the file is the line before. */
function pathToEnd(lines: readonly JsonObject[]): ReadonlySet<JsonObject> {
  const byId = new Map(lines.flatMap((line, at) => (typeof line['uuid'] === 'string' ? [[line['uuid'], at]] : [])));
  const path = new Set<JsonObject>();
  let at = lines.findLastIndex(isMessage);
  for (let line = lines[at]; line !== undefined && !path.has(line); line = lines[at]) {
    path.add(line);
    const parent = textOf(line['parentUuid']) || textOf(line['logicalParentUuid']);
    const known = byId.get(parent);
    if (parent === '' && line['parentUuid'] === null) break;
    const end = at;
    at = known ?? lines.findLastIndex((each, index) => index < end && isMessage(each));
  }
  return path;
}

/** Returns only the results of a line beside the path. */
function resultsOnly(line: JsonObject, builder: SessionBuilder): JsonObject {
  const results = listOf(objectOf(line['message'])['content']).filter(
    block => isJsonObject(block) && block['type'] === 'tool_result',
  );
  if (results.length === 0) builder.leaveOut('message of an earlier branch');
  return {...line, message: {content: results}};
}

function addUser(builder: SessionBuilder, line: JsonObject): void {
  const {content = ''} = objectOf(line['message']);
  if (line['isCompactSummary'] === true) {
    builder.compaction(blockTexts(contentOf(content, builder)).join('\n\n'));
    return;
  }
  const others: Json[] = [];
  for (const block of listOf(content)) {
    const {type, tool_use_id: id, is_error: isError, content: result = ''} = objectOf(block);
    if (type === 'tool_result')
      builder.result(textOf(id), contentOf(result, builder), isError === true ? 'error' : 'success');
    else others.push(block);
  }
  builder.user(contentOf(isJsonList(content) ? others : content, builder), {
    record: line['isMeta'] === true ? 'reminder' : 'prompt',
    id: textOf(line['uuid']),
  });
}

function contentOf(content: Json, builder: SessionBuilder): readonly ResultContent[] {
  if (typeof content === 'string') return content === '' ? [] : [{kind: 'text', text: content}];
  return listOf(content).flatMap((each): readonly ResultContent[] => {
    const block = objectOf(each);
    const {type, text, title, source} = block;
    const {media_type: mediaType, data} = objectOf(source);
    if (type === 'text') return textOf(text) === '' ? [] : [{kind: 'text', text: textOf(text)}];
    if (type === 'image') {
      const image = imageOf(textOf(mediaType), textOf(data));
      if (image !== undefined) return [image];
    }
    if (type === 'document' && mediaType === 'application/pdf' && typeof data === 'string')
      return [{kind: 'document', mediaType, name: textOf(title) || 'document.pdf', data}];
    builder.leaveOut(`block "${textOf(type)}"`);
    return [];
  });
}

function answerBlock(block: JsonObject, builder: SessionBuilder): readonly AssistantBlock[] {
  const {type, text, id, name, input = {}} = block;
  if (type === 'text') return [{kind: 'text', text: textOf(text)}];
  if (type === 'tool_use') return [{kind: 'tool-call', id: actionId(textOf(id)), name: textOf(name), input}];
  builder.leaveOut(type === 'thinking' || type === 'redacted_thinking' ? 'thinking' : `block "${textOf(type)}"`);
  return [];
}

/** Writes a session as a file of `~/.claude/projects`, which `claude --resume` opens. */
export function writeClaudeSession(session: WrittenSession, uuid: () => string): string {
  const {id, directory, createdAt, records} = session;
  const lines: object[] = [];
  let parentUuid: string | null = null;
  const write = (fields: object): void => {
    const own = uuid();
    const timestamp = new Date(createdAt + lines.length).toISOString();
    const about = {
      isSidechain: false,
      userType: 'external',
      cwd: directory,
      sessionId: id,
      version: '2.1.0',
      timestamp,
    };
    lines.push({parentUuid, ...about, uuid: own, ...fields});
    parentUuid = own;
  };
  for (const segment of messageSegments(records)) {
    for (const message of segment.messages) {
      if (isCompactionMessage(message)) {
        const logicalParentUuid = parentUuid;
        parentUuid = null;
        const compactMetadata = {trigger: 'manual', preTokens: 0};
        write({
          type: 'system',
          subtype: 'compact_boundary',
          content: 'Conversation compacted',
          logicalParentUuid,
          compactMetadata,
        });
        const content = segment.summary || blockTexts(message.blocks).join('\n\n');
        write({type: 'user', isCompactSummary: true, message: {role: 'user', content}});
      } else {
        const fields = lineOf(message);
        if (fields !== undefined) write({...fields, ...(segment.prompts.has(message.id) ? {} : ofWeft(message))});
      }
    }
  }
  return lines.map(line => `${JSON.stringify(line)}\n`).join('');
}

/** Marks a message that the user did not type. */
const ofWeft = (message: Message): object =>
  message.role === 'user' && message.blocks.every(({kind}) => kind !== 'tool-result') ? {isMeta: true} : {};

function lineOf(message: Message): object | undefined {
  if (message.role === 'user') {
    const [first] = message.blocks;
    const isPlain = message.blocks.length === 1 && first?.kind === 'text';
    return {type: 'user', message: {role: 'user', content: isPlain ? first.text : message.blocks.map(userBlock)}};
  }
  const content = message.blocks.flatMap((block): readonly object[] => {
    if (block.kind === 'text') return block.text.trim() === '' ? [] : [{type: 'text', text: block.text}];
    if (block.kind !== 'tool-call') return [];
    const {name, input} = block.written ?? block;
    return [{type: 'tool_use', id: block.id, name, input: isJsonObject(input) ? input : {input}}];
  });
  if (content.length === 0) return undefined;
  const {id, model, stop} = message;
  const usage = {input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0};
  const stop_reason = stop === 'tool-use' ? 'tool_use' : 'end_turn';
  return {
    type: 'assistant',
    message: {id, type: 'message', role: 'assistant', model, content, stop_reason, stop_sequence: null, usage},
  };
}

function userBlock(block: UserBlock): object {
  if (block.kind !== 'tool-result') return wirePart(block);
  const content = block.content.map(wirePart);
  // An outcome of weft's own would be an unknown field for Anthropic, to which Claude Code sends the block again.
  return {type: 'tool_result', tool_use_id: block.id, content, is_error: block.outcome !== 'success'};
}
