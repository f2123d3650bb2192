import {faultText} from '../../domain/fault.ts';
import {wayNames, waysIn} from '../../domain/ways-in.ts';
import {connectPanel} from '../state/panels/connect.ts';
import {hasNoModel} from '../state/selectors.ts';
import {type CommandContext, nameHint, queryOrNotify, slashCommand} from './command.ts';

export const loginCommand = slashCommand({
  name: 'login',
  aliases: ['connect'],
  usage: '/login [WAY]',
  choices: wayNames.map(value => ({value, summary: waysIn[value].title})),
  summary: 'Connect a model: a key, a cloud, a plan or a local server',
  run(word, context) {
    if (word !== '') {
      void login(word, context);
      return;
    }
    const model = hasNoModel(context.view) ? 'none' : 'some';
    context.open(connectPanel({model, prompt: 'none', demo: 'none'}));
    context.query({query: 'local-servers'});
  },
});

/** Tries a way to a model and uses it. ChatGPT signs in first; the address of a page that did not load ends that sign-in. */
async function login(word: string, context: CommandContext): Promise<void> {
  const {options, signal} = context;
  if (/^https?:/u.test(word)) {
    await queryOrNotify({query: 'finish-sign-in', address: word}, context);
    return;
  }
  const way = wayNames.find(name => name === word);
  if (way === undefined) {
    context.notify('warning', `Unknown way ${word}. ${nameHint(word, wayNames)}`);
    return;
  }
  if (way === 'chatgpt') {
    const end = await options.engine.watch({watch: 'chatgpt-sign-in'}, line => context.notify('info', line), signal);
    if (end.tag === 'failed' && !signal.aborted) context.notify('warning', faultText(end.error));
    if (end.tag !== 'ended') return;
  }
  const used = await queryOrNotify({query: 'use-way', way}, context);
  if (used !== undefined) context.notify('info', used.text);
}
