import {describe, expect, test} from 'vitest';
import type {Json} from '../../../src/base/json.ts';
import {documentsOf, findDocument, longestDocument, nextDocumentId} from '../../../src/domain/document.ts';
import {documentId, messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {
  aborted,
  type Bench,
  callBlock,
  callsTools,
  engineBench,
  memorySession,
  says,
  valueOf,
} from '../../support/memory-ports.ts';

const create = callBlock('CreateDocuments', {
  documents: [
    {title: 'Plan', content: '1. Look\n2. Mend\n'},
    {title: ' Release\n notes', content: 'None.'},
  ],
});
const edit = (...diffs: readonly Json[]) => callBlock('EditDocuments', {diffs});
const read = (...ids: readonly string[]) => callBlock('ReadDocuments', {document_ids: ids});

/** What the model read of each call, and how it ended. */
async function results(bench: Bench): Promise<readonly (readonly [string, string])[]> {
  await bench.prompt('go');
  return bench.events.flatMap(event =>
    event.event === 'action-settled'
      ? [
          [
            event.result.tag === 'action' ? event.result.result.settled.state : event.result.tag,
            event.toolResult.content.map(block => (block.kind === 'text' ? block.text : '')).join(),
          ] as const,
        ]
      : [],
  );
}

const run = (...calls: readonly ReturnType<typeof callBlock>[]) =>
  engineBench([...calls.map(call => callsTools(call)), says('end')]);

test('documents are made, listed and read; a title is one line', async () => {
  expect(await results(run(create, read(), read('d1', 'release notes')))).toEqual([
    ['success', 'Created d1 "Plan" (version 1), d2 "Release notes" (version 1).'],
    ['success', 'd1 "Plan" (version 1)\nd2 "Release notes" (version 1)'],
    ['success', 'd1 "Plan" (version 1)\n1. Look\n2. Mend\n\n\nd2 "Release notes" (version 1)\nNone.'],
  ]);
});

test('edits apply in order and make one version; where one finds nothing, none is made', async () => {
  const bench = run(
    create,
    edit(
      {document_id: 'd1', search: '1. Look', replace: '1. Look twice'},
      {document_id: 'd1', search: 'Look twice', replace: 'Look long'},
    ),
    edit({document_id: 'd2', search: 'None.', replace: 'Some.'}, {document_id: 'd1', search: 'gone', replace: ''}),
    edit({document_id: 'd7', search: 'x', replace: ''}),
    read('d1', 'd2'),
    read('d9'),
  );
  expect((await results(bench)).slice(1)).toEqual([
    ['success', 'Edited d1 "Plan" (version 2).'],
    ['error', 'Nothing was changed. Edit 2 of 2 (document d1) failed: it does not stand there once.'],
    ['error', 'There is no document d7. There are: d1 "Plan" (version 2), d2 "Release notes" (version 1).'],
    ['success', 'd1 "Plan" (version 2)\n1. Look long\n2. Mend\n\n\nd2 "Release notes" (version 1)\nNone.'],
    ['error', 'There is no document d9. There are: d1 "Plan" (version 2), d2 "Release notes" (version 1).'],
  ]);
});

test('one that is too long is refused, and a session without any says so', async () => {
  const long = {documents: [{title: 'Long', content: 'x'.repeat(longestDocument + 1)}]};
  expect(await results(run(callBlock('CreateDocuments', long), read()))).toEqual([
    ['error', '"Long" is too long. A document may have at most 200000 characters.'],
    ['success', 'This session has no documents yet.'],
  ]);
});

test('calls behind an interrupt are cancelled, and change nothing', async () => {
  const bench = engineBench(
    [
      callsTools(
        callBlock('Bash', {command: 'wait'}),
        create,
        edit({document_id: 'd1', search: 'x', replace: ''}),
        read(),
      ),
    ],
    {
      async shell(_request, _observe, signal) {
        bench.engine.submit({op: 'interrupt'});
        await aborted(signal);
        throw new Error('stopped');
      },
    },
  );
  expect((await results(bench)).map(([state]) => state)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
  expect(valueOf(await bench.query({query: 'documents'}))).toEqual([]);
});

test('what the user writes is a version, and the agent hears of it with the next prompt', async () => {
  const bench = engineBench([callsTools(create), says('end'), says('I see.')]);
  await bench.prompt('go');
  await bench.query({query: 'write-document', document: {id: 'plan'}, text: 'Mine.'});
  await bench.query({query: 'write-document', document: {title: 'Own'}, text: 'Own text.'});
  expect(valueOf(await bench.query({query: 'documents'}))).toMatchObject([
    {id: 'd1', versions: [{by: 'agent'}, {by: 'user', text: 'Mine.'}]},
    {id: 'd2', versions: [{by: 'agent'}]},
    {id: 'd3', title: 'Own', versions: [{by: 'user', text: 'Own text.'}]},
  ]);
  await bench.prompt('look at @doc:d1 and mail a@doc:d2');
  const sent = JSON.stringify(bench.model.requests.at(-1)?.messages.at(-1));
  expect(sent).toContain('<attached name=\\"doc:d1\\">\\nMine.\\n</attached>');
  expect(sent).toContain(String.raw`The user wrote the document d1 \"Plan\" (version 2). Read it before you use it.`);
});

const version = (id: string, text: string): JournalRecord => ({
  kind: 'document',
  id: documentId(id),
  title: 'Plan',
  by: 'agent',
  text,
});

describe('the fold', () => {
  const prompt: JournalRecord = {
    kind: 'prompt',
    message: {role: 'user', id: messageId('p1'), blocks: [{kind: 'text', text: 'go'}]},
  };
  const rewind: JournalRecord = {kind: 'rewind', to: messageId('p1'), what: 'both', files: 'untouched'};

  test('leaves out what was rewound, and never gives its id again', () => {
    const records = [version('d1', 'one'), prompt, version('d1', 'two'), version('d2', 'new'), rewind];
    expect(documentsOf(records)).toEqual([{id: 'd1', title: 'Plan', versions: [{by: 'agent', text: 'one'}]}]);
    expect(nextDocumentId(records)).toBe('d3');
    expect(documentsOf([...records, {kind: 'redo', files: 'untouched'}])).toHaveLength(2);
  });

  test('a title finds a document only where one has it', () => {
    const documents = documentsOf([version('d1', ''), version('d2', '')]);
    expect([findDocument('plan', documents), findDocument('d2', documents)?.id]).toEqual([undefined, 'd2']);
  });
});

test('a resumed session has the documents of its journal', async () => {
  const kept: JournalRecord[] = [{kind: 'document', id: documentId('d4'), title: 'Old', by: 'user', text: 'x'}];
  const bench = engineBench([callsTools(create), says('end')], {session: memorySession(kept)});
  expect((await results(bench))[0]?.[1]).toBe('Created d5 "Plan" (version 1), d6 "Release notes" (version 1).');
});
