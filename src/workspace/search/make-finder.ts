import {resolve} from 'node:path';
import type {FileFinder, FoundFiles} from '../../actions/files-port.ts';
import {fuzzyScorer, noFit} from '../../base/fuzzy.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {makePaths} from '../files/resolve-path.ts';
import {readExclusions} from './exclusions.ts';
import {BestPaths, maskOfQuery, PathTable} from './path-table.ts';
import {allRules, findSearchBinary, rulesOffAbove, runRipgrep, whenStuck} from './ripgrep.ts';
import {commonOptions} from './search.ts';

export interface Finder extends FileFinder {
  /** Ends a listing that runs. */
  close(): void;
}

export interface FinderOptions {
  readonly roots: readonly string[];
  readonly home: string;
  readonly environment: Environment;
  /** Globs of what may never be shown; see `readExclusions`. */
  readonly excluded: () => readonly string[];
}

/** Paths kept at most; the files of a larger workspace are found only in part. */
const maxPaths = 1_000_000;

const maxFound = 50;

/** Milliseconds of work without a pause, and between two answers while there is more to come. */
const sliceMs = 6;
const tellEveryMs = 40;
const firstTellMs = 15;

/** Comparisons between two looks at the clock. */
const stride = 512;

/** A listing counts for so many milliseconds, and for so many times what it took. */
const freshMs = 3000;
const freshTimes = 10;

/** More than any score: what is ignored comes last. */
const behindAll = 100_000;

/** The files of the first of `roots`, listed in the background when they are first looked for, and again when that was long ago. */
export function makeFinder(options: FinderOptions): Finder {
  const closing = new AbortController();
  /** What is compared with: complete, but for the first time. */
  let current: Listing | undefined;
  let next: Listing | undefined;

  function freshen(): Listing {
    const now = performance.now();
    if (current === undefined) current = begin(options, closing.signal);
    else if (current.done && next === undefined && now - current.at > Math.max(freshMs, freshTimes * current.tookMs)) {
      next = begin(options, closing.signal);
      void replaceWith(next);
    }
    return current;
  }

  async function replaceWith(listed: Listing): Promise<void> {
    await listed.whole;
    current = listed;
    next = undefined;
  }

  return {
    find: (query, tell, signal) => compare(freshen(), {query, tell}, signal),
    close: () => closing.abort(),
  };
}

interface Listing {
  readonly table: PathTable;
  readonly whole: Promise<void>;
  readonly done: boolean;
  readonly at: number;
  readonly tookMs: number;
  /** Settles when there are more paths, or no more to come. */
  more(): Promise<void>;
}

/** First what is not ignored, then everything. */
function begin(options: FinderOptions, signal: AbortSignal): Listing {
  const table = new PathTable(maxPaths);
  const startedAt = performance.now();
  let grown = Promise.withResolvers<void>();
  const tellGrown = (): void => {
    grown.resolve();
    grown = Promise.withResolvers<void>();
  };
  const listing = {table, whole: Promise.resolve(), done: false, at: startedAt, tookMs: 0, more: () => grown.promise};
  listing.whole = finish();
  return listing;

  async function finish(): Promise<void> {
    await list();
    table.freeze();
    listing.done = true;
    listing.at = performance.now();
    listing.tookMs = listing.at - startedAt;
    tellGrown();
  }

  async function list(): Promise<void> {
    const binary = findSearchBinary();
    const paths = makePaths(options);
    const excluded = options.excluded();
    const exclusions = readExclusions(excluded, {paths, home: options.home});
    // Nothing is shown where it is not known what must not be.
    if (binary.tag === 'failed' || exclusions.tag === 'failed') return;
    const {leavesOut} = exclusions.value;
    const isShown = (path: Uint8Array): boolean =>
      excluded.length === 0 || !leavesOut(resolve(paths.root, decoder.decode(path)));
    const bare = exclusions.value.options(paths.root);
    const off = rulesOffAbove(paths.root);
    for (const rank of ['ordinary', 'ignored'] as const) {
      using stuck = whenStuck(paths.root, rank === 'ignored' ? allRules : off);
      let rest: Buffer = Buffer.alloc(0);
      await runRipgrep(
        {
          binary: binary.value.path,
          options: [
            '--null',
            '--files',
            ...commonOptions,
            ...bare,
            ...(rank === 'ignored' ? ['--no-ignore'] : off),
            './',
          ],
          directory: paths.root,
          environment: options.environment,
          limit: 'idle',
          onPiece(bytes) {
            const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
            let from = 0;
            for (let to = all.indexOf(0); to >= 0 && !table.isFull; to = all.indexOf(0, from)) {
              const path = all.subarray(all.toString('latin1', from, from + 2) === './' ? from + 2 : from, to);
              if (isShown(path)) table.add(path, rank);
              from = to + 1;
            }
            rest = Buffer.from(all.subarray(from));
            tellGrown();
            return table.isFull ? 'enough' : 'more';
          },
        },
        AbortSignal.any([signal, stuck.signal]),
      );
    }
  }
}

interface Search {
  readonly query: string;
  readonly tell: (found: FoundFiles) => void;
}

async function compare(listing: Listing, {query, tell}: Search, signal: AbortSignal): Promise<void> {
  const {table} = listing;
  const letters = encoder.encode(query.toLowerCase());
  const score = fuzzyScorer(letters);
  const mask = maskOfQuery(letters);
  const best = new BestPaths(maxFound);
  let place = 0;
  let toldAt = performance.now();
  let wait = firstTellMs;
  for (;;) {
    const wasDone = listing.done;
    let sliceStart = performance.now();
    while (place < table.length) {
      const end = Math.min(table.length, place + stride);
      for (; place < end; place += 1) if (table.mayHold(place, mask)) offer(place);
      const now = performance.now();
      if (now - sliceStart < sliceMs) continue;
      if (now - toldAt >= wait && best.paths.length > 0) {
        wait = tellEveryMs;
        tell({paths: best.paths, state: 'looking'});
        toldAt = now;
      }
      await breath();
      if (signal.aborted) return;
      sliceStart = performance.now();
    }
    if (wasDone) break;
    if (performance.now() - toldAt >= tellEveryMs) {
      tell({paths: best.paths, state: 'looking'});
      toldAt = performance.now();
    }
    if (!listing.done) await listing.more();
    if (signal.aborted) return;
  }
  tell({paths: best.paths, state: 'complete'});

  function offer(at: number): void {
    const from = table.from(at);
    const found = score(table.chunk(at), from, from + table.size(at));
    if (found !== noFit) best.offer(table.isIgnored(at) ? found - behindAll : found, () => table.textAt(at));
  }
}

const breath = (): Promise<void> => new Promise(go => void setImmediate(go));
const encoder = new TextEncoder();
const decoder = new TextDecoder();
