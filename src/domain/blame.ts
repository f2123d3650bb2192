import type {TreeId} from './checkpoint.ts';
import type {ActionId, MessageId, SessionId} from './ids.ts';
import type {JournalRecord, StepPlace} from './journal.ts';

/** A record of a session with its time in milliseconds since the epoch. */
export interface SessionRecord {
  readonly session: SessionId;
  readonly at: number;
  readonly record: JournalRecord;
}

/** A moment at which a state of the files was stored. */
export interface Moment {
  readonly at: number;
  readonly tree: TreeId;
}

/** The author of a line. Without a call: one of several calls of the prompt. Without a prompt: one of several prompts. */
export type LineAuthor =
  | {readonly by: 'person' | 'unknown'}
  | {
      readonly by: 'agent';
      readonly session?: SessionId;
      readonly prompt?: MessageId;
      readonly call?: ActionId;
      /** When the file got the line, in milliseconds since the epoch. */
      readonly at: number;
    };

/** Something that may have changed files between two moments, which are positions in a list. */
export interface Writing {
  readonly from: number;
  readonly to: number;
  readonly session: SessionId;
  /** `rewind`: an undo or redo, which brings lines back. `unstepped`: a prompt whose journal has no steps for the change. */
  readonly by:
    | {readonly kind: 'rewind'}
    | {readonly kind: 'unstepped'; readonly prompt: MessageId}
    | {readonly kind: 'call'; readonly prompt: MessageId; readonly call: ActionId; readonly ran: StepPlace};
}

/** The known states of files in a folder, and what may have changed them, in order. */
export interface FileHistory {
  readonly moments: readonly Moment[];
  readonly writings: readonly Writing[];
}

interface OpenWriting extends Omit<Writing, 'from' | 'to'> {
  readonly from: Moment;
  /** `end`: nothing was stored after it. */
  readonly to: Moment | 'end';
}

/** The moments of a prompt between two `rest`s: steps tell all of its changes, or none. */
interface PromptPart {
  readonly prompt: MessageId;
  readonly session: SessionId;
  from: Moment;
  hasSteps: boolean;
}

/** Puts the states of several sessions into one order. The records of each session are in order. A fork's copies count once. */
export function fileHistoryOf(records: readonly SessionRecord[]): FileHistory {
  const moments: Moment[] = [];
  const writings: OpenWriting[] = [];
  const parts = new Map<SessionId, PromptPart>();
  const known = new Set<string>();
  const look = (at: number, tree: TreeId): Moment => {
    const moment = {at, tree};
    moments.push(moment);
    return moment;
  };
  const endPart = (session: SessionId, to: Moment | 'end', end: 'recorded' | 'killed'): void => {
    const part = parts.get(session);
    parts.delete(session);
    // Between the last step of a killed prompt and the next state, its calls may have gone on.
    if (part !== undefined && (!part.hasSteps || end === 'killed'))
      writings.push({from: part.from, to, session, by: {kind: 'unstepped', prompt: part.prompt}});
  };
  for (const {session, at, record} of records) {
    const key = `${String(at)} ${JSON.stringify(record)}`;
    if (known.has(key)) continue;
    known.add(key);
    const part = parts.get(session);
    switch (record.kind) {
      case 'checkpoint': {
        const moment = look(record.killedAt ?? at, record.tree);
        if (record.moment === 'after') endPart(session, moment, record.killedAt === undefined ? 'recorded' : 'killed');
        else if (part?.prompt !== record.prompt) {
          endPart(session, moment, 'killed');
          parts.set(session, {prompt: record.prompt, session, from: moment, hasSteps: false});
        }
        break;
      }
      case 'step': {
        const {prompt, call, ran, began, files} = record;
        const [from, to] = [look(began, files.before), look(at, files.after)];
        writings.push({from, to, session, by: {kind: 'call', prompt, call, ran}});
        if (part?.prompt === prompt) Object.assign(part, {hasSteps: true, from: to});
        break;
      }
      case 'rewind':
      case 'redo': {
        if (record.files === 'untouched') break;
        const {before, after} = record.files;
        writings.push({from: look(at, before), to: look(at, after), session, by: {kind: 'rewind'}});
        break;
      }
      default:
    }
  }
  for (const session of parts.keys()) endPart(session, 'end', 'killed');
  // States of one millisecond are in the order of their records.
  const sorted = moments.toSorted((a, b) => a.at - b.at);
  const places = new Map(sorted.map((moment, at) => [moment, at]));
  const placeOf = (moment: Moment | 'end'): number =>
    moment === 'end' ? sorted.length : (places.get(moment) ?? sorted.length);
  return {
    moments: sorted,
    writings: writings.map(({from, to, ...writing}) => ({...writing, from: placeOf(from), to: placeOf(to)})),
  };
}

/** A line with its author, in words that people and programs read. */
export interface BlamedLine {
  /** Counted from 1. */
  readonly line: number;
  readonly by: LineAuthor['by'];
  readonly session?: string;
  /** The text of the prompt: of the user's, if a sub-agent wrote the line. */
  readonly prompt?: string | undefined;
  readonly call?: string;
  readonly tool?: string;
  readonly model?: string;
  /** ISO 8601. */
  readonly at?: string;
  /** How the call was approved. Missing if the call needed no approval. */
  readonly approval?: string;
  /** The first check that ran after the call, and how it ended. */
  readonly receipt?: string;
}

/** The lines of a file with their authors, and their texts. */
export interface BlamedFile {
  readonly path: string;
  readonly lines: readonly BlamedLine[];
  readonly texts: readonly string[];
}
