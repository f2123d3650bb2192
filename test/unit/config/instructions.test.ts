import {describe, expect, test} from 'vitest';
import {findInstructions, maxInstructions, type InstructionFiles} from '../../../src/config/instructions.ts';

const tree = (texts: Readonly<Record<string, string>>): InstructionFiles => ({
  readText: path => texts[path],
  exists: path => path in texts,
});
const where = {workspace: '/home/u/repo/packages/one', config: '/home/u/.config/weft'};

describe.skipIf(process.platform === 'win32')('findInstructions', () => {
  test('comes from the user and from the repository down to the workspace, not from above', () => {
    const files = tree({
      '/home/u/.config/weft/AGENTS.md': 'mine',
      '/home/u/AGENTS.md': 'above',
      '/home/u/repo/.git': '',
      '/home/u/repo/CLAUDE.md': 'root',
      '/home/u/repo/packages/one/AGENTS.md': '\ufeffnear',
      '/home/u/repo/packages/one/CLAUDE.md': 'second choice',
    });
    expect(findInstructions(where, files)).toEqual([
      {path: '/home/u/.config/weft/AGENTS.md', text: 'mine'},
      {path: '/home/u/repo/CLAUDE.md', text: 'root'},
      {path: '/home/u/repo/packages/one/AGENTS.md', text: 'near'},
    ]);
  });

  test('without a repository only the workspace counts', () => {
    const files = tree({'/home/u/repo/AGENTS.md': 'above', '/home/u/repo/packages/one/CLAUDE.md': 'here'});
    expect(findInstructions(where, files)).toEqual([{path: '/home/u/repo/packages/one/CLAUDE.md', text: 'here'}]);
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
