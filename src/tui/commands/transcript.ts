import type {CommandDesk, SlashCommand} from './command.ts';

export const transcriptCommand: SlashCommand = {
  name: 'transcript',
  aliases: ['log'],
  usage: '/transcript',
  summary: 'all of this session, with what was folded; / searches',
  run: (_, desk) => void show(desk),
};

/** Loaded when it is first wanted. */
async function show(desk: CommandDesk): Promise<void> {
  const [{transcriptPanel}, lexer] = await Promise.all([import('../panels/transcript-panel.ts'), desk.loadLexer()]);
  const records = desk.options.outside.records();
  if (records.length === 0) desk.tell('info', 'Nothing has been said in this session yet.');
  else desk.read(transcriptPanel(() => desk.options.outside.records(), lexer));
}
