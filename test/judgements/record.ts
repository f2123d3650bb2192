// Judges all recorded commands again, and those that are named:  node test/judgements/record.ts ['nice cp a b' …]
import {writeFileSync} from 'node:fs';
import {openPlace} from './place.ts';
import {makeProbe} from './probe.ts';
import {judged, recordedJudgements, recordFile, recordLine} from './recorded.ts';

using place = openPlace();
const probe = makeProbe(place);
const commands = new Set([...recordedJudgements().map(({command}) => command), ...process.argv.slice(2)]);
const lines: string[] = [];
for (const command of commands) lines.push(recordLine(await judged(command, probe)));
writeFileSync(recordFile, `${lines.join('\n')}\n`);
