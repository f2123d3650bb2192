import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {
  findInstructions,
  findInstructionsBelow,
  maxInstructions,
  notesFolder,
  type ReadInstructionFile,
} from '../../../src/config/instructions.ts';

const tree =
  (texts: Readonly<Record<string, string>>): ReadInstructionFile =>
  (folder, name) => {
    const path = join(folder, name);
    const text = texts[path];
    if (text === undefined) return {kind: 'none'};
    if (text.startsWith('-> ')) {
      const real = text.slice(3);
      return {kind: 'text', real, text: texts[real] ?? '', bytes: 9};
    }
    return text.startsWith('! ')
      ? {kind: 'skipped', why: text.slice(2)}
      : {kind: 'text', real: path, text, bytes: Buffer.byteLength(text)};
  };
const where = {
  workspace: '/home/u/repo/packages/one',
  config: '/home/u/.config/weft',
  claude: '/home/u/.claude',
  memory: '/data/memory',
};

describe('findInstructions', () => {
  test("comes from the user, the workspace's parents and the workspace, the nearest last", () => {
    const files = tree({
      '/home/u/.config/weft/AGENTS.md': 'mine',
      '/home/u/AGENTS.md': 'above',
      '/home/u/repo/CLAUDE.md': 'root',
      '/home/u/repo/packages/one/AGENTS.md': '\ufeffnear',
      '/home/u/repo/packages/one/CLAUDE.md': 'second choice',
      '/home/u/repo/packages/two/AGENTS.md': 'beside',
    });
    expect(findInstructions(where, files).found).toEqual([
      {path: '/home/u/.config/weft/AGENTS.md', text: 'mine'},
      {path: '/home/u/AGENTS.md', text: 'above'},
      {path: '/home/u/repo/CLAUDE.md', text: 'root'},
      {path: '/home/u/repo/packages/one/AGENTS.md', text: 'near'},
    ]);
  });

  test("the user's notes for the workspace and the folders above it come last; those for other folders do not count", () => {
    const notes = (project: string): string => join(notesFolder(where.memory, project), 'MEMORY.md');
    const files = tree({
      '/home/u/repo/packages/one/AGENTS.md': 'near',
      [notes('/home/u/repo')]: 'of the repository',
      [notes('/home/u/repo/packages/one')]: 'of the package',
      [notes('/home/u/repo/packages/two')]: 'beside',
    });
    expect(findInstructions(where, files).found).toEqual([
      {path: '/home/u/repo/packages/one/AGENTS.md', text: 'near'},
      {path: notes('/home/u/repo'), text: 'of the repository'},
      {path: notes('/home/u/repo/packages/one'), text: 'of the package'},
    ]);
    expect(notes('/srv/Ünï/a b')).toMatch(/^\/data\/memory\/a_b-[\da-f]{12}\/MEMORY\.md$/u);
  });

  test('an empty file says that there are none; a workspace that is the config folder counts once', () => {
    expect(findInstructions(where, tree({'/home/u/repo/packages/one/AGENTS.md': ' \n'})).found).toEqual([]);
    expect(
      findInstructions(
        {workspace: '/w', config: '/w', claude: '/n', memory: '/data/memory'},
        tree({'/w/AGENTS.md': 'a'}),
      ).found,
    ).toEqual([{path: '/w/AGENTS.md', text: 'a'}]);
    expect(
      findInstructions({workspace: '/', config: '/c', claude: '/n', memory: '/data/memory'}, tree({'/AGENTS.md': 'a'}))
        .found,
    ).toEqual([{path: '/AGENTS.md', text: 'a'}]);
  });

  test('a long file is cut and says so', () => {
    const long = tree({'/w/AGENTS.md': '💡'.repeat(20_000)});
    const [found] = findInstructions({workspace: '/w', config: '/c', claude: '/n', memory: '/data/memory'}, long).found;
    expect(found?.text.isWellFormed()).toBe(true);
    expect(found?.text).toMatch(/…\n\[Cut: the file has 80000 bytes, these are the first 32768 characters\.\]$/u);
    expect(found?.text.length).toBeLessThan(maxInstructions + 100);
  });

  test('the CLAUDE.md of Claude Code counts where weft has no instructions of the user, not even empty ones', () => {
    const theirs = {'/home/u/.claude/CLAUDE.md': 'theirs', '/home/u/.claude/AGENTS.md': 'not read'};
    const ofUser = {path: '/home/u/.claude/CLAUDE.md', text: 'theirs'};
    expect(findInstructions(where, tree({...theirs, '/home/u/repo/AGENTS.md': 'root'})).found).toEqual([
      ofUser,
      {path: '/home/u/repo/AGENTS.md', text: 'root'},
    ]);
    expect(findInstructions(where, tree({...theirs, '/home/u/.config/weft/AGENTS.md': ''})).found).toEqual([]);
  });

  test('a GEMINI.md counts where a folder has neither AGENTS.md nor CLAUDE.md', () => {
    const files = tree({
      '/home/u/repo/GEMINI.md': 'root',
      '/home/u/repo/packages/GEMINI.md': 'not read',
      '/home/u/repo/packages/CLAUDE.md': 'second choice',
    });
    expect(findInstructions(where, files).found).toEqual([
      {path: '/home/u/repo/GEMINI.md', text: 'root'},
      {path: '/home/u/repo/packages/CLAUDE.md', text: 'second choice'},
    ]);
  });

  test('what is skipped is named, and the next name counts; a link to what was read already adds nothing', () => {
    const files = tree({
      '/home/u/AGENTS.md': '! it is a link to /etc/passwd',
      '/home/u/CLAUDE.md': 'instead',
      '/home/u/repo/AGENTS.md': 'root',
      '/home/u/repo/packages/one/CLAUDE.md': '-> /home/u/repo/AGENTS.md',
    });
    expect(findInstructions(where, files)).toEqual({
      found: [
        {path: '/home/u/CLAUDE.md', text: 'instead'},
        {path: '/home/u/repo/AGENTS.md', text: 'root'},
      ],
      skipped: ['Skipped /home/u/AGENTS.md: it is a link to /etc/passwd'],
    });
  });
});

test('of a file those of the folders between it and the workspace count, the nearest last', () => {
  const files = tree({
    '/w/AGENTS.md': 'root',
    '/w/src/CLAUDE.md': 'source',
    '/w/src/deep/AGENTS.md': '\ufeffdeep',
    '/w/src/deep/er/AGENTS.md': '-> /w/src/deep/AGENTS.md',
    '/w/src/empty/AGENTS.md': ' ',
    '/w/src/empty/CLAUDE.md': 'second choice',
    '/w/src/linked/AGENTS.md': '! a link',
    '/w2/AGENTS.md': 'beside',
  });
  const below = (path: string) => findInstructionsBelow({workspace: '/w', path}, files);
  const source = {path: '/w/src/CLAUDE.md', text: 'source'};
  expect(below('/w/src/deep/er/a.ts')).toEqual([source, {path: '/w/src/deep/AGENTS.md', text: 'deep'}]);
  expect([below('/w/src/empty/a.ts'), below('/w/src/linked/a.ts')]).toEqual([[source], [source]]);
  expect([below('/w/a.ts'), below('/w2/a.ts'), below('/else/a.ts')]).toEqual([[], [], []]);
});
