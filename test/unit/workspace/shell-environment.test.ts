import {expect, test} from 'vitest';
import {shellEnvironment} from '../../../src/workspace/shell-environment.ts';

test('keys, our own variables and what npm or a shell would act on are withheld; the rest stays', () => {
  const {PATH, HOME, CI, MONKEY, WEFT_ACTIVE, WEFT_RUN, PAGER, TERM, GIT_TERMINAL_PROMPT, ...others} = shellEnvironment(
    {
      PATH: '/bin',
      HOME: '/home/me',
      CI: 'true',
      MONKEY: 'stays',
      PAGER: 'less',
      TERM: 'xterm',
      ANTHROPIC_API_KEY: 'x',
      ANTHROPIC_AUTH_TOKEN: 'x',
      OPENAI_API_KEY: 'x',
      GROQ_API_KEY: 'x',
      GH_TOKEN: 'x',
      CLIENT_SECRET: 'x',
      WEFT_HOME: '/x',
      npm_lifecycle_event: 'start',
      INIT_CWD: '/x',
      BASH_ENV: '/x',
      NODE_COMPILE_CACHE: '/x',
      NOTHING: undefined,
    },
    'mark',
  );
  expect({PATH, HOME, CI, MONKEY, WEFT_ACTIVE, WEFT_RUN, PAGER, TERM, GIT_TERMINAL_PROMPT}).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    CI: 'true',
    MONKEY: 'stays',
    WEFT_ACTIVE: '1',
    WEFT_RUN: 'mark',
    PAGER: 'cat',
    TERM: 'dumb',
    GIT_TERMINAL_PROMPT: '0',
  });
  expect(Object.keys(others).filter(name => !/PAGE?|PAGING|LESS|EDITOR|VISUAL/u.test(name))).toEqual([]);
});
