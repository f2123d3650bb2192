import {realpathSync} from 'node:fs';
import {expect, test} from 'vitest';
import {fillPlace} from '../judgements/place.ts';
import {bucket, recordedJudgements} from '../judgements/recorded.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';

test('permissions check answers as recorded', {tags: 'long'}, async () => {
  using place = new TempPlace();
  fillPlace({root: realpathSync(place.work), home: realpathSync(place.home)});
  const recorded = recordedJudgements().filter(({command}) => bucket(command, 100) === 0);
  const {stdout} = await runWeft(['permissions', 'check', '--json', '--sandbox', 'native'], {
    place,
    stdin: {text: recorded.map(({command}) => JSON.stringify(command)).join('\n')},
  });
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(answers.map(({verdict, risk}, at) => [recorded[at]?.command, verdict, risk])).toEqual(
    recorded.map(({command, decision, risk}) => [command, decision, risk]),
  );
});
