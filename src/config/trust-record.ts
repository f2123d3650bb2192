import {createHash} from 'node:crypto';
import * as z from 'zod/mini';
import {parseJson} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {changeFile, readTextFile} from './change-file.ts';

/** A settings file of a project, by which the project could make weft act. */
export interface ActingFile {
  readonly name: string;
  readonly text: string;
}

/** A hash over the names and every byte of the files, the same in whatever order they come. */
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
  const {folders: kept} = entriesIn(readTextFile(record));
  const known = Object.hasOwn(kept, folder) ? kept[folder] : undefined;
  if (known === undefined) return 'never';
  return known === fingerprint ? 'trusted' : 'changed';
}

export interface TrustEntry {
  readonly folder: string;
  readonly fingerprint: string;
}

/** Records that the user trusts the folder with these files. */
export const recordTrust = (record: string, {folder, fingerprint}: TrustEntry): Promise<Outcome<unknown, Fault>> =>
  changeFile(record, text => {
    const kept = entriesIn(ok(text));
    return ok(serialized({...kept, folders: {...kept.folders, [folder]: fingerprint}}));
  });

/** Forgets that the folder is trusted, and the rules that the user added there. `same` where nothing was recorded. */
export const forgetTrust = (record: string, folder: string): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeFile(record, text => {
    const {
      folders: {[folder]: known, ...folders},
      rules: {[folder]: added, ...rules},
    } = entriesIn(ok(text));
    return ok(known === undefined && added === undefined ? text : serialized({folders, rules}));
  });

/**
 * The rules of the folder's settings that the user added by an act of their own: those count without trust in what else is in
 * the files. A file that says the same in another folder gains nothing by it.
 */
export function ownRulesIn(record: string, folder: string): readonly string[] {
  const {rules} = entriesIn(readTextFile(record));
  return Object.hasOwn(rules, folder) ? (rules[folder] ?? []) : [];
}

/** Records these rules as the user's own in the folder, in place of those recorded before. */
export const recordOwnRules = (
  record: string,
  {folder, rules}: {readonly folder: string; readonly rules: readonly string[]},
): Promise<Outcome<unknown, Fault>> =>
  changeFile(record, text => {
    const kept = entriesIn(ok(text));
    const {[folder]: before, ...others} = kept.rules;
    if (rules.length === 0) return ok(before === undefined ? text : serialized({...kept, rules: others}));
    return ok(serialized({...kept, rules: {...others, [folder]: [...new Set(rules)]}}));
  });

const trustRecord = z.object({
  folders: z.record(z.string(), z.string()),
  rules: z.optional(z.record(z.string(), z.array(z.string()))),
});

interface Entries {
  readonly folders: Readonly<Record<string, string>>;
  readonly rules: Readonly<Record<string, readonly string[]>>;
}

function entriesIn(text: Outcome<string | undefined, unknown>): Entries {
  const json = text.tag === 'ok' && text.value !== undefined ? parseJson(text.value) : undefined;
  const parsed = trustRecord.safeParse(json?.tag === 'ok' ? json.value : undefined);
  return parsed.success ? {folders: parsed.data.folders, rules: parsed.data.rules ?? {}} : {folders: {}, rules: {}};
}

const serialized = ({folders, rules}: Entries): string =>
  `${JSON.stringify(Object.keys(rules).length === 0 ? {folders} : {folders, rules}, undefined, 2)}\n`;
