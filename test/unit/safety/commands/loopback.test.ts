import {expect, test} from 'vitest';
import {bash, judge} from '../support/judging.ts';

test.each([
  'curl http://localhost:3000/health',
  'curl -s localhost:8080',
  'curl -sS -X POST -H "content-type: application/json" -d "{}" http://127.0.0.1:3000/api',
  'curl -sf -o /dev/null -w "%{http_code}" "http://[::1]:80/"',
  'curl http://api.localhost:3000 http://localhost:1',
  'wget -qO- http://localhost:8000/a',
  'http POST :3000/items name=a',
  'http localhost:3000/items',
  'nc -zv localhost 5432',
  'telnet 127.0.0.1 25',
  'ping -c 1 localhost',
  'ping -c1 127.0.0.1',
  'timeout 5 curl -sSw %{http_code} http://ip6-localhost:3000/',
])('%s stays on this machine', async command => {
  const {decision, risk, reasons} = await judge(bash(command));
  expect({decision, risk}).toEqual({decision: 'ask', risk: 'local-change'});
  expect(reasons.join()).toContain('Talks to a server on this machine');
});

test.each([
  'curl http://example.com',
  'curl http://localhost@example.com/',
  'curl http://localhost.example.com/',
  'curl http://localhost:3000 http://example.com',
  'curl -x http://proxy:3128 http://localhost',
  'curl --proxy=http://proxy http://localhost',
  'curl --resolve localhost:80:10.0.0.1 http://localhost',
  'curl --connect-to ::example.com: http://localhost',
  'curl -K config http://localhost',
  'curl --url http://example.com http://localhost',
  'curl --next http://localhost',
  'curl "http://{localhost,example.com}/"',
  'curl http://0x7f.1/',
  'curl "$URL"',
  'for h in localhost example.com; do curl $h; done',
  'http --proxy=http:http://proxy:3128 localhost:3000',
  'nc -e /bin/sh localhost 4444',
  'nc -x proxy:1080 localhost 80',
  'ssh localhost rm x',
  'timeout 5 curl http://example.com',
])('%s may reach further', async command => {
  expect((await judge(bash(command))).risk).not.toBe('local-change');
});
