import {clip} from '../../base/clip.ts';
import {type Json, parseJson} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';

/** A value of JSON text, with the line where it begins. A list that spans lines is reported as its elements. */
export type JsonRead =
  | {readonly tag: 'value'; readonly value: Json; readonly line: number}
  | {readonly tag: 'broken'; readonly message: string; readonly line: number}
  /** A line that looked like a part of a value but is not. The caller reads it in another way. */
  | {readonly tag: 'other'; readonly text: string; readonly line: number};

/**
 * Reads JSON values line by line: one per line, several, or one pretty-printed over many lines. A value that was cut
 * off ends before the first line that can't continue it. The lines in between are then read again one by one, so a
 * broken line costs only itself.
 */
export class JsonValueReader {
  #open: OpenValue | undefined;
  readonly #longest: number;

  /** Holds at most `longest` UTF-16 units of an unfinished value. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  *push(text: string, line: number): Generator<JsonRead> {
    const open = this.#open;
    if (open === undefined) {
      yield* this.#begin(text, line);
      return;
    }
    const isElement = open.isList && open.pieces.length === 0;
    const element = isElement && open.brackets.depth === 1 ? parseWholeElement(text) : undefined;
    if (element !== undefined) {
      yield {tag: 'value', value: element, line};
      return;
    }
    if (!canContinue(text, open)) {
      yield* this.#giveUp(open);
      yield {tag: 'other', text, line};
      return;
    }
    open.size += text.length;
    if (!isElement) hold(open, {text, line});
    yield* this.#scan(open, {text: `\n${text}`, line});
  }

  *end(): Generator<JsonRead> {
    if (this.#open !== undefined) yield* this.#giveUp(this.#open);
  }

  *#begin(text: string, line: number): Generator<JsonRead> {
    const trimmed = text.trim();
    if (trimmed === '') return;
    const isBracketed = /^[{[]/u.test(trimmed);
    // Text that does not end in a bracket skips the parser, whose errors are slow.
    if (!isBracketed || /[}\]]$/u.test(trimmed)) {
      const parsed = parseJson(trimmed);
      if (parsed.tag === 'ok' || !isBracketed) {
        yield parsed.tag === 'ok'
          ? {tag: 'value', value: parsed.value, line}
          : makeBroken(`not JSON: ${parsed.error}`, line);
        return;
      }
    }
    const open: OpenValue = {
      isList: trimmed.startsWith('['),
      brackets: new JsonBrackets(),
      pieces: [],
      size: trimmed.length,
      held: [],
      heldLines: 0,
      start: line,
      line,
    };
    this.#open = open;
    yield* this.#scan(open, {text: trimmed, line});
  }

  /** Follows the brackets through a line and yields the values that end in it. */
  *#scan(open: OpenValue, {text, line}: {readonly text: string; readonly line: number}): Generator<JsonRead> {
    const {brackets, isList} = open;
    let from = 0;
    for (const {at, kind} of brackets.through(text)) {
      switch (kind) {
        case 'opens':
          if (isList && brackets.depth === 1) from = at + 1;
          if (brackets.depth === (isList ? 2 : 1)) open.line = line;
          break;
        case 'separates':
          if (!isList || brackets.depth !== 1) break;
          keep(open, text.slice(from, at));
          yield* finished(open);
          reset(open);
          from = at + 1;
          break;
        case 'ends': {
          keep(open, text.slice(from, isList ? at : at + 1));
          this.#open = undefined;
          yield* finished(open);
          const rest = text.slice(at + 1).replace(/^[\s,]+/u, '');
          if (rest !== '') yield* this.#begin(rest, line);
          return;
        }
        default:
          unreachable(kind);
      }
    }
    keep(open, text.slice(from));
    if (brackets.isInText) yield* this.#giveUp(open);
    else if (open.size > this.#longest) {
      this.#open = undefined;
      yield makeBroken(`a value of more than ${this.#longest} characters`, open.line);
    }
  }

  /** Abandons an unfinished value. A list continues with its next element. The lines after the first one are read again. */
  *#giveUp(open: OpenValue): Generator<JsonRead> {
    const {held, pieces} = open;
    const inElement = open.isList && pieces.length > 0;
    yield makeBroken('a value that does not end', pieces.length > 0 ? open.line : open.start);
    if (inElement) {
      open.brackets.restart();
      reset(open);
    } else this.#open = undefined;
    for (const {text, line} of held) yield {tag: 'other', text, line};
  }
}

