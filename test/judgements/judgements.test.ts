import {expect, inject, test} from 'vitest';
import {openPlace} from './place.ts';
import {makeProbe} from './probe.ts';
import {bucket, judged, recordedJudgements, recordLine} from './recorded.ts';

test('commands are judged as recorded', {tags: 'long', timeout: 600_000}, async () => {
  using place = openPlace();
  const probe = makeProbe(place);
  const all = recordedJudgements();
  const part = inject('randomInputs') === 'all' ? all : all.filter(({command}) => bucket(command, 20) === 0);
  const changed: string[] = [];
  for (const was of part) {
    const now = recordLine(await judged(was.command, probe));
    if (now !== recordLine(was)) changed.push(`was ${recordLine(was)}\nnow ${now}`);
  }
  expect(changed.slice(0, 50).join('\n'), `${changed.length} judgements changed`).toBe('');
});
