import {checksIn} from '../../../agent/receipts.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import {printJson} from '../../../app/output.ts';
import {receiptStatement} from '../../../app/receipt-statement.ts';
import {cleanCommit} from '../../../workspace/repository-state.ts';
import {openSaved} from './saved-session.ts';

/** `weft sessions export --receipts`: prints an in-toto statement of the checks that ran, and on which files. */
export async function exportReceipts(idText: string): Promise<ExitCode> {
  const {summary, records, checkpoints, store} = await openSaved(idText);
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
