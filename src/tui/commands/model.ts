import type {SlashCommand} from './command.ts';

export const modelCommand: SlashCommand = {
  name: 'model',
  aliases: [],
  usage: '/model [name]',
  summary: 'show or change the model',
  run(name, desk) {
    if (name === '') desk.tell('info', modelText(desk.view.model));
    else desk.submit({op: 'set-model', model: name});
  },
};

const modelText = (model: string): string =>
  `${model === '' ? 'No model is configured.' : `The model is ${model}.`} /model NAME changes it.`;
