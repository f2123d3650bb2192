import type {Fence} from './syntax/highlight.ts';
import {grammarOfFence} from './syntax/grammars.ts';

/**
 * A finished piece of streamed markdown. The splitter cuts if a piece can no longer change. A blank line, a heading, a list item,
 * a line of a code fence, and some lines of a long paragraph end one. Each piece is rendered once, so the cost of a delta
 * depends only on the unfinished block. The splitter looks only at lines and their shapes; the renderer parses the pieces.
 */
export type MarkdownPiece =
  /** `gap`: whether a blank line precedes the piece. Items of a tight list and parts of a paragraph have none. */
  | {readonly kind: 'block'; readonly source: string; readonly gap: 'line' | 'none'}
  | {readonly kind: 'code-start'}
  /** Whole lines of an open fence, without the last line feed. */
  | {readonly kind: 'code-lines'; readonly text: string; readonly fence: Fence};

export type MarkdownPosition =
  /** After a `part`, the same block continues. */
  | {readonly kind: 'between'; readonly after: 'nothing' | 'item' | 'part' | 'block'}
  | {readonly kind: 'fence'; readonly marker: string; readonly indent: number; readonly fence: Fence};

interface MarkdownSplit {
  readonly pieces: readonly MarkdownPiece[];
  readonly rest: string;
  readonly place: MarkdownPosition;
}

export const markdownStart: MarkdownPosition = {kind: 'between', after: 'nothing'};

/** An unfinished block longer than this (UTF-16 units), such as a large table, is cut at its last line feed. */
const maxOpenBlock = 16_384;

/** The first lines of a paragraph stay together, because a line below them may turn them into a heading. */
const minParagraph = 3;

/** Takes the finished pieces off the front of `text`, which begins at position `place`. `whole` takes all of it. */
export function splitMarkdown(text: string, place: MarkdownPosition, extent: 'growing' | 'whole'): MarkdownSplit {
  const splitter = new Splitter(text, place);
  splitter.run();
  if (extent === 'whole') splitter.finish();
  return splitter.result();
}

