import {decodePastAction} from '../actions/decode-action.ts';
import {pathsOf} from '../actions/edit-texts.ts';
import type {FilesPort} from '../actions/files-port.ts';
import {visibleLine} from '../base/visible.ts';
import type {CheckpointsPort} from '../domain/checkpoint.ts';
import type {Message} from '../domain/conversation.ts';
import {historyOf} from '../domain/history.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {promptSpans, timelineOf} from '../domain/timeline.ts';
import type {PresentPort} from './ports.ts';

/** Files that are named; the rest is counted. */
const mostFiles = 200;

/**
 * The files that the session has changed, with what is in them now, a line each: those that its edits name, and those that its
 * commands have changed, as far as they are kept in checkpoints.
 */
export async function changedFiles(
  records: readonly JournalRecord[],
  ports: {
    readonly files: Pick<FilesPort, 'resolve'>;
    readonly checkpoints: CheckpointsPort;
    readonly present: PresentPort;
    readonly directory: string;
  },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const timeline = timelineOf(records);
  const said = historyOf(timeline.live.filter(({kind}) => kind !== 'compaction')).messages;
  const changes = promptSpans(timeline).flatMap(({files}) => (files === 'untouched' ? [] : [files]));
  const reverted = changes.length === 0 ? undefined : await ports.checkpoints.preview(changes.toReversed(), signal);
  const kept = reverted?.tag === 'ok' ? [...reverted.value.files, ...reverted.value.conflicts] : [];
  const named = editedPaths(said).map(path => ports.files.resolve(path).path);
  const paths = [...new Set([...named, ...kept.map(({path}) => path)])].toSorted();
  const shown = paths.slice(0, mostFiles);
  const prints = await ports.present.fingerprints(shown, signal);
  const lines = prints.map(print => {
    const {path} = print;
    const name = path.startsWith(`${ports.directory}/`) ? path.slice(ports.directory.length + 1) : path;
    return `- ${visibleLine(name)} ${print.kind === 'file' ? `sha256:${print.sha256}` : `(${words[print.kind]})`}`;
  });
  return paths.length > shown.length ? [...lines, `- and ${paths.length - shown.length} more`] : lines;
}

const words = {absent: 'no longer there', unreadable: 'not readable'} as const;

/** Of the edits that came to something. */
function editedPaths(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, at) => {
    if (message.role !== 'assistant') return [];
    const results = messages[at + 1]?.blocks ?? [];
    return message.blocks.flatMap(block => {
      if (block.kind !== 'tool-call') return [];
      const worked = results.some(
        result => result.kind === 'tool-result' && result.id === block.id && result.outcome === 'success',
      );
      const decoded = worked ? decodePastAction(block.name, block.input) : undefined;
      if (decoded?.tag !== 'ok' || decoded.value.name !== 'request-file-edits') return [];
      return decoded.value.input.edits.flatMap(pathsOf);
    });
  });
}
