/** Whether a find is told an ending such as `*.ts`. */
export const looksForNames = (texts: readonly string[]): boolean =>
  texts.some(
    (text, at) =>
      /^-i?name$/u.test(text) &&
      /\.\w+$/u.test(texts[at + 1] ?? '') &&
      texts[at - 1] !== '-not' &&
      texts[at - 1] !== '!',
  ) &&
  !texts.includes('-o') &&
  !texts.includes('-or');

/** Programs that tell little of what is in files, or only the lines that were searched for. */
export const tellsLittle: ReadonlySet<string> = new Set(
  'grep egrep fgrep wc ls stat du file basename dirname realpath readlink echo md5sum sha1sum sha256sum cksum test'.split(
    ' ',
  ),
);
