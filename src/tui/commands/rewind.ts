import type {SlashCommand} from './command.ts';

/** Nothing goes back before it has been shown. */
export const undoCommand: SlashCommand = {
  name: 'undo',
  aliases: [],
  usage: '/undo',
  summary: 'take the last prompt back: files and conversation',
  run: (_, desk) => desk.submit({op: 'preview-rewind', target: {kind: 'last'}}),
};

export const redoCommand: SlashCommand = {
  name: 'redo',
  aliases: [],
  usage: '/redo',
  summary: 'take the last undo back',
  run: (_, desk) => desk.submit({op: 'preview-rewind', target: {kind: 'redo'}}),
};

export const rewindCommand: SlashCommand = {
  name: 'rewind',
  aliases: [],
  usage: '/rewind',
  summary: 'go back to before an earlier prompt: files, conversation or both',
  run: (_, desk) => desk.submit({op: 'list-rewind-points'}),
};
