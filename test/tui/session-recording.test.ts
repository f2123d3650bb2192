import {reasonOf} from '../support/reason.ts';
import {afterEach, expect, test} from 'vitest';
import {actionId, messageId, todoId} from '../../src/domain/ids.ts';
import type {DiffLine} from '../../src/actions/preview.ts';
import type {Todo, TodoList, TodoStatus} from '../../src/domain/todo.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {loadGrammar} from '../../src/tui/scrollback/syntax/highlight.ts';
import {framesFor} from '../../src/tasks/update-list.ts';
import {accepted, delta, finished, message, textStarted} from './support/events.ts';
import {approval, ask, attend, finishedText, leaveStages, press, start} from './support/stage.ts';
import {commandEvents, editAction, editEvents, editPreview} from './support/work-events.ts';

afterEach(leaveStages);

const titles = ['Find the cause', 'Mend it', 'Run the tests'];

const todos = (...statuses: readonly TodoStatus[]): TodoList =>
  statuses.map((status, at): Todo => ({
    id: todoId(`${at + 1}`),
    title: titles[at] ?? '',
    description: '',
    status,
  }));

const diff: readonly DiffLine[] = [
  {kind: 'context', text: 'export function discount(price, percent) {', changed: []},
  {kind: 'removed', text: '  return price - percent;', changed: [{from: 17, to: 24}]},
  {kind: 'added', text: '  return price * (1 - percent / 100);', changed: [{from: 15, to: 36}]},
  {kind: 'context', text: '}', changed: []},
];

const explanation = `## What is wrong

\`discount\` takes the **percentage** away as if it were money:

\`\`\`js
return price - percent;
\`\`\`

| price | percent | wanted | got |
|---|---|---|---|
| 200 | 10 | 180 | 190 |

I mend it, then run the tests.
`;

test('a whole session, frame by frame', async () => {
  // Whether the first code has colors must not depend on the time that its grammar takes to load.
  await loadGrammar('javascript');
  const look = {theme: 'dark', level: 'truecolor', background: 'dark', links: 'shown'} as const;
  const stage = await start([72, 26], {directory: '~/shop', look});
  const {screen, engine} = stage;
  const frames: string[] = [];
  const pictures: string[] = [];
  /** Takes down what is on the screen once it shows `pattern`: as text without styling, and as a picture for a review of its looks. */
  const take = async (title: string, pattern: RegExp): Promise<void> => {
    await screen.until(pattern);
    pictures.push(await screen.picture(title));
    const rows = [...(await screen.rows())];
    while (rows.at(-1) === '') rows.pop();
    const {x, y} = await screen.cursor();
    frames.push(`── ${frames.length + 1}. ${title} · cursor ${y + 1}:${x + 1}\n${rows.join('\n')}\n`);
  };

  await take('the first frame', /Ask weft to do something/u);
  await screen.type('The discount is wrong. Mend it.');
  await take('a prompt is typed', /› The discount is wrong\. Mend it\./u);
  await screen.type('\r');
  engine.emit(accepted('The discount is wrong. Mend it.'), {event: 'turn-started', turn: 1});
  await take('it is sent', /▌ The discount[^]*Working/u);

  const half = explanation.indexOf('| 200');
  engine.emit(
    {event: 'message-started', message, model: 'test-model', usage: noUsage},
    textStarted,
    delta(explanation.slice(0, half)),
  );
  await take('the answer is streamed: what is finished is in the scrollback, a table is open', /price │/u);
  engine.emit(delta(explanation.slice(half)), finishedText);
  engine.emit({event: 'todos-framed', frames: framesFor([], todos('in_progress', 'pending', 'pending'))});
  await take('the todo panel', /I mend it, then run the tests\.[^]*Find the cause/u);

  engine.emit(...commandEvents('c1', 'git diff --stat', 'src/discount.js · 2 +-\n1 file changed'), {
    event: 'todos-framed',
    frames: framesFor(todos('in_progress', 'pending', 'pending'), todos('completed', 'in_progress', 'pending')),
  });
  await take('a command has run', /✓ git diff --stat/u);

  const edit = approval('e1', '', {
    risk: 'local-change',
    reasons: [reasonOf('edits ask first in this mode')],
    sessionApproval: 'kind',
  });
  ask(engine, {
    ...edit,
    toolName: 'Edit',
    action: editAction,
    label: 'Edit src/discount.js',
    preview: editPreview('src/discount.js', diff),
    rationale: '',
    wording: 'model',
    sessionGrant: 'all edits inside the workspace',
  });
  await attend(stage);
  await take('an edit asks', /╭ Make this edit to src\/discount\.js/u);
  await press(stage, 'y');
  engine.emit(
    {event: 'approval-settled', id: actionId('e1'), decision: 'allowed'},
    ...editEvents('e1', 'src/discount.js', diff).slice(1),
  );
  await take('it is allowed and made', /✓ Edited src\/discount\.js/u);

  ask(engine, approval('c2', 'rm -rf cache && npm test'));
  await attend(stage);
  await take('a destructive command asks for its word', /╭ [^\n]*can destroy data ╮[^]*rm -rf cache/u);
  await press(stage, 'n');
  engine.emit(
    {event: 'approval-settled', id: actionId('c2'), decision: 'refused'},
    {
      event: 'action-settled',
      call: {kind: 'tool-call', id: actionId('c2'), name: 'Bash', input: {}},
      result: {
        tag: 'action',
        result: {
          name: 'request-command-output',
          input: requestInput(approval('c2', 'rm -rf cache && npm test').action),
          settled: {
            state: 'cancelled',
            why: {reason: 'declined', message: 'The user said no to this.'},
            partial: {command: 'rm -rf cache && npm test', reached: 'not-started', output: ''},
          },
        },
      },
      toolResult: {kind: 'tool-result', id: actionId('c2'), content: [], outcome: 'cancelled', reason: 'declined'},
      durationMs: 0,
    },
  );
  await take('it is refused', /⊘ rm[^]*Enter: send now/u);
  await screen.type('Only the tests, please.');
  await screen.type('\r');
  await take('what is typed meanwhile joins', /↳ next step: Only the tests, please\./u);
  await screen.type('And then the docs.');
  await screen.type('\t');
  await take('or waits for the end', /↳ queued: And then the docs\./u);

  await screen.type('\u001B');
  await take('Esc: it is being stopped', /Stopping/u);
  engine.emit(
    {event: 'prompt-withdrawn', id: messageId('p2')},
    {event: 'prompt-withdrawn', id: messageId('p3')},
    finished({kind: 'interrupted'}),
  );
  await take('it is stopped; what had not been taken up is the draft again', /⊘ Interrupted[^]*› Only the tests/u);
  await screen.type('\u0003');
  await take('Ctrl+C clears it', /Ctrl\+C again to exit/u);
  await screen.type('\u0003');
  await stage.exit;
  await take('and leaves', /── 1 file changed [^\n]*\n*$/u);

  await expect(frames.join('\n')).toMatchFileSnapshot('../golden/tui/session.txt');
  for (const [at, picture] of pictures.entries()) {
    const file = `../golden/tui/screens/${String(at + 1).padStart(2, '0')}.svg`;
    await expect.soft(picture).toMatchFileSnapshot(file);
  }
});

function requestInput(action: ReturnType<typeof approval>['action']) {
  if (action.name !== 'request-command-output') throw new Error('not a command');
  return action.input;
}
