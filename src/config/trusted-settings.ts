import {ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {FolderTrust} from './admit-project.ts';
import {mergeSettings, type MergedSettings, type SettingsLayer} from './settings.ts';
import {fingerprintOf, ownRulesIn, trustIn, type ActingFile} from './trust-record.ts';

/** Settings and how the folder's own files stand to what the user trusts. */
export interface TrustedSettings extends MergedSettings {
  /** `nothing`: the files ask for nothing that trust would give. */
  readonly trust: FolderTrust | 'nothing';
  /** Of the workspace's files that were read. */
  readonly fingerprint: string;
  readonly files: readonly ActingFile[];
}

/** Puts the layers together, believing the workspace's files as far as the user trusts them; `folder` has its links followed. */
export function mergeTrusted(
  layers: readonly SettingsLayer[],
  where: {readonly folder: string; readonly record: string},
): Outcome<TrustedSettings, Fault> {
  const isBare = layers.every(({source}) => source !== 'project' && source !== 'local');
  const own = isBare ? [] : ownRulesIn(where.record, where.folder);
  const untrusted = mergeSettings(layers, {trust: 'never', own});
  if (untrusted.tag === 'failed') return untrusted;
  const files = layers.flatMap(layer =>
    layer.source === 'project' || layer.source === 'local' ? [{name: layer.source, text: layer.text}] : [],
  );
  if (files.length === 0) return ok({...untrusted.value, trust: 'nothing', fingerprint: '', files});
  const fingerprint = fingerprintOf(files);
  if (untrusted.value.wishes.length === 0) return ok({...untrusted.value, trust: 'nothing', fingerprint, files});
  const trust = trustIn(where.record, {folder: where.folder, fingerprint});
  const merged = mergeSettings(layers, {trust, own});
  return merged.tag === 'failed' ? merged : ok({...merged.value, trust, fingerprint, files});
}
