import type {Access} from '../../domain/access.ts';
import {accessOf, type Action, labelOf} from '../../actions/catalogue.ts';
import {decodePastAction} from '../../actions/decode-action.ts';
import {resultText} from '../../actions/past-result.ts';
import {userChangePrefix} from '../../actions/request-file-edits.ts';
import type {FileDiff, Preview} from '../../actions/preview.ts';
import type {JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {compactedHistoryText, isCompactionMessage} from '../../domain/compaction.ts';
import {
  type CallOutcome,
  type ImageBlock,
  type Message,
  messageText,
  outcomeFields,
  type ResultContent,
  type ToolCallBlock,
  type ToolResultBlock,
  type UserMessage,
} from '../../domain/conversation.ts';
import {editTexts} from '../../domain/file-edit.ts';
import {type PlanDraft, planText} from '../../domain/plan.ts';
import {isReminder, isTextOfWeft} from '../../domain/reminder.ts';
import type {TodoList} from '../../domain/todo.ts';

/*
 * The updates that weft sends to an editor over ACP (`session/update`), protocol version 1.
 */

export const textContent = (text: string) => ({type: 'text', text}) as const;

const imageContent = ({data, mediaType}: ImageBlock) => ({type: 'image', data, mimeType: mediaType}) as const;

/** The ACP kind of each action, by which an editor chooses an icon. */
const toolKinds = {
  read: 'read',
  search: 'search',
  edit: 'edit',
  command: 'execute',
  'terminal-input': 'execute',
  'web-page': 'fetch',
  'web-query': 'fetch',
  plan: 'switch_mode',
  none: 'other',
  'mcp-tool': 'other',
  'mcp-resource': 'other',
  skill: 'other',
  agent: 'other',
  'computer-request': 'other',
  'computer-steps': 'other',
} as const satisfies Record<Access['kind'], string>;

/** Editors expect absolute paths, but weft's own are relative to the session's folder. */
const absolute = (path: string, directory: string): string =>
  /^(?:[/~]|[A-Za-z]:[\\/])/u.test(path) ? path : `${directory.replace(/\/$/u, '')}/${path}`;

/** Returns the files of an action, for an editor that follows along. */
function locationsOf(access: Access, directory: string): readonly JsonObject[] {
  switch (access.kind) {
    case 'read':
      return access.paths.map(path => ({path: absolute(path, directory)}));
    case 'edit':
      return access.edits.map(({path}) => ({path: absolute(path, directory)}));
    default:
      return [];
  }
}

/** Converts a tool call. Its name and input are those that the model wrote. `directory` is the session's folder. */
export function toolCall(
  {id: toolCallId, name, input}: Pick<ToolCallBlock, 'id' | 'name' | 'input'>,
  {action, label: title}: {readonly action: Action; readonly label: string},
  directory: string,
) {
  const access = accessOf(action);
  const locations = locationsOf(access, directory);
  return {toolCallId, name, title, kind: toolKinds[access.kind], rawInput: input, locations};
}

/** Converts an action's preview. Diffs contain the lines around each change. */
export function previewContent(preview: Preview, directory: string): readonly JsonObject[] {
  switch (preview.kind) {
    case 'diff':
      return diffContent(preview.files, directory);
    case 'changes': {
      const text = preview.asked.map(({path, kind}) => `${kind} ${path}`).join('\n');
      return [{type: 'content', content: textContent(text)}, ...diffContent(preview.files, directory)];
    }
    case 'plan':
      return [{type: 'content', content: textContent(planText(preview.plan))}];
    case 'command':
    case 'arguments':
    case 'none':
      return [];
    default:
      return unreachable(preview);
  }
}

/** Converts diffs to the lines around each change. */
export const diffContent = (files: readonly FileDiff[], directory: string): readonly JsonObject[] =>
  files.flatMap(file => diffsOf(file, directory));

function diffsOf({path: written, hunks, before}: FileDiff, directory: string): readonly JsonObject[] {
  const path = absolute(written, directory);
  return hunks.map(({lines}) => {
    const side = (left: 'added' | 'removed'): string =>
      lines
        .filter(({kind}) => kind !== left)
        .map(({text, end}) => (end === 'no-newline' ? text : `${text}\n`))
        .join('');
    return {type: 'diff', path, oldText: before === 'absent' ? null : side('added'), newText: side('removed')};
  });
}

/** Returns a tool's result as texts and images. */
export const resultContent = (content: readonly ResultContent[]): readonly JsonObject[] =>
  content.flatMap((block): readonly JsonObject[] => {
    if (block.kind === 'text') return block.text === '' ? [] : [{type: 'content', content: textContent(block.text)}];
    return block.kind === 'image' ? [{type: 'content', content: imageContent(block)}] : [];
  });

/** Converts the end of a call. ACP ends a call only as completed or failed, so `_meta.weft` adds the details. */
export const toCallEnd = (end: CallOutcome) => ({
  status: end.outcome === 'success' ? 'completed' : 'failed',
  _meta: {weft: outcomeFields(end)},
});

export const planOf = (todos: TodoList) => ({
  sessionUpdate: 'plan',
  entries: todos.map(({title, status}) => ({
    content: title,
    priority: 'medium',
    // ACP has no status for a cancelled entry.
    status: status === 'cancelled' ? 'completed' : status,
  })),
});

/** Converts a proposed plan. */
export const stepsOf = ({steps}: PlanDraft) => ({
  sessionUpdate: 'plan',
  entries: steps.map(step => ({content: step, priority: 'medium', status: 'pending'})),
});

/** Converts a saved tool call and its result. A call that no longer decodes has the name of its tool. */
function savedCall(call: ToolCallBlock, result: ToolResultBlock | undefined, directory: string) {
  const {id, name, input} = call;
  const decoded = decodePastAction(name, input);
  const end = toCallEnd(result ?? {outcome: 'cancelled', reason: 'unknown'});
  const shown =
    decoded.tag === 'ok'
      ? toolCall(call, {action: decoded.value, label: labelOf(decoded.value)}, directory)
      : {toolCallId: id, name, title: name, kind: 'other', rawInput: input};
  const told = resultContent((result?.content ?? []).filter(block => !isReminder(block)));
  const diffs =
    decoded.tag === 'ok' && result?.outcome === 'success' ? savedDiffs(decoded.value, result, directory) : [];
  return {sessionUpdate: 'tool_call', ...shown, ...end, content: diffs.length === 0 ? told : diffs};
}

/**
 * Returns what a saved edit wrote, as far as its input says so. Sessions don't keep the diffs themselves. Empty for any
 * other call, and for an edit that the user changed before weft wrote it.
 */
function savedDiffs(action: Action, result: ToolResultBlock, directory: string): readonly JsonObject[] {
  const access = accessOf(action);
  const text = resultText(result);
  if (access.kind !== 'edit' || text.includes(userChangePrefix)) return [];
  return access.edits.flatMap(edit =>
    editTexts(edit).map(({oldText, newText}) => ({
      type: 'diff',
      path: absolute(edit.path, directory),
      oldText: text.includes(`Created ${edit.path} (`) ? null : oldText,
      newText,
    })),
  );
}

/** Returns a saved conversation as the updates that originally reported it. */
export function historyUpdates(history: readonly Message[], directory: string): readonly object[] {
  const results = new Map(
    history.flatMap(message =>
      message.role === 'user'
        ? message.blocks.flatMap(block => (block.kind === 'tool-result' ? [[block.id, block] as const] : []))
        : [],
    ),
  );
  return history.flatMap((message): readonly object[] => {
    if (message.role === 'user') return promptUpdates(message);
    return message.blocks.flatMap((block): readonly object[] => {
      switch (block.kind) {
        case 'text':
          return [{sessionUpdate: 'agent_message_chunk', content: textContent(block.text)}];
        case 'thinking':
          return block.text === '' ? [] : [{sessionUpdate: 'agent_thought_chunk', content: textContent(block.text)}];
        case 'tool-call':
          return [savedCall(block, results.get(block.id), directory)];
        case 'sealed-thinking':
        case 'other':
          return [];
        default:
          return unreachable(block);
      }
    });
  });
}

/** Returns a saved prompt with its images. Empty for a message that weft itself sent to the model. */
function promptUpdates(message: UserMessage): readonly object[] {
  if (isCompactionMessage(message))
    return [{sessionUpdate: 'agent_message_chunk', content: textContent(compactedHistoryText(message))}];
  const text = messageText(message);
  if (isTextOfWeft(text)) return [];
  const images = message.blocks.flatMap(block => (block.kind === 'image' ? [imageContent(block)] : []));
  return [...(text === '' ? [] : [textContent(text)]), ...images].map(content => ({
    sessionUpdate: 'user_message_chunk',
    content,
  }));
}
