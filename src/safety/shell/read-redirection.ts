import {readWord} from './read-word.ts';
import {NotUnderstood, skipBlanks, type AwaitedDocument, type Scan} from './shell-scan.ts';
import type {Redirection, Word} from './shell-tree.ts';

/** A redirection that begins here, `2>/dev/null`, `<<EOF`; `undefined` when none does. */
export function readRedirection(scan: Scan): Redirection | undefined {
  const from = scan.at;
  beginning.lastIndex = from;
  const match = beginning.exec(scan.text);
  const sign = match?.[1];
  if (match === null || sign === undefined) return undefined;
  scan.at += match[0].length;
  skipBlanks(scan);
  const target = readWord(scan);
  if (target === undefined) throw new NotUnderstood('a redirection to nothing', scan.at);
  const range = {from, to: scan.at};
  if (sign !== '<<' && sign !== '<<-') return {sign, target, range};
  const document: {word: Word} = {word: {pieces: [], range: target.range}};
  scan.awaited.push(awaited(scan, {sign, target, place: body => (document.word = body)}));
  return {
    sign: '<<',
    get target() {
      return document.word;
    },
    range,
  };
}

/** Not the `<(` and `>(` of process substitution. */
const beginning = /(?:\d{1,3}|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|[<>]&|>>|>\||[<>](?!\())/uy;

function awaited(
  scan: Scan,
  document: {readonly sign: string; readonly target: Word; readonly place: AwaitedDocument['place']},
): AwaitedDocument {
  const {range, pieces} = document.target;
  const written = scan.text.slice(range.from, range.to);
  const [piece] = pieces;
  const wellKnown = /^(?:[A-Za-z_]\w*|'[A-Za-z_]\w*'|"[A-Za-z_]\w*"|\\[A-Za-z_]\w*)$/u.test(written);
  if (!wellKnown || piece === undefined) throw new NotUnderstood('the end of a here-document', range.from);
  return {
    delimiter: written.replaceAll(/['"\\]/gu, ''),
    tabs: document.sign === '<<-' ? 'stripped' : 'kept',
    expands: /['"\\]/u.test(written) ? 'as-is' : 'expands',
    place: document.place,
  };
}
