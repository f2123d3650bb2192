import {unsaidClaims} from '../domain/access.ts';
import {harnessToolName} from '../domain/mcp-tool-name.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {type Executor, type RunTerms, weftItself} from '../domain/executor.ts';
import type {Obligation} from '../domain/obligation.ts';
import {type Action, actionOf} from './catalogue.ts';
import {decodeElsewhere} from './decode-action.ts';
import {editPaths, type FileEdit, emptyUserChanges} from '../domain/file-edit.ts';
import {editCalls, type NamedCall, patchCall} from './edit-calls.ts';
import type {HarnessAccess, HarnessApproval} from './harness-port.ts';
import type {Preview} from './preview.ts';

/** A harness's request as actions of weft. The strictest verdict on `judged` counts, and a card shows `shown`. */
interface RequestedActions {
  readonly judged: readonly [Action, ...Action[]];
  readonly shown: Action;
  readonly executor: Executor<RunTerms>;
  /** The call as approvals and lists of refusals name it. */
  readonly call: NamedCall;
  /** The call as hooks see it: one for each file that it changes. */
  readonly guarded: readonly NamedCall[];
  readonly place: 'here' | {readonly preview: Preview};
}

type RequestedAction = Omit<RequestedActions, 'executor'>;

const singleAction = (action: Action, name: string, input: JsonObject): RequestedAction => ({
  judged: [action],
  shown: action,
  call: {name, input},
  guarded: [{name, input}],
  place: 'here',
});

/**
 * Another program's agent knows nothing of weft's environment and sandbox, and opens paths by name.
 * weft on another machine keeps the obligations that it names.
 */
function harnessExecutor(name: string, access: HarnessAccess, directory: string): Executor<RunTerms> {
  const kept = access.kind === 'own-call' ? access.obligations : [];
  const ifKept = ({kind}: Obligation, means: RunTerms) => (kept.includes(kind) ? means : 'cannot');
  return {
    ...weftItself(directoryOf(access, directory)),
    name,
    discharge: {
      'restricted-environment': ifKept,
      confined: (obligation, means) => (obligation.to === 'outside' ? means : ifKept(obligation, means)),
      // The command was judged in the folder in which the harness says it will run it.
      directory: ({path}, means) => ({...means, directory: path}),
      'left-out': ifKept,
      paths: ({paths, links}, means) => (links.length === 0 || kept.includes('paths') ? {...means, paths} : 'cannot'),
    },
  };
}

function directoryOf(access: HarnessAccess, directory: string): string {
  switch (access.kind) {
    case 'command':
      return pathFrom(directory, access.directory);
    case 'own-call': {
      const {preview} = access;
      return preview.kind === 'command'
        ? relocateText(preview.directory, '', {from: access.directory, to: directory})
        : directory;
    }
    case 'edit':
    case 'read':
    case 'search':
    case 'web-page':
    case 'web-query':
    case 'other':
      return directory;
    default:
      return unreachable(access);
  }
}

const editFrom = (directory: string, edit: FileEdit): FileEdit =>
  edit.kind === 'rename'
    ? {...edit, path: pathFrom(directory, edit.path), to: pathFrom(directory, edit.to)}
    : {...edit, path: pathFrom(directory, edit.path)};

const pathFrom = (directory: string, path: string): string => (/^[/~]/u.test(path) ? path : `${directory}/${path}`);

/** Translates the request of a harness that was started in `directory` into actions of the catalog. */
export const actionsOf = (approval: Omit<HarnessApproval, 'id'>, place: HarnessLocation): RequestedActions => ({
  ...requestedActionOf(approval, place),
  executor: harnessExecutor(place.harness, approval.access, place.directory),
});

interface HarnessLocation {
  readonly harness: string;
  readonly directory: string;
}

