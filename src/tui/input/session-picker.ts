import type {SessionSummary} from '../../domain/journal.ts';
import type {KeyPress} from './keymap.ts';

/** A list of sessions to go on with; typing narrows it to those whose title holds what was typed. */
export interface SessionPicker {
  readonly sessions: readonly SessionSummary[];
  /** The chosen one of those that match. */
  readonly row: number;
  readonly filter: string;
}

export type PickerStep =
  | {readonly kind: 'open'; readonly picker: SessionPicker}
  | {readonly kind: 'chosen'; readonly session: SessionSummary}
  | {readonly kind: 'closed'};

export const openPicker = (sessions: readonly SessionSummary[]): SessionPicker => ({sessions, row: 0, filter: ''});

export function matchingSessions({sessions, filter}: SessionPicker): readonly SessionSummary[] {
  if (filter === '') return sessions;
  const wanted = filter.toLowerCase();
  return sessions.filter(({title}) => title.toLowerCase().includes(wanted));
}

/** A digit opens the session of that number as long as nothing narrows the list; then it is part of what is looked for. */
export function pressPicker(picker: SessionPicker, key: KeyPress): PickerStep {
  if (key.kind === 'paste') return open(picker);
  if (key.kind === 'text') {
    const numbered =
      picker.filter === '' && /^[1-9]$/u.test(key.text) ? picker.sessions[Number(key.text) - 1] : undefined;
    return numbered === undefined
      ? open({...picker, row: 0, filter: (picker.filter + key.text.replaceAll('\n', '')).trimStart()})
      : {kind: 'chosen', session: numbered};
  }
  const matching = matchingSessions(picker);
  const moved = (by: number): PickerStep =>
    open({...picker, row: (picker.row + by + matching.length) % Math.max(1, matching.length)});
  switch (key.name) {
    case 'up':
      return moved(-1);
    case 'down':
    case 'complete':
      return moved(1);
    case 'enter': {
      const session = matching[picker.row];
      return session === undefined ? open(picker) : {kind: 'chosen', session};
    }
    case 'delete-left':
      return open({...picker, row: 0, filter: picker.filter.slice(0, -1)});
    case 'delete-word':
    case 'delete-to-start':
      return open({...picker, row: 0, filter: ''});
    case 'escape':
    case 'end-of-input':
      return {kind: 'closed'};
    default:
      return open(picker);
  }
}

const open = (picker: SessionPicker): PickerStep => ({kind: 'open', picker});
