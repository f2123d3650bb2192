/** Text longer than this is matched only by an expression that looks at every character once. */
const mostMatched = 20_000;
/** Ways to match one text that a backtracking expression may try. */
const mostWays = 1_000_000;
/** Copies of a repeated group up to which the engine can go on without backtracking. */
const mostCopies = 16;

export class PatternRefused extends Error {
  override readonly name = 'PatternRefused';
}

/**
 * A regular expression that ends in bounded time. One that could backtrack without measure loses its Unicode flag, so that the
 * engine can go on without backtracking; where the engine cannot, the pattern is refused, or the text where it is long.
 */
export const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const exact = new RegExp(pattern, flags);
    const linear = linearForm(pattern, flags);
    const risk = riskOf(pattern);
    if (risk === 'endless' && linear === undefined) {
      throw new PatternRefused(
        `the pattern ${pattern.slice(0, 100)} could take for ever: it repeats what can repeat. Write a simpler one`,
      );
    }
    const longest =
      risk === 'none' && isFlat(pattern) ? Infinity : linear === undefined ? longestFor(pattern) : mostMatched;
    const expression = risk === 'none' || linear === undefined ? exact : linear;
    return {
      // The library tells patterns apart by this.
      toString: () => String(exact),
      test(text: string): boolean {
        if (text.length <= longest) return expression.test(text);
        throw new PatternRefused(
          `A text of ${text.length} characters is too long for the pattern ${pattern.slice(0, 100)}; ${longest} are the most.`,
        );
      },
    };
  },
  // What the library would write into code that it makes for files; weft makes none.
  {code: 'boundedRegExp'},
);

/** `undefined` where the pattern needs what only backtracking does, or copies more than the engine takes. */
function linearForm(pattern: string, flags: string): RegExp | undefined {
  if (needsBacktracking.test(pattern) || needsUnicode.test(pattern) || copiesOf(pattern) > mostCopies) return undefined;
  try {
    return new RegExp(pattern, flags.replace('u', ''));
  } catch {
    return undefined;
  }
}

/** `endless`: the ways to match grow with the power of the text's length. `steep`: with a square of it or more. */
function riskOf(pattern: string): 'none' | 'steep' | 'endless' {
  if (repeatsGroupWithoutEnd.test(pattern) || waysOfCounted(pattern) > mostWays) return 'endless';
  return unboundedIn(pattern) > 2 || copiesOf(pattern) > mostCopies ? 'steep' : 'none';
}

/** The most quantifiers without an end, or with a far one, that follow each other; what is looked ahead for counts by itself. */
const unboundedIn = (pattern: string): number =>
  Math.max(...pattern.split(lookaround).map(part => (part.match(unbounded) ?? []).length));

/** One beginning, and at most one place where it can go on or not. */
const isFlat = (pattern: string): boolean =>
  unboundedIn(pattern) === 0 || (pattern.startsWith('^') && unboundedIn(pattern) === 1 && !pattern.includes('|'));

const longestFor = (pattern: string): number =>
  Math.min(mostMatched, Math.floor(1e9 ** (1 / Math.max(1, unboundedIn(pattern)))));

/** Copies of a group that the engine makes for `(…){n,m}`, those inside of it counted in; too many rather than too few. */
function copiesOf(pattern: string): number {
  let copies = 1;
  for (const [, count = '1', most = ''] of pattern.matchAll(countedGroup))
    copies *= Math.max(Number(count), Number(most));
  if (copies === 1) return 1;
  const inside = [...pattern.matchAll(counted)].map(([, count = '1', most = '']) =>
    Math.max(Number(count), Number(most)),
  );
  return copies * Math.max(1, ...inside);
}

/** Ways to match what stands in groups that are repeated so many times: the choices of one time to the power of the times. */
function waysOfCounted(pattern: string): number {
  let ways = 1;
  for (const [, content = '', count = '1', most = ''] of pattern.matchAll(countedContent)) {
    const ranges = [...content.matchAll(counted)].map(([, from = '0', to = '']) =>
      to === '' ? 1 : Math.max(1, Number(to) - Number(from) + 1),
    );
    const optional = 2 ** (content.match(/(?<!\\|\(|[*+}])\?/gu) ?? []).length;
    const alternatives = (content.match(/(?<!\\)\|/gu) ?? []).length + 1;
    const endless = /(?<!\\)[*+]|\{\d+,\}/u.test(content) ? mostMatched : 1;
    const choices = ranges.reduce((product, range) => product * range, optional * alternatives * endless);
    ways *= choices ** Math.max(Number(count), Number(most));
  }
  // A group in a group that is counted: what its content comes to is not looked into.
  return /\)[*+?]?[^()]*\)\{\d/u.test(pattern) ? Number.POSITIVE_INFINITY : ways;
}

const repeatsGroupWithoutEnd = /(?<!\\)\)(?:[*+]|\{\d+,\})/u;
const countedGroup = /(?<!\\)\)\{(\d+)(?:,(\d*))?\}/gu;
const countedContent = /\(([^()]*)\)\{(\d+)(?:,(\d+))?\}/gu;
const counted = /(?<!\))\{(\d+)(?:,(\d+))?\}/gu;
const unbounded = /(?<!\\)[*+]|\{\d+,\d*\}/gu;
const lookaround = /\(\?<?[=!]/u;
/** Lookaround and back references. */
const needsBacktracking = /\(\?<?[=!]|\\[1-9]|\\k</u;
const needsUnicode = /\\u\{|\\p\{|\\P\{/u;
