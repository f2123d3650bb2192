import {unreachable} from '../base/unreachable.ts';
/** A piece of an answer in the form in which it is shown. */
export interface ShownPiece {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/** The markup that a scanner looks for. */
export interface Openings {
  /** The beginnings of tool calls that a model writes as text, anywhere outside of code. */
  readonly anywhere: readonly Grammar[];
  /** The beginnings that count only at the start of the text. */
  readonly atStart: readonly Grammar[];
  readonly thinkTags: 'read' | 'ignored';
}

/** A sequence of alternatives. `space` is any white space, or none. Everything is compared in the form of `normalized`. */
type Grammar = readonly (readonly string[] | 'space')[];

/** Returns the ways in which models write a tool call as text. Bare JSON and Python count only if they name one of the tools. */
export function callOpenings(tools: readonly string[]): Openings {
  if (tools.length === 0) return {anywhere: [], atStart: [], thinkTags: 'read'};
  const names = tools.map(normalized);
  return {
    anywhere: [
      [['<tool_call>', '<tool_calls>']],
      [['<function=']],
      [[...prefixed('function_calls>'), '<minimax:tool_call>'], 'space', ['<']],
      [prefixed('invoke name=')],
      [['[tool_calls]']],
      [[...specialTokens, '<|python_tag|>']],
    ],
    atStart: [
      [
        'space',
        ['```json', '```tool_call', '```', ''],
        'space',
        ['{'],
        'space',
        ['"name"'],
        'space',
        [':'],
        'space',
        names.map(name => `"${name}"`),
      ],
      ['space', ['['], names.map(name => `${name}(`)],
    ],
    thinkTags: 'read',
  };
}

const prefixed = (tag: string): readonly string[] => ['', 'minimax:', 'antml:'].map(prefix => `<${prefix}${tag}`);

/** The tokens of Kimi and DeepSeek. These models also write them within their thinking. */
const specialTokens = [
  '<|tool_calls_section_begin|>',
  '<|tool_call_begin|>',
  '<|tool_calls_begin|>',
  '<|dsml|',
  '<| dsml|',
  '<|dsml |',
  '<| dsml |',
];

export const thinkingOpenings: Openings = {anywhere: [[specialTokens]], atStart: [], thinkTags: 'ignored'};
export const emptyOpenings: Openings = {anywhere: [], atStart: [], thinkTags: 'ignored'};

const thinkTags: Grammar = ['space', ['<think>', '<thinking>']];

/** The longest text that is held back, in UTF-16 units. Longer markup isn't a call. */
const maxHeld = 1024 * 1024;
/** The maximum amount of white space within a beginning. */
const maxSpace = 1000;

/**
 * Reads the text of an answer as it arrives, and returns the part that may be shown. Text that may be the beginning of
 * a tool call is held back until a few more characters decide. After a beginning, everything is held back. The size of
 * the deltas makes no difference.
 */
export class TextScanner {
  readonly #openings: Openings;
  #held = '';
  #mode: 'start' | 'text' | 'thinking' | 'after-thinking' | 'call' | 'plain' = 'start';
  #closingTag = '';
  readonly #code = new CodeTracker();

  constructor(openings: Openings) {
    this.#openings = openings;
  }

