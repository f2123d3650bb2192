import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, existsSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {Client} from 'pg';

/** A Postgres server of the tests' own, on a socket in a temporary folder. */
export interface PostgresServer extends AsyncDisposable {
  /** The address of an empty database. */
  newDatabase(): Promise<string>;
  /** Ends every connection to the database, as a server that restarts does. */
  dropConnections(url: string): Promise<void>;
}

/** Debian keeps the server's programs out of the PATH. */
const folders = (): readonly string[] => {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((one, other) => Number(other) - Number(one)) : [];
  return [...versions.map(version => join(debian, version, 'bin')), ...(process.env['PATH'] ?? '').split(delimiter)];
};

const programs = folders().find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));

/** Why a test that needs the server has to be skipped; empty where it has not. */
export const postgresMissing = programs === undefined ? 'postgres is not installed' : '';

/** The server refuses to run as root, which tests of a container do: it is another user's then. */
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const owner = isRoot ? {uid: nobody, gid: nobody} : {};

export async function startPostgres(): Promise<PostgresServer> {
  if (programs === undefined) throw new Error(postgresMissing);
  // Another user cannot enter the folder that the tests' temporary files lie in.
  const folder = mkdtempSync('/tmp/weft-pg-');
  if (isRoot) chownSync(folder, nobody, nobody);
  const data = join(folder, 'data');
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'weft', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'], {
    ...owner,
    stdio: 'ignore',
    env: {PATH: process.env['PATH'], LC_ALL: 'C'},
  });
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=200'],
    {...owner, stdio: ['ignore', 'ignore', 'pipe'], env: {PATH: process.env['PATH'], LC_ALL: 'C'}},
  );
  const gone = once(server, 'exit');
  let said = '';
  server.stderr.setEncoding('utf8');
  const ready = Promise.withResolvers<void>();
  server.stderr.on('data', (text: string) => {
    said += text;
    if (said.includes('ready to accept connections')) ready.resolve();
  });
  server.once('exit', () => ready.reject(new Error(`postgres ended: ${said}`)));
  await ready.promise;
  const address = (database: string): string => `postgres:///${database}?host=${encodeURIComponent(folder)}&user=weft`;
  const asked = async (sql: string): Promise<void> => {
    const client = new Client({connectionString: address('postgres')});
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  let made = 0;
  return {
    async newDatabase() {
      made += 1;
      await asked(`CREATE DATABASE test_${String(made)} TEMPLATE template0`);
      return address(`test_${String(made)}`);
    },
    async dropConnections(url) {
      const name = /\/(?<name>test_\d+)\?/u.exec(url)?.groups?.['name'] ?? '';
      // Settles when they have ended.
      await asked(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`);
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGINT');
      await gone;
      rmSync(folder, {recursive: true, force: true});
    },
  };
}
