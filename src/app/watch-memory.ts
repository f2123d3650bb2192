import type {MemoryPort} from '../agent/ports.ts';

/** Fractions of the ceiling: weft warns at `warnAt`, and again only after memory has fallen below `warnAgainBelow`. */
const warnAt = 0.8;
const warnAgainBelow = 0.7;

const bytesPerMegabyte = 1024 * 1024;

/** The size in megabytes above which weft saves memory at the cost of time. */
const saveMemoryFrom = 160;

/**
 * Watches weft's own memory. Warns once each time memory comes near the ceiling, and calls `drop` to free data that can be loaded again.
 * Long before that, it calls `saveMemory` once. `used` returns bytes; `ceiling` is in megabytes.
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
