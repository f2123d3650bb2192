import {unreachable} from '../base/unreachable.ts';
import {visibleExactLine} from '../base/visible.ts';
import type {Sourced} from '../config/settings.ts';
import type {TrustedSettings} from '../config/trusted-settings.ts';
import {recordTrust} from '../config/trust-record.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import {causeText, faultText, type Fault} from '../domain/fault.ts';
import {grantable} from './outside-only.ts';

/** What the user may do about the settings a folder brings along. */
export interface FolderTrustPort {
  readonly state: TrustedSettings['trust'];
  /** What trust grants, several lines. */
  text(): string;
  /** Trusts the folder if its files still want what they wanted when weft started; answers with what came of it. */
  accept(): Promise<string>;
}

/** `readAgain` gives the folder's settings as they are when the user accepts: weft itself may have kept a rule there meanwhile. */
export const folderTrust = (
  settings: TrustedSettings,
  {folder, record}: {readonly folder: string; readonly record: string},
  readAgain: () => Outcome<TrustedSettings, Fault>,
): FolderTrustPort => ({
  state: settings.trust,
  text: () => trustText(settings, folder),
  async accept() {
    const {trust, wishes} = settings;
    if (trust === 'nothing' || trust === 'trusted') return heading(trust, folder);
    const may = await grantable('Trust in a folder');
    if (may.tag === 'failed') return faultText(may.error);
    const now = read(readAgain);
    if (now.tag === 'failed') return faultText(now.error);
    if (!isSame(now.value.wishes, wishes)) {
      return `The settings of ${visibleExactLine(folder)} changed since weft started, so it is not trusted. Start weft again to see what they want now.`;
    }
    const recorded = await recordTrust(record, {folder, fingerprint: now.value.fingerprint});
    if (recorded.tag === 'failed') return faultText(recorded.error);
    return `${visibleExactLine(folder)} is trusted with its settings as they are now, from the next start of weft. Whoever changes them is not: you are asked again.`;
  },
});

/** What trust in a folder grants, several lines. */
export const trustText = ({trust, wishes}: TrustedSettings, folder: string): string =>
  [heading(trust, folder), ...wishes.map(wishLine)].join('\n');

function read(readAgain: () => Outcome<TrustedSettings, Fault>): Outcome<TrustedSettings, Fault> {
  try {
    return readAgain();
  } catch (cause) {
    return failed({kind: 'needs-user', message: `The folder is not trusted: ${causeText(cause)}`, fix: ''});
  }
}

/** Whether two lists of wishes are the same, file by file. */
const isSame = (some: readonly Sourced<string>[], others: readonly Sourced<string>[]): boolean =>
  some.length === others.length &&
  some.every(({value, source}, at) => value === others[at]?.value && source === others[at].source);

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
