import {readQuotedText} from './read-word.ts';
import {lineEnd, NotUnderstood, type AwaitedDocument, type Scan} from './shell-scan.ts';

/** Reads the bodies of the here-documents that were begun before the line end just passed. */
export function readHereDocuments(scan: Scan): void {
  for (const document of scan.awaited.splice(0)) readBody(scan, document);
}

function readBody(scan: Scan, {delimiter, tabs, expands, place}: AwaitedDocument): void {
  const from = scan.at;
  let at = from;
  for (;;) {
    if (at >= scan.text.length) throw new NotUnderstood('a here-document without its end', from);
    const end = lineEnd(scan.text, at);
    const line = scan.text.slice(at, end);
    if ((tabs === 'stripped' ? line.replace(/^\t+/u, '') : line) === delimiter) break;
    // A backslash at the end joins the line with the next, be it the last.
    if (expands === 'expands' && line.endsWith('\\')) throw new NotUnderstood('a joined line in a here-document', end);
    at = end + 1;
  }
  const range = {from, to: at};
  if (expands === 'as-is') {
    place({pieces: [{kind: 'text', text: scan.text.slice(from, at), style: 'quoted'}], range});
  } else place({pieces: readQuotedText(scan, {end: at}), range});
  scan.at = Math.min(at + delimiterLength(scan.text, at), scan.text.length);
}

const delimiterLength = (text: string, at: number): number => lineEnd(text, at) - at;
