import {emptyChangesOutcome} from '../../../src/actions/changes-port.ts';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {actionOf} from '../../../src/actions/catalogue.ts';
import {emptyUserChanges} from '../../../src/domain/file-edit.ts';
import type {DiffLine, Preview} from '../../../src/actions/preview.ts';
import {actionId} from '../../../src/domain/ids.ts';

/** Events of actions that run to their end, each list in the order in which the engine tells of them. */
export function commandEvents(
  name: string,
  command: string,
  text: string,
  changes = emptyChangesOutcome,
): readonly AgentEvent[] {
  const id = actionId(name);
  const action = actionOf('request-command-output', {
    command,
    timeoutMs: 1000,
    place: 'foreground',
    claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
    description: '',
    rationale: '',
  });
  if (action.name !== 'request-command-output') throw new Error('not a command');
  const report = {
    end: {kind: 'exited', code: 0},
    output: {text, totalBytes: text.length, leftOutLines: 0, file: undefined},
    durationMs: 5,
    directory: '/w',
    nextDirectory: '/w',
    leftRunning: [],
    blocked: '',
    changes,
    notes: [],
  } as const;
  return [
    {event: 'action-queued', id, action, label: `Run ${command}`},
    {event: 'action-started', id, action, preview: {kind: 'command', command, directory: '/w'}},
    {event: 'action-output', id, chunk: text},
    {
      event: 'action-settled',
      call: {kind: 'tool-call', id, name: 'Bash', input: {command}},
      result: {
        tag: 'action',
        result: {
          name: 'request-command-output',
          input: action.input,
          settled: {state: 'success', output: {kind: 'completed', command, report}},
        },
      },
      toolResult: {kind: 'tool-result', id, content: [{kind: 'text', text}], outcome: 'success'},
      durationMs: 5,
    },
  ];
}

export function editPreview(path: string, lines: readonly DiffLine[]): Preview & {readonly kind: 'diff'} {
  const count = (kind: DiffLine['kind']): number => lines.filter(line => line.kind === kind).length;
  const file = {
    path,
    before: 'x',
    after: 'y',
    added: count('added'),
    removed: count('removed'),
    movedFrom: undefined,
    notes: [],
    hunks: [{oldStart: 1, newStart: 1, lines}],
  };
  return {kind: 'diff', files: [file]};
}

export const editAction = actionOf('request-file-edits', {edits: [], userChanges: emptyUserChanges});

export function editEvents(name: string, path: string, lines: readonly DiffLine[]): readonly AgentEvent[] {
  const id = actionId(name);
  const preview = editPreview(path, lines);
  return [
    {event: 'action-queued', id, action: editAction, label: `Edit ${path}`},
    {event: 'action-started', id, action: editAction, preview},
    {
      event: 'action-settled',
      call: {kind: 'tool-call', id, name: 'Edit', input: {}},
      result: {
        tag: 'action',
        result: {
          name: 'request-file-edits',
          input: {edits: [], userChanges: emptyUserChanges},
          settled: {state: 'success', output: {files: preview.files, userChanged: []}},
        },
      },
      toolResult: {kind: 'tool-result', id, content: [], outcome: 'success'},
      durationMs: 5,
    },
  ];
}
