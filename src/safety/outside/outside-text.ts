import {isWithin} from '../paths/path-parts.ts';
import {decodedForms} from './decoded-forms.ts';
import {leastLength, TextFinder} from './text-finder.ts';
import type {TextSource} from './text-source.ts';

export interface OutsidePart {
  readonly source: TextSource;
  readonly span: string;
  /** The position of the part in the text. `undefined` if only a decoded form of the text contains it. */
  readonly at: {readonly from: number; readonly to: number} | undefined;
}

/** The time, in milliseconds since the epoch, in which files of the workspace got text from a source. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
  readonly source: TextSource;
}

/** The times of files may lag behind the clock by this many milliseconds. */
const clockStep = 20;

/** The maximum number of characters in one index. There are two, and the older one is dropped when the newer one is full. */
const maxCharacters = 32_000_000;

const longText = 500;
const maxClean = 2000;

/** The number of characters beside a text of the user that agree by chance. */
const chance = 2;

/** The text from outside that the models of one session have read. */
export class OutsideText {
  readonly #sources: TextSource[] = [];
  readonly #known = new Map<string, number>();
  readonly #files: {readonly path: string; readonly source: TextSource}[] = [];
  readonly #spans: TimeSpan[] = [];
  /** The sources of texts that commands read to write them in another form. */
  readonly carried = new Map<string, TextSource>();
  #indexes: readonly TextFinder[] = [new TextFinder()];
  /** Long texts in which no text from outside was found. The project's files are looked into again and again. */
  readonly #clean = new Set<string>();
  /** The source from which git fetched last. */
  fetched: TextSource | undefined;
  /** When the first text came, in milliseconds since the epoch. No file that is older contains it. */
  readonly since: number;

  constructor(since: number) {
    this.since = since;
  }

  /** Adds a text, and the files in which it also lies. */
  add(text: string, source: TextSource, files: readonly string[]): void {
    this.#files.push(...files.map(path => ({path, source})));
    if (text.length < leastLength) return;
    this.#clean.clear();
    const key = JSON.stringify([source.host, source.name, ...source.place]);
    const owner = this.#known.get(key) ?? this.#sources.push(source) - 1;
    this.#known.set(key, owner);
    const [newest = new TextFinder()] = this.#indexes;
    for (const form of decodedForms(text)) newest.add(form, owner);
    if (newest.length > maxCharacters) this.#indexes = [new TextFinder(), newest];
  }

  /** Adds the time in which a command ran that may have put text from outside into any file. */
  addTime(span: TimeSpan): void {
    this.#spans.push(span);
  }

  /**
   * Returns the source of a file that a text from outside was saved in, or that lies in such a folder. `changedAt` returns when the file
   * changed, `undefined` if it is none.
   */
  sourceOfFile(path: string, changedAt: (path: string) => number | undefined): TextSource | undefined {
    const named = this.#files.findLast(each => isWithin(path, each.path))?.source;
    if (named !== undefined || this.#spans.length === 0) return named;
    const time = changedAt(path);
    if (time === undefined) return undefined;
    return this.#spans.findLast(({from, to}) => from - clockStep <= time && time < to + 1)?.source;
  }

  /**
   * Finds the parts of a text that come from sources that are not trusted, and that none of the user's own texts contains. The first
   * parts are those that stand in the text itself.
   */
  find(text: string, {isTrusted, own}: FindOptions): readonly OutsidePart[] {
    const parts: OutsidePart[] = [];
    if (this.#clean.has(text)) return parts;
    let isClean = text.length >= longText;
    for (const [at, form] of decodedForms(text).entries()) {
      const found = this.#indexes.flatMap(index => index.find(form));
      if (found.length > 0) isClean = false;
      const mine = found.length === 0 ? [] : own().find(form);
      for (const {from, to, owner} of found) {
        const source = this.#sources[owner];
        const span = form.slice(from, to);
        const isOwn = mine.some(each => each.from <= from + chance && to <= each.to + chance);
        if (source === undefined || isOwn || isTrusted(source)) continue;
        // The other forms say again what the text itself says.
        if (parts.some(part => part.source === source && bare(part.span).includes(bare(span)))) continue;
        parts.push({source, span, at: at === 0 ? {from, to} : undefined});
      }
    }
    if (isClean && this.#clean.size < maxClean) this.#clean.add(text);
    return parts;
  }

  /** Finds texts from such sources that are split into pieces, with other pieces between them. */
  findJoined(pieces: readonly string[], {isTrusted, own}: FindOptions): readonly OutsidePart[] {
    return this.#indexes
      .flatMap(index => index.findJoined(pieces))
      .flatMap(({text, owner}) => {
        const source = this.#sources[owner];
        const isOwn = own()
          .find(text)
          .some(({from, to}) => from <= chance && text.length <= to + chance);
        return source === undefined || isOwn || isTrusted(source) ? [] : [{source, span: text, at: undefined}];
      });
  }
}

interface FindOptions {
  readonly isTrusted: (source: TextSource) => boolean;
  /** Makes the index of the user's own texts. Most actions need none. */
  readonly own: () => TextFinder;
}

/** Returns what counts of a text and is the same in all its forms. */
const bare = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
