import {createHash} from 'node:crypto';
import * as z from 'zod/mini';
import {parseJson} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {changeFile, readText} from './change-file.ts';

/** A file of a project by which the project could act: its path in the project, and what is in it. */
export interface ActingFile {
  readonly name: string;
  readonly text: string;
}

/** Stands for the names and every byte of the files; the order in which they come does not count. */
export function fingerprintOf(files: readonly ActingFile[]): string {
  const hash = createHash('sha256');
  for (const {name, text} of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(JSON.stringify([name, Buffer.byteLength(text)]));
    hash.update(text);
  }
  return `sha256:${hash.digest('hex')}`;
}

/**
 * Whether the user trusted this folder (an absolute path, links followed) with files that have this fingerprint. `changed`: with
 * other content than it has now. A record that cannot be read trusts nothing.
 */
export function trustIn(record: string, {folder, fingerprint}: TrustEntry): 'trusted' | 'changed' | 'never' {
  const kept = entriesIn(readText(record));
  const known = Object.hasOwn(kept, folder) ? kept[folder] : undefined;
  if (known === undefined) return 'never';
  return known === fingerprint ? 'trusted' : 'changed';
}

export interface TrustEntry {
  readonly folder: string;
  readonly fingerprint: string;
}

/** Takes down that the user trusts the folder with these files. */
export const recordTrust = (record: string, {folder, fingerprint}: TrustEntry): Promise<Outcome<unknown, Fault>> =>
  changeFile(record, text => ok(written({...entriesIn(ok(text)), [folder]: fingerprint})));

/** `same` where the folder was not trusted. */
export const forgetTrust = (record: string, folder: string): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeFile(record, text => {
    const {[folder]: known, ...others} = entriesIn(ok(text));
    return ok(known === undefined ? text : written(others));
  });

const trustRecord = z.object({folders: z.record(z.string(), z.string())});

type Entries = Readonly<Record<string, string>>;

function entriesIn(text: Outcome<string | undefined, unknown>): Entries {
  const json = text.tag === 'ok' && text.value !== undefined ? parseJson(text.value) : undefined;
  const parsed = trustRecord.safeParse(json?.tag === 'ok' ? json.value : undefined);
  return parsed.success ? parsed.data.folders : {};
}

const written = (folders: Entries): string => `${JSON.stringify({folders}, undefined, 2)}\n`;
