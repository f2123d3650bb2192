import {accessOf} from '../actions/catalogue.ts';
import {firstLine} from '../base/clip.ts';
import {relativeTo} from '../base/shown-path.ts';
import {type Claim, claimsIn, commandKind} from '../domain/claims.ts';
import {blockTexts, toolCalls} from '../domain/conversation.ts';
import {
  type CheckCounts,
  type CheckStatus,
  doubtOfCounts,
  type HidingSyntax,
  isProven,
  nameIn,
  outcomeOf,
  type Receipt,
} from '../domain/receipt.ts';
import {timelineOf} from '../domain/timeline.ts';
import {countsIn} from './check-counts.ts';
import {checkStatuses} from './checks.ts';
import {decodeCall, type SessionContext} from './session-context.ts';

/**
 * Returns a sentence for each claim of an answer that a check passed if no run since the last edit shows that. An
 * answer of a session that neither changed files nor ran commands has no such claims.
 */
export async function unprovenClaims(
  answer: string,
  session: SessionContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const claims = claimsIn(answer);
  if (claims.length === 0) return [];
  const work = workOf(session);
  if (!work.hasWorked) return [];
  const checks = await checkStatuses(session, signal);
  const {judge} = session.ports;
  const hiding = await Promise.all(work.succeeded.map(async command => judge.hidingIn(command)));
  const ran = await Promise.all(work.succeeded.map(async command => judge.ranIn(command)));
  const kept = ran.flatMap((command, at) => (command === '' || checksNothing.has(hiding[at]) ? [] : [{command, at}]));
  const succeeded = kept.map(({command}) => command);
  const counted = new Set(
    kept.flatMap(({command, at}) => (work.counted.has(work.succeeded[at] ?? '') ? [command] : [])),
  );
  const doubts = Map.groupBy(
    claims.flatMap(claim => {
      const doubt = doubtAbout(claim, checks, {...work, succeeded, counted});
      return doubt === 'none' ? [] : [{sentence: claim.sentence, doubt}];
    }),
    ({sentence}) => sentence,
  );
  return [...doubts].map(
    ([sentence, each]) =>
      `The answer says ${JSON.stringify(firstLine(sentence, 120))}, but ${[...new Set(each.map(({doubt}) => doubt))].join(', and ')}.`,
  );
}

/** Forms of a command in which a check may not have run at all. */
const checksNothing: ReadonlySet<HidingSyntax | 'passed' | undefined> = new Set([
  'options',
  'variables',
  'changed',
  'program',
]);

