import {resolve} from 'node:path';
import {setImmediate as yieldToEventLoop} from 'node:timers/promises';
import type {FileFinder, FoundFiles} from '../../actions/files-port.ts';
import {fuzzyScorer, noFit} from '../../base/fuzzy.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {makePaths} from '../files/resolve-path.ts';
import {readExclusions} from './exclusions.ts';
import {BestPaths, maskOfQuery, PathTable} from './path-table.ts';
import {allIgnoreOffOptions, findSearchBinary, ignoreOffOptionsAbove, runRipgrep, watchForStuckRun} from './ripgrep.ts';
import {commonOptions} from './search.ts';

export interface Finder extends FileFinder {
  /** Stops a running listing. */
  close(): void;
}

export interface FinderOptions {
  readonly roots: readonly string[];
  readonly home: string;
  readonly environment: Environment;
  /** Globs of files that may never be shown; see `readExclusions`. */
  readonly excluded: () => readonly string[];
}

/** The maximum number of paths to keep; larger workspaces are searched only in part. */
const maxPaths = 1_000_000;

const maxFound = 50;

/** Milliseconds of work without a pause, and milliseconds between two partial results. */
const sliceMs = 6;
const updateIntervalMs = 40;
const firstUpdateMs = 15;

/** The number of comparisons between two checks of the clock. */
const clockCheckStride = 512;

/** A listing stays fresh for this many milliseconds, and at least for this multiple of the time it took. */
const freshMs = 3000;
const freshTimes = 10;

/** Larger than any score, so that ignored files come last. */
const ignoredPenalty = 100_000;

/** Finds files in the first of `roots`. Lists them in the background on first use, and again once the listing is old. */
export function makeFinder(options: FinderOptions): Finder {
  const closing = new AbortController();
  /** The listing to compare with: complete, except the first time. */
  let current: Listing | undefined;
  let next: Listing | undefined;

  function refresh(): Listing {
    const now = performance.now();
    if (current === undefined) current = startListing(options, closing.signal);
    else if (current.done && next === undefined && now - current.at > Math.max(freshMs, freshTimes * current.tookMs)) {
      next = startListing(options, closing.signal);
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
    find: (query, tell, signal) => compare(refresh(), {query, tell}, signal),
    close: () => closing.abort(),
  };
}

interface Listing {
  readonly table: PathTable;
  readonly whole: Promise<void>;
  readonly done: boolean;
  readonly at: number;
  readonly tookMs: number;
  /** Resolves once there are more paths, or no more will come. */
  more(): Promise<void>;
}

/** Lists files that aren't ignored first, then all. */
function startListing(options: FinderOptions, signal: AbortSignal): Listing {
  const table = new PathTable(maxPaths);
  const startedAt = performance.now();
  let grown = Promise.withResolvers<void>();
  const notifyGrown = (): void => {
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
    notifyGrown();
  }

  async function list(): Promise<void> {
    const binary = findSearchBinary();
    const paths = makePaths(options);
    const excluded = options.excluded();
    const exclusions = readExclusions(excluded, {paths, home: options.home});
    // Show nothing if it is unknown which files are excluded.
    if (binary.tag === 'failed' || exclusions.tag === 'failed') return;
    const {isExcluded} = exclusions.value;
    const isShown = (path: Uint8Array): boolean =>
      excluded.length === 0 || !isExcluded(resolve(paths.root, decoder.decode(path)));
    const exclusionOptions = exclusions.value.ripgrepOptions(paths.root);
    const ignoreOffOptions = ignoreOffOptionsAbove(paths.root);
    for (const rank of ['ordinary', 'ignored'] as const) {
      using stuck = watchForStuckRun(paths.root, rank === 'ignored' ? allIgnoreOffOptions : ignoreOffOptions);
      let rest: Buffer = Buffer.alloc(0);
      await runRipgrep(
        {
          binary: binary.value.path,
          options: [
            '--null',
            '--files',
            ...commonOptions,
            ...exclusionOptions,
            ...(rank === 'ignored' ? ['--no-ignore'] : ignoreOffOptions),
            './',
          ],
          directory: paths.root,
          environment: options.environment,
          limit: 'idle',
          onOutput(bytes) {
            const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
            let from = 0;
            for (let to = all.indexOf(0); to >= 0 && !table.isFull; to = all.indexOf(0, from)) {
              const path = all.subarray(all.toString('latin1', from, from + 2) === './' ? from + 2 : from, to);
              if (isShown(path)) table.add(path, rank);
              from = to + 1;
            }
            rest = Buffer.from(all.subarray(from));
            notifyGrown();
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
  let index = 0;
  let updatedAt = performance.now();
  let wait = firstUpdateMs;
  for (;;) {
    const wasDone = listing.done;
    let sliceStart = performance.now();
    while (index < table.length) {
      const end = Math.min(table.length, index + clockCheckStride);
      for (; index < end; index += 1) if (table.mayContain(index, mask)) offer(index);
      const now = performance.now();
      if (now - sliceStart < sliceMs) continue;
      if (now - updatedAt >= wait && best.paths.length > 0) {
        wait = updateIntervalMs;
        tell({paths: best.paths, state: 'looking'});
        updatedAt = now;
      }
      await yieldToEventLoop();
      if (signal.aborted) return;
      sliceStart = performance.now();
    }
    if (wasDone) break;
    if (performance.now() - updatedAt >= updateIntervalMs) {
      tell({paths: best.paths, state: 'looking'});
      updatedAt = performance.now();
    }
    if (!listing.done) await listing.more();
    if (signal.aborted) return;
  }
  tell({paths: best.paths, state: 'complete'});

  function offer(at: number): void {
    const from = table.from(at);
    const found = score(table.chunk(at), from, from + table.size(at));
    if (found !== noFit) best.offer(table.isIgnored(at) ? found - ignoredPenalty : found, () => table.textAt(at));
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
