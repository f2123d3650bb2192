import {tryOr} from '../../base/outcome.ts';
import type {Style, Theme} from '../theme/theme.ts';

/** Types of files that a click could start. No text of a model may lead there. */
const launched =
  /\.(?:app|appimage|bat|cmd|com|command|desktop|exe|fileloc|inetloc|jar|lnk|msi|pkg|ps1|scpt|terminal|url|vbs|webloc|workflow)$/iu;

/** A path in prose or in a list, perhaps with a line: `src/a.ts`, `a.ts:12`, `src/a.ts:3-9`. */
const pathAndLine = /^([^\s\p{C}:;"'`$*?<>|]+)(?::(\d{1,7})(?:[-:]\d{1,7})?)?$/u;

/** Returns the style of the path of a file that was read, perhaps with a line. */
export function readLink(target: string, theme: Theme): readonly Style[] {
  const [, path = '', line = '0'] = pathAndLine.exec(target) ?? [];
  return fileLink(path, Number(line), theme);
}

/** Returns the style of code in prose that names a file of the workspace: it has a line, or a folder and a type. */
export function proseLink(code: string, theme: Theme): readonly Style[] {
  const [, path = '', line] = pathAndLine.exec(code) ?? [];
  const {directory} = theme;
  const isInside = path.startsWith('/') ? path.startsWith(`${directory}/`) : /^[\p{L}\p{N}_.@-]/u.test(path);
  const isFile = /[\p{L}\p{N}_@-]\.[A-Za-z]\w{0,7}$/u.test(path) && (line !== undefined || path.includes('/'));
  return isInside && isFile && !path.split('/').includes('..') ? fileLink(path, Number(line ?? 0), theme) : [];
}

const longestTarget = 2048;

/**
 * Returns the style of a text that links to a file, at a line if that is not 0. Empty if the terminal has no such links. The path is
 * absolute, or relative to the workspace.
 */
export function fileLink(path: string, line: number, {directory}: Theme): readonly Style[] {
  if (directory === '' || path === '' || launched.test(path)) return [];
  const whole = path.startsWith('/') ? path : `${directory}/${path}`;
  if (!whole.startsWith('/')) return [];
  const encoded = tryOr(() => whole.split('/').map(encodeURIComponent).join('/'), '');
  const href = `file://${encoded}${line > 0 ? `#${line}` : ''}`;
  return encoded === '' || href.length > longestTarget ? [] : [{href}];
}
