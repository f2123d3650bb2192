import type {Command} from 'commander';
import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {blame} from '../../app/blame.ts';
import {exitCode, exiting, type ExitCode, unwrap, UsageError} from '../../app/exit-code.ts';
import type {FolderOption} from '../../app/main-options.ts';
import {note, printAndWait, stdoutWidth} from '../../app/output.ts';
import {existingFolder} from '../../app/run-context.ts';
import {openUserStore} from '../../app/user-database.ts';
import {userPlaces} from '../../app/user-data.ts';
import {addParameters, folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
import {printDocument, printRows} from '../rows.ts';

/** `weft blame [FILE[:LINE[-LINE]]]`: shows who wrote the lines of a file, or writes it to git notes. */
export function add(command: Command): void {
  addParameters(
    command,
    [
      ['[file]', 'File, or lines of it: src/a.ts, src/a.ts:12 or src/a.ts:12-20'],
      ['--git-notes [commits]', "Write the agent's lines of commits to git notes (default: all without a note)"],
      folderFlag,
      jsonFlag,
    ],
    exiting(runBlame),
  );
}

interface BlameOptions extends JsonOption, FolderOption {
  readonly gitNotes?: string | true;
}

async function runBlame(target: string | undefined, {json, gitNotes, cwd = '.'}: BlameOptions): Promise<ExitCode> {
  const directory = existingFolder(cwd);
  const places = userPlaces();
  const from = {store: await openUserStore(places), folder: places.checkpoints, directory};
  const {signal} = new AbortController();
  if (gitNotes !== undefined) {
    if (target !== undefined) throw new UsageError('Notes are about commits: leave out the file, or --git-notes.');
    const {writeGitNotes} = await import('../../app/git-notes.ts');
    const noted = unwrap(await writeGitNotes(gitNotes === true ? undefined : gitNotes, from, signal));
    if (noted.length > 0) note('wrote to refs/notes/ai, which stays on this machine until you push it');
    return printRows({
      rows: noted,
      json,
      line: ({commit, files, lines, sessions}) =>
        `${commit.slice(0, 10)}  ${pluralize(lines, 'line')} in ${pluralize(files, 'file')}, with the conversation of ${pluralize(sessions, 'session')}`,
      none: 'no commit without a note has lines of an agent; nothing was written',
    });
  }
  if (target === undefined) throw new UsageError('Name a file: weft blame src/a.ts, or src/a.ts:12');
  const blamed = unwrap(await blame(target, from, signal));
  if (json !== undefined) return printDocument(blamed.lines);
  if (blamed.lines.length === 0) note(`${visibleLine(target)} is empty`);
  const {blameText} = await import('../../tui/text/blame-text.ts');
  const lines = blameText(blamed, {width: stdoutWidth() ?? 'pipe', now: Date.now()});
  await printAndWait(lines.map(line => `${line}\n`).join(''), 'text');
  return exitCode.done;
}
