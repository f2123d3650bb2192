import {expect, test} from 'vitest';
import {StackStore} from '../../../src/store/stack-store.ts';
import {openDatabase} from './open-database.ts';
import {onEachDatabase} from './temporary-store.ts';

const description = {overall_description: 'x', input: {}, requirements: [], additional_notes: ''};

const everythingIn = (store: StackStore) =>
  store.read(stack => ({
    tasks: stack.tasks(),
    messages: stack.messages(),
    layers: stack.layers(),
    pointer: stack.pointer(),
  }));

onEachDatabase(database => {
  test('the log stays short, and processes that read it at any time see the same stack', () => {
    const db = openDatabase(database.name);
    const open = (): StackStore => new StackStore(openDatabase(database.name), {now: () => 0, digits: () => '000000'});
    const rows = (): number => db.all('SELECT seq FROM stack_log').length;
    const [writer, other] = [open(), open()];
    writer.perform(stack => stack.createLayer({}));
    const [first] = Array.from({length: 400}, () => writer.perform(stack => stack.createTask({description})));
    const added = first?.id ?? expect.fail();
    writer.perform(stack => stack.addTask(0, {task_id: added}));
    expect(everythingIn(other).tasks).toHaveLength(400);
    for (let count = 0; count < 700; count += 1)
      (count % 2 === 0 ? writer : other).perform(stack =>
        stack.changeTask(added, {description: undefined, status: undefined, progress: {n: count}, results: undefined}),
      );
    expect(rows()).toBeLessThan(200);
    writer.perform(stack => stack.createMessage({content: 'm', sender_type: 'user', task_id: added}));
    const late = open();
    expect(everythingIn(late)).toEqual(everythingIn(writer));
    expect(everythingIn(other)).toEqual(everythingIn(writer));
    expect(everythingIn(late)).toMatchObject({tasks: {length: 400}, messages: {length: 1}, layers: {length: 1}});
    for (const each of [writer, other, late]) each.close();
    db.close();
  });

  test('requests that arrive together are stored in one transaction, and one that throws fails alone', async () => {
    const db = openDatabase(database.name);
    const open = (): StackStore => new StackStore(openDatabase(database.name), {now: () => 0, digits: () => '000000'});
    const [writer, other] = [open(), open()];
    const create = (): Promise<string> => writer.performInGroup(stack => stack.createTask({description}).id);
    const ids = await Promise.all([create(), create(), create()]);
    expect(db.all('SELECT seq FROM stack_log')).toHaveLength(1);
    const fails = writer.performInGroup(() => {
      throw new Error('a bug');
    });
    const settled = await Promise.allSettled([create(), fails, create()]);
    expect(settled.map(({status}) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const all = [...ids, ...settled.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))];
    for (const store of [writer, other]) expect(everythingIn(store).tasks.map(({id}) => id)).toEqual(all);
    for (const each of [writer, other]) each.close();
    db.close();
  });
});
