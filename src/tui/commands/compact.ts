import type {SlashCommand} from './command.ts';

/** Nothing is compacted before it has been shown. */
export const compactCommand: SlashCommand = {
  name: 'compact',
  aliases: [],
  usage: '/compact [what to keep in mind]',
  summary: 'make room: a summary takes the place of what was said, after you have seen it',
  run: (instructions, desk) => desk.submit({op: 'preview-compact', instructions}),
};
