import type {EditorFiles} from '../../actions/files-port.ts';
import {takeSnapshot} from './file-snapshot.ts';
import {decodeText} from './text-encoding.ts';

/** Returns the text of an existing file in the user's editor if the user has not saved it; otherwise `undefined`. */
export async function unsavedText(
  path: string,
  editor: EditorFiles | 'none',
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = editor === 'none' ? undefined : await editor.read(path, signal);
  if (text === undefined) return undefined;
  const saved = await takeSnapshot(path);
  if (saved.tag === 'failed' || saved.value.kind === 'absent') return undefined;
  const decoded = decodeText(saved.value.bytes);
  return decoded.tag === 'failed' || normalized(decoded.value.text) === normalized(text) ? undefined : text;
}

/** Editors may change line endings, add or remove a byte order mark, and end the last line. */
const normalized = (text: string): string =>
  text
    .replace(/^\u{feff}/u, '')
    .replace(/\r\n?/gu, '\n')
    .replace(/\n$/u, '');
