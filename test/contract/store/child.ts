import {randomUUID} from 'node:crypto';
import {writeSync} from 'node:fs';
import {messageId} from '../../../src/domain/ids.ts';
import {openStore} from '../../../src/store/open-store.ts';

/**
 * Another weft, as far as the store can tell: opens the database and then
 * - `append`: keeps records for ever, telling each number once it is kept
 * - `hold`: opens a session, tells its id and stays
 * - `open`: tells that it opened the database, and leaves
 */
const [file = '', task = ''] = process.argv.slice(2);
const opened = openStore({file, clock: {now: () => Date.now()}, uuid: () => randomUUID(), process: {pid: process.pid}});
if (opened.tag === 'failed') throw new Error(opened.error.message);
const store = opened.value;
const tell = (line: string): void => {
  writeSync(1, `${line}\n`);
};

if (task === 'open') {
  store.close();
  tell('opened');
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
