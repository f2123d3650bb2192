import {isNameUnit, longestCommand, longestName} from './contextual-secrets.ts';

/**
 * Returns false if no form around a name can state a secret. The name is the one that a word at `at` is in. This check sees only the
 * nearest characters, because most of such words are in sentences and paths.
 */
export function mayStateSecret(text: string, at: number, word: string): boolean {
  let start = at;
  while (start > 0 && at - start < longestName && isNameUnit(text.charCodeAt(start - 1))) start -= 1;
  let end = at + word.length;
  while (end < text.length && end - at < longestName && isNameUnit(text.charCodeAt(end))) end += 1;
  const before = text.charAt(start - 1);
  if (start === 0 || end === text.length || before === '"') return true;
  // These take values from far away, whatever follows them.
  if (text.startsWith('sswd', end - 4) || text.startsWith('stdin', end - 5) || isKindSecret(text, at)) return true;
  const next = text.charAt(end);
  switch (nextKinds[text.charCodeAt(end)] ?? 0) {
    case mayStart:
      return true;
    case mayListValue:
      return ',;\t\n"'.includes(before) || statesPair(text, end);
    case mayContinue:
      return (
        (next === '\t' && ',;\t\n"'.includes(before)) ||
        '<:'.includes(before) ||
        text.charAt(start) === '-' ||
        mayFollowBlank(text, end) ||
        mayPrecedeName(text, start)
      );
    default:
      return false;
  }
}

const mayStart = 1;
const mayListValue = 2;
const mayContinue = 3;

/** The role of each character after a name. */
const nextKinds = new Uint8Array(128);
for (const sign of '<>&|*"\'`\\([]:=') nextKinds[sign.charCodeAt(0)] = mayStart;
for (const sign of ',;\r\n') nextKinds[sign.charCodeAt(0)] = mayListValue;
for (const sign of ' \t') nextKinds[sign.charCodeAt(0)] = mayContinue;

/** True if the text after a name may be the word `value`, as in `formsAfterName.pair`. */
function statesPair(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && ' \t\r\n,\\"\'`\u201C'.includes(text.charAt(at))) at += 1;
  return at === text.length || text.slice(at, at + 5).toLowerCase() === 'value';
}

/** True if the text after a name and blanks may begin a form. */
function mayFollowBlank(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  const code = text.charCodeAt(at);
  if (at === text.length || code >= 0x80) return true;
  if (code === comma) return statesPair(text, at);
  if ('|?{:=<"\'`\\'.includes(text.charAt(at))) return true;
  let to = at;
  while (to - at <= longestFormStart && isLetter(text.charCodeAt(to))) to += 1;
  return to === text.length || (to - at <= longestFormStart && formStarts.has(text.slice(at, to).toLowerCase()));
}

/** The first words after a name and a blank: those of `phraseStarts` and other forms. */
const formStarts: ReadonlySet<string> = new Set(
  'for of to on at in from is was ist lautet est es will has now set reset changed or as value'.split(' '),
);
const longestFormStart = 7;

const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
const isBlank = (code: number): boolean => code === 0x20 || (code >= 9 && code <= 13) || code === 0xa0;
const comma = 0x2c;

/** True if the words before a name may announce that its value follows: those of a command, a directive or a sentence. */
function mayPrecedeName(text: string, start: number): boolean {
  const least = Math.max(0, start - longestCommand);
  let at = start;
  // It may be white space.
  if (text.charCodeAt(at - 1) >= 0x80) return true;
  for (let words = 0; words < 4; words += 1) {
    const to = at;
    while (at > least && isBlank(text.charCodeAt(at - 1))) {
      at -= 1;
      if (words === 0 && text.charCodeAt(at) === lineFeed) return true;
    }
    if (at === least) return words === 0;
    if (at === to) return false;
    const end = at;
    while (at > least && !isBlank(text.charCodeAt(at - 1))) at -= 1;
    const word = text.slice(Math.max(at, end - longestLead), end);
    if ((words === 0 ? leads : leadsBefore).test(word) || (words === 0 && text.charAt(at) === '-')) return true;
  }
  return false;
}

const lineFeed = 0x0a;
const longestLead = 10;
const leadsBefore = /(?:machine|login|connect|user|username|config|configure)$/iu;
const leads =
  /(?:machine|login|connect|user|username|config|configure|env|arg|set|use|using|with|the|my|our|new|try|enter|and)$/iu;

/** True if a word is the kind of a Kubernetes Secret. */
const isKindSecret = (text: string, at: number): boolean =>
  text.startsWith('Secret', at) && text.slice(Math.max(0, at - 12), at).includes('kind');
