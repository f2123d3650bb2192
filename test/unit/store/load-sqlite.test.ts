import {execFileSync} from 'node:child_process';
import {expect, test} from 'vitest';

test('loading SQLite says nothing; other warnings still do', () => {
  const module = new URL('../../../src/store/sqlite-database.ts', import.meta.url).href;
  const program = `
    const {loadSqlite} = await import(${JSON.stringify(module)});
    const told = [];
    process.emitWarning = (warning, ...rest) => told.push([warning, ...rest]);
    const replaced = process.emitWarning;
    process.getBuiltinModule = new Proxy(process.getBuiltinModule, {
      apply(load, self, args) {
        process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
        process.emitWarning('something else', 'Warning');
        return Reflect.apply(load, self, args);
      },
    });
    const {DatabaseSync} = loadSqlite();
    new DatabaseSync(':memory:').close();
    console.log(JSON.stringify({told, restored: process.emitWarning === replaced}));
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {encoding: 'utf8'});
  expect(JSON.parse(said)).toEqual({told: [['something else', 'Warning']], restored: true});
});
