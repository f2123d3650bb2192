/**
 * Text from models, tools, files and users may contain characters that control a terminal (move the cursor, change the
 * title, answer queries), reverse the reading order, or are invisible. Every text passes through one of these functions
 * before it reaches the screen.
 */

/* oxlint-disable no-control-regex -- control characters are the subject of this file */

// Joiners, variation selectors and the wider spaces are not escaped: writing systems and emoji need them.
const unsafe =
  /[\u034F\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}]|\p{Surrogate}/gu;
const anythingUnsafe = new RegExp(`\\t|${unsafe.source}`, 'u');

/** Removes control, bidi and invisible characters. Keeps tabs and line feeds, and joiners between letters of other scripts and emoji. */
export const withoutInvisible = (text: string): string =>
  text.replaceAll(/\r\n?/gu, '\n').replaceAll(unsafe, '').replaceAll(strayJoiners, '');

/** Joiners and variation selectors in a row, or beside plain letters, join nothing: they can hide a message. */
const strayJoiners =
  /(?:\u200C|\u200D|[\uFE00-\uFE0F]){3,}|(?:\u200C|\u200D|[\uFE00-\uFE0F]){2}(?!\p{Extended_Pictographic})|(?<![^\u0000-\u007F])(?:\u200C|\u200D)|(?:\u200C|\u200D)(?![^\u0000-\u007F])/gu;

/** Replaces every control, bidi and invisible character by a visible escape. Keeps line feeds, and turns tabs into spaces. */
export function visible(text: string): string {
  if (!anythingUnsafe.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replaceAll('\t', tab).replaceAll(unsafe, escapeOf);
}

/** Does the same as `visible` for a stream that may be a terminal. Keeps tabs, because people copy from there. */
export const visibleText = (text: string): string =>
  anythingUnsafe.test(text) ? text.replaceAll('\r\n', '\n').replaceAll(unsafe, escapeOf) : text;

/** Escapes the same characters in JSON text by JSON's own escapes, so that it parses to the same value. Spaces and line feeds stay. */
export const visibleJson = (json: string): string =>
  anythingUnsafe.test(json) ? json.replaceAll(unsafe, character => jsonEscapes(character)) : json;

/** Does the same as `visible` on one line: line feeds become `⏎`. */
export const visibleLine = (text: string): string => onOneLine(visible(text));

/**
 * Escapes every character that could deceive, for text that a person judges letter by letter: commands, rules and
 * paths. Also escapes joiners, unusual spaces, stray or piled-up marks, and a carriage return before a line feed.
 */
export function visibleExactly(text: string): string {
  if (/^[\n\u0020-\u007E]*$/u.test(text)) return text;
  // Keep this inside the function, because the classes are compiled when the line is first reached.
  const deceptive =
    /(?![ \n])[\p{Other}\p{Separator}\p{Default_Ignorable_Code_Point}\u2800]|(?<!\p{Letter}\p{Mark}{0,2})\p{Mark}/gu;
  return text.replaceAll('\t', tab).replaceAll(deceptive, escapeOf);
}

/** Does the same as `visibleExactly`, on one line. */
export const visibleExactLine = (text: string): string => onOneLine(visibleExactly(text));

const tab = '    ';
const onOneLine = (text: string): string => text.replaceAll('\n', ' ⏎ ');

const sequences =
  // CSI, then OSC/DCS/APC/PM/SOS strings, then two-character escapes
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[ -/]*[0-~]/gu;

/**
 * Returns program output as a terminal would finally show it: without styling, with the last state of progress lines,
 * and with everything else escaped.
 */
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

/** Returns the JSON escape of a character. A carriage return can only occur between tokens, as white space, so it is dropped. */
function jsonEscapes(character: string): string {
  if (character === '\r') return '';
  return Array.from(
    {length: character.length},
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  if (code === 0x7f) return '^?';
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
