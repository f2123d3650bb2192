import {availableParallelism} from 'node:os';
import {fileURLToPath} from 'node:url';
import {defineConfig} from 'vitest/config';
import {protoAsText} from './proto-as-text.ts';
import {skippedReporter} from './skipped-reporter.ts';

/** `npm test` leaves out the long tests and tries fewer of the inputs that are made at random; `--mode all` does everything. */
export default defineConfig(({mode}) => ({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [protoAsText],
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    setupFiles: ['test/support/fixed-seed.ts'],
    globalSetup: ['test/support/own-temporary-folder.ts'],
    reporters: ['default', skippedReporter],
    // A test that hangs ends then, on a machine that is ten times as slow too; whatever bounds a time that matters says so itself.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What comes at some time is looked for as long as `lookUntil` does.
    expect: {poll: {timeout: 30_000, interval: 20}},
    // Files share their modules: a test leaves nothing behind in its process. Loading them anew for each file took a third of the time.
    isolate: false,
    // Many tests wait for other processes.
    maxWorkers: availableParallelism() + 1,
    tags: [
      {name: 'long', description: 'takes seconds: only npm run test:all runs it', timeout: 300_000},
      {name: 'smoke', description: 'stands for the rest of a long file: npm test runs it'},
    ],
    tagsFilter: mode === 'all' ? [] : ['!long || smoke'],
    provide: {randomInputs: mode === 'all' ? 'all' : 'some'},
  },
}));