/** A value, or an element of a list, that has not ended. */
interface OpenValue {
  readonly isList: boolean;
  readonly brackets: JsonBrackets;
  /** The text of the value so far. Empty before the value begins. */
  pieces: string[];
  size: number;
  /** The lines after the first line of the value. */
  held: {readonly text: string; readonly line: number}[];
  heldLines: number;
  /** The line where the value begins, and for a list, the line of the current element. */
  readonly start: number;
  line: number;
}

function keep(open: OpenValue, text: string): void {
  if (open.pieces.length > 0 || text.trim() !== '') open.pieces.push(text);
}

/**
 * The maximum number of lines that are held. A longer value was not cut off within one line, and reading all its lines again could
 * be slow.
 */
const maxHeldLines = 16;

function hold(open: OpenValue, line: {readonly text: string; readonly line: number}): void {
  if (open.heldLines < maxHeldLines) open.held.push(line);
  else open.held = [];
  open.heldLines += 1;
}

function reset(open: OpenValue): void {
  open.pieces = [];
  open.size = 0;
  open.held = [];
  open.heldLines = 0;
}

function* finished(open: OpenValue): Generator<JsonRead> {
  const text = open.pieces.join('').trim();
  if (text === '') return;
  const parsed = parseJson(text);
  yield parsed.tag === 'ok'
    ? {tag: 'value', value: parsed.value, line: open.line}
    : makeBroken(`not JSON: ${parsed.error}`, open.line);
}

/** Parses an object or a list that begins and ends in this line, with or without a trailing comma. */
function parseWholeElement(text: string): Json | undefined {
  const trimmed = text.trim().replace(/,$/u, '');
  if (!/^(?:\{.*\}|\[.*\])$/su.test(trimmed)) return undefined;
  const parsed = parseJson(trimmed);
  return parsed.tag === 'ok' ? parsed.value : undefined;
}

/**
 * True if a line can continue the unfinished value. Such a line starts with a bracket, a name or text, or it is a
 * single plain value. It may start with an object or a list only where one is allowed.
 */
function canContinue(text: string, {brackets}: OpenValue): boolean {
  if (/^\s*[{[]/u.test(text)) return brackets.takesValue;
  return /^(?:$|[\s}\]",:]|(?:true|false|null|-?\d[\d.eE+-]*)[\s,\]}]*$)/u.test(text);
}

const makeBroken = (message: string, line: number): JsonRead => ({tag: 'broken', message: clip(message, 300), line});

/** A position in a text: of a bracket that opens a level, of a comma, or of the last closing bracket. */
interface JsonMark {
  readonly at: number;
  readonly kind: 'opens' | 'separates' | 'ends';
}

/** Tracks the bracket depth of JSON text, line by line. */
export class JsonBrackets {
  depth = 0;
  isInText = false;
  /** True if an object or a list may come next: after an opening list bracket, a comma or a colon. */
  takesValue = true;

  /** Yields the marks of a line, in order. Stop after `ends`. */
  *through(text: string): Generator<JsonMark> {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (this.isInText) {
        if (unit === backslash) at += 1;
        else if (unit === quote) this.isInText = false;
        continue;
      }
      switch (unit) {
        case quote:
          this.isInText = true;
          this.takesValue = false;
          break;
        case openBrace:
        case openBracket:
          this.depth += 1;
          this.takesValue = unit === openBracket;
          yield {at, kind: 'opens'};
          break;
        case closeBrace:
        case closeBracket:
          this.depth -= 1;
          this.takesValue = false;
          if (this.depth <= 0) {
            yield {at, kind: 'ends'};
            return;
          }
          break;
        case comma:
          this.takesValue = true;
          yield {at, kind: 'separates'};
          break;
        case colon:
          this.takesValue = true;
          break;
        default:
          if (unit > blank) this.takesValue = false;
      }
    }
  }

  /** Returns to the position between two elements of the outermost list. */
  restart(): void {
    this.depth = 1;
    this.isInText = false;
    this.takesValue = true;
  }
}

const [quote, backslash, comma, colon, blank] = [0x22, 0x5c, 0x2c, 0x3a, 0x20];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
