// Writes the pictures of the README and of docs/ anew from the built program: `npm run picture`.
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {fileURLToPath} from 'node:url';
import {pictures, takePicture} from './pictures.ts';

const wanted = process.argv.slice(2);
for (const picture of pictures.filter(({file}) => wanted.length === 0 || wanted.some(word => file.includes(word)))) {
  const target = fileURLToPath(new URL(`../../${picture.file}`, import.meta.url));
  mkdirSync(dirname(target), {recursive: true});
  writeFileSync(target, await takePicture(picture));
}
