import {isWordOrDash} from './secret-forms.ts';

/** The maximum number of units of a name, and of the words before a name or an option, that are examined. */
export const longestName = 64;
export const longestCommand = 300;

export const quote = String.raw`\\{0,3}["'${'`'}\u201c]`;
const bare = String.raw`[^\s"'${'`'}<>\\;,|\u201d]{1,512}`;
const quotedOrBare = `(?:${quote})?(?<value>${bare})`;

/** The forms after a name. Nothing follows the value except its closing characters. */
export const formsAfterName = {
  element:
    /^(?:[ \t][^<>\n]{0,200})?>\s{0,32}(?:<!\[CDATA\[)?(?<value>[^<>\s\]]{1,512})(?:\]{0,2}>?)\s{0,32}(?:<\/|<?$)/u,
  attribute: new RegExp(
    `^${quote}(?:[ \\t\\n]{1,8}[\\w:.-]{1,32}="[^"\\n]{0,100}"){0,3}[ \\t\\n]{1,8}value[ \\t]?=[ \\t]?${quote}(?<value>[^"'\\n<>]{1,512})`,
    'u',
  ),
  attributeElement: new RegExp(`^${quote}[^<>\\n]{0,100}>(?<value>[^<>\\s]{1,512})(?:</|<?$)`, 'u'),
  pair: new RegExp(
    `^(?:${quote})?[ \\t]{0,8}(?:,[ \\t]{0,8})?(?:\\r?\\n[ \\t]{0,32})?(?:${quote})?value(?:${quote})?[ \\t]{0,8}[:=][ \\t]{0,8}${quotedOrBare}`,
    'iu',
  ),
  argument: new RegExp(
    `^(?<end>${quote})[ \\t]{0,8},\\s{0,32}(?:default(?:_?value)?[ \\t]?[:=][ \\t]?)?(?<open>${quote})(?<value>[^"'\\n\`\\\\]{1,512})`,
    'iu',
  ),
  /** The default of a variable that is not set. */
  fallback: new RegExp(
    `^(?:${quote})?[\\])]{0,2}[ \\t]{0,4}(?:\\|\\||\\?\\?|or|\\{)[ \\t]{0,4}(?<open>${quote})(?<value>[^"'\\n\`\\\\]{1,512})`,
    'u',
  ),
  expanded: /^:[-=](?<value>[^\s"'`<>\\{}$]{1,512})(?=\})/u,
  call: new RegExp(`^[ \\t]?\\([ \\t\\n]{0,32}(?<open>${quote})(?<value>[^"'\\n\`\\\\]{1,512})`, 'u'),
  literal: new RegExp(`^[ \\t]{1,8}(?<open>${quote})(?<value>[^"'\\n\`\\\\]{1,512})`, 'u'),
  word: /^[ \t]{1,8}(?<value>[^\s"'`<>\\;,|]{1,512})(?=[\s"'`;,|]|$)/u,
  /** The word that ends the line. */
  only: /^[ \t]{1,8}(?<value>[^\s"'`<>\\;]{1,512})[ \t]*\r?(?:\n|$)/u,
  /** An assignment, also with `:=`, `=>` or `<-`, after a type, or after the bracket of an element. */
  assigned: new RegExp(
    `^["'\`\\\\]{0,4}(?:\\[\\d*)?\\]?[ \\t]{0,8}(?:As String[ \\t]?=|:[ \\t]?&?(?:String|str(?:ing)?)[ \\t]?=|:=|=>|<-|=|:)[ \\t]{0,8}@?[brfLu]{0,2}(?<open>${quote})(?<value>[^"'\\n\`\\\\]{1,512})`,
    'u',
  ),
  line: /^[ \t]{0,8}[=:][ \t]{0,8}(?<value>[^\s"'`<>\\;&,(){}]{1,512})(?=[ \t]*(?:\r?(?:\n|$)|[ \t]#))/u,
  part: /^[ \t]?=[ \t]?(?<value>[^\s"'`<>\\;&,(){}]{1,512})(?=[\s;&"'`]|$)/u,
  stated: /^\*{0,2}[ \t]?:\*{0,2}[ \t]{1,8}[`*]{0,2}(?<value>[^\s"'`<>\\;&,(){}]{1,512})(?=[\s,]|$)/u,
  sentence: new RegExp(
    `^(?:[ \\t]+(?:for|of|to|on|at|in|from)[ \\t]+[^\\n:=?!;]{1,40}?[ \\t]?:[ \\t]+${quotedOrBare})`,
    'iu',
  ),
  verb: new RegExp(
    `^(?:[ \\t]+(?:for|of|to|on|at|in|from)[ \\t]+[^\\n:=?!;]{1,40}?)?[ \\t]+(?:is|was|ist|lautet|est|es|é|Ã©|will be|(?:is |was |has been |now )?(?:re)?set to|(?:is |was |has been )?changed to)(?![a-z])[ \\t]*(?:now[ \\t]+|still[ \\t]+)?:?[ \\t]*[*_(]{0,3}${quotedOrBare}`,
    'iu',
  ),
  cell: /^\*{0,2}[ \t]{0,32}\|[ \t]{0,32}`?(?<value>[^\s"'`<>\\|]{1,512})`?[ \t]{0,32}(?:\||$)/u,
  plist: /^<\/key>\s{0,32}<string>(?<value>[^<>\s]{1,512})(?:<\/|<?$)/u,
  escaped: /^&gt;(?<value>[^<>\s&]{1,512})(?:&lt;|&?l?t?$)/u,
  third: /^[ \t]+(?:-\w*b\w*[ \t]+\S{1,100}[ \t]+\S{1,100}|-\d|-apr1)[ \t]+["']?(?<value>[^\s"'`<>|;]{1,512})/u,
  use: /^[ \t]{1,4}(?:`|"|'|\u201c)?(?<value>[^\s"'`<>\\;,|]{6,512})/u,
} as const satisfies Record<string, RegExp>;

/** The words before a name that announce a login, a value that is set, a value to use, and a further value. */
const loginWords = 'machine|login|connect|user|username';
const configWords = 'config|configure';
const useWords = 'use|using|with|the|my|our|new|try|enter';
const leads = {
  directive: /(?<=(?:^|\n)[ \t]{0,200}(?:(?:ENV|ARG|set|set -\w{1,4}|setenv|config set)[ \t]{1,50})?)/iuy,
  login: new RegExp(`(?<=\\b(?:${loginWords})[ \\t]{1,50}[^\\s]{1,100}\\s{1,100})`, 'iuy'),
  set: new RegExp(`(?<=\\b(?:${configWords})[ \\t](?:[\\w./-]{1,100}[ \\t]{1,50}){0,3})`, 'iuy'),
  use: new RegExp(`(?<=\\b(?:${useWords})[ \\t])`, 'iuy'),
  and: /(?<=\band[ \t])/iuy,
} as const satisfies Record<string, RegExp>;

/** True if these words end at a position. The pattern is matched backward from there. */
export function isLed(text: string, at: number, kind: keyof typeof leads): boolean {
  const lead = leads[kind];
  lead.lastIndex = at;
  return lead.test(text);
}

/** True for letters, digits, `_`, `.` and `-`. */
export const isNameUnit = (code: number): boolean => code === 0x2e || isWordOrDash(code);

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
export function statesPair(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && ' \t\r\n,\\"\'`\u201C'.includes(text.charAt(at))) at += 1;
  return at === text.length || text.slice(at, at + 5).toLowerCase() === 'value';
}

/** True if the text after a name and blanks may begin a form. */
export function mayFollowBlank(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  const code = text.charCodeAt(at);
  if (at === text.length || code >= 0x80) return true;
  if (code === comma) return statesPair(text, at);
  if ('|?{:=<"\'`\\'.includes(text.charAt(at))) return true;
  let to = at;
  while (to - at <= longestFormStart && isLetter(text.charCodeAt(to))) to += 1;
  if (to === text.length || text.charCodeAt(to) >= 0x80) return true;
  return to - at <= longestFormStart && formStarts.has(text.slice(at, to).toLowerCase());
}

/** The first words of the forms after a name and a blank. */
const formStarts: ReadonlySet<string> = new Set(
  'for of to on at in from is was ist lautet est es will has now set reset changed or as value'.split(' '),
);
const longestFormStart = 7;

const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
const isBlank = (code: number): boolean => code === 0x20 || (code >= 9 && code <= 13) || code === 0xa0;
const comma = 0x2c;

/** True if the words before a name may announce that its value follows: those of a command, a directive or a sentence. */
export function mayPrecedeName(text: string, start: number): boolean {
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
    if ((words === 0 ? lead : leadBefore).test(word) || (words === 0 && text.charAt(at) === '-')) return true;
  }
  return false;
}

const lineFeed = 0x0a;
const longestLead = 10;
const leadBefore = new RegExp(`(?:${loginWords}|${configWords})$`, 'iu');
const lead = new RegExp(`(?:${loginWords}|${configWords}|env|arg|set|setenv|${useWords}|and)$`, 'iu');

/** True if a word is the kind of a Kubernetes Secret. */
const isKindSecret = (text: string, at: number): boolean =>
  text.startsWith('Secret', at) && text.slice(Math.max(0, at - 12), at).includes('kind');
