import {existsSync, realpathSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {ok, type Outcome} from '../base/outcome.ts';
import {visibleExactLine} from '../base/visible.ts';
import {mergeTrusted, type TrustedSettings} from '../config/trusted-settings.ts';
import {fingerprintOf, ownRulesIn, recordOwnRules, recordTrust} from '../config/trust-record.ts';
import {faultText, type Fault} from '../domain/fault.ts';
import {directoryOf} from './directory-of.ts';
import type {InFile} from './place-options.ts';
import {note} from './say.ts';
import {fileLayers, settingsFiles, trustPlace} from './settings-layers.ts';
import {UsageError} from './usage-error.ts';
import {userPlaces} from './user-places.ts';
import {valueOf} from './value-of.ts';

/** The settings of a folder's files, and where trust in it is taken down. */
export function settingsIn(cwd: string | undefined) {
  const directory = directoryOf(cwd ?? '.');
  const place = trustPlace(directory, userPlaces());
  const merged = mergeTrusted(fileLayers(directory, userPlaces()), place);
  if (merged.tag === 'failed') throw new UsageError(faultText(merged.error));
  return {settings: merged.value, place};
}

/** The settings file that the flags name; the user's own where they name none. */
export function targetFile({user, project, local, cwd}: InFile) {
  if ([user, project, local].filter(flag => flag !== undefined).length > 1) {
    throw new UsageError('Name one of --user, --project and --local.');
  }
  const wanted = project !== undefined ? 'project' : local !== undefined ? 'local' : 'user';
  const directory = directoryOf(cwd ?? '.');
  const [own, ...ofProject] = settingsFiles(directory, userPlaces());
  const file = ofProject.find(({source}) => source === wanted);
  if (file === undefined) return own;
  refuseOutside(file.path, directory);
  return file;
}

/** Says it where what the user wrote by a command has no effect yet. */
export async function keepTrust(before: {readonly settings: TrustedSettings}, what: WrittenSettings): Promise<void> {
  if (valueOf(await trustAsBefore(before, what)) === 'not-trusted')
    note('the folder is not trusted, so what its settings allow has no effect yet: weft permissions trust');
}

/** Which settings file of a folder was just written. */
export interface WrittenSettings {
  readonly cwd: string | undefined;
  readonly written: 'project' | 'local';
}

/**
 * What the user has just written into the folder's settings is trusted as far as what was there before, unless another of its
 * files changed meanwhile.
 */
export async function trustAsBefore(
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

/** Takes down that the user added a rule that allows to the folder's settings, or took it out. */
export async function recordOwnRule(
  {rule, change}: {readonly rule: string; readonly change: 'added' | 'removed'},
  cwd: string | undefined,
): Promise<Outcome<unknown, Fault>> {
  const {settings, place} = settingsIn(cwd);
  const there = new Set([...settings.settings.permissions.allow, ...settings.withheld].map(({value}) => value.trim()));
  // What is in no file any more was taken out by hand.
  const kept = ownRulesIn(place.record, place.folder).filter(each => each !== rule.trim() && there.has(each));
  return recordOwnRules(place.record, {
    folder: place.folder,
    rules: change === 'added' ? [...kept, rule.trim()] : kept,
  });
}

/**
 * What one user allowed is not for the repository: beside the file goes a `.gitignore` that names both, where there is none and
 * the folder lies in a repository.
 */
export function shareNothing(path: string): void {
  const folder = dirname(path);
  if (!isInRepository(folder)) return;
  try {
    writeFileSync(join(folder, '.gitignore'), `/${basename(path)}\n/.gitignore\n`, {flag: 'wx'});
  } catch {
    // There is one, or none can be made; then the user sees the file in `git status`.
  }
}

function isInRepository(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, '.git')) || (above !== folder && isInRepository(above));
}

/** A link in a project must not make weft write elsewhere. */
function refuseOutside(path: string, directory: string): void {
  for (const each of [path, dirname(path)]) {
    const real = realPathOf(each);
    if (real === undefined) continue;
    if (!real.startsWith(`${realpathSync(directory)}/`.replace('//', '/'))) {
      throw new Error(`${each} leads out of the folder, to ${visibleExactLine(real)}. Nothing was changed.`);
    }
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
