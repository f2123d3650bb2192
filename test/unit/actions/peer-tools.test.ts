import {describe, expect, test} from 'vitest';
import {accessOf, labelOf} from '../../../src/actions/catalogue.ts';
import {defaultToolSources} from '../../../src/actions/decode-action.ts';
import {ownCall, ownToolName} from '../../../src/actions/peer-tools.ts';
import type {Json} from '../../../src/base/json.ts';
import {decodeWritten} from '../../../src/agent/peer-calls.ts';

const patch = '*** Begin Patch\n*** Delete File: a.ts\n*** End Patch';
const questions = [{id: 'q', header: 'Way', question: 'Which?', options: [{label: 'a', description: 'one'}]}];

/** The label of the action, or what the model reads. */
function decoded(name: string, input: Json): string {
  const action = decodeWritten({name, input}, defaultToolSources);
  if (action.tag === 'ok') return labelOf(action.value);
  return action.error.kind === 'rejected' ? action.error.message : action.error.kind;
}

/** Calls as the models of other programs make them. */
const calls: readonly (readonly [program: string, name: string, input: Json, label: string])[] = [
  [
    'Codex',
    'exec_command',
    {cmd: 'ls', workdir: '/tmp', yield_time_ms: 1000, max_output_tokens: 4000},
    "Run (cd '/tmp' || exit; ls)",
  ],
  ['Codex', 'exec_command', {cmd: 'ls', shell: 'bash', login: true, tty: false, justification: 'to see'}, 'Run ls'],
  ['Codex', 'exec_command', {cmd: 'ls', sandbox_permissions: 'require_escalated', prefix_rule: ['ls']}, 'Run ls'],
  ['Codex', 'exec_command', {cmd: 'python3', tty: true}, 'Start in background: python3'],
  ['Codex', 'functions.exec_command', {cmd: 'ls'}, 'Run ls'],
  ['Codex', 'shell', {command: ['bash', '-lc', 'ls | wc -l'], timeout_ms: 1000}, 'Run ls | wc -l'],
  ['Codex', 'shell', {command: ['git', 'commit', '-m', "it's"]}, String.raw`Run git commit -m 'it'\''s'`],
  ['Codex', 'local_shell', {command: ['ls'], working_directory: '/tmp'}, "Run (cd '/tmp' || exit; ls)"],
  [
    'Codex',
    'shell_command',
    {command: 'ls', workdir: '.', timeout_ms: 1000, with_escalated_permissions: false},
    'Run ls',
  ],
  ['Codex', 'container.exec', {cmd: ['ls', '-a']}, 'Run ls -a'],
  ['Codex', 'write_stdin', {session_id: 'b1', chars: 'y\n', yield_time_ms: 1000}, String.raw`Type into b1: "y\n"`],
  ['Codex', 'write_stdin', {session_id: 1, chars: '', max_output_tokens: 10}, 'Read output of 1'],
  ['Codex', 'apply_patch', {input: patch}, 'Edit a.ts'],
  ['Codex', 'apply_patch', {patch}, 'Edit a.ts'],
  ['Codex', 'apply_patch', patch, 'Edit a.ts'],
  ['Codex', 'apply_patch', {operation: {type: 'delete_file', path: 'a.ts'}}, 'Edit a.ts'],
  ['Codex', 'apply_patch', {operation: {type: 'update_file', path: 'a.ts', diff: '@@\n-a\n+b\n'}}, 'Edit a.ts'],
  ['Codex', 'apply_patch', {command: ['apply_patch', patch]}, 'Edit a.ts'],
  ['Codex', 'exec_command', {cmd: `apply_patch <<'EOF'\n${patch}\nEOF`}, 'Edit a.ts'],
  ['Codex', 'exec_command', {cmd: `apply_patch <<'PATCH'\n${patch}\nPATCH\n`, workdir: 'src'}, 'Edit src/a.ts'],
  ['Codex', 'exec_command', {cmd: `cd src && apply_patch << "EOF"\n${patch}\nEOF`, workdir: '/w'}, 'Edit /w/src/a.ts'],
  ['Codex', 'shell', {command: ['apply_patch', patch]}, 'Edit a.ts'],
  ['Codex', 'shell', {command: ['bash', '-lc', `apply_patch '${patch}'`]}, 'Edit a.ts'],
  ['Codex', 'view_image', {path: 'a.png', detail: 'high'}, 'Read a.png'],
  ['Codex', 'update_plan', {plan: [{step: 'Look', status: 'in_progress'}], explanation: 'x'}, 'Update todos (1)'],
  ['Codex', 'request_user_input', {questions}, 'Ask: Which?'],
  ['Codex', 'grep_files', {pattern: 'x', include: '*.ts', path: 'src', limit: 5}, 'Search "x" in src'],
  ['Codex', 'list_dir', {dir_path: '/w', depth: 2}, 'Read /w'],
  ['Codex', 'spawn_agent', {message: 'Find it', agent_type: 'explore'}, 'Agent: Find it'],
  ['Codex', 'send_input', {id: 'a1', message: 'Go on'}, 'Message to a1'],
  ['Codex', 'tool_search', {query: 'pdf', limit: 3}, 'Search tools: pdf'],
  ['Codex', 'web_search', {query: 'xy'}, 'Search the web for "xy"'],
  ['Claude', 'bash', {command: 'ls'}, 'Run ls'],
  [
    'Claude',
    'bash',
    {restart: true},
    'bash: restart does nothing here, because each command has a new shell. Give a command.',
  ],
  ['Claude', 'str_replace_based_edit_tool', {command: 'view', path: 'a.ts', view_range: [1, 9]}, 'Read a.ts'],
  ['Claude', 'str_replace_based_edit_tool', {command: 'create', path: 'a.ts', file_text: 'x'}, 'Edit a.ts'],
  [
    'Claude',
    'str_replace_based_edit_tool',
    {command: 'str_replace', path: 'a.ts', old_str: 'a', new_str: 'b'},
    'Edit a.ts',
  ],
  ['Claude', 'str_replace_based_edit_tool', {command: 'str_replace', path: 'a.ts', old_str: 'a'}, 'Edit a.ts'],
  [
    'Claude',
    'str_replace_based_edit_tool',
    {command: 'insert', path: 'a.ts', insert_line: 1, insert_text: 'x'},
    'str_replace_based_edit_tool: command must be "view", "create" or "str_replace" and is "insert". To insert lines, use "str_replace" on the line before them.',
  ],
  ['Claude', 'TaskCreate', {subject: 'Look', description: 'at all', activeForm: 'Looking'}, 'Update todos (1)'],
  [
    'Claude',
    'TaskUpdate',
    {taskId: '1', status: 'completed'},
    'TaskUpdate: there is only the whole todo list. Call TodoWrite with todos, each with content and status.',
  ],
  ['Claude', 'TaskOutput', {task_id: 'b1', block: true, timeout: 1000}, 'Read output of b1'],
  ['Claude', 'KillShell', {shell_id: 'b1'}, String.raw`Type into b1: "\u0003"`],
  ['Claude', 'LS', {path: 'src', ignore: ['*.js']}, 'Read src'],
  ['Claude', 'Edit', {file_path: 'a.ts', old_string: 'a', new_string: 'b', replace_all: true}, 'Edit a.ts'],
  ['Claude', 'Task', {description: 'x', prompt: 'y', subagent_type: 'general-purpose'}, 'Agent: x'],
  ['Claude', 'Read', {file_path: 'a.ts', allow_large: true}, 'Read a.ts'],
  [
    'Claude',
    'Read',
    {file_path: 'a.pdf', pages: '1-5'},
    'The input of Read is invalid: there is no field pages. The fields here are file_path, offset, limit.',
  ],
  ['pi', 'read', {path: 'a.ts', offset: 1, limit: 5}, 'Read a.ts'],
  ['pi', 'bash', {command: 'ls', timeout: 5}, 'Run ls'],
  ['pi', 'edit', {path: 'a.ts', edits: [{oldText: 'a', newText: 'b'}]}, 'Edit a.ts'],
  ['pi', 'edit', {path: 'a.ts', oldText: 'a', newText: 'b'}, 'Edit a.ts'],
  ['pi', 'write', {path: 'a.ts', content: 'x'}, 'Edit a.ts'],
  ['pi', 'grep', {pattern: 'a(', literal: true, ignoreCase: true, path: 'src'}, String.raw`Search "a\\(" in src`],
  ['pi', 'find', {pattern: '*.ts', path: 'src', limit: 5}, 'Find *.ts in src'],
  ['pi', 'ls', {path: 'src'}, 'Read src'],
  ['Gemini CLI', 'read_file', {file_path: 'a.ts', start_line: 2, end_line: 5}, 'Read a.ts'],
  ['Gemini CLI', 'read_file', {absolute_path: '/w/a.ts', offset: 2, limit: 5}, 'Read /w/a.ts'],
  ['Gemini CLI', 'read_many_files', {include: ['a.ts', 'b.ts']}, 'Read a.ts, b.ts'],
  [
    'Gemini CLI',
    'read_many_files',
    {paths: ['src/**']},
    'read_many_files: paths has patterns. Find the files first, then give their paths.',
  ],
  ['Gemini CLI', 'write_file', {file_path: 'a.ts', content: 'x'}, 'Edit a.ts'],
  [
    'Gemini CLI',
    'replace',
    {file_path: 'a.ts', instruction: 'x', old_string: 'a', new_string: 'b', allow_multiple: true},
    'Edit a.ts',
  ],
  [
    'Gemini CLI',
    'replace',
    {file_path: 'a.ts', old_string: 'a', new_string: 'b', expected_replacements: 1},
    'Edit a.ts',
  ],
  [
    'Gemini CLI',
    'run_shell_command',
    {command: 'ls', description: 'look', is_background: true},
    'Start in background: ls',
  ],
  ['Gemini CLI', 'run_shell_command', {command: 'ls', dir_path: 'src'}, "Run (cd 'src' || exit; ls)"],
  [
    'Gemini CLI',
    'grep_search',
    {pattern: 'x', dir_path: 'src', include_pattern: '*.ts', names_only: true},
    'Search "x" in src',
  ],
  ['Gemini CLI', 'grep_search', {pattern: 'x', case_sensitive: false, total_max_matches: 5}, 'Search "x" in .'],
  ['Gemini CLI', 'search_file_content', {pattern: 'x', include: '*.ts'}, 'Search "x" in .'],
  [
    'Gemini CLI',
    'glob',
    {pattern: '*.ts', dir_path: 'src', case_sensitive: true, respect_git_ignore: true},
    'Find *.ts in src',
  ],
  ['Gemini CLI', 'list_directory', {dir_path: 'src', ignore: [], file_filtering_options: {}}, 'Read src'],
  ['Gemini CLI', 'write_todos', {todos: [{description: 'Look', status: 'pending'}]}, 'Update todos (1)'],
  ['Gemini CLI', 'web_fetch', {prompt: 'Read https://example.com/a and say'}, 'Fetch https://example.com/a'],
  ['Gemini CLI', 'google_web_search', {query: 'xy'}, 'Search the web for "xy"'],
  [
    'Gemini CLI',
    'ask_user',
    {questions: [{question: 'Which?', type: 'choice', options: [{label: 'a'}]}]},
    'Ask: Which?',
  ],
  ['Gemini CLI', 'activate_skill', {name: 'pdf'}, 'Use the skill pdf'],
  ['Gemini CLI', 'save_memory', {fact: 'x'}, 'save_memory: facts are kept in AGENTS.md. Add a line to that file.'],
  ['Gemini CLI', 'codebase_investigator', {objective: 'Find the parser'}, 'Agent: Find the parser'],
  ['Qwen Code', 'todo_write', {todos: [{id: '1', content: 'Look', status: 'pending'}]}, 'Update todos (1)'],
  ['Qwen Code', 'edit', {file_path: 'a.ts', old_string: 'a', new_string: 'b', replace_all: false}, 'Edit a.ts'],
  ['Qwen Code', 'skill', {skill: 'pdf'}, 'Use the skill pdf'],
  ['Qwen Code', 'task', {description: 'x', prompt: 'y', subagent_type: 'explore'}, 'Agent: x'],
  ['opencode', 'edit', {filePath: 'a.ts', oldString: 'a', newString: 'b', replaceAll: true}, 'Edit a.ts'],
  ['opencode', 'patch', {patchText: patch}, 'Edit a.ts'],
  ['opencode', 'webfetch', {url: 'https://example.com/', format: 'markdown', timeout: 5}, 'Fetch https://example.com/'],
  [
    'opencode',
    'todowrite',
    {todos: [{content: 'Look', status: 'pending', priority: 'high', id: '1'}]},
    'Update todos (1)',
  ],
  ['opencode', 'list', {path: 'src'}, 'Read src'],
  ['Cursor', 'run_terminal_cmd', {command: 'ls', is_background: false, explanation: 'x'}, 'Run ls'],
  ['Cursor', 'search_replace', {file_path: 'a.ts', old_string: 'a', new_string: 'b'}, 'Edit a.ts'],
  ['Cursor', 'delete_file', {target_file: 'a.ts'}, 'Edit a.ts'],
];

