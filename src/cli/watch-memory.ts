import type {MemoryPort} from '../agent/ports.ts';

/** Of the ceiling: where the user is told, and where it has to fall below before they are told again. */
const told = 0.8;
const calm = 0.7;

const mega = 1024 * 1024;

/** Megabytes from which memory counts for more than time. */
const thriftyFrom = 160;

/**
 * Tells once each time that weft comes near its ceiling, and drops then what can be read again; asks for thrift once, long before.
 * Sizes are in bytes; `ceiling` is in megabytes.
 */
export function watchMemory({
  ceiling,
  used,
  economise,
  drop,
}: {
  readonly ceiling: number;
  readonly used: () => number;
  readonly economise: () => void;
  readonly drop: () => void;
}): MemoryPort {
  let state: 'calm' | 'told' = 'calm';
  let isThrifty = false;
  return {
    trouble() {
      const now = used();
      if (now > thriftyFrom * mega && !isThrifty) {
        isThrifty = true;
        economise();
      }
      if (now < ceiling * mega * calm) state = 'calm';
      if (state === 'told' || now < ceiling * mega * told) return '';
      state = 'told';
      drop();
      return (
        `weft itself uses ${Math.round(now / mega)} MB of memory; its ceiling is ${ceiling} MB (setting memoryCeiling). ` +
        'Everything up to here is kept: leave, and go on with "weft --continue".'
      );
    },
  };
}
