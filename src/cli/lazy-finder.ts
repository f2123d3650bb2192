import type {FileFinder} from '../actions/file-finder.ts';
import type {Finder, FinderOptions} from '../workspace/finder/make-finder.ts';

/** Loaded, and the files listed, with the first search, and with the first after `drop`, which ends a listing that runs. */
export function lazyFinder(options: FinderOptions): {readonly finder: FileFinder; readonly drop: () => void} {
  let made: Promise<Finder> | undefined;
  const load = (): Promise<Finder> =>
    (made ??= import('../workspace/finder/make-finder.ts').then(({makeFinder}) => makeFinder(options)));
  return {
    finder: {
      find: async (query, tell, signal) => {
        const loaded = await load();
        if (!signal.aborted) await loaded.find(query, tell, signal);
      },
    },
    drop() {
      void made?.then(finder => finder.close());
      made = undefined;
    },
  };
}
