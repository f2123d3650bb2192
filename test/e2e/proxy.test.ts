import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {certificate} from '../support/certificate.ts';
import {say} from '../support/model-script.ts';
import {startModelServer} from '../support/model-server.ts';
import {startProxy} from '../support/proxy-server.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';

test('a model behind a proxy, under a certificate of a private authority', {tags: 'long'}, async () => {
  using place = new TempPlace();
  await using server = await startModelServer([say('Hello.')], {secure: true});
  await using proxy = await startProxy(Number(new URL(server.baseUrl.anthropic).port), {credentials: 'me:pass'});
  const authority = join(place.home, 'authority.pem');
  writeFileSync(authority, certificate);
  const environment = {
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: 'https://model.example/v1',
    HTTPS_PROXY: `http://me:pass@${proxy.address}`,
    NODE_EXTRA_CA_CERTS: authority,
  };
  expect(await runWeft(['--prompt', 'x'], {place, environment})).toMatchObject({
    code: 0,
    stdout: 'Hello.\n',
    stderr: '',
  });
  expect(proxy.asked).toEqual(['CONNECT model.example:443 as me:pass']);

  const {NODE_EXTRA_CA_CERTS: _, ...unknown} = environment;
  const {code, stderr} = await runWeft(['--prompt', 'x'], {place, environment: unknown});
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('set NODE_EXTRA_CA_CERTS for a private certificate authority'),
  ]);
});
