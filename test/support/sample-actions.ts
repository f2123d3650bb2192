import {emptyUserChanges} from '../../src/domain/file-edit.ts';
import type {ActionName, PartialOf, InputOf} from '../../src/actions/catalogue.ts';
import {todoId} from '../../src/domain/ids.ts';

/** One action of each kind, with what its label says and what its cancelled result carries when it never started. */
export const sampleActions: {
  readonly [N in ActionName]: {
    readonly input: InputOf<N>;
    readonly label: string;
    readonly partial: PartialOf<N>;
  };
} = {
  'request-command-output': {
    input: {
      command: 'npm test',
      place: 'foreground',
      timeoutMs: 120_000,
      claims: {readOnly: 'no', risky: 'unsaid', usesPager: 'no'},
      description: 'Run the tests',
      rationale: 'To see what fails',
    },
    label: 'Run npm test',
    partial: {command: 'npm test', reached: 'not-started', output: ''},
  },
  'write-to-long-running-shell-command': {
    input: {blockId: 'b1', input: 'y', program: 'python3', mode: 'line'},
    label: 'Type into python3: y',
    partial: {blockId: 'b1', reached: 'not-started'},
  },
  'read-shell-command-output': {
    input: {blockId: 'b1', delay: 'completion'},
    label: 'Read output of b1',
    partial: {blockId: 'b1', reached: 'not-started'},
  },
  'transfer-shell-command-control-to-user': {
    input: {blockId: 'b1', reason: 'a password is needed'},
    label: 'Hand over b1: a password is needed',
    partial: {blockId: 'b1', reached: 'not-started'},
  },
  'read-files': {
    input: {
      requests: [
        {path: 'src/sum.js', offset: 1, limit: 2000},
        {path: 'README.md', offset: 10, limit: 5},
      ],
    },
    label: 'Read src/sum.js, README.md',
    partial: {paths: ['src/sum.js', 'README.md']},
  },
  'request-file-edits': {
    input: {
      userChanges: emptyUserChanges,
      edits: [
        {
          kind: 'replace',
          path: 'src/sum.js',
          replacements: [{oldText: 'a - b', newText: 'a + b', occurrence: 'only'}],
        },
        {kind: 'write', path: 'NOTES.md', content: 'Done.\n'},
      ],
    },
    label: 'Edit src/sum.js, NOTES.md',
    partial: {paths: ['src/sum.js', 'NOTES.md']},
  },
  grep: {
    input: {
      queries: ['sum\\('],
      path: 'src',
      globs: ['*.js'],
      mode: 'content',
      letterCase: 'sensitive',
      before: 2,
      after: 2,
      fileType: '',
      span: 'line',
      offset: 0,
      limit: 250,
    },
    label: 'Search "sum\\\\(" in src',
    partial: {queries: ['sum\\(']},
  },
  'file-glob-v2': {
    input: {patterns: ['**/*.js', '*.md'], path: '.', limit: 200, maxDepth: 3},
    label: 'Find **/*.js, *.md in .',
    partial: {patterns: ['**/*.js', '*.md']},
  },
  'read-mcp-resource': {
    input: {kind: 'read', server: 'docs', uri: 'docs://start'},
    label: 'Read docs://start from docs',
    partial: {uri: 'docs://start'},
  },
  'search-tools': {input: {query: 'issues', limit: 5}, label: 'Search tools: issues', partial: undefined},
  'call-mcp-tool': {
    input: {
      server: 'docs',
      tool: 'find',
      toolName: 'mcp__docs__find',
      standing: 'as-known',
      arguments: {query: 'start'},
    },
    label: 'Call find of docs',
    partial: {server: 'docs', tool: 'find', reached: 'not-started'},
  },
  'web-fetch': {
    input: {url: 'https://example.com/start', prompt: 'the price'},
    label: 'Fetch https://example.com/start',
    partial: {url: 'https://example.com/start'},
  },
  'web-search': {
    input: {query: 'price of tea', allowedDomains: ['example.com'], blockedDomains: []},
    label: 'Search the web for "price of tea"',
    partial: {query: 'price of tea'},
  },
  'ask-user-question': {
    input: {
      questions: [
        {
          question: 'Which test runner?',
          header: 'Runner',
          options: [
            {label: 'node', description: 'built in', recommended: 'recommended'},
            {label: 'vitest', description: '', recommended: 'plain'},
          ],
          choice: 'one',
        },
      ],
    },
    label: 'Ask: Which test runner?',
    partial: {questions: ['Which test runner?']},
  },
  'start-agent': {
    input: {
      name: 'find the parser',
      prompt: 'Where is it?',
      kind: 'explore',
      harness: 'weft',
      model: '',
      place: 'foreground',
      isolation: 'none',
      title: '',
      machine: 'any',
      computerUse: 'asks',
      lifecycle: [],
    },
    label: 'Agent: find the parser',
    partial: {name: 'find the parser', answer: ''},
  },
  'send-message-to-agent': {
    input: {to: ['find the parser'], message: 'Look in src, too.'},
    label: 'Message to find the parser',
    partial: {name: 'find the parser', answer: ''},
  },
  'read-skill': {
    input: {name: 'pdf', argument: 'report.pdf'},
    label: 'Use the skill pdf',
    partial: {name: 'pdf'},
  },
  'update-todos': {
    input: {
      entries: [
        {id: todoId('t1'), title: 'Find the fault', description: 'Finding the fault', status: 'in_progress'},
        {id: undefined, title: 'Mend it', description: '', status: 'pending'},
      ],
    },
    label: 'Update todos (2)',
    partial: {entries: 2},
  },
  'read-documents': {
    input: {ids: ['d1', 'd2'], ranges: {}},
    label: 'Read document d1, d2',
    partial: {ids: ['d1', 'd2']},
  },
  'create-documents': {
    input: {drafts: [{title: 'Plan', text: '1. Look'}]},
    label: 'Create document Plan',
    partial: {titles: ['Plan']},
  },
  'edit-documents': {
    input: {edits: [{id: 'd1', oldText: 'Look', newText: 'Look twice'}]},
    label: 'Edit document d1',
    partial: {ids: ['d1']},
  },
  'insert-code-review-comments': {
    input: {
      repository: '',
      base: 'main',
      comments: [{path: 'src/sum.js', lines: {first: 3, last: 3}, text: 'It subtracts.', severity: 'error'}],
    },
    label: 'Insert 1 review comment',
    partial: {comments: 1},
  },
  'open-code-review': {
    input: {range: 'main'},
    label: 'Open the code review of the changes since main',
    partial: {range: 'main'},
  },
  'upload-artifact': {
    input: {path: 'out/report.pdf', description: 'The report'},
    label: 'Keep out/report.pdf as an artifact',
    partial: {path: 'out/report.pdf'},
  },
  'init-project': {input: {}, label: 'Explore the project', partial: undefined},
  'sandbox-exec': {
    input: {command: 'make fmt', effects: 'dry', timeoutMs: 120_000},
    label: 'Try in the sandbox: make fmt',
    partial: {command: 'make fmt', reached: 'not-started', output: ''},
  },
  'search-codebase': {
    input: {query: 'where is the sum rounded?', path: 'src', filters: [], limit: 10},
    label: 'Search the code for "where is the sum rounded?" in src',
    partial: {query: 'where is the sum rounded?'},
  },
  'fetch-conversation': {
    input: {id: '0f9a1a34', before: 12},
    label: 'Read conversation 0f9a1a34',
    partial: {id: '0f9a1a34'},
  },
  'suggest-prompt': {
    input: {prompt: 'run the tests', label: ''},
    label: 'Suggest next: run the tests',
    partial: {prompt: 'run the tests'},
  },
  'suggest-new-conversation': {
    input: {summary: 'The cart is done.', reason: 'the next task is another one'},
    label: 'Suggest a new conversation: the next task is another one',
    partial: {summary: 'The cart is done.'},
  },
  'request-computer-use': {
    input: {task: 'Fill in the form', minutes: 1},
    label: 'Use the computer for 1 minute: Fill in the form',
    partial: {task: 'Fill in the form'},
  },
  'use-computer': {
    input: {
      steps: [
        {kind: 'click', at: {x: 10, y: 20}, button: 'right', times: 2},
        {kind: 'keys', modifiers: ['ctrl'], key: {character: 's'}},
      ],
      summary: 'Save it',
    },
    label: 'Use the computer: double right click 10,20, press ctrl+s (Save it)',
    partial: {done: 0, of: 2},
  },
  'exit-plan': {
    input: {goal: 'Prices are right', steps: ['Add a test', 'Mend the rounding'], notes: ''},
    label: 'Plan: Prices are right',
    partial: {goal: 'Prices are right'},
  },
  'give-structured-answer': {
    input: {answer: {sum: 3}},
    label: 'Give the answer as JSON',
    partial: {reached: 'not-given'},
  },
};
