import {execFileSync} from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {
  listProjectFiles,
  projectFileBounds,
  type ProjectFileSearch,
  scriptsIn,
  scriptStanding,
  serverScripts,
  untrustedNotices,
} from '../../../src/config/project-files.ts';
import {
  carryFileTrustOver,
  forgetTrust,
  nameInProject,
  projectTrust,
  recordFiles,
  recordTrust,
} from '../../../src/config/trust-record.ts';

let base = '';
let folder = '';
let record = '';

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-files-')));
  folder = join(base, 'project');
  record = join(base, 'data', 'trust.json');
  mkdirSync(folder);
});

afterEach(() => rmSync(base, {recursive: true, force: true}));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), {recursive: true});
  writeFileSync(join(folder, path), text);
};

const place = () => ({directory: folder, folder, record});

const list = (more: Partial<ProjectFileSearch> = {}) => {
  const trust = projectTrust(place());
  return listProjectFiles(
    {
      directory: folder,
      folder,
      home: join(base, 'home'),
      commands: [],
      servers: [],
      environment: {},
      plugins: [],
      trustOf: (path, bytes) => trust.stateOf(path, bytes),
      ...more,
    },
    new AbortController().signal,
  );
};

const paths = async (more: Partial<ProjectFileSearch> = {}) => (await list(more)).files.map(({path}) => path);

async function accept(more: Partial<ProjectFileSearch> = {}): Promise<void> {
  const {files} = await list(more);
  const hashes = Object.fromEntries(files.map(({path, hash}) => [path, hash]));
  await recordFiles(record, {folder, files: hashes, how: 'replace'});
}

const states = async (more: Partial<ProjectFileSearch> = {}) =>
  Object.fromEntries((await list(more)).files.map(({path, trust}) => [path, trust]));

test('lists everything that acts, and nothing else', async () => {
  write('.mcp.json', '{"mcpServers":{"a":{"command":"node","args":["tools/server.js"]},"b":{"url":"https://x.test"}}}');
  write('tools/server.js', '1');
  write('.claude/skills/pdf/SKILL.md', 'x');
  write('.claude/skills/pdf/scripts/fill.py', 'x');
  write('.agents/commands/git/pr.md', 'x');
  write('.weft/agents/reviewer.md', 'x');
  write('.weft/agents/notes.txt', 'x');
  write('.weft/settings.json', '{}');
  write('plugins/p/.claude-plugin/plugin.json', '{}');
  write('.claude/skills/pdf/node_modules/x/index.js', 'x');
  write('src/index.ts', 'x');
  write('.claude/hooks/check.sh', 'x');
  const found = await list({
    plugins: [join(folder, 'plugins/p'), '/elsewhere/plugin'],
    commands: ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh --strict'],
  });
  expect(found.files.map(({path, kind, asks}) => [path, kind, ...asks])).toEqual([
    ['.agents/commands/git/pr.md', 'command'],
    ['.claude/hooks/check.sh', 'script'],
    ['.claude/skills/pdf/SKILL.md', 'skill'],
    ['.claude/skills/pdf/scripts/fill.py', 'skill'],
    [
      '.mcp.json',
      'servers',
      'run the MCP server a: node tools/server.js (in the sandbox: may change the workspace, no network)',
      'connect to the MCP server b at "https://x.test"',
    ],
    ['.weft/agents/reviewer.md', 'agent'],
    ['plugins/p/.claude-plugin/plugin.json', 'plugin'],
    ['tools/server.js', 'script'],
  ]);
  expect(found.leftOut).toEqual([]);
});

test('trust is bound to the content of each file: a changed, a new and a moved file do not count', async () => {
  write('.claude/skills/a/SKILL.md', 'a');
  write('.claude/skills/b/SKILL.md', 'b');
  expect(await states()).toEqual({'.claude/skills/a/SKILL.md': 'never', '.claude/skills/b/SKILL.md': 'never'});
  await accept();
  write('.claude/skills/b/SKILL.md', 'b!');
  write('.claude/skills/c/SKILL.md', 'c');
  renameSync(join(folder, '.claude/skills/a'), join(folder, '.claude/skills/d'));
  const found = await list();
  expect(Object.fromEntries(found.files.map(({path, trust}) => [path, trust]))).toEqual({
    '.claude/skills/b/SKILL.md': 'changed',
    '.claude/skills/c/SKILL.md': 'never',
    '.claude/skills/d/SKILL.md': 'never',
  });
  expect(untrustedNotices(found)).toEqual([
    '.claude/skills/b is not used: changed since you trusted this project (review and trust it: weft permissions trust).',
  ]);
  await forgetTrust(record, folder);
  expect(new Set(Object.values(await states()))).toEqual(new Set(['never']));
});