/** Returns why no run shows what a claim says. A command that weft does not know as a check counts if it succeeded. */
function doubtAbout(
  claim: Claim,
  checks: readonly CheckStatus[],
  {succeeded, counted, recent, workspace}: Work,
): string {
  if (claim.kind === 'vague') {
    const latest = checks.toSorted((a, b) => a.receipt.at - b.receipt.at).at(-1)?.receipt;
    return latest !== undefined && outcomeOf(latest) === 'failed' ? `${nameIn(latest, workspace)} failed` : 'none';
  }
  const named = claim.command === '' ? [] : checks.filter(({receipt}) => isRunOf(claim.command, receipt.command));
  const related =
    named.length > 0 ? named : checks.filter(({receipt}) => claim.kind === 'any' || receipt.kind === claim.kind);
  // A run whose outcome is unknown, such as in a pipe, does not show that the claim is false.
  const shown = related.filter(
    status => isProven(status) || (status.isFresh && !isEmpty(status.receipt) && isUnclear(status.receipt)),
  );
  if (shown.length > 0) {
    const elsewhere = failedElsewhere(claim, related, shown);
    return elsewhere === undefined ? wrongNumber(claim, related, succeeded) : `${nameIn(elsewhere, workspace)} failed`;
  }
  const isRun = (command: string): boolean =>
    claim.command === ''
      ? claim.kind === 'any' || commandKind(command) === claim.kind || (claim.kind === 'test' && counted.has(command))
      : isRunOf(claim.command, command);
  const isKnown = (command: string): boolean => checks.some(({receipt}) => isRunOf(receipt.command, command));
  if (succeeded.some(command => isRun(command) && !isKnown(command))) return 'none';
  const last = related.toSorted((a, b) => a.receipt.at - b.receipt.at).at(-1);
  if (last === undefined)
    return claim.command === '' ? `${kindNames[claim.kind]} has run` : `${claim.command} has not run`;
  const against = doubtOfCounts(last.receipt);
  if (against !== '') return `${nameIn(last.receipt, workspace)} ${against}`;
  if (isEmpty(last.receipt)) return `${nameIn(last.receipt, workspace)} may have checked nothing`;
  const failed = failedElsewhere(
    claim,
    related.filter(({isFresh}) => isFresh),
    [last],
  );
  if (failed !== undefined) return `${nameIn(failed, workspace)} failed`;
  if (last.receipt.tree === 'unknown' && outcomeOf(last.receipt) !== 'failed') return 'none';
  // Files that builds and tests write don't count as edits, even if git does not ignore them.
  const later = recent.slice(recent.findLastIndex(command => isRunOf(last.receipt.command, command)) + 1);
  const isOutput = (command: string): boolean =>
    checks.some(({receipt: {kind, command: run}}) => (kind === 'build' || kind === 'test') && isRunOf(run, command));
  if (outcomeOf(last.receipt) === 'passed' && later.length > 0 && later.length < recent.length && later.every(isOutput))
    return 'none';
  return outcomeOf(last.receipt) === 'failed'
    ? `${nameIn(last.receipt, workspace)} failed`
    : `${nameIn(last.receipt, workspace)} has not run since the last edit`;
}

const isUnclear = (receipt: Receipt): boolean => receipt.end.kind === 'hidden' && outcomeOf(receipt) === 'unknown';

/** True if an option may let a check end well before its tests, and its output counts none. */
const isEmpty = ({end, counts}: Receipt): boolean =>
  end.kind === 'hidden' && end.by === 'options' && (counts.passed ?? 0) === 0;

/**
 * Returns a check that failed in another folder than `shown`, the runs behind a claim. A claim that names the folder of
 * its runs is only about them. After an edit, a run in a folder around the failed one, or in one inside it, may cover it.
 */
function failedElsewhere(
  {sentence}: Claim,
  related: readonly CheckStatus[],
  shown: readonly CheckStatus[],
): Receipt | undefined {
  const places = shown.map(({receipt}) => folderOf(receipt));
  const words = new Set(sentence.split(/[^\p{L}\p{N}_-]+/u));
  if (places.some(place => words.has(place.slice(place.lastIndexOf('/') + 1)))) return undefined;
  const isOther = ({receipt, isFresh}: CheckStatus): boolean => {
    const folder = folderOf(receipt);
    return !places.some(
      place => place === folder || (!isFresh && (isAround(folder, place) || isAround(place, folder))),
    );
  };
  return related.find(status => outcomeOf(status.receipt) === 'failed' && isOther(status))?.receipt;
}

/** Returns the folder or workspace package that a check is about, such as that of `npm --prefix web test`. */
function folderOf({command, directory}: Receipt): string {
  const [, named = ''] =
    /\s(?:-[Cw]|--(?:prefix|dir|cwd|filter|workspace|directory))[ =](?:\.\/)?(\S+?)\/?(?=\s|$)/u.exec(command) ?? [];
  return named === '' || named.startsWith('/') ? named || directory : `${directory}/${named}`;
}

const isAround = (folder: string, other: string): boolean => relativeTo(other, folder) !== other;

