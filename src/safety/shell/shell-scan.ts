import type {Redirection, Script} from './shell-tree.ts';

/** Thrown inside the parser alone: the text is not, or not surely, what weft understands. */
export class NotUnderstood extends Error {
  readonly what: string;
  readonly at: number;

  constructor(what: string, at: number) {
    super(what);
    this.what = what;
    this.at = at;
  }
}

/** The text and how far it has been read; here-documents whose bodies begin at the next line end. */
export interface Scan {
  readonly text: string;
  at: number;
  depth: number;
  readonly awaited: AwaitedDocument[];
  /** Reads the commands of a substitution up to its closing sign, which it leaves. The parser gives it to the reader of words. */
  readonly readScript: (scan: Scan, closing: ')' | 'end') => Script;
}

export interface AwaitedDocument {
  readonly delimiter: string;
  readonly tabs: 'kept' | 'stripped';
  readonly expands: 'expands' | 'as-is';
  readonly place: (document: Redirection['target']) => void;
}

/** Things inside one another that are followed. */
const deepest = 60;

export function nested<T>(scan: Scan, read: () => T): T {
  scan.depth += 1;
  if (scan.depth > deepest) throw new NotUnderstood('it is nested too deep', scan.at);
  const result = read();
  scan.depth -= 1;
  return result;
}

/** White space and lines joined by a backslash; not line ends. */
export function skipBlanks(scan: Scan): void {
  const {text} = scan;
  for (;;) {
    const char = text.charAt(scan.at);
    if (char === ' ' || char === '\t') scan.at += 1;
    else if (char === '\\' && text.charAt(scan.at + 1) === '\n') scan.at += 2;
    else if (char === '#') scan.at = lineEnd(text, scan.at);
    else return;
  }
}

export function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
