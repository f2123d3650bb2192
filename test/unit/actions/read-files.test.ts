import {expect, test} from 'vitest';
import type {FilesPort, ReadFile} from '../../../src/actions/files-port.ts';
import {decodeAction} from '../../../src/actions/decode-action.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {callBlock, callsTools, engineBench, says} from '../../support/memory-ports.ts';

/** What the model is told of one call of Read for `paths`, block by block. */
async function told(paths: readonly string[], read: FilesPort['read']): Promise<readonly string[]> {
  const call = callBlock('Read', {files: paths.map(file_path => ({file_path}))});
  const bench = engineBench([callsTools(call), says('end')], {read});
  await bench.prompt('go');
  const {content} = (await bench.next('action-settled')).toolResult;
  return content.map(block => (block.kind === 'text' ? block.text : `[image of ${block.data.length}]`));
}

const text = (path: string, line: string): ReadFile => ({
  kind: 'text',
  path,
  lines: [line],
  firstLine: 1,
  totalLines: 1,
  notes: [],
});
const image = (path: string, size: number): ReadFile => ({
  kind: 'image',
  path,
  image: {kind: 'image', mediaType: 'image/png', data: 'A'.repeat(size)},
});

test('several files together hold no more text than one answer; what is left out is said, smaller ones still fit', async () => {
  const files: Readonly<Record<string, ReadFile>> = {
    first: text('first', 'ä'.repeat(60_000)),
    second: text('second', 'x'.repeat(130_001)),
    folder: {kind: 'directory', path: 'folder', entries: ['a', 'b/'], more: 0},
    third: text('third', 'x'.repeat(129_996)),
    fourth: text('fourth', 'x'),
  };
  const blocks = await told([...Object.keys(files), 'gone'], async ({path}) => {
    const file = files[path];
    return file === undefined ? failed(rejected('gone: there is no such file.')) : ok(file);
  });
  const note = 'left out: one answer holds 250 kB of text. Read it in a separate call.';
  expect(blocks).toEqual([
    `first\n1\t${'ä'.repeat(60_000)}`,
    `second: ${note}`,
    'folder\na\nb/',
    `third\n1\t${'x'.repeat(129_996)}`,
    `fourth: ${note}`,
    'gone: there is no such file.',
  ]);
});

test('images have room of their own', async () => {
  const blocks = await told(['a', 'b', 'c'], async ({path}) => ok(image(path, path === 'b' ? 4_000_001 : 3_000_000)));
  expect(blocks).toEqual([
    'a (image)',
    '[image of 3000000]',
    'b: left out: one answer holds 7 MB of images. Read it in a separate call.',
    'c (image)',
    '[image of 3000000]',
  ]);
});

test('at most eight files are read at once, in order, and fifty in a call', async () => {
  let open = 0;
  let most = 0;
  const paths = Array.from({length: 50}, (_, at) => `file${at}`);
  const blocks = await told(paths, async ({path}) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise(resolve => setImmediate(resolve));
    open -= 1;
    return ok(text(path, 'x'));
  });
  expect(most).toBe(8);
  expect(blocks).toEqual(paths.map(path => `${path}\n1\tx`));
  const decoded = decodeAction('Read', {files: [...paths, 'more'].map(file_path => ({file_path}))});
  expect(decoded).toMatchObject({tag: 'failed', error: {message: expect.stringContaining('files: ')}});
});

test('a call that names nothing is told what it lacks', async () => {
  expect(await told([], async () => failed(rejected('not used here')))).toEqual([
    'Read needs file_path (or files with at least one entry).',
  ]);
});
