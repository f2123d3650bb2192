import {readFileSync} from 'node:fs';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {type KeyBindings, parseKeyBindings} from '../tui/terminal/key-bindings.ts';

/** Reads the user's key bindings file. The failure is a sentence for the user. */
export function readKeyBindings(file: string): Outcome<KeyBindings, string> {
  try {
    const read = parseKeyBindings(readFileSync(file, 'utf8'));
    return read.tag === 'ok' ? ok(read.value) : failed(`${file} is ignored: ${read.error}.`);
  } catch (cause) {
    return failed(`Can't read ${file}: ${causeText(cause)}. The default keys count.`);
  }
}
