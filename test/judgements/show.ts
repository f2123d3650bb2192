// Prints all that is said of commands:  node test/judgements/show.ts 'nice cp a b' …
import {openPlace} from './place.ts';
import {makeProbe} from './probe.ts';

using place = openPlace();
const probe = makeProbe(place);
for (const command of process.argv.slice(2)) {
  console.log(JSON.stringify({command, ...(await probe(command, 'all'))}, null, 2));
}
