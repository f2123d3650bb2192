import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {openPtyOf} from '../support/pty-terminal.ts';
import {putFile} from '../support/put-file.ts';
import {weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt} from '../support/scene.ts';

/** Sets the clipboard, colours by a C1 control, turns the reading order around. */
const steering = '\u001B]52;c;eA==\u0007\u009B31m\u202E';
const shown = '^[]52;c;eA==^G\\x9b31m\\u{202e}';
const inJson = String.raw`\u001b]52;c;eA==\u0007\u009b31m\u202e`;

describe('text that would steer the terminal', () => {
  test(
    'is shown, not obeyed, by every command on a terminal; a pipe gets the bytes',
    {tags: 'long', timeout: 60_000},
    async () => {
      await using scene = await openScene(() => say(`answer ${steering}\nשלום\tend`));
      const {place} = scene;
      putFile(join(place.work, '.weft', 'settings.json'), JSON.stringify({[`key${steering}`]: 1}));
      writeFileSync(join(place.work, 'events'), `${JSON.stringify({'3': steering})}\n${steering}\n`);
      const environment = {...pointedAt(scene.server), TERM: 'xterm-256color', ODD: steering};
      const script = [
        'weft --prompt x; echo 1:$?',
        'weft --prompt x --output-format json; echo 2:$?',
        'weft --prompt x --cwd "no$ODD"; echo 3:$?',
        'weft "--no$ODD"; echo 4:$?',
        'weft config set model "m$ODD"; weft config get model; echo 5:$?',
        'weft tasks decode events; echo 6:$?',
        'weft sessions list --json | head -c 0; weft sessions show --json $(weft sessions list | cut -d" " -f1 | head -1); echo 7:$?',
        'weft --prompt x > bytes; echo 8:$?',
      ];
      using terminal = openPtyOf(
        '/bin/sh',
        ['-c', `weft() { '${process.execPath}' '${weftBin}' "$@"; }\n${script.join('\n')}`],
        {
          cols: 200,
          rows: 50,
          cwd: place.work,
          env: place.environment(environment),
          answers: 'none',
        },
      );
      await terminal.exited;
      const log = terminal.log().replaceAll('\r\n', '\n');
      // oxlint-disable-next-line no-control-regex -- what must not be there
      expect(log.match(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu)).toBe(null);
      expect(log.match(/^\d:\d+$/gmu)).toEqual(['1:0', '2:0', '3:2', '4:2', '5:0', '6:1', '7:0', '8:0']);
      expect(log).toContain(`answer ${shown}\nשלום\tend\n1:0`);
      expect(log).toContain(`"result":"answer ${inJson}\\nשלום\\tend"`);
      expect(log).toContain(`no${shown} is not a folder`);
      expect(log).toContain(`unknown option '--no${shown}'`);
      expect(log).toContain(`m${shown}\n5:0`);
      expect(scene.read('bytes')).toBe(`answer ${steering}\nשלום\tend\n`);
    },
  );
});

test('an error on a narrow terminal breaks between words, never inside a path', {tags: 'long'}, async () => {
  await using scene = await openScene([]);
  const path = './there/is/no/such/settings.json';
  using terminal = openPtyOf(process.execPath, [weftBin, '--settings', path, '--prompt', 'x'], {
    cols: 40,
    rows: 20,
    cwd: scene.place.work,
    env: scene.place.environment({TERM: 'xterm-256color'}),
    answers: 'none',
  });
  await terminal.exited;
  expect(terminal.log().split('\r\n')).toEqual([
    "weft: Can't read the settings file: no",
    '    such file or directory:',
    `    ${path}`,
    '',
  ]);
});
