import {failed, type Outcome} from '../base/outcome.ts';
import {readTextFile} from '../config/change-file.ts';
import {type KeyBindings, parseKeyBindings} from '../tui/terminal/key-bindings.ts';

/** Reads the user's key bindings file. The failure is a sentence for the user. */
export function readKeyBindings(file: string): Outcome<KeyBindings, string> {
  const text = readTextFile(file);
  if (text.tag === 'failed') return failed(`Can't read ${file}: ${text.error}. The default keys count.`);
  const read = parseKeyBindings(text.value ?? '');
  return read.tag === 'ok' ? read : failed(`${file} is ignored: ${read.error}.`);
}
