import {cellWidth, fit} from './cell-width.ts';

/** A text in which paths inside the workspace `directory` are relative to it; the workspace itself is `.`. */
export function withRelativePaths(text: string, directory: string): string {
  if (directory === '' || !text.includes(directory)) return text;
  const escaped = directory.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
  const path = new RegExp(String.raw`(?<=^|[\s"'(])${escaped}(?:(/)(?=[^\s",)])|/?(?=$|[\s"',)]))`, 'gu');
  return text.replaceAll(path, (_found, inside: string | undefined) => (inside === undefined ? '.' : ''));
}

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
