import {randomUUID} from 'node:crypto';
import {writeSync} from 'node:fs';
import {messageId} from '../../../src/domain/ids.ts';
import {openStore} from '../../../src/store/open-store.ts';
import {openStackStore} from '../../../src/store/stack-store.ts';
import {placeOf} from './place-of.ts';

/**
 * Another weft, as far as the store can tell: opens the database and then
 * - `append`: keeps records for ever, telling each number once it is kept
 * - `hold`: opens a session, tells its id and stays
 * - `open`: tells that it opened the database, and leaves
 * - `stack`: puts tasks on the task stack for ever, telling the id of each once it is answered
 */
const [file = '', task = ''] = process.argv.slice(2);
const database = placeOf(file);
const opened = openStore({
  database,
  clock: {now: () => Date.now()},
  uuid: () => randomUUID(),
  process: {pid: process.pid},
});
if (opened.tag === 'failed') throw new Error(opened.error.message);
const store = opened.value;
const tell = (line: string): void => {
  writeSync(1, `${line}\n`);
};

if (task === 'open') {
  store.close();
  tell('opened');
} else if (task === 'stack') {
  const stack = openStackStore({database, process, now: () => Date.now(), digits: () => String(process.pid)});
  if (stack.tag === 'failed') throw new Error(stack.error.message);
  const description = {overall_description: 'x', input: {}, requirements: [], additional_notes: ''};
  stack.value.perform(each => each.createLayer({}));
  for (;;) {
    tell(
      stack.value.perform(each => {
        const {id} = each.createTask({description});
        each.addTask(0, {task_id: id});
        return id;
      }),
    );
  }
} else {
  const session = store.create({directory: '/w', model: 'm'});
  const keep = (text: string): void => {
    session.append({
      kind: 'prompt',
      message: {role: 'user', id: messageId(text), blocks: [{kind: 'text', text: text.padEnd(2000, '.')}]},
    });
  };
  keep('0');
  tell(session.id);
  if (task === 'append') {
    for (let seq = 1; ; seq += 1) {
      keep(String(seq));
      tell(String(seq));
    }
  }
  process.stdin.resume();
}
