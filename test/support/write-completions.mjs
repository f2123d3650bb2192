// Writes completions/ anew from the built program: `npm run completions`.
import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = {bash: 'weft.bash', zsh: '_weft', fish: 'weft.fish', powershell: 'weft.ps1'};
mkdirSync(`${root}/completions`, {recursive: true});
for (const [shell, file] of Object.entries(files)) {
  writeFileSync(
    `${root}/completions/${file}`,
    execFileSync(process.execPath, ['bin/weft.js', 'completion', shell], {cwd: root}),
  );
}
