import {clearCommand} from './clear.ts';
import type {SlashCommand} from './command.ts';
import {compactCommand} from './compact.ts';
import {configCommand} from './config.ts';
import {copyCommand} from './copy.ts';
import {costCommand} from './cost.ts';
import {demoCommand} from './demo.ts';
import {doctorCommand} from './doctor.ts';
import {editorCommand} from './editor.ts';
import {exitCommand} from './exit.ts';
import {exportCommand} from './export.ts';
import {helpCommand} from './help.ts';
import {modeCommand} from './mode.ts';
import {modelCommand} from './model.ts';
import {permissionsCommand} from './permissions.ts';
import {psCommand} from './ps.ts';
import {resumeCommand} from './resume.ts';
import {redoCommand, rewindCommand, undoCommand} from './rewind.ts';
import {themeCommand} from './theme.ts';
import {todoCommand} from './todo.ts';
import {transcriptCommand} from './transcript.ts';
import {trustCommand} from './trust.ts';
import {verbosityCommand} from './verbosity.ts';
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
  compactCommand,
  transcriptCommand,
  copyCommand,
  exportCommand,
  todoCommand,
  costCommand,
  editorCommand,
  vimCommand,
  verbosityCommand,
  themeCommand,
  configCommand,
  doctorCommand,
  demoCommand,
  exitCommand,
];

/** The commands that exist here; the demo only where it is offered. */
export const commandsFor = (demo: 'none' | 'offered'): readonly SlashCommand[] =>
  everyCommand.filter(command => command !== demoCommand || demo === 'offered');