test('the bytes that were read are judged, not the file as it is now', async () => {
  write('.mcp.json', 'good');
  await accept();
  const trust = projectTrust(place());
  write('.mcp.json', 'evil');
  expect([trust.stateOf('.mcp.json', 'good'), trust.stateOf(join(folder, '.mcp.json'), 'evil')]).toEqual([
    'trusted',
    'changed',
  ]);
  expect(trust.stateOf('../project2/.mcp.json', 'good')).toBe('never');
  expect(trust.stateOf('.', 'good')).toBe('never');
});

test('a link that is swapped for another file does not count, and one that leads out of the project is named', async () => {
  writeFileSync(join(base, 'secret'), 'theirs');
  write('one.md', 'ours');
  mkdirSync(join(folder, '.claude/commands'), {recursive: true});
  symlinkSync(join(folder, 'one.md'), join(folder, '.claude/commands/x.md'));
  await accept();
  expect(await states()).toEqual({'.claude/commands/x.md': 'trusted'});
  rmSync(join(folder, '.claude/commands/x.md'));
  symlinkSync(join(base, 'secret'), join(folder, '.claude/commands/x.md'));
  const [file] = (await list()).files;
  expect([file?.trust, file?.leadsTo]).toEqual(['changed', join(base, 'secret')]);
});

test('circles of links, pipes and devices neither hang nor count', async () => {
  mkdirSync(join(folder, '.agents/skills/a'), {recursive: true});
  symlinkSync('..', join(folder, '.agents/skills/a/up'));
  symlinkSync('.agents', join(folder, '.claude'));
  symlinkSync('/dev/zero', join(folder, '.agents/skills/a/zero'));
  execFileSync('mkfifo', [join(folder, '.mcp.json')]);
  execFileSync('mkfifo', [join(folder, '.agents/skills/a/pipe')]);
  write('.agents/skills/a/SKILL.md', 'x');
  expect(await list()).toMatchObject({files: [{path: '.agents/skills/a/SKILL.md'}], leftOut: []});
});

test('more files than a list may have, and larger ones, are left out and named', {tags: 'long'}, async () => {
  mkdirSync(join(folder, '.claude/skills/a'), {recursive: true});
  for (let at = 0; at < projectFileBounds.files + 10; at += 1) {
    writeFileSync(join(folder, '.claude/skills/a', `${at}.txt`), '');
  }
  write('.agents/skills/b/model.bin', '\0'.repeat(projectFileBounds.fileBytes + 1));
  const {files, leftOut} = await list();
  expect([files.length, leftOut]).toEqual([
    projectFileBounds.files,
    ['.agents/skills/b/model.bin: it is larger than 16 MB', 'more than 2000 files or 64 MB: the others are not used'],
  ]);
});

test('the home folder as the project: its .agents and .claude are the user’s own', async () => {
  write('.claude/skills/a/SKILL.md', 'x');
  write('.weft/skills/b/SKILL.md', 'x');
  expect(await paths({home: folder})).toEqual(['.weft/skills/b/SKILL.md']);
});

test('a folder inside a trusted one, and a copy of it, are other projects', async () => {
  write('.mcp.json', 'x');
  await accept();
  const inner = projectTrust({...place(), directory: join(folder, 'sub'), folder: join(folder, 'sub')});
  expect([inner.stateOf('.mcp.json', 'x'), inner.stateOf(join(folder, '.mcp.json'), 'x')]).toEqual(['never', 'never']);
});

test('what weft writes for the user stays trusted, what was not trusted before does not become so', async () => {
  const before = Buffer.from('theirs');
  const after = Buffer.from('ours');
  const path = join(folder, '.mcp.json');
  expect(await carryFileTrustOver(place(), {path, before, after})).toMatchObject({value: 'not-trusted'});
  expect(await carryFileTrustOver(place(), {path, before: undefined, after: before})).toMatchObject({
    value: 'trusted',
  });
  expect(await carryFileTrustOver(place(), {path, before, after})).toMatchObject({value: 'trusted'});
  await recordTrust(record, {folder, fingerprint: 'of the settings'});
  expect(projectTrust(place()).stateOf('.mcp.json', after)).toBe('trusted');
});

