import {describe, expect, test} from 'vitest';
import {findInstructions, maxInstructions, type ReadText} from '../../../src/config/instructions.ts';

const tree =
  (texts: Readonly<Record<string, string>>): ReadText =>
  path =>
    texts[path];
const where = {workspace: '/home/u/repo/packages/one', config: '/home/u/.config/weft'};

describe.skipIf(process.platform === 'win32')('findInstructions', () => {
  test("comes from the user, the workspace's parents and the workspace, the nearest last", () => {
    const files = tree({
      '/home/u/.config/weft/AGENTS.md': 'mine',
      '/home/u/AGENTS.md': 'above',
      '/home/u/repo/CLAUDE.md': 'root',
      '/home/u/repo/packages/one/AGENTS.md': '\ufeffnear',
      '/home/u/repo/packages/one/CLAUDE.md': 'second choice',
      '/home/u/repo/packages/two/AGENTS.md': 'beside',
    });
    expect(findInstructions(where, files)).toEqual([
      {path: '/home/u/.config/weft/AGENTS.md', text: 'mine'},
      {path: '/home/u/AGENTS.md', text: 'above'},
      {path: '/home/u/repo/CLAUDE.md', text: 'root'},
      {path: '/home/u/repo/packages/one/AGENTS.md', text: 'near'},
    ]);
  });

  test('an empty file says that there are none; a workspace that is the config folder counts once', () => {
    expect(findInstructions(where, tree({'/home/u/repo/packages/one/AGENTS.md': ' \n'}))).toEqual([]);
    expect(findInstructions({workspace: '/w', config: '/w'}, tree({'/w/AGENTS.md': 'a'}))).toEqual([
      {path: '/w/AGENTS.md', text: 'a'},
    ]);
    expect(findInstructions({workspace: '/', config: '/c'}, tree({'/AGENTS.md': 'a'}))).toEqual([
      {path: '/AGENTS.md', text: 'a'},
    ]);
  });

  test('a long file is cut and says so', () => {
    const [found] = findInstructions({workspace: '/w', config: '/c'}, tree({'/w/AGENTS.md': '💡'.repeat(20_000)}));
    expect(found?.text.isWellFormed()).toBe(true);
    expect(found?.text).toMatch(/…\n\[Cut: the file has 40000 characters, these are the first 32768\.\]$/u);
    expect(found?.text.length).toBeLessThan(maxInstructions + 100);
  });
});