const fenceLine = /^( {0,3})(`{3,}|~{3,})([^`]*)$/u;
const headingLine = /^ {0,3}#{1,6}(?:\s|$)/u;
const itemLine = /^( {0,3})(?:[-*+]|\d{1,9}[.)])(?:\s|$)/u;
const ruleLine = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/u;
const indented = /^(?: {2,}|\t)/u;
/** A line that is part of a paragraph, whatever surrounds it. */
const plainLine = /^ {0,3}[^\s>|<=\-[][^|]*$/u;

class Splitter {
  readonly #text: string;
  #place: MarkdownPosition;
  readonly #pieces: MarkdownPiece[] = [];
  /** The start of the open block, and the start of the current line. */
  #start = 0;
  #at = 0;
  #open: 'nothing' | 'list' | 'block' = 'nothing';
  /** The end of a list item that is followed by a blank line, or -1. The next line decides whether the list continues. */
  #blankAt = -1;
  /** The open paragraph, if it has only plain lines so far. `undefined` otherwise. */
  #paragraph: {lines: number; readonly marks: InlineMarks} | undefined;
  /** The table header that is repeated before the rest of a cut table. */
  #again = '';

  constructor(text: string, place: MarkdownPosition) {
    this.#text = text;
    this.#place = place;
  }

  run(): void {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#at);
      if (end < 0) break;
      const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' ? end - 1 : end);
      if (this.#place.kind === 'fence') this.#fencedLine(line, end + 1, this.#place);
      else this.#line(line, end + 1);
      this.#at = end + 1;
    }
    this.#emitCode(this.#at);
    if (this.#text.length - this.#start > maxOpenBlock && this.#at > this.#start) this.#cutLong();
  }

  finish(): void {
    if (this.#place.kind === 'fence') {
      const last = this.#text.slice(this.#start);
      const {fence, indent} = this.#place;
      const text = indent === 0 ? last : outdent(last, indent);
      if (last !== '' && !isClosing(last, this.#place)) this.#pieces.push({kind: 'code-lines', text, fence});
    } else {
      const last = this.#text.slice(this.#at);
      if (last !== '') this.#line(last, this.#text.length);
      if (this.#text.slice(this.#start).trim() !== '') this.#cut(this.#text.length, this.#text.length);
    }
    this.#start = this.#text.length;
    this.#place = {kind: 'between', after: 'block'};
  }

  result(): MarkdownSplit {
    return {pieces: this.#pieces, rest: this.#again + this.#text.slice(this.#start), place: this.#place};
  }

  #line(line: string, next: number): void {
    const blank = line.trim() === '';
    switch (this.#open) {
      case 'nothing':
        if (blank) this.#skipTo(next);
        else this.#begin(line, next);
        return;
      case 'block':
        if (blank) {
          this.#cut(this.#at, next);
        } else if (fenceLine.test(line) || headingLine.test(line) || itemLine.test(line)) {
          if (itemLine.test(line) && ruleLine.test(line)) return;
          this.#cut(this.#at, this.#at);
          this.#begin(line, next);
        } else {
          this.#paragraphLine(line, next);
        }
        return;
      case 'list':
        if (!blank) this.#listLine(line, next);
        else if (this.#blankAt < 0) this.#blankAt = this.#at;
        return;
      default:
    }
  }

  /** Cuts the paragraph before this line if nothing below can change the earlier lines. */
  #paragraphLine(line: string, next: number): void {
    const paragraph = this.#paragraph;
    if (paragraph === undefined) return;
    if (!plainLine.test(line)) {
      this.#paragraph = undefined;
      return;
    }
    const isPart = this.#place.kind === 'between' && this.#place.after === 'part';
    if ((isPart || paragraph.lines >= minParagraph) && paragraph.marks.closed) {
      this.#cut(this.#at, this.#at);
      this.#place = {kind: 'between', after: 'part'};
      this.#begin(line, next);
      return;
    }
    paragraph.lines++;
    paragraph.marks.read(line);
  }

  /** Cuts a long block. The rest of a table becomes a separate table. */
  #cutLong(): void {
    this.#again = tableHead(this.#text.slice(this.#start, this.#at));
    this.#cut(this.#at, this.#at);
    if (this.#again === '') this.#place = {kind: 'between', after: 'part'};
  }

  #listLine(line: string, next: number): void {
    if (indented.test(line)) {
      this.#blankAt = -1;
      return;
    }
    const afterBlank = this.#blankAt >= 0;
    const item = itemLine.test(line) && !ruleLine.test(line);
    if (!item && !afterBlank && !fenceLine.test(line) && !headingLine.test(line)) return;
    this.#cut(afterBlank ? this.#blankAt : this.#at, this.#at);
    if (item) this.#place = {kind: 'between', after: afterBlank ? 'block' : 'item'};
    this.#begin(line, next);
  }

  /** Begins a block; its first line decides what ends it. */
  #begin(line: string, next: number): void {
    const fence = fenceLine.exec(line);
    if (fence !== null) {
      this.#pieces.push({kind: 'code-start'});
      const [, indent = '', marker = '```', info = ''] = fence;
      this.#place = {kind: 'fence', marker, indent: indent.length, fence: {grammar: grammarOfFence(info)}};
      this.#skipTo(next);
      return;
    }
    this.#start = this.#at;
    if (headingLine.test(line) || ruleLine.test(line)) {
      this.#open = 'block';
      this.#cut(next, next);
      return;
    }
    this.#open = itemLine.test(line) ? 'list' : 'block';
    if (this.#open !== 'block' || !plainLine.test(line)) return;
    this.#paragraph = {lines: 1, marks: new InlineMarks()};
    this.#paragraph.marks.read(line);
  }

  #fencedLine(line: string, next: number, fence: MarkdownPosition & {readonly kind: 'fence'}): void {
    if (!isClosing(line, fence)) return;
    this.#emitCode(this.#at);
    this.#place = {kind: 'between', after: 'block'};
    this.#skipTo(next);
  }

  #emitCode(end: number): void {
    if (this.#place.kind !== 'fence' || end <= this.#start) return;
    const {indent, fence} = this.#place;
    const text = this.#text.slice(this.#start, end).replace(/\r?\n$/u, '');
    this.#pieces.push({kind: 'code-lines', text: indent === 0 ? text : outdent(text, indent), fence});
    this.#start = end;
  }

  #cut(end: number, next: number): void {
    const source = this.#text.slice(this.#start, end).replace(/\s+$/u, '');
    const tight = this.#place.kind === 'between' && ['item', 'part'].includes(this.#place.after);
    if (source !== '') this.#pieces.push({kind: 'block', source, gap: tight ? 'none' : 'line'});
    this.#place = {kind: 'between', after: 'block'};
    this.#skipTo(next);
  }

  #skipTo(next: number): void {
    this.#start = next;
    this.#open = 'nothing';
    this.#blankAt = -1;
    this.#paragraph = undefined;
  }
}

function isClosing(line: string, fence: MarkdownPosition & {readonly kind: 'fence'}): boolean {
  const trimmed = line.trim();
  const [character] = fence.marker;
  return (
    character !== undefined &&
    trimmed.length >= fence.marker.length &&
    trimmed === character.repeat(trimmed.length) &&
    !/^ {4}/u.test(line)
  );
}

const outdent = (text: string, spaces: number): string => text.replaceAll(new RegExp(`^ {1,${spaces}}`, 'gmu'), '');

/** Tracks unclosed emphasis, links and code spans in a paragraph. In doubt, they count as open. */
class InlineMarks {
  readonly #odd = new Set<string>();
  #brackets = 0;
  #angles = 0;

  /** True if no mark is open, so that later lines can't change how the lines so far are parsed. */
  get closed(): boolean {
    return this.#odd.size === 0 && this.#brackets === 0 && this.#angles === 0;
  }

  read(line: string): void {
    for (const [mark] of line.matchAll(marks)) {
      const kind = mark.charAt(0);
      if (kind === '[') this.#brackets++;
      else if (kind === ']') this.#brackets--;
      else if (kind === '<') this.#angles++;
      else if (kind === '>') this.#angles = Math.max(0, this.#angles - 1);
      else if (kind !== '\\' && !this.#odd.delete(kind)) this.#odd.add(kind);
    }
  }
}

/** Matches runs of inline marks. Escapes, lone stars and underscores inside words are matched first, so that they do not count. */
const marks = /\\.|(?<=\s)\*+(?=\s)|(?<=\w)_+(?=\w)|`+|\*+|_+|~+|[[\]]|<(?=[a-zA-Z/!?])|>/gu;

/** True if a block has only lines whose text no longer changes. */
export function isStable(text: string): boolean {
  const inline = new InlineMarks();
  inline.read(text);
  return inline.closed && text.split('\n').every(line => plainLine.test(line));
}

/** Returns the source of a table's header and the rule below it, or an empty string if `source` does not begin with a table. */
export function tableHead(source: string): string {
  const namesEnd = source.indexOf('\n') + 1;
  const ruleEnd = source.indexOf('\n', namesEnd) + 1;
  if (namesEnd === 0 || ruleEnd === 0) return '';
  const rule = source.slice(namesEnd, ruleEnd).trim();
  const isTable = source.slice(0, namesEnd).includes('|') && rule.includes('-') && /^[ :|-]+$/u.test(rule);
  return isTable ? source.slice(0, ruleEnd) : '';
}
