import {isJsonObject, type Json, type JsonObject, listOf, objectOf, parseJson, textOf} from '../../base/json.ts';
import {isCompactionMessage} from '../../domain/compaction.ts';
import {blockTexts, type Message, type ResultContent, type UserBlock} from '../../domain/conversation.ts';
import {actionId} from '../../domain/ids.ts';
import {messageSegments} from './message-segments.ts';
import {type ForeignSession, imageOf, SessionBuilder, type WrittenSession} from './session-builder.ts';

/**
 * Records of Codex that are not part of the conversation: its settings, its interface (which repeats the conversation) and
 * its statistics. Source: `RolloutItem` in `codex-rs/protocol/src/protocol.rs` of `openai/codex`, and files of 0.171.
 */
const silentTypes: ReadonlySet<string> = new Set(
  'event_msg security_risk_score session_meta token_usage_record turn_context world_state'.split(' '),
);

/** Texts in the user's role that Codex wrote itself. */
const contextText =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|skills_instructions|permissions instructions)>|# AGENTS\.md instructions)/u;

/**
 * Reads a rollout of `~/.codex/sessions`. Its `response_item` records are items of the Responses API (`ResponseItem` in
 * `codex-rs/protocol/src/models.rs`). Files before version 0.40 have the items without an envelope. weft leaves out
 * reasoning, which is encrypted for the account that asked.
 */
export function readCodexSession(text: string, uuid: () => string): ForeignSession {
  const builder = new SessionBuilder(uuid);
  let session = {id: '', directory: '', model: ''};
  for (const line of builder.parseLines(text)) {
    const {type, payload} = line;
    const body = isJsonObject(payload) ? payload : line;
    if (type === 'session_meta' || (type === undefined && typeof line['id'] === 'string')) {
      // A copy of a session contains the start of the original, too.
      session = {...session, id: session.id || textOf(body['id']), directory: session.directory || textOf(body['cwd'])};
    } else if (type === 'turn_context') {
      session = {
        ...session,
        directory: session.directory || textOf(body['cwd']),
        model: textOf(body['model']) || session.model,
      };
    } else if (type === 'event_msg' && body['type'] === 'thread_rolled_back') {
      builder.dropPrompts(Number(body['num_turns'] ?? 0));
    } else if (type === 'compacted') {
      addCompaction(builder, body);
    } else if (type === 'response_item' || (payload === undefined && typeof type === 'string')) {
      addItem(builder, body, session.model);
    } else if (typeof type === 'string' ? !silentTypes.has(type) : line['record_type'] !== 'state') {
      builder.leaveOut(`record "${textOf(type)}"`);
    }
  }
  return builder.build({...session, title: ''});
}

/** Adds a compaction. If its summary is encrypted, the conversation stays whole. */
function addCompaction(builder: SessionBuilder, {message, replacement_history: replacement}: JsonObject): void {
  const summary = textOf(message);
  const texts = listOf(replacement).flatMap(item => {
    const {type, role, content} = objectOf(item);
    if (type !== 'message' || role !== 'user') return [];
    return blockTexts(contentOf(content ?? '', builder)).filter(text => !contextText.test(text));
  });
  const kept = texts.filter(text => text !== '' && (summary === '' || !text.includes(summary)));
  const hasSummary =
    summary !== '' || (kept.length > 0 && !JSON.stringify(replacement).includes('"encrypted_content"'));
  if (hasSummary) builder.compaction([...kept, summary].filter(text => text !== '').join('\n\n'));
  else builder.leaveOut('encrypted summary');
}

function addItem(builder: SessionBuilder, item: JsonObject, model: string): void {
  const {type, role, content = '', call_id: callId, id: itemId} = item;
  const id = textOf(callId) || textOf(itemId);
  const call = (name: string, input: Json): void =>
    builder.answer([{kind: 'tool-call', id: actionId(id), name, input}], {id: '', model});
  switch (type) {
    case 'message': {
      const blocks = contentOf(content, builder);
      if (role === 'assistant') {
        builder.answer(
          blocks.filter(block => block.kind === 'text'),
          {id: '', model},
        );
      } else if (role === 'user' && !blockTexts(blocks).some(text => contextText.test(text))) {
        builder.user(blocks, {record: 'prompt', id: ''});
      }
      break;
    }
    case 'function_call': {
      const given = parseJson(textOf(item['arguments']));
      call(textOf(item['name']), given.tag === 'ok' ? given.value : {input: textOf(item['arguments'])});
      break;
    }
    case 'custom_tool_call':
      call(textOf(item['name']), {input: textOf(item['input'])});
      break;
    case 'local_shell_call':
      call('local_shell', {command: objectOf(item['action'])['command'] ?? []});
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output': {
      const {output = ''} = item;
      const said = isJsonObject(output) ? (output['content'] ?? '') : output;
      const isFailure = (isJsonObject(output) && output['success'] === false) || hasFailed(textOf(said));
      builder.result(id, contentOf(said, builder), isFailure ? 'error' : 'success');
      break;
    }
    case 'reasoning':
      builder.leaveOut('thinking');
      break;
    case 'ghost_snapshot':
      break;
    default:
      builder.leaveOut(`item "${textOf(type)}"`);
  }
}