function requestedActionOf(
  {toolName, access, reason, input: written}: Omit<HarnessApproval, 'id'>,
  {harness, directory}: HarnessLocation,
): RequestedAction {
  const other = (tool: string, input: JsonObject): Action =>
    actionOf('call-mcp-tool', {
      server: harness,
      tool,
      toolName: harnessToolName(harness, tool),
      standing: 'as-known',
      arguments: input,
    });
  switch (access.kind) {
    case 'command': {
      const action = actionOf('request-command-output', {
        command: access.command,
        place: 'foreground',
        timeoutMs: 600_000,
        claims: unsaidClaims,
        description: '',
        rationale: reason,
      });
      const asked = singleAction(action, 'Bash', {command: access.command});
      return access.paths.length === 0 ? asked : {...asked, judged: [action, reading(access.paths, directory)]};
    }
    case 'edit': {
      const edits = access.edits.map(edit => editFrom(directory, edit));
      const shown = edits.flatMap(editPaths);
      const paths = access.paths.map(path => pathFrom(directory, path));
      // The harness shows no change of these files, so the judge and the card get only their names.
      const named = paths
        .filter(path => !shown.includes(path))
        .map(path => ({kind: 'replace', path, replacements: []}) as const);
      const action = edits.length === 0 ? other(toolName || 'edit', {...written, paths}) : editing(edits);
      const guarded = [
        ...edits.flatMap(editCalls),
        ...named.map(({path}) => ({name: 'Edit', input: {...written, file_path: path}})),
      ];
      const [only, ...more] = guarded;
      return {
        judged: edits.length === 0 ? [editing(named)] : [action, ...(named.length === 0 ? [] : [editing(named)])],
        shown: action,
        call: only !== undefined && more.length === 0 ? only : patchCall([...edits, ...named]),
        guarded,
        place: 'here',
      };
    }
    case 'read': {
      const paths = access.paths.map(path => pathFrom(directory, path));
      const asked = singleAction(reading(paths, directory), 'Read', {file_path: paths.join(', ')});
      return {...asked, guarded: paths.map(path => ({name: 'Read', input: {file_path: path}}))};
    }
    case 'search': {
      const [first, ...rest] = access.paths.map(path => searching(access.text, pathFrom(directory, path)));
      const input = {pattern: access.text, path: access.paths.join(', ')};
      return first === undefined
        ? singleAction(other(toolName, input), toolName, input)
        : {...singleAction(first, 'Grep', input), judged: [first, ...rest]};
    }
    case 'web-page':
      return singleAction(actionOf('web-fetch', {url: access.url, prompt: ''}), 'WebFetch', {url: access.url});
    case 'web-query': {
      const query = {query: access.text, allowedDomains: [], blockedDomains: []};
      return singleAction(actionOf('web-search', query), 'WebSearch', {query: access.text});
    }
    case 'own-call': {
      const {name, input, preview} = access;
      const shown = decodeElsewhere(name, input, 'refused');
      const judged = decodeElsewhere(name, relocateInput(input, {from: access.directory, to: directory}), 'refused');
      if (shown.tag === 'failed' || judged.tag === 'failed') return singleAction(other(name, input), name, input);
      return {...singleAction(shown.value, name, input), judged: [judged.value], place: {preview}};
    }
    case 'other':
      return singleAction(other(access.title || toolName, access.input), toolName || access.title, access.input);
    default:
      return unreachable(access);
  }
}

const editing = (edits: readonly FileEdit[]): Action =>
  actionOf('request-file-edits', {edits, userChanges: emptyUserChanges});

const reading = (paths: readonly string[], directory: string): Action =>
  actionOf('read-files', {requests: paths.map(path => ({path: pathFrom(directory, path), offset: 1, limit: 1}))});

const searching = (text: string, path: string): Action =>
  actionOf('grep', {
    queries: [text],
    path,
    globs: [],
    mode: 'content',
    letterCase: 'sensitive',
    before: 0,
    after: 0,
    fileType: '',
    span: 'line',
    limit: 1,
    offset: 0,
  });

interface Relocation {
  readonly from: string;
  readonly to: string;
}

/** Rewrites paths of the remote work folder to the local one, because the rules here name local paths. */
const relocateInput = (input: JsonObject, move: Relocation): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, relocateValue(value, key, move)]));

function relocateValue(value: Json, key: string, move: Relocation): Json {
  if (isJsonObject(value)) return relocateInput(value, move);
  if (isJsonList(value)) return value.map(item => relocateValue(item, key, move));
  return typeof value === 'string' ? relocateText(value, key, move) : value;
}

/** Rewrites a text that is a path, or a command with paths in it. */
function relocateText(text: string, key: string, {from, to}: Relocation): string {
  if (from === '' || from === '/' || from === to) return text;
  if (key !== 'command') return text === from || text.startsWith(`${from}/`) ? to + text.slice(from.length) : text;
  const pieces = text.split(from);
  return pieces.reduce((done, piece, at) => {
    const isPath = /(?:^|[\s=:'"(<>])$/u.test(pieces[at - 1] ?? '') && /^(?:$|[/\s'";&|)<>])/u.test(piece);
    return done + (isPath ? to : from) + piece;
  });
}
