import {writeClaudeSession} from '../../../extensions/transcripts/claude.ts';
import {writeCodexSession} from '../../../extensions/transcripts/codex.ts';
import {randomUuid} from '../../../app/clock-and-ids.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import {note, printJson} from '../../../app/output.ts';
import type {ReadSession} from '../../../store/open-store.ts';
import type {SessionAgent} from '../import/session.ts';

/** Prints a session as a file of another agent, and names the folder in which that agent looks for it. */
export function exportForeign({summary, records}: ReadSession, format: SessionAgent): ExitCode {
  const session = {...summary, records};
  const {id, directory, createdAt} = summary;
  if (format === 'claude') {
    printJson(writeClaudeSession(session, randomUuid));
    note(
      `to open it in ${directory}, save it as ~/.claude/projects/${directory.replaceAll(/[^\dA-Za-z]/gu, '-')}/${id}.jsonl and run: claude --resume ${id}`,
    );
  } else {
    printJson(writeCodexSession(session));
    const [day = '', time = ''] = new Date(createdAt).toISOString().slice(0, 19).split('T');
    const name = `rollout-${day}T${time.replaceAll(':', '-')}-${id}.jsonl`;
    note(`to open it, save it as ~/.codex/sessions/${day.replaceAll('-', '/')}/${name} and run: codex resume ${id}`);
  }
  return exitCode.done;
}
