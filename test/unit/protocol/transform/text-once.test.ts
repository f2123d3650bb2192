import {describe, test} from 'vitest';
import type {ResponseEvent} from '../../../../src/protocol/task/response-event.ts';
import {
  acts,
  add,
  append,
  begin,
  commit,
  createTask,
  finished,
  init,
  message,
  rollback,
  says,
  update,
} from './event-builders.ts';
import {expectTold} from './read-answers.ts';

describe('text is told once', () => {
  const cases: Readonly<Record<string, readonly [readonly ResponseEvent[], string]>> = {
    'appended to a message': [
      [acts(add('m', says('')), append('m', says('Hel'))), acts(append('m', says('lo')))],
      'Hello',
    ],
    'appended to a message nobody added': [[acts(append('m', says('Hello')))], 'Hello'],
    'added whole, twice': [[acts(add('m', says('Hello'))), acts(add('m', says('Hello')))], 'Hello'],
    'appended, then updated with the whole': [
      [
        acts(append('m', says('Hel')), append('m', says('lo'))),
        acts(update('m', says('Hello'), ['agent_output.text'])),
      ],
      'Hello',
    ],
    'updated with more, twice': [
      [acts(add('m', says('He'))), acts(update('m', says('Hello')), update('m', says('Hello world')))],
      'Hello world',
    ],
    'updated before it was added': [[acts(update('m', says('Hello'), ['citations']))], 'Hello'],
    'cut short and grown again': [
      [acts(add('m', says('Hello\n')), update('m', says('Hello')), update('m', says('Hello world')))],
      'Hello\n world',
    ],
    'cut short and grown to what was shown': [
      [acts(add('m', says('Hello world')), update('m', says('Hello')), append('m', says(' world')))],
      'Hello world',
    ],
    'replaced: what was shown stands, the new text follows whole': [
      [acts(add('m', says('Thinking…')), update('m', says('The answer.')))],
      'Thinking…The answer.',
    ],
    'an update whose mask does not reach the text': [
      [acts(add('m', says('Hello')), update('m', says(''), ['citations']), update('m', says('No'), ['server_data']))],
      'Hello',
    ],
    'a mask in camelCase': [[acts(add('m', says('He')), update('m', says('Hello'), ['agentOutput.text']))], 'Hello'],
    'a mask that names more than the text': [
      [acts(add('m', says('He')), update('m', says('Hello'), ['agent_output']))],
      'Hello',
    ],
    'messages of a new task, told again with the task': [
      [acts(createTask(message('m', says('Hello')))), acts(createTask(message('m', says('Hello'))))],
      'Hello',
    ],
    'two messages': [[acts(add('m', says('One. ')), add('n', says('Two.')))], 'One. Two.'],
    'two equal messages': [[acts(add('m', says('Yes. ')), add('n', says('Yes. ')))], 'Yes. Yes. '],
    'messages without ids': [
      [acts(add('', says('Yes. ')), add('', says('Yes. ')), update('', says('Yes. No')))],
      'Yes. Yes. No',
    ],
    'a summary, also when it comes again': [
      [
        acts({kind: 'update-summary', taskId: 't', summary: 'In short'}),
        acts({kind: 'update-summary', taskId: 't', summary: 'In short: done'}),
      ],
      'In short: done',
    ],
    'no text of the user, of descriptions, of what replaces moved messages': [
      [
        acts(
          createTask(message('q', {kind: 'user-query', query: 'Do it'})),
          {kind: 'update-description', taskId: 't', description: 'Doing it'},
          add('m', says('Hello')),
          {
            kind: 'move-messages',
            sourceTaskId: 't',
            newTask: {id: 'u', description: '', parentTaskId: '', summary: '', messages: []},
            firstMessageId: 'q',
            lastMessageId: 'm',
            replacements: [message('s', says('They said hello'))],
          },
          {kind: 'other', field: 'show_suggestions'},
          add('x', {kind: 'other', field: 'web_search'}),
        ),
      ],
      'Hello',
    ],
    'one that was rolled back and comes again': [
      [acts(begin, append('m', says('Hello'))), acts(rollback, begin, append('m', says('Hello')), commit)],
      'Hello',
    ],
    'rolled back half way, under another id then': [
      [
        acts(begin, append('m', says('Hel')), rollback, begin),
        acts(append('n', says('H')), append('n', says('ello')), commit),
      ],
      'Hello',
    ],
    'rolled back twice': [
      [
        acts(
          begin,
          append('m', says('He')),
          rollback,
          begin,
          append('m', says('Hel')),
          rollback,
          begin,
          add('m', says('Hello')),
          commit,
        ),
      ],
      'Hello',
    ],
    'rolled back and never begun again': [
      [acts(begin, add('m', says('Hello')), rollback, add('n', says('Hello world')))],
      'Hello world',
    ],
    'the second attempt is shorter: it is told whole': [
      [
        acts(
          begin,
          add('m', says('Hello world')),
          rollback,
          begin,
          add('n', says('Hello')),
          commit,
          add('o', says('\nBye')),
        ),
      ],
      'Hello worldHello\nBye',
    ],
    'the second attempt is shorter, and all there is': [
      [acts(begin, add('m', says('Hello world')), rollback, add('m', says('Hello')))],
      'Hello worldHello',
    ],
    'the second attempt says nothing': [[acts(begin, add('m', says('Hello world')), rollback)], 'Hello world'],
    'the second attempt comes in several transactions': [
      [
        acts(begin, add('m', says('Hello world')), rollback, begin, add('m', says('Hello')), commit),
        acts(begin, append('m', says(' wor')), commit, append('m', says('ld!'))),
      ],
      'Hello world!',
    ],
    'the second attempt differs: it is told whole': [
      [
        acts(begin, add('m', says('Let me look.')), rollback, begin),
        acts(append('n', says('Let me ')), append('n', says('read.')), commit),
      ],
      'Let me look.Let me read.',
    ],
    'text before the transaction is not told again': [
      [
        acts(
          add('m', says('First. ')),
          begin,
          append('m', says('Second')),
          rollback,
          update('m', says('First. Second.')),
        ),
      ],
      'First. Second.',
    ],
    'an inner transaction rolled back, and then the outer one': [
      [
        acts(begin, add('a', says('A ')), begin, add('b', says('B ')), rollback, add('b', says('B ')), rollback),
        acts(add('a', says('A ')), add('c', says('B C'))),
      ],
      'A B C',
    ],
    'a rollback and a commit of nothing': [
      [acts(rollback, commit, add('m', says('Hello')), commit, rollback)],
      'Hello',
    ],
    'characters of two units, line separators, quotes': [
      [acts(append('m', says('😀\u2028"')), append('m', says('\u0085\\n\r\n\u{1f600}')))],
      '😀\u2028"\u0085\\n\r\n\u{1f600}',
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [events, text]) => {
    await expectTold([init, ...events, finished()], {text, calls: []});
  });
});
