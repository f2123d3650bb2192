import type {MemoryPort} from '../agent/ports.ts';

/** Parts of the ceiling: from `warnAt` on the user is warned; memory has to fall below `calmBelow` before the next warning. */
const warnAt = 0.8;
const warnAgainBelow = 0.7;

const bytesPerMegabyte = 1024 * 1024;

/** Size in megabytes above which memory is saved at the cost of time. */
const saveMemoryFrom = 160;

/**
 * Watches weft's own memory. It warns once each time that memory comes near the ceiling, and then calls `drop` to free what can be read
 * again; long before that it calls `saveMemory` once. `used` answers in bytes, `ceiling` is in megabytes.
 */
export function watchMemory({
  ceiling,
  used,
  saveMemory,
  drop,
}: {
  readonly ceiling: number;
  readonly used: () => number;
  readonly saveMemory: () => void;
  readonly drop: () => void;
}): MemoryPort {
  let warning: 'due' | 'given' = 'due';
  let isSaving = false;
  return {
    warning() {
      const usedBytes = used();
      if (usedBytes > saveMemoryFrom * bytesPerMegabyte && !isSaving) {
        isSaving = true;
        saveMemory();
      }
      if (usedBytes < ceiling * bytesPerMegabyte * warnAgainBelow) warning = 'due';
      if (warning === 'given' || usedBytes < ceiling * bytesPerMegabyte * warnAt) return '';
      warning = 'given';
      drop();
      return (
        `weft uses ${Math.round(usedBytes / bytesPerMegabyte)} MB of memory (setting memoryCeiling: ${ceiling} MB). ` +
        'Everything is saved: exit, and continue with "weft --continue".'
      );
    },
  };
}
