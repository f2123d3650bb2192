import type {Outcome} from '../../base/outcome.ts';
import type {FileSnapshot} from './file-snapshot.ts';
import {decodeText} from './text-encoding.ts';

/** True if the text that the user's editor has of an existing file is not the saved one. */
export function isUnsaved(text: string, saved: Outcome<FileSnapshot, string>): boolean {
  if (saved.tag === 'failed' || saved.value.kind === 'absent') return false;
  const decoded = decodeText(saved.value.bytes);
  return decoded.tag === 'ok' && normalized(decoded.value.text) !== normalized(text);
}

/** Editors may change line endings, add or remove a byte order mark, and end the last line. */
const normalized = (text: string): string =>
  text
    .replace(/^\u{feff}/u, '')
    .replace(/\r\n?/gu, '\n')
    .replace(/\n$/u, '');
