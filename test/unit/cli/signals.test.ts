import {expect, test} from 'vitest';
import {ignoredSignals} from '../../../src/cli/signals.ts';

test.each<[string, NodeJS.ProcessEnv, readonly string[]]>([
  ['nothing', {}, []],
  ['a mask without any', {WEFT_IGNORED_SIGNALS: '0000000000000000'}, []],
  ['nohup', {WEFT_IGNORED_SIGNALS: '0000000000000001'}, ['SIGHUP']],
  ['a script that started it with &', {WEFT_IGNORED_SIGNALS: '0000000000000006'}, ['SIGINT', 'SIGQUIT']],
  ['both, and what nobody asks for', {WEFT_IGNORED_SIGNALS: '0000000001001007'}, ['SIGHUP', 'SIGINT', 'SIGQUIT']],
  ['SIGTERM', {WEFT_IGNORED_SIGNALS: '0000000000004000'}, ['SIGTERM']],
  ["dash's words", {WEFT_IGNORED_SIGNALS: "trap -- '' HUP\ntrap -- '' INT"}, ['SIGHUP', 'SIGINT']],
  ["bash's words", {WEFT_IGNORED_SIGNALS: "trap -- '' SIGHUP\ntrap -- 'rm x' SIGINT"}, ['SIGHUP']],
  ['no words', {WEFT_IGNORED_SIGNALS: ''}, []],
  ['nohup node weft.js', {_: '/usr/bin/nohup'}, ['SIGHUP']],
  ['node weft.js', {_: '/usr/bin/node'}, []],
  ['a shell that reset it below nohup', {WEFT_IGNORED_SIGNALS: '0', _: '/usr/bin/nohup'}, []],
])('%s', (_, environment, signals) => {
  expect([...ignoredSignals(environment)]).toEqual(signals);
});
