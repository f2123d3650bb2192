import {clearCommand} from './clear.ts';
import type {SlashCommand} from './command.ts';
import {demoCommand} from './demo.ts';
import {editorCommand} from './editor.ts';
import {exitCommand} from './exit.ts';
import {helpCommand} from './help.ts';
import {modeCommand} from './mode.ts';
import {modelCommand} from './model.ts';
import {permissionsCommand} from './permissions.ts';
import {psCommand} from './ps.ts';
import {resumeCommand} from './resume.ts';
import {redoCommand, rewindCommand, undoCommand} from './rewind.ts';
import {trustCommand} from './trust.ts';
import {vimCommand} from './vim.ts';

const everyCommand: readonly SlashCommand[] = [
  helpCommand,
  clearCommand,
  resumeCommand,
  modelCommand,
  modeCommand,
  permissionsCommand,
  trustCommand,
  psCommand,
  undoCommand,
  redoCommand,
  rewindCommand,
  editorCommand,
  vimCommand,
  demoCommand,
  exitCommand,
];

/** The commands that exist here; the demo only where it is offered. */
export const commandsFor = (demo: 'none' | 'offered'): readonly SlashCommand[] =>
  everyCommand.filter(command => command !== demoCommand || demo === 'offered');
