import {hash} from 'node:crypto';
import {basename, relative} from 'node:path';
import {checksIn} from '../../../agent/receipts.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import {printJson} from '../../../app/output.ts';
import {type CheckStatus, outcomeOf} from '../../../domain/receipt.ts';
import {type CleanCommit, cleanCommit} from '../../../workspace/repository-state.ts';
import {openSaved} from './saved-session.ts';

/** `weft sessions export --receipts`: prints an in-toto statement of the checks that ran, and on which files. */
export async function exportReceipts(idText: string | undefined): Promise<ExitCode> {
  const {summary, records, checkpoints, store} = await openSaved(idText, 'receipt');
  const {signal} = new AbortController();
  const {directory} = summary;
  const checks = await checksIn(records, checkpoints, signal);
  const commit = await cleanCommit({folder: directory, environment: process.env, signal});
  store.close();
  const statement = receiptStatement({directory, checks, commit});
  if (statement === undefined)
    throw new Error(`No check ran in session ${summary.id}, or weft could not store the files.`);
  printJson(statement);
  return exitCode.done;
}

/** The checks of a session, and the files that they ran on. */
interface StatementFacts {
  readonly directory: string;
  readonly checks: readonly CheckStatus[];
  /** The commit that the folder is at, if the files are those of the commit. */
  readonly commit: CleanCommit | 'none';
}

/**
 * Returns an in-toto Statement v1 about the latest run of each check: a test result (v0.1) for the tree of the newest
 * run. A check that ran on other files, or whose outcome is unknown, is a warning. Equal facts give equal text.
 * Returns `undefined` if no tree is known.
 */
export function receiptStatement({directory, checks, commit}: StatementFacts): string | undefined {
  const known = checks.filter(({receipt}) => receipt.tree !== 'unknown');
  const newest = known.toSorted((a, b) => a.receipt.at - b.receipt.at).at(-1);
  if (newest === undefined || newest.receipt.tree === 'unknown') return undefined;
  const {tree} = newest.receipt;
  const gitDigests = newest.isFresh && commit !== 'none' ? {gitCommit: commit.commit, gitTree: commit.tree} : {};
  const named = (verdict: Verdict): readonly string[] =>
    checks.filter(status => verdictOn(status, newest) === verdict).map(({receipt}) => receipt.name);
  const [passedTests, warnedTests, failedTests] = [named('PASSED'), named('WARNED'), named('FAILED')];
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{name: basename(directory), digest: {...gitDigests, weftTree: tree}}],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: failedTests.length > 0 ? 'FAILED' : warnedTests.length > 0 ? 'WARNED' : 'PASSED',
      configuration: checks.map(status => configurationOf(status, directory)),
      passedTests,
      warnedTests,
      failedTests,
    },
  };
  return `${JSON.stringify(statement, undefined, 2)}\n`;
}

type Verdict = 'PASSED' | 'WARNED' | 'FAILED';

function verdictOn({receipt, isFresh}: CheckStatus, newest: CheckStatus): Verdict {
  const outcome = outcomeOf(receipt);
  if (outcome === 'failed') return 'FAILED';
  const isOnTree = receipt.tree === newest.receipt.tree || (isFresh && newest.isFresh);
  return outcome === 'passed' && isOnTree ? 'PASSED' : 'WARNED';
}

/** Returns the ResourceDescriptor of a check. Its digest is that of the command. */
const configurationOf = ({receipt, isFresh}: CheckStatus, directory: string): object => ({
  name: receipt.name,
  digest: {sha256: hash('sha256', receipt.command)},
  annotations: {
    command: receipt.command,
    directory: relative(directory, receipt.directory) || '.',
    exit_code: receipt.end.kind === 'exited' ? receipt.end.code : null,
    ...receipt.counts,
    at: new Date(receipt.at).toISOString(),
    tree: receipt.tree,
    fresh: isFresh,
    sandboxed: receipt.isConfined,
  },
});
