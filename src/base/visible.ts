/**
 * Text from models, tools, files and users may hold bytes that steer a terminal (move the cursor, change the title, answer
 * queries) or turn the reading order around. Nothing reaches the screen without having been through one of these two.
 */

/* oxlint-disable no-control-regex -- control characters are the subject of this file */

const unsafe =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\p{Surrogate}/gu;
const anythingUnsafe =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\p{Surrogate}/u;

/** The text with every control and bidi character as a visible escape; line feeds stay, tabs become spaces. */
export function visible(text: string): string {
  if (!anythingUnsafe.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '    ')
    .replaceAll(unsafe, character => escapeOf(character.codePointAt(0) ?? 0));
}

/** The same on one line: line feeds are shown as `⏎`. */
export const visibleLine = (text: string): string => visible(text).replaceAll('\n', ' ⏎ ');

const sequences =
  // CSI, then OSC/DCS/APC/PM/SOS strings, then two-character escapes
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[ -/]*[0-~]/gu;

/** Program output as a person would have seen it: styling dropped, progress lines as they stood last, the rest visible. */
export function visibleOutput(text: string): string {
  if (!anythingUnsafe.test(text)) return text;
  return visible(
    text
      .replaceAll(sequences, '')
      .replaceAll('\r\n', '\n')
      .replaceAll(/[^\n]*\r(?=[^\n])/gu, '')
      .replaceAll('\r', ''),
  );
}

function escapeOf(code: number): string {
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  if (code === 0x7f) return '^?';
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
