import {firstLine} from '../base/clip.ts';
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  listOf,
  objectOf,
  parseJson,
  textOf,
} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {mcpToolName} from '../domain/mcp-tool-name.ts';
import {actionNames, toolNamesOf} from './catalogue.ts';
import {callQuery, isCallQuery} from './search-tools.ts';

/** A tool call in the names of weft's own tools. */
interface OwnCall {
  readonly name: string;
  readonly input: Json;
}

/** A tool of another program, which models know from their training. */
interface PeerTool {
  /** weft's tool that does the same. */
  readonly tool: string;
  /**
   * Translates an input if the aliases of weft's fields are not enough. One tool may become several of weft's.
   * Returns a text if the call is impossible: why, and what works instead.
   */
  readonly translate?: (input: JsonObject) => OwnCall | string;
}

/** Returns the name of weft's tool for another program's tool. The input can still lead to a different tool. */
export const ownToolName = (name: string): string | undefined => peerTool(name)?.tool;

/**
 * Translates a call into a call of weft's own tool. Returns `undefined` if weft knows no program with the tool.
 * The error says what works instead.
 */
export function ownCall(name: string, input: Json): Outcome<OwnCall, string> | undefined {
  const peer = peerTool(name);
  if (peer === undefined) return undefined;
  const {tool, translate} = peer;
  if (translate === undefined) return ok({name: tool, input});
  // A patch may be the whole input.
  const fields = isJsonObject(input) ? input : {input};
  const translated = translate(fields);
  return typeof translated === 'string' ? failed(translated) : ok(translated);
}

/** True if a command for weft's own shell tool is a patch, which no program on the computer can apply. */
export const isPatchCommand = (command: string): boolean => patchIn(command) !== undefined;

function peerTool(given: string): PeerTool | undefined {
  const name = given.replace(/^(?:functions|default_api|tools)[.:]/u, '');
  const peer = Object.hasOwn(peers, name) ? peers[name] : undefined;
  if (peer !== undefined) return typeof peer === 'string' ? {tool: peer} : peer;
  const own = ownNames.get(simpleName(name));
  return own === undefined ? undefined : {tool: own};
}

const simpleName = (name: string): string => name.replaceAll(/[_-]/gu, '').toLowerCase();

/** weft's tools, by names that differ in case and word separators only. */
const ownNames = new Map(actionNames.flatMap(toolNamesOf).map(name => [simpleName(name), name]));

const impossible = (tool: string, why: string): PeerTool => ({tool, translate: () => why});

/** Returns the fields that are given under any of these names. */
function fieldOf(input: JsonObject, ...names: readonly string[]): Json | undefined {
  const name = names.find(each => input[each] !== undefined && input[each] !== null);
  return name === undefined ? undefined : input[name];
}

const without = (input: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));

// Commands

const commandFields = ['command', 'cmd', 'argv'] as const;

/** Translates a command that is a text or a list of arguments. */
function commandCall(input: JsonObject): OwnCall | string {
  const given = fieldOf(input, ...commandFields);
  const command = isJsonList(given) ? commandOf(given) : given;
  if (typeof command !== 'string') {
    return input['restart'] === true
      ? 'restart does nothing here, because each command has a new shell. Give a command'
      : 'command must be a text, or a list of texts';
  }
  const patch = patchIn(command);
  const directory = textOf(fieldOf(input, 'workdir', 'cwd'));
  if (patch !== undefined)
    return {name: 'ApplyPatch', input: {patch: patchBelow([directory, patch.directory], patch.text)}};
  const {tty, ...rest} = without(input, ...commandFields, 'restart');
  return {name: 'Bash', input: {command, ...rest, ...(tty === true ? {run_in_background: true} : {})}};
}