  take(text: string): readonly ShownPiece[] {
    const pieces: ShownPiece[] = [];
    let rest = this.#held + text;
    this.#held = '';
    for (;;) {
      const before = rest;
      const mode = this.#mode;
      rest = this.#step(rest, pieces);
      if (rest === '' || (rest === before && mode === this.#mode)) break;
    }
    this.#held = rest;
    if (this.#mode === 'call' && rest.length > maxHeld) {
      this.#mode = 'plain';
      pieces.push({kind: 'text', text: this.#takeHeld()});
    }
    return pieces;
  }

  /** Returns the text that has not been shown yet, or the tool calls as they were written. */
  end(): {readonly shown: readonly ShownPiece[]; readonly calls: string} {
    const held = this.#takeHeld();
    if (this.#mode === 'call') return {shown: [], calls: held};
    if (held === '' || this.#mode === 'after-thinking') return {shown: [], calls: ''};
    return {shown: [{kind: this.#mode === 'thinking' ? 'thinking' : 'text', text: held}], calls: ''};
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /** Removes the decided part from the beginning of `text` and returns the rest. */
  #step(text: string, pieces: ShownPiece[]): string {
    switch (this.#mode) {
      case 'start':
        return this.#begin(text);
      case 'thinking':
        return this.#think(text, pieces);
      case 'after-thinking': {
        const rest = text.trimStart();
        if (rest !== '') this.#mode = 'start';
        return rest;
      }
      case 'text':
        return this.#read(text, pieces);
      case 'call':
        return text;
      case 'plain':
        pieces.push({kind: 'text', text});
        return '';
      default:
        return unreachable(this.#mode);
    }
  }

  #begin(text: string): string {
    const {atStart, thinkTags: tags} = this.#openings;
    const thinks = tags === 'read' ? matches(text, [thinkTags]) : 'no';
    if (thinks === 'yes') {
      const [tag = ''] = /<\w+>/u.exec(text) ?? [];
      this.#closingTag = tag.toLowerCase().replace('<', '</');
      this.#mode = 'thinking';
      return text.slice(text.indexOf(tag) + tag.length);
    }
    const calls = matches(text, atStart);
    if (calls === 'yes') this.#mode = 'call';
    else if (calls === 'no' && thinks === 'no') this.#mode = 'text';
    return text;
  }

  #think(text: string, pieces: ShownPiece[]): string {
    const end = text.toLowerCase().indexOf(this.#closingTag);
    const upTo = end < 0 ? text.length - partialLength(text, this.#closingTag) : end;
    if (upTo > 0) pieces.push({kind: 'thinking', text: text.slice(0, upTo)});
    if (end < 0) return text.slice(upTo);
    this.#mode = 'after-thinking';
    return text.slice(end + this.#closingTag.length);
  }

  #read(text: string, pieces: ShownPiece[]): string {
    const show = (end: number): void => {
      if (end > 0) pieces.push({kind: 'text', text: text.slice(0, end)});
    };
    let from = 0;
    for (const {index: at, 0: character} of text.matchAll(/[<[`\n]/gu)) {
      this.#code.pass(text.slice(from, at));
      from = at + 1;
      if (mayOpen.test(text.slice(at, at + 2)) && !this.#code.isCode) {
        const verdict = matches(text.slice(at), this.#openings.anywhere);
        if (verdict !== 'no') {
          if (verdict === 'yes') this.#mode = 'call';
          show(at);
          return text.slice(at);
        }
      }
      this.#code.passMark(character);
    }
    this.#code.pass(text.slice(from));
    show(text.length);
    return '';
  }
}

/** Matches the first two characters of all openings. Most other markup passes at once. */
const mayOpen = /^(?:<(?:[tfima|｜]|$)|\[(?:t|$))/iu;

/** Tracks whether the text so far ends within code: a fence, an indented line, or between backticks. */
class CodeTracker {
  #line = '';
  #backticks = 0;
  #fence = '';

  get isCode(): boolean {
    return this.#fence !== '' || this.#backticks % 2 === 1 || /^(?: {4}|\t)/u.test(this.#line);
  }

  /** Reads text without line breaks and backticks. */
  pass(text: string): void {
    if (this.#line.length < maxLineHead) this.#line += text.slice(0, maxLineHead);
  }

  passMark(mark: string): void {
    if (mark !== '\n') {
      if (mark === '`') this.#backticks++;
      this.pass(mark);
      return;
    }
    const [, fence = '', info = ''] = /^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)?(`{3,}|~{3,})(.*)/su.exec(this.#line) ?? [];
    if (this.#fence === '') {
      if (fence.startsWith('~') || !info.includes('`')) this.#fence = fence;
    } else if (fence.startsWith(this.#fence) && info.trim() === '') this.#fence = '';
    this.#line = '';
    this.#backticks = 0;
  }
}

/** The maximum number of characters of a line that decide whether it is a fence. */
const maxLineHead = 120;

type Verdict = 'yes' | 'no' | 'maybe';

/** Returns whether the text begins like one of the grammars. `maybe`: only more text can decide. */
function matches(text: string, grammars: readonly Grammar[]): Verdict {
  if (grammars.length === 0) return 'no';
  const verdicts = grammars.map(grammar => follows(normalized(text.slice(0, maxSpace * 2)), grammar));
  if (verdicts.includes('yes')) return 'yes';
  return verdicts.includes('maybe') ? 'maybe' : 'no';
}

function follows(text: string, grammar: Grammar): Verdict {
  let at = 0;
  for (const step of grammar) {
    if (step === 'space') {
      const space = /\S/u.exec(text.slice(at))?.index;
      if (space === undefined) return text.length - at > maxSpace ? 'no' : 'maybe';
      at += space;
      continue;
    }
    const rest = text.slice(at);
    if (step.some(each => each.length > rest.length && each.startsWith(rest))) return 'maybe';
    const found = step.filter(each => rest.startsWith(each)).toSorted((a, b) => b.length - a.length)[0];
    if (found === undefined) return 'no';
    at += found.length;
  }
  return 'yes';
}

/** DeepSeek's tokens have special bars and underscores, and models change the case of names. */
const normalized = (text: string): string => text.replaceAll('｜', '|').replaceAll('▁', '_').toLowerCase();

/** Returns the length of the end of `text` that may be the beginning of `tag`. */
function partialLength(text: string, tag: string): number {
  const end = text.slice(-(tag.length - 1)).toLowerCase();
  for (let length = end.length; length > 0; length--) if (tag.startsWith(end.slice(-length))) return length;
  return 0;
}
