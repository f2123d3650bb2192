/**
 * Finds sentences that are hard to read, in comments, in text literals and in Markdown.
 * A clean run does not mean that the prose is good: read it aloud.
 *
 *   node .config/check-prose.ts [FILE…]     lists what it finds in these files, and fails if it finds anything
 *   node .config/check-prose.ts --budget    checks the whole tree, and fails if it finds more than `budget` allows
 */
import {readFileSync, globSync} from 'node:fs';
import {parse} from '@babel/parser';

/** How many findings the tree may have. Lower a number when you have rewritten something; never raise one. */
const budget = {comments: 25, texts: 50, pages: 4};
type Kind = keyof typeof budget;

const countWords = (sentence: string) => sentence.split(/\s+/u).length;

const rules: readonly (readonly [name: string, breaks: (sentence: string) => boolean])[] = [
  [
    'starts with a clause: start with the subject',
    s =>
      /^(?:What(?:ever)?|Who(?:ever|m|se)?|Of (?:a|an|the|its|what|which|one|all|each|these|those)|That (?=a |an |the |it |they |no )|Where(?!as)|Wherever|Whichever|Nothing of|None of)\b(?![^.?]*\?)/u.test(
        s,
      ),
  ],
  ['"Whether" in a long sentence', s => s.startsWith('Whether ') && countWords(s) > 14],
  [
    'passive of saying: name who says it',
    s =>
      /\b(?:is|are|was|were|be|been|being) (?:said|told|heard|spoken of|meant|given away|gone on with|let through|taken up|made up for|asked about)\b/u.test(
        s,
      ),
  ],
  [
    'nobody in particular: name the person or the program',
    s => /\b(?:nobody|whoever|whomever|somebody's|that which|and says so)\b/iu.test(s),
  ],
  ['"where" for "if"', s => /\bwhere (?:there|nothing|none|no|that)\b/u.test(s)],
  ['"is no" for "is not a"', s => /(?<!\bthere )\b(?:is|are) no (?!longer|more|less|fewer|need)/iu.test(s)],
  ['longer than 30 words', s => countWords(s) > 30],
];

const splitSentences = (text: string) =>
  text
    .split(/\n\s*- /u)
    .map(item => item.replaceAll(/\s+/gu, ' '))
    .flatMap(item => item.split(/(?<=[.!?;])\s+(?=[A-Z`"(]|weft\b)|(?<=:)\s+(?=[A-Z])/u))
    .map(sentence => sentence.trim())
    .filter(Boolean);

type Passage = {readonly kind: Kind; readonly line: number; readonly text: string};

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** SQL, examples of commands, and lists of options. */
const isData = (text: string) => /\b(?:SELECT|WHERE|CREATE TABLE|INSERT INTO)\b| ¦ |(?: -\S+){5}/u.test(text);

/** The text literals of a syntax tree of five words or more, without data. */
function* literalsIn(node: unknown): Generator<Passage> {
  if (Array.isArray(node)) for (const child of node) yield* literalsIn(child);
  if (!isRecord(node) || Array.isArray(node)) return;
  const line = isRecord(node['loc']) && isRecord(node['loc']['start']) ? Number(node['loc']['start']['line']) : 0;
  let text = '';
  if (node['type'] === 'StringLiteral' || node['type'] === 'JSXText') text = String(node['value']).trim();
  if (node['type'] === 'TemplateLiteral' && Array.isArray(node['quasis']))
    text = node['quasis']
      .map(part => (isRecord(part) && isRecord(part['value']) ? String(part['value']['cooked']) : ''))
      .join('X');
  if (countWords(text) >= 5 && !isData(text)) yield {kind: 'texts', line, text};
  for (const [key, child] of Object.entries(node)) if (key !== 'loc' && isRecord(child)) yield* literalsIn(child);
}

function* passagesOfCode(source: string): Generator<Passage> {
  const {program, comments} = parse(source, {
    sourceType: 'module',
    plugins: ['typescript', 'jsx', 'explicitResourceManagement'],
  });
  let open: {kind: Kind; line: number; text: string; end: number} | undefined;
  for (const {type, value, loc} of comments ?? []) {
    if (/^\s*(?:oxlint|@)/u.test(value)) continue;
    const text = value.replaceAll(/^\s*\*\s?/gmu, '');
    const [line, end] = [loc?.start.line ?? 0, loc?.end.line ?? 0];
    // Lines of `//` that follow each other are one text.
    if (type === 'CommentLine' && open?.end === line - 1) {
      open.text += `\n${text}`;
      open.end = end;
      continue;
    }
    if (open) yield open;
    open = {kind: 'comments', line, text, end};
    if (type === 'CommentBlock') {
      yield open;
      open = undefined;
    }
  }
  if (open) yield open;
  yield* literalsIn(program.body);
}

function* passagesOfPage(source: string): Generator<Passage> {
  const prose = source.replaceAll(/```[\s\S]*?```/gu, block => block.replaceAll(/[^\n]/gu, ''));
  let line = 1;
  for (const text of prose.split(/\n(?=[ \t]*(?:\n|[-*|#]|\d+\.))/u)) {
    yield {kind: 'pages', line, text: text.replaceAll(/^\s*[-*>#]+\s*/gmu, '').replaceAll(/\s*\|\s*/gu, '. ')};
    line += text.split('\n').length;
  }
}

const everything = ['src/**/*.{ts,tsx,md}', 'docs/*.md', '*.md', 'test/README.md', '.config/*.ts'];
const argumentsGiven = process.argv.slice(2);
const checksBudget = argumentsGiven[0] === '--budget';
const files = checksBudget ? globSync(everything).toSorted() : argumentsGiven;

const found = {comments: 0, texts: 0, pages: 0};
const lines: string[] = [];
for (const file of files) {
  const source = readFileSync(file, 'utf8');
  for (const {kind, line, text} of file.endsWith('.md') ? passagesOfPage(source) : passagesOfCode(source))
    for (const sentence of splitSentences(text)) {
      const rule = rules.find(([, breaks]) => breaks(sentence));
      if (!rule) continue;
      found[kind] += 1;
      lines.push(`${file}:${line}: ${rule[0]}: ${sentence.slice(0, 200)}`);
    }
}
const kinds: readonly Kind[] = ['comments', 'texts', 'pages'];
const over = kinds.filter(kind => found[kind] > (checksBudget ? budget[kind] : 0));
if (over.length > 0) {
  console.log(lines.join('\n'));
  console.error(
    `Sentences to rewrite: ${kinds.map(kind => `${found[kind]} in ${kind}`).join(', ')}. Rewrite them so that they read like the documentation of a good library.`,
  );
  process.exitCode = 1;
}
