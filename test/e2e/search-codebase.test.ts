import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, toldResults} from '../support/scene.ts';
import {jsonLines} from './support/messages.ts';
import {putFile} from '../support/put-file.ts';

const client = 'export function sendWithRetries(request) {\n  return retried(send, request);\n}\n';

test('code is found by a question, without what a rule or an ignore file leaves out; the files are as they are now', async () => {
  const search = call('SearchCodebase', {query: 'Where is a request retried?'});
  await using scene = await openScene([
    search,
    call('Write', {file_path: 'src/later.js', content: 'export const retryRequest = sendWithRetries;\n'}),
    search,
    call('SearchCodebase', {query: 'requests', path: 'private'}),
    say('Found.'),
  ]);
  const put = (name: string, text: string): void => putFile(join(scene.place.work, name), text);
  put('src/client.js', client);
  put('private/notes.md', client);
  put('dist/client.js', client);
  put('.gitignore', 'dist\n');
  const args = ['--prompt', 'x', '--permission-mode', 'acceptEdits', '--disallowed-tools', 'Read(private/**)'];
  const {code, stdout} = await scene.run([...args, '--output-format', 'stream-json', '--verbose']);
  const inClient =
    'src/client.js:1-2 in sendWithRetries\n  1: export function sendWithRetries(request) {\n  2: return retried(send, request);';
  const inLater = 'src/later.js:1 in retryRequest\n  1: export const retryRequest = sendWithRetries;';
  const [first, , second, denied] = scene.server.requests.slice(1).map(request => toldResults(request)[0]);
  expect([code, first, second?.split('\n').toSorted(), denied]).toEqual([
    0,
    `${inClient}\n[best 1 of 1 files with request, retr]`,
    `${inClient}\n${inLater}\n[best 2 of 2 files with request, retr]`.split('\n').toSorted(),
    expect.stringContaining('private'),
  ]);
  expect(JSON.stringify(jsonLines(stdout))).toContain('"name":"SearchCodebase"');
});
