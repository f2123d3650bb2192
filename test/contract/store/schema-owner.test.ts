import {Client} from 'pg';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {faultText} from '../../../src/domain/fault.ts';
import {openRunQueue} from '../../../src/store/postgres/run-queue.ts';
import {type PostgresServer, postgresMissing, startPostgres} from '../../support/postgres-server.ts';
import {tryDatabase} from './open-database.ts';

let server: PostgresServer | undefined;
let url = '';
beforeAll(async () => {
  if (postgresMissing !== '') return;
  server = await startPostgres();
  const roles = ['alice LOGIN', 'bob LOGIN IN ROLE alice', 'mallory LOGIN'];
  await run(await server.newDatabase(), ...roles.map(role => `CREATE ROLE ${role}`));
});
afterAll(async () => server?.[Symbol.asyncDispose]());
beforeEach(async ({skip}) => {
  skip(server === undefined, postgresMissing);
  url = (await server?.newDatabase()) ?? '';
});

const as = (role: string): string => url.replace('user=weft', `user=${role}`);

async function run(address: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({connectionString: address});
  await client.connect();
  try {
    await client.query(statements.join(';'));
  } finally {
    await client.end();
  }
}

function opened(role: string): string {
  const database = tryDatabase(as(role), {now: () => 0, process});
  return database.tag === 'failed' ? faultText(database.error) : database.tag;
}

const fix = 'Use another database, or drop or rename the schema. weft creates a new one.';

test(
  'a schema that another role made first is refused, also to a superuser, and nothing is put into it',
  {tags: 'long'},
  async () => {
    const database = /test_\d+/u.exec(url)?.[0] ?? '';
    await run(url, `GRANT CREATE ON DATABASE ${database} TO mallory`);
    await run(as('mallory'), 'CREATE SCHEMA weft', 'GRANT ALL ON SCHEMA weft TO PUBLIC');
    for (const role of ['alice', 'weft']) {
      expect(opened(role)).toBe(
        `The schema weft belongs to the role mallory, which could read what ${role} keeps there. ${fix}`,
      );
    }
    await run(as('mallory'), 'DROP SCHEMA weft');
    expect(opened('weft')).toBe('ok');
  },
);

test('an own schema with a table, or a function, of another role is refused', async () => {
  await run(url, 'CREATE SCHEMA weft AUTHORIZATION alice', 'GRANT ALL ON SCHEMA weft TO mallory');
  await run(as('mallory'), 'CREATE TABLE weft.sessions (id TEXT)');
  expect(opened('alice')).toBe(
    `In the store, weft.sessions belongs to the role mallory, which could read what alice keeps there. ${fix}`,
  );
  await run(
    as('mallory'),
    'DROP TABLE weft.sessions',
    'CREATE FUNCTION weft.lower(TEXT) RETURNS TEXT LANGUAGE SQL AS $$ SELECT $1 $$',
  );
  expect(opened('alice')).toContain('weft.lower belongs to the role mallory');
});

test('the queue of another role is refused, too', async () => {
  await run(url, 'CREATE SCHEMA weft_queue AUTHORIZATION mallory', 'GRANT ALL ON SCHEMA weft_queue TO alice');
  await expect(openRunQueue(as('alice'), () => {})).rejects.toThrow(
    `The schema weft_queue belongs to the role mallory, which could read what alice keeps there. ${fix}`,
  );
});

test('schemas that an administrator made for the role are all it needs', {tags: 'long'}, async () => {
  await run(url, 'CREATE SCHEMA weft AUTHORIZATION alice', 'CREATE SCHEMA weft_queue AUTHORIZATION alice');
  expect(opened('alice')).toBe('ok');
  const queue = await openRunQueue(as('alice'), () => {});
  await queue.close();
  expect(opened('bob')).toContain('belongs to the role alice');
  expect(opened('bob&options=-c%20role%3Dalice')).toBe('ok');
  await expect(run(as('mallory'), 'SELECT * FROM weft.sessions')).rejects.toThrow('permission denied for schema weft');
});
