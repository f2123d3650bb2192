import {existsSync, realpathSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import {visibleExactLine} from '../base/visible.ts';
import {addRule, removeRule} from '../config/edit-settings.ts';
import {fingerprintOf, ownRulesIn, recordOwnRules, recordTrust} from '../config/trust-record.ts';
import {mergeTrusted, type SettingsLayer, type TrustedSettings} from '../config/merge-settings.ts';
import {causeText, type Fault, faultText, rejected, needsUser} from '../domain/fault.ts';
import type {SavedRule} from './change-rules.ts';
import {unwrap, UsageError} from './exit-code.ts';
import type {SettingsFileOptions} from './main-options.ts';
import {note} from './output.ts';
import {checkOutsideWeft} from './folder-trust.ts';
import {existingFolder} from './run-context.ts';
import {fileLayers, settingsFiles, trustPlace} from './settings-layers.ts';
import {userPlaces} from './user-data.ts';

/** Reads the settings from a folder's files, and the location where trust in the folder is recorded. */
export function settingsIn(cwd: string | undefined, more: readonly SettingsLayer[] = []) {
  const directory = existingFolder(cwd ?? '.');
  const place = trustPlace(directory, userPlaces());
  const layers = [...fileLayers(directory, userPlaces()), ...more];
  const merged = mergeTrusted(layers, place);
  if (merged.tag === 'failed') throw new UsageError(faultText(merged.error));
  return {settings: merged.value, place, layers};
}

/** Returns the settings file that the flags choose; by default the user's own. */
export function targetFile({user, project, local, cwd}: SettingsFileOptions) {
  if ([user, project, local].filter(flag => flag !== undefined).length > 1) {
    throw new UsageError('Use only one of --user, --project and --local.');
  }
  const wanted = project !== undefined ? 'project' : local !== undefined ? 'local' : 'user';
  const directory = existingFolder(cwd ?? '.');
  const [own, ...ofProject] = settingsFiles(directory, userPlaces());
  const file = ofProject.find(({source}) => source === wanted);
  if (file === undefined) return own;
  requireInside(file.path, directory);
  return file;
}

/** Like `carryTrustOver`, but prints a notice if the settings that the user has just written have no effect yet. */
export async function carryTrustOverOrNote(
  before: {readonly settings: TrustedSettings},
  what: WrittenSettings,
): Promise<void> {
  if (unwrap(await carryTrustOver(before, what)) === 'not-trusted')
    note('this folder is not trusted, so its settings have no effect yet. Trust it: weft permissions trust');
}

interface WrittenSettings {
  readonly cwd: string | undefined;
  readonly written: 'project' | 'local';
}

/**
 * Keeps a folder trusted after the user has written into its settings. The new files are trusted if the old ones
 * (`before`) were, and if no other file has changed in the meantime.
 */
export async function carryTrustOver(
  before: {readonly settings: TrustedSettings},
  {cwd, written}: WrittenSettings,
): Promise<Outcome<'trusted' | 'not-trusted', Fault>> {
  const {settings, place} = settingsIn(cwd);
  if (settings.trust === 'nothing' || settings.trust === 'trusted') return ok('trusted');
  if (before.settings.trust !== 'trusted' && before.settings.trust !== 'nothing') return ok('not-trusted');
  const others = ({files}: TrustedSettings) => files.filter(({name}) => name !== written);
  if (fingerprintOf(others(before.settings)) !== fingerprintOf(others(settings))) return ok('not-trusted');
  const recorded = await recordTrust(place.record, {folder: place.folder, fingerprint: settings.fingerprint});
  return recorded.tag === 'failed' ? recorded : ok('trusted');
}

/** Records that the user added an allow rule to the folder's settings, or removed it. */
export async function recordOwnRule(
  {rule, change}: {readonly rule: string; readonly change: 'added' | 'removed'},
  cwd: string | undefined,
): Promise<Outcome<unknown, Fault>> {
  const {settings, place} = settingsIn(cwd);
  const there = new Set(
    [...settings.settings.permissions.allow, ...settings.withheldRules].map(({value}) => value.trim()),
  );
  // A recorded rule that is no longer in a file was removed by hand.
  const kept = ownRulesIn(place.record, place.folder).filter(each => each !== rule.trim() && there.has(each));
  return recordOwnRules(place.record, {
    folder: place.folder,
    rules: change === 'added' ? [...kept, rule.trim()] : kept,
  });
}

/**
 * Keeps a user's own project settings out of the repository: writes a `.gitignore` next to the file that lists the file and itself. Only if
 * the folder is in a repository and has no `.gitignore` yet.
 */
export function ignoreInGit(path: string): void {
  const folder = dirname(path);
  if (!isInRepository(folder)) return;
  try {
    writeFileSync(join(folder, '.gitignore'), `/${basename(path)}\n/.gitignore\n`, {flag: 'wx'});
  } catch {
    // The file exists or is not writable. Then the user sees the settings file in `git status`.
  }
}

function isInRepository(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, '.git')) || (above !== folder && isInRepository(above));
}

