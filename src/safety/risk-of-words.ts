import {riskLevels, type RiskLevel} from '../domain/risk.ts';
import {riskRows, type RiskRow} from './programs/risks.ts';
import {programName, startsIn, textsFrom} from './wrappers.ts';

/** What a command does, as far as it is known from its words. */
export interface KnownRisk {
  readonly risk: RiskLevel;
  /** Goes on after the command; empty when nothing is known. */
  readonly does: string;
  /** The words of the command that does it, without what wraps it. */
  readonly words: readonly string[];
  /** Texts it hands to a shell. */
  readonly texts: readonly string[];
}

/** The worst that the words of one simple command are known to do, looking inside what wraps them. */
export function riskOfWords(words: readonly string[]): KnownRisk {
  const shellWords = words.map(plain => ({raw: plain, plain}));
  const starts = startsIn(shellWords).slice(0, mostStarts);
  const texts = starts.flatMap(start => textsFrom(shellWords, start));
  const found = starts.flatMap(start => {
    const row = rowFor(words.slice(start, start + mostWords));
    return row === undefined ? [] : [{risk: row.risk, does: row.does, words: words.slice(start), texts}];
  });
  return (
    found.reduce<KnownRisk | undefined>(
      (worst, each) => (worst === undefined || isWorse(each.risk, worst.risk) ? each : worst),
      undefined,
    ) ?? {risk: 'unknown', does: '', words, texts}
  );
}

/** Of what is known; `unknown` is milder than a destruction one is sure of. */
export const isWorse = (a: RiskLevel, b: RiskLevel): boolean => severity(a) > severity(b);

const severity = (risk: RiskLevel): number => bySeverity.indexOf(risk);

const bySeverity: readonly RiskLevel[] = [...riskLevels.filter(level => level !== 'destructive'), 'destructive'];

const mostStarts = 16;

/** Words of a command that are looked at. */
const mostWords = 200;

function rowFor([program = '', ...given]: readonly string[]): RiskRow | undefined {
  const name = programName(program)
    .toLowerCase()
    .replace(/^mkfs\..*/u, 'mkfs');
  return rowsByName.get(name)?.find(({words, row}) => {
    if (!given.some(argument => row.argument.test(argument)) && !(given.length === 0 && row.argument.test('')))
      return false;
    // Options may stand before a sub-command, with values that are not known to be such.
    let from = 0;
    return words.slice(1).every((word, at) => {
      const found = given.indexOf(word, from);
      const isNear =
        found >= 0 &&
        given
          .slice(from, found)
          .every(
            (each, index, between) =>
              each.startsWith('-') || (at === 0 && between[index - 1]?.startsWith('-') === true),
          );
      from = found + 1;
      return isNear;
    });
  })?.row;
}

interface NamedRow {
  readonly words: readonly string[];
  readonly row: RiskRow;
}

const rowsByName = new Map<string, NamedRow[]>();
for (const row of riskRows) {
  for (const name of row.names.split(',')) {
    const words = name.trim().split(' ');
    const [program = ''] = words;
    rowsByName.set(program, [...(rowsByName.get(program) ?? []), {words, row}]);
  }
}
