/** What a backslash and what follows it stand for between `$'` and `'`, and how many characters they are. */
export function ansiEscapeAt(text: string, at: number): {readonly length: number; readonly value: string} {
  escape.lastIndex = at;
  const [whole, byte, unit, point, octal, control] = escape.exec(text) ?? [];
  if (whole === undefined) return {length: 2, value: named[text.charAt(at + 1)] ?? text.charAt(at + 1)};
  const hex = byte ?? unit ?? point;
  const code =
    control === undefined
      ? Number.parseInt(hex ?? octal ?? '', hex === undefined ? 8 : 16)
      : (control.codePointAt(0) ?? 0) & 0x1f;
  return {length: whole.length, value: code <= 0x10_ffff ? String.fromCodePoint(code) : ''};
}

const escape = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|c([\s\S]))/uy;

const named: Readonly<Partial<Record<string, string>>> = {
  a: '\u{7}',
  b: '\b',
  e: '\u{1b}',
  E: '\u{1b}',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