/** Throws an error if a link in the project would make weft write to a file outside it. */
export function requireInside(path: string, directory: string): void {
  const inside = realpathSync(directory);
  for (const each of [path, dirname(path)]) {
    const real = realPathOf(each);
    if (real === undefined) continue;
    if (real !== inside && !real.startsWith(`${inside}/`.replace('//', '/'))) {
      throw new Error(`${each} is a link to ${visibleExactLine(real)}, outside the folder. Nothing was changed.`);
    }
  }
}

const realPathOf = (path: string): string | undefined => tryOr(() => realpathSync(path), undefined);

/**
 * Writes a rule from an approval decision into the user's settings or those of the folder `cwd`. It applies from the next start, even if
 * the folder is not trusted. Other settings in these files still need trust.
 */
export async function saveRule({list, rule, scope}: SavedRule, cwd: string): Promise<Outcome<unknown, Fault>> {
  try {
    const may = await checkOutsideWeft(`Saving the rule ${rule}`);
    if (may.tag === 'failed') return may;
    const file = targetFile({...flagOf[scope], cwd});
    const before = settingsIn(cwd);
    const added = await addRule({path: file.path, list, rule});
    if (added.tag === 'failed' || file.source === 'user') return added;
    if (file.source === 'local') ignoreInGit(file.path);
    const recorded = list === 'allow' ? await recordOwnRule({rule, change: 'added'}, cwd) : ok(undefined);
    return recorded.tag === 'failed' ? recorded : await carryTrustOver(before, {cwd, written: file.source});
  } catch (cause) {
    return failed(needsUser(`The rule ${rule} was not saved: ${causeText(cause)}`, ''));
  }
}

/** Removes a rule from the user's settings or those of the folder `cwd`. It still applies until weft exits. */
export async function removeSavedRule({list, rule, scope}: SavedRule, cwd: string): Promise<Outcome<unknown, Fault>> {
  try {
    const may = await checkOutsideWeft(`Removing the rule ${rule}`);
    if (may.tag === 'failed') return may;
    const file = targetFile({...flagOf[scope], cwd});
    const before = settingsIn(cwd);
    const removed = await removeRule({path: file.path, list, rule});
    if (removed.tag === 'failed') return removed;
    if (removed.value === 'same') return failed(rejected(`${rule} is not in ${file.path}`));
    if (file.source === 'user') return removed;
    const recorded = list === 'allow' ? await recordOwnRule({rule, change: 'removed'}, cwd) : ok(undefined);
    return recorded.tag === 'failed' ? recorded : await carryTrustOver(before, {cwd, written: file.source});
  } catch (cause) {
    return failed(needsUser(`The rule ${rule} was not removed: ${causeText(cause)}`, ''));
  }
}

const flagOf = {user: {user: true}, local: {local: true}, project: {project: true}} as const satisfies Record<
  SavedRule['scope'],
  object
>;
