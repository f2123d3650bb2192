import {unamended} from '../../src/actions/files-port.ts';
import type {ActionName, CutOf, InputOf} from '../../src/actions/catalogue.ts';
import {todoId} from '../../src/domain/ids.ts';

/** One action of each kind, with what its label says and what its cancelled result carries when it never started. */
export const sampleActions: {
  readonly [N in ActionName]: {
    readonly input: InputOf<N>;
    readonly label: string;
    readonly cut: CutOf<N>;
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
      citations: [],
    },
    label: 'Run command: npm test',
    cut: {command: 'npm test', reached: 'not-started', output: ''},
  },
  'write-to-long-running-shell-command': {
    input: {blockId: 'b1', input: 'y', mode: 'line'},
    label: 'Write to block b1: y',
    cut: {blockId: 'b1', reached: 'not-started'},
  },
  'read-shell-command-output': {
    input: {blockId: 'b1', delay: 'completion'},
    label: 'Read output of block b1',
    cut: {blockId: 'b1', reached: 'not-started'},
  },
  'transfer-shell-command-control-to-user': {
    input: {blockId: 'b1', reason: 'a password is needed'},
    label: 'Hand over block b1: a password is needed',
    cut: {blockId: 'b1', reached: 'not-started'},
  },
  'read-files': {
    input: {
      requests: [
        {path: 'src/sum.js', offset: 1, limit: 2000},
        {path: 'README.md', offset: 10, limit: 5},
      ],
    },
    label: 'Read src/sum.js, README.md',
    cut: {paths: ['src/sum.js', 'README.md']},
  },
  'request-file-edits': {
    input: {
      amendment: unamended,
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
    cut: {paths: ['src/sum.js', 'NOTES.md']},
  },
  'upload-artifact': {
    input: {path: 'report.pdf', description: 'The report'},
    label: 'Upload report.pdf',
    cut: {path: 'report.pdf'},
  },
  'search-codebase': {
    input: {query: 'where sessions are kept', pathFilters: ['src/**']},
    label: 'Search the codebase for where sessions are kept',
    cut: {query: 'where sessions are kept'},
  },
  grep: {
    input: {
      queries: ['sum\\('],
      path: 'src',
      globs: ['*.js'],
      mode: 'content',
      letterCase: 'sensitive',
      context: 2,
      limit: 250,
    },
    label: 'Search "sum\\\\(" in src',
    cut: {queries: ['sum\\(']},
  },
  'file-glob': {
    input: {patterns: ['**/*.js'], path: '.', limit: 200, maxDepth: 0},
    label: 'Find **/*.js in .',
    cut: {patterns: ['**/*.js']},
  },
  'file-glob-v2': {
    input: {patterns: ['**/*.js', '*.md'], path: '.', limit: 200, maxDepth: 3},
    label: 'Find **/*.js, *.md in .',
    cut: {patterns: ['**/*.js', '*.md']},
  },
  'read-mcp-resource': {
    input: {kind: 'read', server: 'docs', uri: 'docs://start'},
    label: 'Read docs://start from docs',
    cut: {uri: 'docs://start'},
  },
  'call-mcp-tool': {
    input: {server: 'docs', tool: 'find', toolName: 'mcp__docs__find', arguments: {query: 'start'}},
    label: 'Call find of docs',
    cut: {server: 'docs', tool: 'find', reached: 'not-started'},
  },
  'read-documents': {
    input: {documentIds: ['d1', 'd2']},
    label: 'Read 2 document(s)',
    cut: {documentIds: ['d1', 'd2']},
  },
  'edit-documents': {
    input: {diffs: [{documentId: 'd1', search: 'a', replace: 'b'}]},
    label: 'Edit 1 document(s)',
    cut: {documentIds: ['d1']},
  },
  'create-documents': {
    input: {documents: [{title: 'Plan', content: '1. Look'}]},
    label: 'Create 1 document(s)',
    cut: {titles: ['Plan']},
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
    cut: {questions: ['Which test runner?']},
  },
  'start-agent': {
    input: {name: 'Look for leaks', prompt: 'Find …', execution: {mode: 'local', harness: 'weft'}},
    label: 'Start agent Look for leaks',
    cut: {name: 'Look for leaks'},
  },
  'send-message-to-agent': {
    input: {addresses: ['a1'], subject: 'Stop', message: 'Enough found.'},
    label: 'Send message: Stop',
    cut: {addresses: ['a1']},
  },
  'suggest-new-conversation': {
    input: {messageId: 'm1'},
    label: 'Suggest a new conversation',
    cut: {messageId: 'm1'},
  },
  'suggest-prompt': {
    input: {prompt: 'Add tests', label: ''},
    label: 'Suggest: Add tests',
    cut: {prompt: 'Add tests'},
  },
  'init-project': {input: {}, label: 'Set up the project', cut: {}},
  'open-code-review': {input: {}, label: 'Open code review', cut: {}},
  'insert-code-review-comments': {
    input: {repoPath: '.', baseBranch: 'main', comments: [{path: 'src/sum.js', line: 1, body: 'A sign is wrong.'}]},
    label: 'Insert 1 code review comment(s)',
    cut: {comments: 1},
  },
  'fetch-conversation': {
    input: {conversationId: 'c1'},
    label: 'Fetch conversation c1',
    cut: {conversationId: 'c1'},
  },
  'read-skill': {
    input: {name: 'release', arguments: ''},
    label: 'Skill release',
    cut: {name: 'release'},
  },
  'use-computer': {
    input: {actionSummary: 'press OK', actions: [{click: [10, 20]}]},
    label: 'Use computer: press OK',
    cut: {actionSummary: 'press OK'},
  },
  'request-computer-use': {
    input: {taskSummary: 'fill in the form'},
    label: 'Use the computer for: fill in the form',
    cut: {taskSummary: 'fill in the form'},
  },
  'update-todos': {
    input: {
      entries: [
        {id: todoId('t1'), title: 'Find the fault', description: 'Finding the fault', status: 'in_progress'},
        {id: undefined, title: 'Mend it', description: '', status: 'pending'},
      ],
    },
    label: 'Update todos (2)',
    cut: {entries: 2},
  },
  'web-fetch': {
    input: {url: 'https://example.com/', prompt: 'What is it?'},
    label: 'Fetch https://example.com/',
    cut: {url: 'https://example.com/'},
  },
  'web-search': {
    input: {query: 'node sqlite'},
    label: 'Search the web for node sqlite',
    cut: {query: 'node sqlite'},
  },
  'give-structured-answer': {
    input: {answer: {sum: 3}},
    label: 'Give the answer as JSON',
    cut: {reached: 'not-given'},
  },
};