/** True if the output of a command names an exit code other than 0, in the words of one of Codex's versions. */
function hasFailed(output: string): boolean {
  const code = /^(?:Exit code: |[^]{0,200}?Process exited with code |\{.*"exit_code":)(\d+)/u.exec(output)?.[1];
  return code !== undefined && code !== '0';
}

function contentOf(content: Json, builder: SessionBuilder): readonly ResultContent[] {
  if (typeof content === 'string') return content === '' ? [] : [{kind: 'text', text: content}];
  return listOf(content).flatMap((each): readonly ResultContent[] => {
    const {type, text, image_url: url} = objectOf(each);
    if (typeof text === 'string') return text === '' ? [] : [{kind: 'text', text}];
    const [, mediaType = '', data = ''] = /^data:([^;,]+);base64,(.*)$/su.exec(textOf(url)) ?? [];
    const image = imageOf(mediaType, data);
    if (image !== undefined) return [image];
    builder.leaveOut(`block "${textOf(type)}"`);
    return [];
  });
}

/** Writes a session as a rollout of `~/.codex/sessions`, which `codex resume` opens. */
export function writeCodexSession({id, directory, model, createdAt, records}: WrittenSession): string {
  const lines: object[] = [];
  const write = (type: string, payload: object): void => {
    lines.push({timestamp: new Date(createdAt + lines.length).toISOString(), type, payload});
  };
  const timestamp = new Date(createdAt).toISOString();
  // Without `model_provider`, because Codex refuses to resume a session of another provider.
  const from = {originator: 'weft', cli_version: '0.100.0', source: 'cli'};
  write('session_meta', {id, timestamp, cwd: directory, ...from});
  write('turn_context', {
    cwd: directory,
    approval_policy: 'on-request',
    sandbox_policy: {type: 'read-only'},
    model,
    summary: 'auto',
  });
  for (const segment of messageSegments(records)) {
    for (const message of segment.messages) {
      if (isCompactionMessage(message)) {
        const summary = segment.summary || blockTexts(message.blocks).join('\n\n');
        write('compacted', {message: summary, replacement_history: [userItem([{kind: 'text', text: summary}])]});
        continue;
      }
      for (const item of itemsOf(message)) write('response_item', item);
      const said = blockTexts(message.blocks).join('\n\n');
      if (segment.prompts.has(message.id))
        write('event_msg', {type: 'user_message', message: said, images: [], kind: 'plain'});
      else if (message.role === 'assistant' && said !== '') write('event_msg', {type: 'agent_message', message: said});
    }
  }
  return lines.map(line => `${JSON.stringify(line)}\n`).join('');
}

function itemsOf(message: Message): readonly object[] {
  if (message.role === 'assistant') {
    return message.blocks.flatMap((block): readonly object[] => {
      if (block.kind === 'text')
        return block.text.trim() === '' ? [] : [messageItem('assistant', [{type: 'output_text', text: block.text}])];
      if (block.kind !== 'tool-call') return [];
      const {name, input} = block.written ?? block;
      const given = JSON.stringify(isJsonObject(input) ? input : {input});
      return [{type: 'function_call', name, arguments: given, call_id: block.id}];
    });
  }
  const results = message.blocks.flatMap((block): readonly object[] => {
    if (block.kind !== 'tool-result') return [];
    const [first] = block.content;
    const isPlain = block.content.length === 1 && first?.kind === 'text';
    return [
      {type: 'function_call_output', call_id: block.id, output: isPlain ? first.text : block.content.map(inputPart)},
    ];
  });
  const others = message.blocks.filter(block => block.kind !== 'tool-result');
  return others.length === 0 ? results : [...results, userItem(others)];
}

const messageItem = (role: 'user' | 'assistant', content: readonly object[]) => ({type: 'message', role, content});

const userItem = (blocks: readonly UserBlock[]) =>
  messageItem(
    'user',
    blocks.flatMap(block => (block.kind === 'tool-result' ? [] : [inputPart(block)])),
  );

function inputPart(part: ResultContent): object {
  if (part.kind === 'text') return {type: 'input_text', text: part.text};
  if (part.kind === 'image') return {type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}`};
  return {type: 'input_text', text: `[${part.name}: left out by weft, because Codex reads no PDF]`};
}
