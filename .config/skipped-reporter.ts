import type {Reporter} from 'vitest/node';

/** Says at the end why tests skipped themselves: `Skipped: 12 need tmux, 37 need zsh`. */
export const skippedReporter: Reporter = {
  onTestRunEnd(modules) {
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const reason = result.state === 'skipped' ? result.note : undefined;
        // Those without one were not asked for.
        if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
    }
    const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted();
    if (reasons.length > 0) process.stdout.write(`Skipped: ${reasons.join(', ')}\n`);
  },
};
