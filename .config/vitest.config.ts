import {defineConfig} from 'vitest/config';
import {protoAsText} from './proto-as-text.ts';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  plugins: [protoAsText],
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 20_000,
    maxWorkers: 2,
    // Real terminals and processes on a machine that may stall: what fails twice is a fault, and what was tried again is named.
    retry: 1,
  },
});
