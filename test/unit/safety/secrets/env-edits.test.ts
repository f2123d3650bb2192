import {noConversations} from '../../../support/no-conversations.ts';
import {noopSkills} from '../../../../src/actions/skills-port.ts';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {emptyUserChanges, type FileEdit} from '../../../../src/domain/file-edit.ts';
import {noopMcp} from '../../../../src/actions/mcp-port.ts';
import {noWeb} from '../../../support/no-web.ts';
import {parsePatch} from '../../../../src/actions/parse-patch.ts';
import {failed} from '../../../../src/base/outcome.ts';
import {rejected} from '../../../../src/domain/fault.ts';
import {redactingPorts} from '../../../../src/app/redacting-ports.ts';
import {isSecretFile} from '../../../../src/safety/secrets/secret-files.ts';
import {makeRedactor} from '../../../../src/safety/secrets/redactor.ts';
import {makeFiles} from '../../../../src/workspace/files/make-files.ts';
import {makeSearch} from '../../../../src/workspace/search/search.ts';
import {watchSecretFiles} from '../../../../src/workspace/files/secret-files.ts';
import {finishedReport} from '../../../support/memory-ports.ts';
import {never, temporaryFolder} from '../../workspace/temporary-folder.ts';

const bodies: Readonly<Record<string, string>> = {
  plain: 'PORT=3000\nDB_PASSWORD=hunter2hunter2\nAPI_KEY=sk-proj-abcdefghijklmnop1234\nDEBUG=true\n',
  'other line ends': 'PORT=3000\r\nDB_PASSWORD=hunter2hunter2\r\nDEBUG=true\r\n',
  quotes: 'PORT=3000\nDB_PASSWORD="hunter2 with spaces # and hash"\nAPI_KEY=\'hunter2-quoted-34\'\nDEBUG=true\n',
  exported: 'export PORT=3000\n  export   API_KEY="hunter2-exported"\nDEBUG=true\n',
  duplicates:
    'PORT=3000\nDB_PASSWORD=hunter2hunter2\nOLD_PASSWORD=hunter2hunter2\nDB_PASSWORD=hunter2hunter2\nDEBUG=true\n',
  'in an address': 'PORT=3000\nURL=postgres://u:hunter2hunter2@h/db\nDEBUG=true\n',
  signs: 'PORT=3000\nDB_PASSWORD=hunter2$$w0rd$&$1\\n\\x\nTOKEN_SECRET=hunter2=cd==ef/+gh\nDEBUG=true',
  key: 'PORT=3000\nPRIVATE_KEY="-----BEGIN RSA PRIVATE KEY-----\nhunter2AIBAAKCAQEA1234567890abcdefghijklmnopqrstuvwxyzABCDEF\n-----END RSA PRIVATE KEY-----"\nDEBUG=true\n',
};

/** Ways to change the last line; all but the first write the lines before it again, as they were read. */
const ways: Readonly<Record<string, (lines: readonly string[], body: string) => readonly FileEdit[]>> = {
  Edit: () => [replacing(['DEBUG=true', 'DEBUG=false'])],
  'Edit with the lines before': lines => [replacing([lines.join('\n'), changed(lines)])],
  MultiEdit: lines => {
    const before = lines.at(-2) ?? '';
    return [
      replacing(
        [`${before}\nDEBUG=true`, `${before}\nDEBUG=maybe`],
        [`${before}\nDEBUG=maybe`, `${before}\nDEBUG=false`],
      ),
    ];
  },
  ApplyPatch: lines => {
    const patch = ['*** Begin Patch', '*** Update File: .env', '@@', ...lines.slice(0, -1).map(line => ` ${line}`)];
    const parsed = parsePatch([...patch, '-DEBUG=true', '+DEBUG=false', '*** End Patch'].join('\n'));
    return parsed.tag === 'ok' ? parsed.value : [];
  },
  Write: (lines, body) => [
    {kind: 'write', path: '.env', content: `${changed(lines)}${body.endsWith('\n') ? '\n' : ''}`},
  ],
  'lines by number': lines => [
    {kind: 'replace-lines', path: '.env', lines: {first: 1, last: lines.length}, newText: changed(lines)},
  ],
};

const replacing = (...pairs: readonly [string, string][]): FileEdit => ({
  kind: 'replace',
  path: '.env',
  replacements: pairs.map(([oldText, newText]) => ({oldText, newText, occurrence: 'only'})),
});

const changed = (lines: readonly string[]): string => lines.join('\n').replace('DEBUG=true', 'DEBUG=false');

const noBlocks = async () => failed(rejected('no blocks'));

const cases = Object.keys(bodies).flatMap(body => Object.keys(ways).map(way => [body, way] as const));

test.each(cases)('a file of secrets (%s) keeps its bytes in %s', async (name, way) => {
  using folder = temporaryFolder();
  const body = bodies[name] ?? '';
  const path = join(folder.path, '.env');
  writeFileSync(path, body);
  const options = {roots: [folder.path], home: folder.path};
  const secrets = makeRedactor({
    environment: {},
    files: watchSecretFiles({...options, isSecretFile}),
    key: () => Buffer.alloc(32, 1),
  });
  const {files} = redactingPorts(
    {
      shell: {directory: folder.path, run: async () => finishedReport('')},
      blocks: {find: () => failed(rejected('no blocks')), start: noBlocks, read: noBlocks, write: noBlocks},
      mcp: noopMcp,
      web: noWeb,
      skills: noopSkills,
      conversations: noConversations,
      files: makeFiles({...options, alsoReadable: () => [], editor: 'none'}),
      search: makeSearch({...options, environment: process.env, excluded: () => []}),
    },
    secrets,
  );

  const read = await files.read({path: '.env', offset: 1, limit: 100}, never);
  const lines = read.tag === 'ok' && read.value.kind === 'text' ? read.value.lines : [];
  expect(lines.join('\n')).not.toContain('hunter2');
  const request = {edits: ways[way]?.(lines, body) ?? [], userChanges: emptyUserChanges};
  const plan = await files.plan(request, never);
  expect([plan.tag, JSON.stringify(plan).includes('hunter2')]).toEqual(['ok', false]);
  const applied = await files.apply(request, plan.tag === 'ok' ? plan.value : [], never);
  expect(applied.tag).toBe('ok');
  expect(readFileSync(path, 'utf8')).toBe(body.replace('DEBUG=true', 'DEBUG=false'));
});
