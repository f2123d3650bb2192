import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {failed} from '../../../../src/base/outcome.ts';
import {type EngineRequest, serveEditor} from '../../../../src/headless/acp/serve-editor.ts';
import {givenServers, promptOf} from '../../../../src/protocol/acp/editor-request.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

/** An editor's connection to a weft that can open no session. */
function connect() {
  const written: object[] = [];
  const opened: EngineRequest[] = [];
  const editor = serveEditor({
    version: '1.0.0',
    uuid: () => 'id',
    saved: 'elsewhere',
    write: message => written.push(message),
    note() {},
    async openEngine(request) {
      opened.push(request);
      return failed({kind: 'other', message: 'The engine does not open.'});
    },
  });
  return {editor, written, opened};
}

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

test('what is no request is answered with an error, or not at all', async () => {
  const {editor, written, opened} = connect();
  for (const line of [
    '',
    'hello',
    '[]',
    '{"id":1}',
    '{"method":"session/cancel","params":{"sessionId":"x"}}',
    '{"method":4}',
  ])
    editor.take(line);
  editor.take('{"id":2,"method":"session/new","params":{"cwd":"relative"}}');
  editor.take('{"id":3,"method":"session/load","params":{"cwd":"/x","sessionId":"../../etc"}}');
  editor.take('{"id":4,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"audio"}]}}');
  editor.take('{"id":5,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}');
  editor.take('{"id":6,"method":"fs/read"}');
  await settled();
  const noLine = {jsonrpc: '2.0', id: null, error: {code: -32_700, message: 'A line must be one JSON object.'}};
  expect(written).toEqual([
    noLine,
    noLine,
    {...noLine, error: {...noLine.error, code: -32_600}},
    {jsonrpc: '2.0', id: 2, error: {code: -32_602, message: '"cwd" of session/new is not valid'}},
    {jsonrpc: '2.0', id: 3, error: {code: -32_002, message: 'Unknown session "../../etc".'}},
    {jsonrpc: '2.0', id: 4, error: {code: -32_602, message: '"prompt.0.type" of session/prompt is not valid'}},
    {jsonrpc: '2.0', id: 5, error: {code: -32_002, message: 'Unknown session "x".'}},
    {jsonrpc: '2.0', id: 6, error: {code: -32_601, message: 'weft has no method fs/read'}},
  ]);
  expect(opened).toEqual([]);
});

test('a session that cannot be opened is an error in words; the editor’s servers come along', async () => {
  const {editor, written, opened} = connect();
  const mcpServers = [
    {name: 'files', command: 'npx', args: ['-y', 'x'], env: [{name: 'A', value: '1'}]},
    {type: 'http', name: 'web', url: 'https://x', headers: [{name: 'B', value: '2'}]},
  ];
  editor.take(JSON.stringify({id: 1, method: 'session/new', params: {cwd: '/work', mcpServers}}));
  await settled();
  expect(opened).toEqual([
    {
      directory: '/work',
      into: 'same',
      editor: 'none',
      session: 'new',
      servers: {
        files: {command: 'npx', args: ['-y', 'x'], env: {A: '1'}},
        web: {type: 'http', url: 'https://x', headers: {B: '2'}},
      },
    },
  ]);
  expect(written).toEqual([{jsonrpc: '2.0', id: 1, error: {code: -32_603, message: 'The engine does not open.'}}]);
  expect(givenServers(undefined)).toEqual({});
});

test('a prompt names what it links to, and holds what it brings along', () => {
  const image = {kind: 'image', mediaType: 'image/png', data: 'AA=='} as const;
  expect(
    promptOf([
      {type: 'text', text: 'Compare '},
      {type: 'resource_link', uri: 'file:///a%20b'},
      {type: 'resource_link', uri: 'file:///%E0%A4%A'},
      {type: 'resource', resource: {uri: 'https://x/y', text: 'content'}},
      {type: 'image', image},
    ]),
  ).toEqual({
    text: 'Compare /a b file:///%E0%A4%A\nhttps://x/y:\ncontent\n',
    images: [image],
  });
});

test('no line of an editor breaks the connection', async () => {
  const method = fc.constantFrom(
    'initialize',
    'session/new',
    'session/load',
    'session/prompt',
    'session/set_mode',
    'session/cancel',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({id: fc.jsonValue(), method, params: fc.jsonValue()}, {requiredKeys: []})),
      async lines => {
        const {editor, written} = connect();
        for (const line of lines) editor.take(JSON.stringify(line));
        await settled();
        for (const message of written) expect(message).toMatchObject({jsonrpc: '2.0'});
      },
    ),
    {numRuns: randomInputs(200)},
  );
});
