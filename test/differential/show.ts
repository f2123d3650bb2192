// What has changed about commands since commit 7ed81a1: node test/differential/show.ts 'mv --target=. d/a' 'nice cp a b'
import {makeProbe as makeOldProbe} from '../oracle/judgement.mjs';
import {makeProbe} from './adapter.ts';
import {allowed} from './allowed.ts';
import {allows, differencesOf, shown} from './differences.ts';
import {openPlace} from './place.ts';

using place = openPlace();
const probes = {old: makeOldProbe(place), current: makeProbe(place)};
for (const command of process.argv.slice(2)) {
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  const differences = await differencesOf(command, 'all', probes);
  if (differences.length === 0) console.log(`${JSON.stringify(command)}\n  as it was`);
  for (const each of differences) {
    console.log(shown(each));
    for (const {why} of allowed.filter(line => allows(line, each))) console.log(`  allowed: ${why}`);
  }
}
