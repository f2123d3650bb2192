import {cellWidth, fit} from './cell-width.ts';

/** A text in which paths inside the workspace `directory` are relative to it; the workspace itself is `.`. */
export function withRelativePaths(text: string, directory: string): string {
  if (directory === '' || !text.includes(directory)) return text;
  const path = new RegExp(String.raw`(?<=^|[\s"'(])${escaped(directory)}(?:(/)(?=[^\s",)])|/?(?=$|[\s"',)]))`, 'gu');
  return text.replaceAll(path, (_found, inside: string | undefined) => (inside === undefined ? '.' : ''));
}

/** A text in which paths in the user's home begin with `~`. `home` may be empty: then nothing changes. */
export function withTildes(text: string, home: string): string {
  if (home === '' || home === '/' || !text.includes(home)) return text;
  return text.replaceAll(new RegExp(String.raw`(?<=^|[\s"'(])${escaped(home)}(?=/|$|[\s",)'])`, 'gu'), '~');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);

/** The path cut to `cells` at its beginning, folder by folder: the name of the file is what one looks for. */
export function fitPath(path: string, cells: number): string {
  if (cellWidth(path) <= cells) return path;
  const parts = path.split('/');
  for (let from = 1; from < parts.length; from++) {
    const rest = `…/${parts.slice(from).join('/')}`;
    if (cellWidth(rest) <= cells) return rest;
  }
  return fit(parts.at(-1) ?? '', Math.max(0, cells));
}
