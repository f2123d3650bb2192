import {unreachable} from '../base/unreachable.ts';
import {visibleExactLine} from '../base/visible.ts';
import type {Sourced} from '../config/settings.ts';
import type {TrustedSettings} from '../config/trusted-settings.ts';
import {recordTrust} from '../config/trust-record.ts';
import {faultText} from '../domain/fault.ts';
import {grantable} from './outside-only.ts';

/** What the user may do about the settings a folder brings along. */
export interface FolderTrustPort {
  readonly state: TrustedSettings['trust'];
  /** What trust grants, several lines. */
  text(): string;
  /** Trusts the folder with its files as they were when weft read them; answers with what came of it. */
  accept(): Promise<string>;
}

export const folderTrust = (
  {trust, wishes, fingerprint}: TrustedSettings,
  {folder, record}: {readonly folder: string; readonly record: string},
): FolderTrustPort => ({
  state: trust,
  text: () => [heading(trust, folder), ...wishes.map(wishLine)].join('\n'),
  async accept() {
    if (trust === 'nothing' || trust === 'trusted') return heading(trust, folder);
    const may = await grantable('Trust in a folder');
    if (may.tag === 'failed') return faultText(may.error);
    const recorded = await recordTrust(record, {folder, fingerprint});
    if (recorded.tag === 'failed') return faultText(recorded.error);
    return `${visibleExactLine(folder)} is trusted with its settings as they are now, from the next start of weft. Whoever changes them is not: you are asked again.`;
  },
});

const wishLine = ({value, path}: Sourced<string>): string =>
  `  ${visibleExactLine(value)}   (${visibleExactLine(path)})`;

function heading(trust: TrustedSettings['trust'], folder: string): string {
  const where = visibleExactLine(folder);
  switch (trust) {
    case 'nothing':
      return `The settings of ${where} ask for nothing that needs trust.`;
    case 'trusted':
      return `You trust ${where}. Its settings:`;
    case 'changed':
      return `The settings of ${where} changed since you trusted them. They want to:`;
    case 'never':
      return `The settings of ${where} want to:`;
    default:
      return unreachable(trust);
  }
}
