import {mcpToolName} from './mcp-tool-name.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {type Action, actionOf} from './catalogue.ts';
import {decodeElsewhere} from './decode-action.ts';
import {noUserChanges} from './files-port.ts';
import type {HarnessApproval} from './harness-port.ts';
import type {Preview} from './preview.ts';

/** What a harness wants as actions of weft: one for the judge, and one that stands on the card. */
interface AskedActions {
  readonly judged: Action;
  readonly shown: Action;
  /** As hooks and lists of refusals name it. */
  readonly call: {readonly name: string; readonly input: JsonObject};
  readonly place: 'here' | {readonly preview: Preview};
}

const unsaid = {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'} as const;

const same = (action: Action, name: string, input: JsonObject): AskedActions => ({
  judged: action,
  shown: action,
  call: {name, input},
  place: 'here',
});

/** What a harness that was started in `directory` asks about, in the terms of the catalogue. */
export function actionsOf(
  {toolName, access, reason}: HarnessApproval,
  {harness, directory}: {readonly harness: string; readonly directory: string},
): AskedActions {
  const other = (tool: string, input: JsonObject): Action =>
    actionOf('call-mcp-tool', {
      server: harness,
      tool,
      toolName: mcpToolName(harness, tool),
      standing: 'as-known',
      arguments: input,
    });
  switch (access.kind) {
    case 'command': {
      const action = actionOf('request-command-output', {
        command: access.command,
        place: 'foreground',
        timeoutMs: 600_000,
        claims: unsaid,
        description: '',
        rationale: reason,
        citations: [],
      });
      return same(action, 'Bash', {command: access.command});
    }
    case 'edit': {
      const {edits, paths} = access;
      const input = {file_path: paths.join(', ')};
      if (edits.length > 0) {
        const action = actionOf('request-file-edits', {edits, userChanges: noUserChanges, citations: []});
        return same(action, 'Edit', input);
      }
      // It only says which files: the judge looks at those, and the card shows their names.
      const named = paths.map(path => ({kind: 'replace', path, replacements: []}) as const);
      return {
        judged: actionOf('request-file-edits', {edits: named, userChanges: noUserChanges, citations: []}),
        shown: other(toolName || 'edit', {paths: [...paths]}),
        call: {name: 'Edit', input},
        place: 'here',
      };
    }
    case 'read': {
      const requests = access.paths.map(path => ({path, offset: 1, limit: 1}));
      return same(actionOf('read-files', {requests}), 'Read', {file_path: access.paths.join(', ')});
    }
    case 'web-page':
      return same(actionOf('web-fetch', {url: access.url, prompt: ''}), 'WebFetch', {url: access.url});
    case 'web-query': {
      const query = {query: access.text, allowedDomains: [], blockedDomains: []};
      return same(actionOf('web-search', query), 'WebSearch', {query: access.text});
    }
    case 'own-call': {
      const {name, input, preview} = access;
      const shown = decodeElsewhere(name, input, 'refused');
      const judged = decodeElsewhere(name, movedInput(input, {from: access.directory, to: directory}), 'refused');
      if (shown.tag === 'failed' || judged.tag === 'failed') return same(other(name, input), name, input);
      return {judged: judged.value, shown: shown.value, call: {name, input}, place: {preview}};
    }
    case 'other':
      return same(other(access.title || toolName, access.input), toolName || access.title, access.input);
    default:
      return unreachable(access);
  }
}

interface Move {
  readonly from: string;
  readonly to: string;
}

/** The input as if the folder of the work lay here: the rules here speak of paths by it. */
const movedInput = (input: JsonObject, move: Move): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, movedValue(value, key, move)]));

function movedValue(value: Json, key: string, move: Move): Json {
  if (isJsonObject(value)) return movedInput(value, move);
  if (isJsonList(value)) return value.map(item => movedValue(item, key, move));
  return typeof value === 'string' ? movedText(value, key, move) : value;
}

/** A text that is a path, or a command with paths in it. */
function movedText(text: string, key: string, {from, to}: Move): string {
  if (from === '' || from === '/' || from === to) return text;
  if (key !== 'command') return text === from || text.startsWith(`${from}/`) ? to + text.slice(from.length) : text;
  const pieces = text.split(from);
  return pieces.reduce((done, piece, at) => {
    const isPath = /(?:^|[\s=:'"(<>])$/u.test(pieces[at - 1] ?? '') && /^(?:$|[/\s'";&|)<>])/u.test(piece);
    return done + (isPath ? to : from) + piece;
  });
}
