/**
 * Files whose content runs, or decides what may run: git's own files and hooks, shell start-up files, configuration of agents
 * and MCP servers (weft's too), CI. Compared without case, since some file systems do.
 */
const folders = ['.git', '.husky', '.weft', '.claude', '.codex', '.gemini', '.cursor', '.vscode', '.idea'];
const files = [
  '.envrc',
  '.mcp.json',
  '.claude.json',
  '.gitconfig',
  '.gitmodules',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.npmrc',
  '.gitlab-ci.yml',
];

/** The part of a path that makes it protected, or `undefined`. */
export function protectedPart(path: string): string | undefined {
  const parts = path.toLowerCase().split(/[\\/]/u);
  const folder = parts.slice(0, -1).find(part => folders.includes(part));
  if (folder !== undefined) return `${folder}/`;
  const last = parts.at(-1) ?? '';
  if (files.includes(last)) return last;
  return /(?:^|\/)\.github\/(?:workflows|actions)\//u.test(parts.join('/')) ? '.github/' : undefined;
}