describe('calls of models that know other programs', () => {
  test.each(calls)('%s: %s %j', (_program, name, input, label) => {
    expect(decoded(name, input)).toBe(label);
  });
});

const inputOf = (name: string, input: Json): Json | undefined => {
  const call = ownCall(name, input);
  return call?.tag === 'ok' ? call.value.input : undefined;
};

test('Codex models go on while a command runs, and pi counts seconds', () => {
  expect(inputOf('exec_command', {cmd: 'make'})).toEqual({command: 'make', yield_time_ms: 120_000});
  expect(inputOf('bash', {command: 'make', timeout: 5})).toEqual({command: 'make', timeout: 5000});
  expect(inputOf('bash', {command: 'make', timeout: 5000})).toEqual({command: 'make', timeout: 5000});
});

test('a search of another program shows the lines that match', () => {
  const lines = decodeWritten({name: 'grep_search', input: {pattern: 'x'}}, defaultToolSources);
  expect(lines).toMatchObject({value: {input: {mode: 'content'}}});
});

describe('an input that does not fit names the field and the form that works', () => {
  test.each<[string, Json, string]>([
    ['exec_command', {cmd: 5}, 'exec_command: command must be a text, or a list of texts.'],
    [
      'exec_command',
      {cmd: 'ls', timeoutt: 5},
      'The input of exec_command is invalid: there is no field timeoutt (did you mean timeout?). The fields here are cmd, workdir, yield_time_ms, tty.',
    ],
    ['read_file', {path: 5}, 'The input of read_file is invalid: path must be a string and is a number.'],
    ['write_file', {file_path: 'a'}, 'The input of write_file is invalid: content is missing. Give a string.'],
    [
      'replace',
      {file_path: 'a', new_string: 'b'},
      'The input of replace is invalid: old_string is missing. Give the exact text to replace.',
    ],
    ['write_stdin', {chars: 'y'}, 'write_stdin: session_id is missing. Give the one that exec_command returned.'],
    ['apply_patch', {}, 'apply_patch: input is missing. Give the patch as a text that begins with "*** Begin Patch".'],
    [
      'apply_patch',
      {input: 'x'},
      'The input of apply_patch is invalid: input: the first line must be "*** Begin Patch".',
    ],
    ['update_plan', {plan: 'x'}, 'The input of update_plan is invalid: plan must be an array and is a string.'],
    ['web_fetch', {prompt: 'x'}, 'web_fetch: url is missing. Give one address that begins with https://.'],
  ])('%s %j', (name, input, said) => {
    expect(decoded(name, input)).toBe(said);
  });
});

test('names that no program has stay unknown', () => {
  expect([ownToolName('Frobnicate'), ownCall('Frobnicate', {})]).toEqual([undefined, undefined]);
});

test('a patch in a command is judged as an edit of its files', () => {
  const edit = decodeWritten(
    {name: 'exec_command', input: {cmd: `apply_patch <<EOF\n${patch}\nEOF`}},
    defaultToolSources,
  );
  expect(edit.tag === 'ok' && accessOf(edit.value).kind).toBe('edit');
});
