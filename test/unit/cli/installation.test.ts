import {expect, test} from 'vitest';
import {packageName} from '../../../src/app/version.ts';
import {installationOf} from '../../../src/cli/commands/installation.ts';

const npm = (prefix: string, where: string) => [
  `installed by npm in ${prefix}`,
  `npm install --global${where} ${packageName}@latest`,
  `npm uninstall --global${where} ${packageName}`,
];

test.each<[root: string, expected: readonly string[]]>([
  ['/usr/lib/node_modules/weft', npm('/usr', '')],
  ['/usr/lib/node_modules/@weft-cli/weft', npm('/usr', '')],
  ['/home/me/.npm-global/lib/node_modules/weft', npm('/home/me/.npm-global', ' --prefix /home/me/.npm-global')],
  [
    '/home/me/.npm/_npx/1a2b/node_modules/weft',
    ['run by npx', `npx ${packageName}@latest`, 'delete /home/me/.npm/_npx/1a2b'],
  ],
  [
    '/home/me/.cache/pnpm/dlx/1a2b/3c/node_modules/weft',
    ['run by pnpm dlx', `pnpm dlx ${packageName}@latest`, 'delete /home/me/.cache/pnpm/dlx/1a2b'],
  ],
  ['/tmp/bunx-0-weft/node_modules/weft', ['run by bunx', `bunx ${packageName}@latest`, 'delete /tmp/bunx-0-weft']],
  [
    '/home/me/.bun/install/cache/.bunx-0/@weft-cli/weft@latest/node_modules/@weft-cli/weft',
    ['run by bunx', `bunx ${packageName}@latest`, 'delete /home/me/.bun/install/cache/.bunx-0'],
  ],
  [
    '/home/me/.local/share/pnpm/global/5/.pnpm/weft@1/node_modules/weft',
    ['installed by pnpm', `pnpm add --global ${packageName}@latest`, `pnpm remove --global ${packageName}`],
  ],
  [
    '/opt/own-pnpm-home/global/5/.pnpm/weft@1/node_modules/weft',
    ['installed by pnpm', `pnpm add --global ${packageName}@latest`, `pnpm remove --global ${packageName}`],
  ],
  [
    '/opt/own-pnpm-home/global/v11/1a2b/node_modules/@weft-cli/weft/bin/weft.js',
    ['installed by pnpm', `pnpm add --global ${packageName}@latest`, `pnpm remove --global ${packageName}`],
  ],
  [
    '/home/me/.config/yarn/global/node_modules/weft',
    ['installed by Yarn', `yarn global add ${packageName}@latest`, `yarn global remove ${packageName}`],
  ],
  [
    '/home/me/.bun/install/global/node_modules/weft',
    ['installed by Bun', `bun add --global ${packageName}@latest`, `bun remove --global ${packageName}`],
  ],
  [
    '/home/me/.volta/tools/image/packages/weft/lib/node_modules/weft',
    ['installed by Volta', `volta install ${packageName}@latest`, `volta uninstall ${packageName}`],
  ],
  [
    '/w/shop/node_modules/weft',
    [
      'installed in the project /w/shop',
      `in /w/shop: npm add ${packageName}@latest`,
      `in /w/shop: npm remove ${packageName}`,
    ],
  ],
  [
    '/w/shop/node_modules/.pnpm/weft@1/node_modules/weft',
    [
      'installed in the project /w/shop',
      `in /w/shop: pnpm add ${packageName}@latest`,
      `in /w/shop: pnpm remove ${packageName}`,
    ],
  ],
  [
    '/home/me/.local/lib/weft/1.0.0',
    [
      'installed by install.sh in /home/me/.local',
      'sh /home/me/.local/lib/weft/1.0.0/install.sh --prefix /home/me/.local',
      'sh /home/me/.local/lib/weft/1.0.0/install.sh --prefix /home/me/.local --uninstall',
    ],
  ],
  ['/opt/weft', ['in /opt/weft', `replace this folder with that of ${packageName}@latest`, 'delete /opt/weft']],
])('%s', (root, expected) => {
  const {place, update, remove} = installationOf({root, nodePrefix: '/usr', isCheckout: false});
  expect([place, update.kind === 'command' ? update.words.join(' ') : update.text, remove]).toEqual(expected);
});
