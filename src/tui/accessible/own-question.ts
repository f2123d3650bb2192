import type {AgentEvent} from '../../actions/agent-event.ts';
import type {View} from '../state/view.ts';
import {compactDialogue} from './compact-dialogue.ts';
import type {Dialogue} from './dialogue.ts';
import {rewindDialogue, rewindPreviewDialogue} from './list-dialogues.ts';

/** The next step of something that a command of the user's has begun, where the engine tells one. */
export function ownQuestion(event: AgentEvent, {session}: View): Dialogue | undefined {
  switch (event.event) {
    case 'rewind-points':
      return event.points.length === 0 ? undefined : rewindDialogue(event.points);
    case 'rewind-previewed':
      return rewindPreviewDialogue(event.target, event.report, session.tag === 'open' ? session.info.directory : '');
    case 'compaction-previewed':
      return compactDialogue(event.preview);
    default:
      return undefined;
  }
}
