import {faultText} from '../../domain/fault.ts';
import {wayNames} from '../../domain/ways-in.ts';
import {type CommandContext, nameHint, queryOrNotify} from './command.ts';

/** Tries a way to a model and uses it. ChatGPT signs in first; the address of a page that did not load ends that sign-in. */
export async function login(word: string, context: CommandContext): Promise<void> {
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
