import type {makeProbe as probe} from '../differential/adapter.ts';

export declare const makeProbe: typeof probe;

/** The tables of programs as they were: `flags` holds options with the kinds of their values, the other texts plain options. */
export declare const allPrograms: readonly {readonly names: string; readonly flags: string}[];
export declare const actingFlags: readonly {
  readonly names: string;
  readonly runs: string;
  readonly writes: string;
  readonly loads: string;
}[];

/** `nice`, `timeout 1`, `npm exec`: what stands before a command that is run. */
export declare const wrapperBeginnings: () => readonly string[];
