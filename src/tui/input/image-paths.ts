/** Paths of images in what a terminal pastes when files are dragged into it: quoted, escaped, or as addresses. */

const imageName = /\.(?:png|jpe?g|gif|webp)$/iu;

/** Longest paste that is looked at. */
const longest = 8192;

/** The paths where all of the text is paths of images; empty otherwise. */
export function imagePathsIn(text: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > longest) return [];
  // One path that was copied as it is may hold blanks.
  if (!/["'\\\n]/u.test(trimmed) && isPath(trimmed) && !/\s(?:\/|~\/|file:)/u.test(trimmed)) return [trimmed];
  const words = wordsIn(trimmed);
  return words.length > 0 && words.every(isPath) ? words : [];
}

/** From the root, from home, from here, or of a Windows drive. */
const isPath = (word: string): boolean =>
  imageName.test(word) && /^(?:\/|~\/|\.{0,2}\/|file:\/\/|[A-Za-z]:[\\/])/u.test(word);

/** The words as a shell would read them, without anything but quotes and escapes; empty where a quote stays open. */
function wordsIn(text: string): readonly string[] {
  const words: string[] = [];
  const form = /\s*((?:"[^"\n]*"|'[^'\n]*'|\\[^\n]|[^\s"'\\])+)(?=\s|$)/uy;
  while (form.lastIndex < text.length) {
    const match = form.exec(text);
    if (match === null) return [];
    const [, word = ''] = match;
    words.push(
      /^[A-Za-z]:\\/u.test(word)
        ? word
        : word.replaceAll(/"([^"]*)"|'([^']*)'|\\([^\n])/gu, (_, double, single, escaped) =>
            String(double ?? single ?? escaped),
          ),
    );
  }
  return words;
}
