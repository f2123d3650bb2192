import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine} from '../../base/visible.ts';
import type {Sourced, TrustedSettings} from '../../config/merge-settings.ts';
import {recordTrust} from '../../config/trust-record.ts';
import {causeText, type Fault, faultText} from '../../domain/fault.ts';
import {unwrap} from '../exit-code.ts';

/** Trust in the settings files of a folder, for front ends that show what they ask for and let the user accept it. */
export interface FolderTrustPort {
  readonly state: TrustedSettings['trust'];
  /** What trust would grant, in several lines. */
  text(): string;
  /** Trusts the folder if its files still ask for what they asked for when weft started. Answers with a sentence on the outcome. */
  accept(): Promise<string>;
}

/** `readAgain` reads the folder's settings when the user accepts: weft itself may have written a rule there since it started. */
export const folderTrust = (
  settings: TrustedSettings,
  {folder, record}: {readonly folder: string; readonly record: string},
  readAgain: () => Outcome<TrustedSettings, Fault>,
): FolderTrustPort => ({
  state: settings.trust,
  text: () => trustText(settings, folder),
  async accept() {
    const {trust, trustRequests} = settings;
    if (trust === 'nothing' || trust === 'trusted') return heading(trust, folder);
    const may = await checkOutsideWeft('Trust in a folder');
    if (may.tag === 'failed') return faultText(may.error);
    const now = read(readAgain);
    if (now.tag === 'failed') return faultText(now.error);
    if (!isSame(now.value.trustRequests, trustRequests)) {
      return `Not trusted: the settings of ${visibleExactLine(folder)} changed since weft started. Restart weft to review them.`;
    }
    const recorded = await recordTrust(record, {folder, fingerprint: now.value.fingerprint});
    if (recorded.tag === 'failed') return faultText(recorded.error);
    return `${visibleExactLine(folder)} is trusted from the next start of weft. If its settings change, weft asks again.`;
  },
});

/** What trust in a folder grants, in several lines. */
export const trustText = ({trust, trustRequests}: TrustedSettings, folder: string): string =>
  [heading(trust, folder), ...trustRequests.map(requestLine)].join('\n');

function read(readAgain: () => Outcome<TrustedSettings, Fault>): Outcome<TrustedSettings, Fault> {
  try {
    return readAgain();
  } catch (cause) {
    return failed({kind: 'needs-user', message: `Not trusted: ${causeText(cause)}`, fix: ''});
  }
}

/** Whether two lists of requests are the same, file by file. */
const isSame = (some: readonly Sourced<string>[], others: readonly Sourced<string>[]): boolean =>
  some.length === others.length &&
  some.every(({value, source}, at) => value === others[at]?.value && source === others[at].source);

const requestLine = ({value, path}: Sourced<string>): string =>
  `  ${visibleExactLine(value)}   (${visibleExactLine(path)})`;

function heading(trust: TrustedSettings['trust'], folder: string): string {
  const where = visibleExactLine(folder);
  switch (trust) {
    case 'nothing':
      return `Nothing to trust: the settings of ${where} ask for nothing special.`;
    case 'trusted':
      return `You trust ${where}. Its settings:`;
    case 'changed':
      return `The settings of ${where} changed since you trusted them. They ask to:`;
    case 'never':
      return `The settings of ${where} ask to:`;
    default:
      return unreachable(trust);
  }
}

/**
 * What weft is granted is for the user to change: a command that weft runs for a model may not, nor another weft that it starts.
 * `what` was to be done, as the subject of a sentence.
 */
export async function checkOutsideWeft(what: string): Promise<Outcome<undefined, Fault>> {
  const {isStartedByWeft} = await import('../../workspace/exec/run-tag.ts');
  if (!(await isStartedByWeft(process.env))) return ok(undefined);
  return failed({
    kind: 'needs-user',
    message: `${what} changes what weft may do, and a command of weft started it`,
    fix: 'Nothing was changed. Run it in your own terminal.',
  });
}

/** The same; what may not be done is thrown. */
export async function requireOutsideWeft(what: string): Promise<void> {
  unwrap(await checkOutsideWeft(what));
}