function commandOf(words: readonly Json[]): string | undefined {
  if (words.length === 0 || !words.every(word => typeof word === 'string')) return undefined;
  const [program = '', option = '', script] = words;
  const isScript = /^(?:.*\/)?(?:ba|z|da)?sh$/u.test(program) && /^-l?c$/u.test(option) && words.length === 3;
  return isScript && script !== undefined ? script : words.map(quoted).join(' ');
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

const patchCommand =
  /^\s*(?:cd\s+(?<directory>'[^']*'|"[^"]*"|[^\s;&|'"]+)\s*(?:&&|;)\s*)?apply_?patch\s+(?:<<-?\s*(?<quote>['"]?)(?<end>\w+)\k<quote>\n(?<lines>[^]*?)\n\s*\k<end>\s*|(?<mark>['"])(?<word>\s*\*\*\* Begin Patch[^]*)\k<mark>\s*)$/u;

/** Returns the patch of a command that calls `apply_patch`. It is a here-document or the only argument. */
function patchIn(command: string): {readonly directory: string; readonly text: string} | undefined {
  const {directory = '', lines, word = '', mark} = patchCommand.exec(command)?.groups ?? {};
  const text =
    lines ?? (mark === "'" ? word.replaceAll(String.raw`'\''`, "'") : word.replaceAll(/\\(["$\\`])/gu, '$1'));
  return text === '' ? undefined : {directory: directory.replaceAll(/^['"]|['"]$/gu, ''), text};
}

/** Returns the patch with its paths below a folder. */
function patchBelow(folders: readonly string[], patch: string): string {
  const given = folders.filter(folder => folder !== '' && folder !== '.');
  const last = given.findLastIndex(folder => folder.startsWith('/'));
  const folder = given.slice(Math.max(last, 0)).join('/');
  if (folder === '') return patch;
  return patch.replaceAll(
    /^(\*\*\* (?:(?:Add|Update|Delete) File|Move to): *)(?!\/)(.*)$/gmu,
    (_line, heading: string, path: string) => `${heading}${folder.replace(/\/$/u, '')}/${path}`,
  );
}

/** The time after which Codex's models go on while a command runs, in milliseconds. */
const yieldMs = 120_000;

const sessionCommand: PeerTool = {
  tool: 'Bash',
  translate(input) {
    const call = commandCall(input);
    if (typeof call === 'string' || call.name !== 'Bash' || !isJsonObject(call.input)) return call;
    return {...call, input: {yield_time_ms: yieldMs, ...call.input}};
  },
};

/** pi's models give seconds, and others milliseconds. No model means less than a second. */
const shellCommand: PeerTool = {
  tool: 'Bash',
  translate(input) {
    const {timeout} = input;
    const seconds = Number(timeout);
    return commandCall(
      timeout !== undefined && seconds > 0 && seconds < 1000 ? {...input, timeout: seconds * 1000} : input,
    );
  },
};

const commandTool: PeerTool = {tool: 'Bash', translate: commandCall};

/** A search may call a tool that is not in the request. */
const toolSearch: PeerTool = {
  tool: 'ToolSearch',
  translate(input) {
    const {query} = input;
    if (!isCallQuery(query)) return {name: 'ToolSearch', input};
    const [, name = '', given = ''] = /^\s*call:\s*([^\s{(]+)\(?([^]*?)\)?\s*$/u.exec(query) ?? [];
    const read = parseJson(given.trim() === '' ? '{}' : given);
    if (name !== '' && name !== 'ToolSearch' && read.tag === 'ok' && isJsonObject(read.value))
      return {name, input: read.value};
    return `to call a tool, write ${callQuery}NAME and then its input as a JSON object`;
  },
};

const blockFields = ['session_id', 'bash_id', 'shell_id', 'task_id', 'block_id', 'id'] as const;

function blockOf(input: JsonObject): string {
  const block = fieldOf(input, ...blockFields);
  return typeof block === 'string' || typeof block === 'number' ? String(block) : '';
}

const typing: PeerTool = {
  tool: 'BashOutput',
  translate(input) {
    const block = blockOf(input);
    if (block === '') return 'session_id is missing. Give the one that exec_command returned';
    const chars = textOf(fieldOf(input, 'chars', 'input'));
    if (chars !== '') return {name: 'BashInput', input: {block_id: block, input: chars, mode: 'raw'}};
    const milliseconds = Number(input['yield_time_ms'] ?? 10_000);
    return {name: 'BashOutput', input: {block_id: block, delay: Math.min(milliseconds / 1000 || 0, 600)}};
  },
};

const stopping: PeerTool = {
  tool: 'BashInput',
  translate: input => ({name: 'BashInput', input: {block_id: blockOf(input), input: '\u0003', mode: 'raw'}}),
};

const taskOutput: PeerTool = {
  tool: 'BashOutput',
  translate(input) {
    const milliseconds = Number(input['timeout'] ?? 30_000);
    const delay = input['block'] === false ? 0 : Math.min(milliseconds / 1000 || 0, 600);
    return {name: 'BashOutput', input: {block_id: blockOf(input), delay}};
  },
};

// Files

const pathFields = [
  'file_path',
  'path',
  'absolute_path',
  'dir_path',
  'directory',
  'target_directory',
  'target_file',
] as const;

const pathOf = (input: JsonObject): string => textOf(fieldOf(input, ...pathFields));

const listing: PeerTool = {
  tool: 'Read',
  translate: input => ({name: 'Read', input: {file_path: pathOf(input) || '.'}}),
};

const readingMany: PeerTool = {
  tool: 'Read',
  translate(input) {
    const paths = listOf(fieldOf(input, 'paths', 'include', 'files')).filter(path => typeof path === 'string');
    if (paths.length === 0) return 'paths is missing. Give a list of paths';
    return paths.some(path => /[*?[{]/u.test(path))
      ? 'paths has patterns. Find the files first, then give their paths'
      : {name: 'Read', input: {files: paths.map(path => ({file_path: path}))}};
  },
};

/** Fields of Claude's built-in editor. */
const editor: PeerTool = {
  tool: 'Edit',
  translate(input) {
    const file_path = pathOf(input);
    const [first, last] = listOf(input['view_range']);
    switch (input['command']) {
      case 'view': {
        const end = typeof last === 'number' && last > 0 ? {end_line: last} : {};
        return {name: 'Read', input: {file_path, ...(first === undefined ? {} : {offset: first}), ...end}};
      }
      case 'create':
        return {name: 'Write', input: {file_path, content: fieldOf(input, 'file_text', 'content') ?? ''}};
      case 'str_replace':
        return {name: 'Edit', input: {file_path, new_str: '', ...without(input, 'command', ...pathFields)}};
      default:
        return `command must be "view", "create" or "str_replace" and is ${JSON.stringify(input['command'] ?? null)}. To insert lines, use "str_replace" on the line before them`;
    }
  },
};

const patching: PeerTool = {
  tool: 'ApplyPatch',
  translate(input) {
    const {operation} = input;
    if (isJsonObject(operation)) {
      const heading = operationHeadings[textOf(operation['type'])];
      if (heading === undefined) return 'operation.type must be "create_file", "update_file" or "delete_file"';
      const diff = textOf(operation['diff']).replace(/\n$/u, '');
      const lines = [
        '*** Begin Patch',
        `*** ${heading} File: ${textOf(operation['path'])}`,
        ...(diff === '' ? [] : [diff]),
      ];
      return {name: 'ApplyPatch', input: {patch: [...lines, '*** End Patch'].join('\n')}};
    }
    const given = fieldOf(input, 'input', 'patch', 'patchText', 'patch_text', 'command', 'cmd');
    const text = isJsonList(given) ? given.at(-1) : given;
    if (typeof text !== 'string')
      return 'input is missing. Give the patch as a text that begins with "*** Begin Patch"';
    const directory = textOf(fieldOf(input, 'workdir', 'cwd'));
    return {name: 'ApplyPatch', input: {patch: patchBelow([directory], patchIn(text)?.text ?? text)}};
  },
};

const operationHeadings: Readonly<Record<string, string>> = {
  create_file: 'Add',
  update_file: 'Update',
  delete_file: 'Delete',
};

const deleting: PeerTool = {
  tool: 'ApplyPatch',
  translate: input =>
    pathOf(input) === ''
      ? 'path is missing. Give the path of the file'
      : {name: 'ApplyPatch', input: {patch: `*** Begin Patch\n*** Delete File: ${pathOf(input)}\n*** End Patch`}},
};

/** Other programs show the lines that match. */
const searching: PeerTool = {
  tool: 'Grep',
  translate(input) {
    const {names_only, literal, fixed_strings, case_sensitive, total_max_matches, ...rest} = input;
    const pattern = textOf(fieldOf(input, 'pattern', 'query', 'regex'));
    const isLiteral = literal === true || fixed_strings === true;
    return {
      name: 'Grep',
      input: {
        output_mode: names_only === true ? 'files_with_matches' : 'content',
        ...without(rest, 'max_matches_per_file'),
        ...(total_max_matches === undefined ? {} : {head_limit: total_max_matches}),
        ...(isLiteral ? {pattern: pattern.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)} : {}),
        ...(case_sensitive === false ? {'-i': true} : {}),
      },
    };
  },
};

// The web, plans and agents

/** Gemini's models put the address into the prompt. */
const fetching: PeerTool = {
  tool: 'WebFetch',
  translate(input) {
    const prompt = textOf(input['prompt']);
    const url = textOf(input['url']) || /https?:\/\/[^\s"'<>)\]]+/u.exec(prompt)?.[0];
    return url === undefined
      ? 'url is missing. Give one address that begins with https://'
      : {name: 'WebFetch', input: {...input, url}};
  },
};

const creatingTask: PeerTool = {
  tool: 'TodoWrite',
  translate(input) {
    const content = fieldOf(input, 'subject', 'content', 'description') ?? '';
    const activeForm = input['activeForm'];
    const entry = {content, status: 'pending', ...(activeForm === undefined ? {} : {activeForm})};
    return {name: 'TodoWrite', input: {todos: [entry]}};
  },
};

const wholeList = 'there is only the whole todo list. Call TodoWrite with todos, each with content and status';

const starting: PeerTool = {
  tool: 'Agent',
  translate(input) {
    const prompt = textOf(fieldOf(input, 'prompt', 'message', 'objective', 'task', 'query'));
    const kind = fieldOf(input, 'subagent_type', 'agent_type', 'agent_name');
    const description = textOf(input['description']) || firstLine(prompt, 60);
    return {name: 'Agent', input: {description, prompt, ...(kind === undefined ? {} : {subagent_type: kind})}};
  },
};

const investigating: PeerTool = {
  tool: 'Agent',
  translate: input => starting.translate?.({...input, subagent_type: 'explore'}) ?? '',
};

const messaging: PeerTool = {
  tool: 'SendMessage',
  translate: input => ({
    name: 'SendMessage',
    input: {
      to: fieldOf(input, 'to', 'id', 'agent_id') ?? '',
      message: fieldOf(input, 'message', 'input', 'prompt') ?? '',
    },
  }),
};

const asking: PeerTool = {
  tool: 'AskUserQuestion',
  translate: input => ({
    name: 'AskUserQuestion',
    input: {
      questions: listOf(input['questions']).map(each =>
        isJsonObject(each) ? without(each, 'id', 'type', 'placeholder') : each,
      ),
    },
  }),
};

/** Warp's models give the execution mode as one object: `{"Remote": {"environment_id": …}}`. */
const startAgent: PeerTool = {
  tool: 'Agent',
  translate(input) {
    const mode = input['execution_mode'];
    const [only] = isJsonObject(mode) ? Object.entries(mode) : [];
    if (only === undefined) return {name: 'Agent', input};
    const [kind, fields] = only;
    return {name: 'Agent', input: {...input, execution_mode: kind.toLowerCase(), ...objectOf(fields)}};
  },
};

const typingWarp: PeerTool = {
  tool: 'BashInput',
  translate: input => ({name: 'BashInput', input: {...input, mode: textOf(input['mode']).toLowerCase() || 'line'}}),
};

/** Warp's models give the delay as `{"Duration": 5}` or `"OnCompletion"`. */
const readingBlock: PeerTool = {
  tool: 'BashOutput',
  translate(input) {
    const {delay} = input;
    const wait = isJsonObject(delay) ? Object.values(delay)[0] : delay === 'OnCompletion' ? 'completion' : delay;
    return {name: 'BashOutput', input: {...input, ...(wait === undefined ? {} : {delay: wait})}};
  },
};

/** Warp's models give line ranges for each file. */
const readingFiles: PeerTool = {
  tool: 'Read',
  translate(input) {
    const files = listOf(input['files']).map(objectOf);
    const entries = files.flatMap(({line_ranges: ranges, ...file}) => {
      const parts = listOf(ranges).map(objectOf);
      return parts.length === 0
        ? [file]
        : parts.map(({start, end}) => ({...file, offset: Number(start), limit: Number(end) - Number(start) + 1}));
    });
    return {name: 'Read', input: {...input, ...(entries.length === 0 ? {} : {files: entries})}};
  },
};

const editedPath = (edit: JsonObject): string => textOf(fieldOf(edit, 'file_path', 'file', 'path'));

const editingWarp: PeerTool = {
  tool: 'Edit',
  translate(input) {
    const edits = listOf(input['file_edits']).map(objectOf);
    const [first] = edits;
    if (first === undefined || edits.some(edit => editedPath(edit) !== editedPath(first)))
      return 'file_edits must be of one file. Call Edit for each file';
    const replacements = edits.map(edit => ({
      ...without(edit, 'file_path', 'file', 'path', 'search', 'replace'),
      old_string: fieldOf(edit, 'old_string', 'search') ?? '',
      new_string: fieldOf(edit, 'new_string', 'replace') ?? '',
    }));
    return {name: 'Edit', input: {file_path: editedPath(first), edits: replacements}};
  },
};

const readingResource: PeerTool = {
  tool: 'ReadMcpResourceTool',
  translate: input => ({
    name: 'ReadMcpResourceTool',
    input: {server: fieldOf(input, 'server_id') ?? '', uri: fieldOf(input, 'uri', 'name') ?? ''},
  }),
};

const callingServer: PeerTool = {
  tool: 'ToolSearch',
  translate(input) {
    const server = textOf(input['server_id']);
    const tool = textOf(input['name']);
    if (server === '') return 'server_id is missing. Give the name of the MCP server';
    return {name: mcpToolName(server, tool), input: input['input'] ?? {}};
  },
};

/**
 * Tools of Claude Code, Codex, pi, Gemini CLI, Qwen Code, opencode, Cursor and Warp. Names that differ from weft's only in case and word
 * separators need no entry.
 */
const peers: Readonly<Record<string, string | PeerTool>> = {
  ToolSearch: toolSearch,
  StartAgent: startAgent,
  start_agent: startAgent,
  SendMessageToAgent: 'SendMessage',
  send_message_to_agent: 'SendMessage',
  RequestCommandOutput: 'Bash',
  WriteToLongRunningShellCommand: typingWarp,
  ReadShellCommandOutput: readingBlock,
  TransferShellCommandControlToUser: 'BashHandOver',
  ReadFiles: readingFiles,
  RequestFileEdits: editingWarp,
  ReadMCPResource: readingResource,
  CallMCPTool: callingServer,
  ReadSkill: 'Skill',
  FileGlob: 'Glob',
  FileGlobV2: 'Glob',
  file_glob: 'Glob',
  file_glob_v2: 'Glob',
  Bash: commandTool,
  bash: shellCommand,
  'container.exec': commandTool,
  exec: sessionCommand,
  exec_command: sessionCommand,
  execute_command: commandTool,
  local_shell: commandTool,
  local_shell_call: commandTool,
  run_command: commandTool,
  run_in_terminal: commandTool,
  run_shell_command: commandTool,
  run_terminal_cmd: commandTool,
  shell: commandTool,
  shell_command: commandTool,
  write_stdin: typing,
  KillBash: stopping,
  KillShell: stopping,
  TaskStop: stopping,
  TaskOutput: taskOutput,

  read_file: 'Read',
  view: 'Read',
  view_file: 'Read',
  view_image: 'Read',
  LS: listing,
  list: listing,
  list_dir: listing,
  list_directory: listing,
  ls: listing,
  read_many_files: readingMany,

  create_file: 'Write',
  write_file: 'Write',
  edit_file: 'Edit',
  replace: 'Edit',
  search_replace: 'Edit',
  str_replace: 'Edit',
  str_replace_based_edit_tool: editor,
  str_replace_editor: editor,
  apply_patch: patching,
  applypatch: patching,
  patch: patching,
  delete_file: deleting,
  NotebookEdit: impossible('Edit', 'notebooks are edited as text. Call Edit with file_path, old_string and new_string'),

  file_search: 'Glob',
  find: 'Glob',
  find_files: 'Glob',
  grep: searching,
  grep_files: searching,
  grep_search: searching,
  rg: searching,
  ripgrep: searching,
  search_file_content: searching,
  codebase_search: 'SearchCodebase',

  fetch: fetching,
  web_fetch: fetching,
  webfetch: fetching,
  google_web_search: 'WebSearch',
  search_web: 'WebSearch',

  todo: 'TodoWrite',
  update_plan: 'TodoWrite',
  write_todos: 'TodoWrite',
  TaskCreate: creatingTask,
  TaskGet: impossible('TodoWrite', wholeList),
  TaskList: impossible('TodoWrite', wholeList),
  TaskUpdate: impossible('TodoWrite', wholeList),
  TodoRead: impossible('TodoWrite', wholeList),
  todoread: impossible('TodoWrite', wholeList),

  codebase_investigator: investigating,
  invoke_agent: starting,
  spawn_agent: starting,
  send_input: messaging,
  ask_user: asking,
  question: asking,
  request_user_input: asking,
  activate_skill: 'Skill',
  save_memory: impossible('Edit', 'facts are kept in AGENTS.md. Add a line to that file'),
  EnterPlanMode: impossible('ExitPlanMode', 'only the user turns plan mode on'),
  enter_plan_mode: impossible('ExitPlanMode', 'only the user turns plan mode on'),
};
