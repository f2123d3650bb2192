import {cellWidth, fit} from './cell-width.ts';

/** Returns the text with paths and `file:` addresses inside the workspace `directory` made relative to it. The workspace itself becomes `.`. */
export function withRelativePaths(text: string, directory: string): string {
  if (directory === '' || !text.includes(directory)) return text;
  const path = new RegExp(
    String.raw`(?<=^|[\s"'(])(?:file://)?${escaped(directory)}(?:(/)(?=[^\s",)])|/?(?=$|[\s"',)]))`,
    'gu',
  );
  return text.replaceAll(path, (_found, inside: string | undefined) => (inside === undefined ? '.' : ''));
}

/** Returns the text with `~` for the user's home directory. If `home` is empty, nothing changes. */
export function withTildes(text: string, home: string): string {
  if (home === '' || home === '/' || !text.includes(home)) return text;
  return text.replaceAll(new RegExp(String.raw`(?<=^|[\s"'(])${escaped(home)}(?=/|$|[\s",)'])`, 'gu'), '~');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);

/** Shortens a path to `cells` from its beginning, folder by folder, because the file name matters most. */
export function fitPath(path: string, cells: number): string {
  if (cellWidth(path) <= cells) return path;
  const parts = path.split('/');
  for (let from = 1; from < parts.length; from++) {
    const rest = `…/${parts.slice(from).join('/')}`;
    if (cellWidth(rest) <= cells) return rest;
  }
  return fit(parts.at(-1) ?? '', Math.max(0, cells));
}
