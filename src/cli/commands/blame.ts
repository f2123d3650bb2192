import type {Command} from 'commander';
import {blame} from '../../app/blame.ts';
import {exitCode, exiting, type ExitCode, unwrap} from '../../app/exit-code.ts';
import type {FolderOption} from '../../app/main-options.ts';
import {printAndWait, stdoutWidth} from '../../app/output.ts';
import {existingFolder} from '../../app/run-context.ts';
import {openUserStore} from '../../app/user-database.ts';
import {userPlaces} from '../../app/user-data.ts';
import {addParameters, folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
import {printDocument} from '../rows.ts';

/** `weft blame FILE[:LINE[-LINE]]`: shows who wrote the lines of a file. */
export function add(command: Command): void {
  addParameters(
    command,
    [['<file>', 'File, or lines of it: src/a.ts, src/a.ts:12 or src/a.ts:12-20'], folderFlag, jsonFlag],
    exiting(runBlame),
  );
}

async function runBlame(target: string, {json, cwd = '.'}: JsonOption & FolderOption): Promise<ExitCode> {
  const directory = existingFolder(cwd);
  const places = userPlaces();
  const from = {store: await openUserStore(places), folder: places.checkpoints, directory};
  const {signal} = new AbortController();
  const blamed = unwrap(await blame(target, from, signal));
  if (json !== undefined) return printDocument(blamed.lines);
  const {blameText} = await import('../../tui/text/blame-text.ts');
  const lines = blameText(blamed, {width: stdoutWidth() ?? 'pipe', now: Date.now()});
  await printAndWait(lines.map(line => `${line}\n`).join(''), 'text');
  return exitCode.done;
}
