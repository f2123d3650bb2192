import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {FilesPort, ReadFile} from '../../../../src/actions/files-port.ts';
import {emptyUserChanges, type FileEdit} from '../../../../src/domain/file-edit.ts';
import type {FileDiff} from '../../../../src/actions/preview.ts';
import {ok, type Outcome} from '../../../../src/base/outcome.ts';
import {faultText, type Fault} from '../../../../src/domain/fault.ts';
import {makeFiles} from '../../../../src/workspace/files/make-files.ts';
import {makeOutputFolder} from '../../../../src/workspace/exec/output-folder.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

/** A workspace `work` beside a folder `working`, with the files given. */
export function workspace(files: Readonly<Record<string, string | Buffer>> = {}) {
  const folder = temporaryFolder();
  const root = join(folder.path, 'work');
  mkdirSync(join(root, 'sub'), {recursive: true});
  mkdirSync(join(folder.path, 'working'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  const outputs = makeOutputFolder({parent: join(folder.path, 'outputs')});
  const port: FilesPort = makeFiles({
    roots: [root],
    home: join(folder.path, 'home'),
    alsoReadable: outputs.folders,
    editor: 'none',
  });
  return {
    port,
    root,
    outputs,
    outside: join(folder.path, 'working'),
    path: (name: string) => join(root, name),
    put: (name: string, content: string) => writeFileSync(join(root, name), content),
    bytes: (name: string) => readFileSync(join(root, name)),
    text: (name: string) => readFileSync(join(root, name), 'utf8'),
    read: async (path: string, offset = 1, limit = 2000) => port.read({path, offset, limit}, never),
    edit: async (...edits: FileEdit[]) => applied(port, edits),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

async function applied(port: FilesPort, edits: readonly FileEdit[]): Promise<Outcome<readonly FileDiff[], Fault>> {
  const request = {edits, userChanges: emptyUserChanges};
  const plan = await port.plan(request, never);
  if (plan.tag === 'failed') return plan;
  const written = await port.apply(request, plan.value, never);
  return written.tag === 'ok' ? ok(written.value.files) : written;
}

export const replace = (path: string, ...pairs: [string, string][]): FileEdit => ({
  kind: 'replace',
  path,
  replacements: pairs.map(([oldText, newText]) => ({oldText, newText, occurrence: 'only'})),
});
export const replaceEvery = (path: string, oldText: string, newText: string): FileEdit => ({
  kind: 'replace',
  path,
  replacements: [{oldText, newText, occurrence: 'every'}],
});
export const write = (path: string, content: string): FileEdit => ({kind: 'write', path, content});

export const messageOf = (outcome: Outcome<unknown, Fault>): string =>
  outcome.tag === 'failed' ? faultText(outcome.error) : 'no fault';

export function textOf(outcome: Outcome<ReadFile, Fault>) {
  if (outcome.tag !== 'ok' || outcome.value.kind !== 'text') return outcome;
  const {lines, firstLine, totalLines, notes} = outcome.value;
  return {lines, firstLine, totalLines, notes};
}