/** Returns how a claim names more tests than all fresh runs counted. `succeeded`: commands that may have run others. */
function wrongNumber({kind, sentence}: Claim, related: readonly CheckStatus[], succeeded: readonly string[]): string {
  const [, written] = /(?<![\d.,/])(\d+) tests? (?:now )?pass/iu.exec(sentence) ?? [];
  const fresh = related.filter(({isFresh}) => isFresh);
  const counts = fresh.flatMap(({receipt}) => receipt.counts.passed ?? []);
  const ran = counts.reduce((total, passed) => total + passed, 0);
  const isCounted = kind === 'test' && counts.length === fresh.length && counts.length > 0;
  const hasOthers = succeeded.some(command => !fresh.some(({receipt}) => isRunOf(receipt.command, command)));
  if (written === undefined || !isCounted || hasOthers || Number(written) <= ran) return 'none';
  return `the latest run of ${fresh.map(({receipt}) => receipt.name).join(' and ')} says ${ran} passed, not ${written}`;
}

const kindNames: {readonly [Kind in Claim['kind']]: string} = {
  test: 'no test',
  build: 'no build',
  types: 'no type check',
  lint: 'no linter',
  command: 'the command',
  any: 'no check',
  vague: 'no check',
};

/** True if `command` contains the claimed command, such as in `cd app && npm test -- --run`. */
const isRunOf = (claimed: string, command: string): boolean => oneSpace(command).includes(oneSpace(claimed));

const oneSpace = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ');

/** The work of a session so far. */
interface Work {
  /** Whether the session changed files or ran commands. */
  readonly hasWorked: boolean;
  /** The commands that succeeded after the last edit. */
  readonly succeeded: readonly string[];
  /** Those whose output counts tests that passed, and none that failed. */
  readonly counted: ReadonlySet<string>;
  /** Those of the last prompt. */
  readonly recent: readonly string[];
  readonly workspace: string;
}

function workOf(session: SessionContext): Work {
  const {activeRecords} = timelineOf(session.owner().conversation.journal.records);
  const results = new Map(
    activeRecords.flatMap(record => (record.kind === 'result' ? [[record.result.id, record.result]] : [])),
  );
  let succeeded: string[] = [];
  const counted = new Set<string>();
  const states = activeRecords.flatMap(record => (record.kind === 'checkpoint' ? [record] : []));
  const changes = [...Map.groupBy(states, ({prompt}) => prompt).values()];
  let hasWorked =
    activeRecords.some(({kind}) => kind === 'receipt') ||
    changes.some(each => new Set(each.map(({tree}) => tree)).size > 1);
  let before = 0;
  for (const record of activeRecords) {
    if (record.kind === 'prompt') before = succeeded.length;
    if (record.kind !== 'answer') continue;
    for (const {id, name, input} of toolCalls(record.message)) {
      const result = results.get(id);
      const outcome = result?.outcome;
      const action = outcome === undefined ? undefined : decodeCall(name, input, session);
      const access = action?.tag === 'ok' ? accessOf(action.value) : undefined;
      if (access?.kind === 'command' || (access?.kind === 'edit' && outcome === 'success')) hasWorked = true;
      if (outcome !== 'success') continue;
      if (access?.kind === 'edit') [succeeded, before] = [[], 0];
      if (access?.kind === 'command') {
        succeeded.push(access.command);
        const {passed = 0, failed = 0} = countsOf(blockTexts(result?.content ?? []).join('\n'));
        // A command that spells out the counts prints them.
        const {passed: printed = 0} = countsOf(access.command.replaceAll(/\\n|["'`;&|()]/gu, '\n'));
        if (passed > 0 && failed === 0 && printed === 0) counted.add(access.command);
      }
      if (access?.kind === 'mcp-tool') succeeded.push(access.toolName);
    }
  }
  return {hasWorked, succeeded, counted, recent: succeeded.slice(before), workspace: session.directory};
}

const countsOf = (text: string): CheckCounts => countsIn({text, middle: 'cut'}, 'test');
