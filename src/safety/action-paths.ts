import type {Action} from '../actions/catalogue.ts';
import {pathsOf} from '../actions/edit-texts.ts';
import {globStarts} from './glob-starts.ts';

/** The paths an action names: files, and folders that a search starts in. Empty for actions about something else. */
export function actionPaths(action: Action): readonly string[] {
  switch (action.name) {
    case 'read-files':
      return action.input.requests.map(({path}) => path);
    case 'request-file-edits':
      return action.input.edits.flatMap(pathsOf);
    case 'grep':
      return [action.input.path];
    case 'file-glob':
    case 'file-glob-v2':
      return [action.input.path, ...globStarts(action.input).folders];
    default:
      return [];
  }
}
