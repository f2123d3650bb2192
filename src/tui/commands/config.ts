import type {CommandDesk, SlashCommand} from './command.ts';

export const configCommand: SlashCommand = {
  name: 'config',
  aliases: ['settings'],
  usage: '/config [name [value]]',
  summary: 'settings and where they come from; with a value it is written to yours',
  run: (argument, desk) => void configure(argument, desk),
};

async function configure(argument: string, desk: CommandDesk): Promise<void> {
  const {settings} = desk.options.outside;
  const [, name = '', value = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  const answered = value === '' ? await settings.list(name) : await settings.set(name, value);
  if (answered.tag === 'failed') {
    desk.tell('warning', answered.error);
    return;
  }
  const lines = answered.value;
  const none = lines.length === 0 ? ['Nothing is set.'] : lines;
  const hint =
    value === '' ? '/config NAME VALUE writes your own setting.' : 'It counts from the next start of weft on.';
  desk.tell('info', [...none, hint].join('\n'));
}
