import {randomUUID} from 'node:crypto';
import {writeSync} from 'node:fs';
import {messageId} from '../../../src/domain/ids.ts';
import {Store} from '../../../src/store/open-store.ts';
import {StackStore} from '../../../src/store/stack-store.ts';
import {openDatabase} from './open-database.ts';

/**
 * Another weft, as far as the store can tell: opens the database and then
 * - `append`: keeps records for ever, telling each number once it is kept
 * - `hold`: opens a session, tells its id and stays
 * - `open`: tells that it opened the database, and leaves
 * - `stack`: puts tasks on the task stack for ever, telling the id of each once it is answered
 */
const [file = '', task = ''] = process.argv.slice(2);
const store = new Store(openDatabase(file), {now: Date.now, uuid: randomUUID});
const tell = (line: string): void => {
  writeSync(1, `${line}\n`);
};

if (task === 'open') {
  store.close();
  tell('opened');
} else if (task === 'stack') {
  const stack = new StackStore(openDatabase(file), {now: Date.now, digits: () => String(process.pid)});
  const description = {overall_description: 'x', input: {}, requirements: [], additional_notes: ''};
  stack.perform(each => each.createLayer({}));
  for (;;) {
    tell(
      stack.perform(each => {
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
