import {expect, test} from 'vitest';
import {formatSession} from '../../../../../src/app/transcript.ts';
import {sampleRecords} from './sample-session.ts';

test('reads as a transcript in which nothing steers the terminal', () => {
  expect(formatSession(sampleRecords)).toBe(`> mend the *test*
> please ^[[2J
> [image/png, 12 kB]

~ hm
~ well

~ (thinking the provider does not show)

I look.

* Bash
    command:
      npm test
      ls
    timeout: 3

* Read
    not json

  (allowed by you: Run npm test)

  (the todo list changed)

  [Read: error]
    \`\`\`
    code\\u{202e}
    \`\`\`

  [Bash: success, exit 1]
    ok\\u{2028}

Done, al

(interrupted)
`);
});

test('of nothing is nothing', () => {
  expect(formatSession([])).toBe('');
});