test.each([
  ['./check.sh', ['check.sh']],
  ['python3 .claude/hooks/x.py --json', ['python3', '.claude/hooks/x.py']],
  ['"${CLAUDE_PROJECT_DIR}"/a\\ b.sh', ['a b.sh']],
  ["'$CLAUDE_PROJECT_DIR/it is.sh' && FOO=./y.sh ls", ['it is.sh', 'FOO', 'y.sh', 'ls']],
  ['/bin/sh ../x.sh $HOME/y *.sh -c', []],
  ['./log.sh >> .claude/log 2> "my errors" >x.txt', ['log.sh']],
  ['cat > x.sh; sh x.sh < in.txt', ['cat', 'sh', 'x.sh', 'in.txt']],
])('the scripts of %j', (command, expected) => {
  expect(scriptsIn(command, place())).toEqual(expected);
});

test.each([
  [{command: './server.sh', args: ['--db', 'data.db']}, ['server.sh']],
  [{command: 'node', args: ['--import=tsx', 'tools/server.ts'], cwd: '.'}, ['tools/server.ts']],
  [{command: 'node', args: ['dist/server']}, ['dist/server', 'dist/server.js']],
  [{command: 'node', args: ['.']}, ['package.json', 'index.js']],
  [{command: 'node', args: ['server.js'], cwd: 'tools'}, ['tools/server.js']],
  [{command: 'python3', args: ['-m', 'tools.mcp']}, ['tools/mcp.py', 'tools/mcp/__main__.py']],
  [{command: 'npm', args: ['run', 'mcp']}, ['package.json']],
  [{command: 'sh', args: ['-c', 'exec ./run.sh --fast']}, ['run.sh']],
  [{command: '${NO_SUCH_VARIABLE:-./server.js}'}, ['server.js']],
  [{command: 'node', args: ['${CLAUDE_PROJECT_DIR}/a b.js']}, ['a b.js']],
  [{command: 'npx', args: ['-y', '@scope/files', '.']}, []],
  [{command: '/usr/bin/server', args: ['/tmp/x.js', '../y.js']}, []],
  [{url: 'https://x.test/'}, []],
])('the files that the server %j is started from', (server, expected) => {
  for (const path of [
    'server.sh',
    'tools/server.ts',
    'dist/server',
    'dist/server.js',
    'package.json',
    'index.js',
    'tools/server.js',
    'tools/mcp.py',
    'tools/mcp/__main__.py',
    'run.sh',
    'server.js',
    'a b.js',
    'data.db',
  ])
    write(path, 'x');
  const found = serverScripts(server, {...place(), environment: {}});
  expect(found.filter(path => existsSync(join(folder, path)))).toEqual(expected);
});

test('a server of the settings is bound to its script like one of .mcp.json', async () => {
  write('server.js', '1');
  const servers = [{command: 'node', args: ['server.js']}];
  await accept({servers});
  expect(await states({servers})).toEqual({'server.js': 'trusted'});
  write('server.js', '2');
  expect(await states({servers})).toEqual({'server.js': 'changed'});
});

const standing = () => scriptStanding(['gone.sh', 'a.sh'], projectTrust(place()));

test('what may not run names the script that is not trusted', async () => {
  write('a.sh', '1');
  const cure = '(review and trust it: weft permissions trust)';
  expect(await standing()).toEqual({refusalReason: `its script a.sh is not trusted ${cure}`, mark: ''});
  await accept({commands: ['./a.sh']});
  const {refusalReason, mark} = await standing();
  expect([refusalReason, mark === '']).toEqual(['', false]);
  write('a.sh', '2');
  expect(await standing()).toEqual({
    refusalReason: `its script a.sh changed since you trusted this project ${cure}`,
    mark: '',
  });
});

test('names in the project', () => {
  const named = {directory: '/link', folder: '/real'};
  expect(
    ['/link/a', '/real/a/../b', 'c/d', '/other/x', '..', '..x', '/real'].map(path => nameInProject(path, named)),
  ).toEqual(['a', 'b', 'c/d', undefined, undefined, '..x', undefined]);
});
