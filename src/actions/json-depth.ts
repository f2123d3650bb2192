import type {Json} from '../base/json.ts';

/** Levels of a tool call's input that are taken; the catalogue's inputs have four. */
export const deepestInput = 100;

/**
 * Whether `value` holds objects or arrays in more than `levels` levels. Works without recursion: a parser takes JSON of any
 * depth, but what walks it afterwards (`JSON.stringify` too) would overflow the stack.
 */
export function isDeeperThan(value: Json, levels: number): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return false;
  }
  return true;
}

/** The values inside; what has none inside takes no further level. */
function childrenOf(value: Json): readonly Json[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
