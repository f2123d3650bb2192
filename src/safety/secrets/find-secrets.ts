import {placeholderForm, placeholderStart} from './placeholder.ts';
import {scanForms, type FoundSecret} from './scan-forms.ts';
import {scanStated} from './scan-stated.ts';
import {isWordy} from './telling-value.ts';
import type {Vault} from './vault.ts';
import {findWrapped} from './wrapped-base64.ts';

export interface SecretScan {
  /** Apart from each other, in order. */
  readonly found: readonly FoundSecret[];
  /** From here on more text may make a secret of what stands there; the length of the text where nothing is open. */
  readonly openFrom: number;
}

export interface SearchedText {
  readonly text: string;
  /** `bytes`: each unit is a byte. */
  readonly domain: 'text' | 'bytes';
  /** `open`: more may follow, and what reaches the end is not taken for whole. */
  readonly end: 'closed' | 'open';
}

/** Everything in a text that is secret by its value or by its form. What is found by its form is known by its value from then on. */
export function findSecrets({text, domain, end}: SearchedText, vault: Vault): SecretScan {
  const forms = scanForms(text);
  const keys = findPrivateKeys(text);
  const stated = scanStated(text);
  const byForm = [...forms.found, ...keys.found, ...stated.found];
  for (const {from, to, name} of byForm) {
    const value = text.slice(from, to);
    if (end === 'open' && to === text.length) continue;
    if (!isWordy(value) || value.length >= 20) vault.hideEverywhere(asText(value, domain), name);
  }
  const finder = vault.finder(domain);
  const byValue: FoundSecret[] = [];
  for (let hit = finder.next(text, 0); hit !== undefined; hit = finder.next(text, hit.from + hit.literal.length)) {
    const name = vault.nameOf(asText(hit.literal, domain));
    byValue.push({from: hit.from, to: hit.from + hit.literal.length, name});
  }
  const wrapped = findWrapped(text, said => saysSecret(said, vault));
  const found = joined([...byForm, ...byValue, ...wrapped.found]);
  return {
    found: text.includes(placeholderStart) ? beside(found, text) : found,
    openFrom: Math.min(forms.openFrom, keys.openFrom, stated.openFrom, wrapped.openFrom, finder.openFrom(text)),
  };
}

const saysSecret = (said: string, vault: Vault): boolean =>
  scanForms(said).found.length > 0 || said.includes('PRIVATE KEY') || vault.finder('bytes').next(said, 0) !== undefined;

/** The text behind units that may be bytes. */
export const asText = (value: string, domain: SearchedText['domain']): string =>
  domain === 'text' ? value : Buffer.from(value, 'latin1').toString('utf8');

/** What overlaps becomes one. */
function joined(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const result: FoundSecret[] = [];
  for (const each of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = result.at(-1);
    if (last === undefined || each.from >= last.to) {
      result.push(each);
    } else if (each.to > last.to) {
      const name = each.to - each.from > last.to - last.from ? each.name : last.name;
      result[result.length - 1] = {from: last.from, to: each.to, name};
    }
  }
  return result;
}

/** What stands for a secret is none. */
function beside(found: readonly FoundSecret[], text: string): readonly FoundSecret[] {
  const taken = [...text.matchAll(placeholderForm)].map(({index, 0: {length}}) => ({from: index, to: index + length}));
  return found.filter(({from, to}) => taken.every(each => to <= each.from || from >= each.to));
}

const keyStart = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/gu;
const keyEnd = '-----END';

/** Units behind the beginning of a private key in which its end is looked for, and of a line that is still growing. */
const longestKey = 20_000;
const longestLine = 4096;

/** Units behind the last whole line of a key. */
const longestTail = 200;

/** The lines of private keys, each a secret of its own: line numbers stay as they are. */
function findPrivateKeys(text: string): SecretScan {
  const found: FoundSecret[] = [];
  let openFrom = text.length;
  if (!text.includes('PRIVATE KEY')) return {found, openFrom};
  const heads = [...text.matchAll(keyStart)];
  let nextEnd = 0;
  for (const [number, {index, 0: head}] of heads.entries()) {
    const start = index + head.length;
    if (nextEnd >= 0 && nextEnd < start) nextEnd = text.indexOf(keyEnd, start);
    const limit = Math.min(heads[number + 1]?.index ?? text.length, start + longestKey);
    const end = nextEnd >= 0 && nextEnd < limit ? nextEnd : -1;
    const to = end < 0 ? limit : end;
    const body = text.slice(start, to);
    const runs = [...body.matchAll(/[A-Za-z0-9+/=]+/gu)].filter(
      run => !/^[\w-]+: /mu.test(lineAround(body, run.index)),
    );
    for (const [at, run] of runs.entries()) {
      const isTail = end >= 0 && at === runs.length - 1;
      if (run[0].length < (isTail ? 4 : 16)) continue;
      // A program that only speaks of keys goes on with names.
      if (run[0].length < leastOfLetters && isWordy(run[0]) && !isLine(body, run)) continue;
      found.push({from: start + run.index, to: start + run.index + run[0].length, name: 'PRIVATE_KEY'});
    }
    if (end < 0 && to === text.length) {
      // Its last line may be short, and is then known by the end that follows it.
      const long = runs.findLast(run => run[0].length >= 16);
      const rest = long === undefined ? start : start + long.index + long[0].length;
      const line = Math.max(start, text.lastIndexOf('\n') + 1);
      const from = text.length - rest < longestTail ? Math.min(rest, line) : line;
      if (text.length - from < longestLine) openFrom = Math.min(openFrom, from);
    }
  }
  return {found, openFrom};
}

/** A stretch of letters alone that is shorter may be a name, unless it fills its line. */
const leastOfLetters = 40;

const isLine = (body: string, {0: run, index}: RegExpExecArray): boolean =>
  /^["']?(?:\\n)?$/u.test(lineAround(body, index).trim().replace(run, ''));

function lineAround(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? text.length : end);
}

/** Whether a private key has begun in `text` and not ended. */
export function isInsideKey(text: string): boolean {
  const start = text.lastIndexOf('PRIVATE KEY');
  return start >= 0 && text.search(keyStart) >= 0 && !text.includes(keyEnd, start);
}
