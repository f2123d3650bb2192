import {blockPanel} from '../panels/block-panel.ts';
import type {SlashCommand} from './command.ts';

export const psCommand: SlashCommand = {
  name: 'ps',
  aliases: [],
  usage: '/ps',
  summary: 'commands that run beside the conversation (Ctrl+T takes a terminal)',
  run: (_, desk) => desk.open(blockPanel()),
};
