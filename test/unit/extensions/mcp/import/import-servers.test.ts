import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {isJsonObject, type JsonObject} from '../../../../../src/base/json.ts';
import {listImportFiles, importSources, type Peer} from '../../../../../src/extensions/mcp/import/import-files.ts';
import {
  type FoundServers,
  readImportFile,
  variableName,
} from '../../../../../src/extensions/mcp/import/import-servers.ts';
import {parseServer} from '../../../../../src/extensions/mcp/server-config.ts';
import {randomInputs} from '../../../../support/random-inputs.ts';

const read = async (peer: Peer, text: string | JsonObject): Promise<FoundServers> => {
  const format = peer === 'codex' ? 'toml' : 'json';
  const file = {peer, path: 'file', format} as const;
  const found = await readImportFile(file, typeof text === 'string' ? text : JSON.stringify(text), '/work/app');
  if (found.tag === 'failed') throw new Error(found.error);
  return found.value;
};

const none = {leftOut: []};

describe('Claude Code', () => {
  test('servers of the user and of this project; what the project says counts more', async () => {
    const text = {
      numStartups: 3,
      mcpServers: {
        files: {type: 'stdio', command: 'npx', args: ['-y', 'files'], env: {TOKEN: '${TOKEN:-x}'}},
        web: {type: 'http', url: 'https://a.example/mcp', headers: {A: '${B}'}, headersHelper: '/bin/x', timeout: 9000},
      },
      projects: {
        '/work/app': {mcpServers: {files: {command: 'own', alwaysLoad: true, oauth: {clientId: 'c', callbackPort: 8}}}},
        '/work/other': {mcpServers: {other: {command: 'x'}}},
      },
    };
    expect(await read('claude', text)).toEqual({
      ...none,
      servers: [
        {name: 'files', entry: {command: 'own', alwaysLoad: true, oauth: {clientId: 'c', callbackPort: 8}}, notes: []},
        {
          name: 'web',
          entry: {type: 'http', url: 'https://a.example/mcp', headers: {A: '${B}'}, timeout: 9000},
          notes: ['"headersHelper" runs a program for headers; use "headers" with ${VAR}'],
        },
      ],
    });
  });
});

describe('Codex', () => {
  test('programs and addresses; seconds become milliseconds and names of variables references', async () => {
    const text = `
model = "gpt-5"
[mcp_servers.files]
command = "npx"
args = ["-y", "files"]
env = { A = "b" }
env_vars = ["TOKEN"]
startup_timeout_sec = 7.5
tool_timeout_sec = 20
enabled_tools = ["read"]
disabled_tools = ["write"]
default_tools_approval_mode = "approve"
enabled = false
required = true
[mcp_servers.web]
url = "https://a.example/mcp"
bearer_token_env_var = "WEB_TOKEN"
http_headers = { X = "y" }
env_http_headers = { Z = "Z_VALUE" }
scopes = ["a", "b"]
when = 2026-01-01
[mcp_servers.web.tools.x]
approval_mode = "auto"
`;
    expect(await read('codex', text)).toEqual({
      ...none,
      servers: [
        {
          name: 'files',
          entry: {
            command: 'npx',
            args: ['-y', 'files'],
            env: {TOKEN: '${TOKEN}', A: 'b'},
            disabled: true,
            required: true,
            startupTimeout: 7500,
            timeout: 20_000,
            includeTools: ['read'],
            excludeTools: ['write'],
          },
          notes: [
            '"default_tools_approval_mode" is not imported as a rule: weft asks until you allow the server or its tools',
          ],
        },
        {
          name: 'web',
          entry: {
            type: 'http',
            url: 'https://a.example/mcp',
            headers: {Authorization: 'Bearer ${WEB_TOKEN}', Z: '${Z_VALUE}', X: 'y'},
            oauth: {scope: 'a b'},
          },
          notes: [
            '"tools" is not imported as a rule: weft asks until you allow the server or its tools',
            'unknown to weft and skipped: when',
          ],
        },
      ],
    });
  });
});

describe('Gemini CLI', () => {
  test('comments, the two kinds of addresses, lists of names, and trust that becomes no rule', async () => {
    const text = `{
      // mine
      "mcp": {"excluded": ["off"]},
      "mcpServers": {
        "old": {"url": "https://a.example/sse", "trust": true, "headers": {"A": "Bearer $TOKEN"}},
        "new": {"httpUrl": "https://a.example/mcp", "oauth": {"enabled": true, "clientId": "c", "scopes": ["s", "t"], "redirectUri": "http://localhost:7777/cb"}},
        "off": {"command": "x", "args": ["$HOME/y"], "cwd": "sub", "excludeTools": ["w"], "timeout": 600000,},
        "none": {"command": "x", "includeTools": []},
      },
    }`;
    expect(await read('gemini', text)).toEqual({
      ...none,
      servers: [
        {
          name: 'old',
          entry: {type: 'sse', url: 'https://a.example/sse', headers: {A: 'Bearer ${TOKEN}'}},
          notes: ['"trust" is not imported as a rule: weft asks until you allow the server or its tools'],
        },
        {
          name: 'new',
          entry: {
            type: 'http',
            url: 'https://a.example/mcp',
            oauth: {clientId: 'c', callbackPort: 7777, scope: 's t'},
          },
          notes: [],
        },
        {
          name: 'off',
          entry: {command: 'x', args: ['${HOME}/y'], cwd: 'sub', timeout: 600_000, disabled: true, excludeTools: ['w']},
          notes: [],
        },
        {name: 'none', entry: {command: 'x', includeTools: []}, notes: []},
      ],
    });
  });
});

describe('VS Code and Copilot', () => {
  test('inputs and files of variables are explained, other variables are rewritten', async () => {
    const text = {
      inputs: [{id: 'api-key', type: 'promptString', password: true}],
      servers: {
        a: {
          type: 'stdio',
          command: '${workspaceFolder}/bin/server',
          args: ['--key', '${input:api-key}', '${userHome}', '${file}'],
          env: {KEY: '${env:OTHER}'},
          envFile: '${workspaceFolder}/.env',
          dev: {watch: 'x'},
        },
      },
      mcpServers: {
        b: {type: 'local', command: 'b', tools: ['*']},
        c: {type: 'http', url: 'https://c.example', tools: ['x']},
      },
    };
    expect(await read('vscode', text)).toEqual({
      ...none,
      servers: [
        {name: 'b', entry: {type: 'stdio', command: 'b'}, notes: []},
        {name: 'c', entry: {type: 'http', url: 'https://c.example', includeTools: ['x']}, notes: []},
        {
          name: 'a',
          entry: {
            type: 'stdio',
            command: '/work/app/bin/server',
            args: ['--key', '${API_KEY}', '${HOME}', '${file}'],
            env: {KEY: '${OTHER}'},
          },
          notes: [
            '"envFile" is not read: set its variables before you start weft, and refer to them in "env" as ${VAR}',
            '"dev" has no equivalent in weft',
            'VS Code asks for "api-key": set the variable API_KEY before you start weft',
            '${file} has no equivalent and was kept as is',
          ],
        },
      ],
    });
  });
});

describe('opencode', () => {
  test('both versions of the file; the content of files is not copied', async () => {
    const entry = {
      type: 'local',
      command: ['npx', '-y', 'x'],
      environment: {A: '{env:B}', K: '{file:~/.keys/api-key}'},
    };
    const expected = {
      name: 'x',
      entry: {command: 'npx', args: ['-y', 'x'], env: {A: '${B}', K: '${API_KEY}'}},
      notes: ['the content of ~/.keys/api-key was not copied: set the variable API_KEY to it before you start weft'],
    };
    expect(await read('opencode', {mcp: {x: entry}})).toEqual({...none, servers: [expected]});
    expect(await read('opencode', {mcp: {servers: {x: entry}}})).toEqual({...none, servers: [expected]});
    const remote = {type: 'remote', url: 'https://a.example/mcp', enabled: false, timeout: 5000, oauth: false};
    expect(await read('opencode', {mcp: {r: remote}})).toEqual({
      ...none,
      servers: [
        {
          name: 'r',
          entry: {url: 'https://a.example/mcp', disabled: true, startupTimeout: 5000},
          notes: ['"oauth": false has no equivalent: weft signs in only when you ask it to'],
        },
      ],
    });
  });
});

test.each<[Peer, string, string]>([
  ['gemini', '{"mcpServers": {', 'it is not JSON: CloseBraceExpected on line 1'],
  ['gemini', '[]', 'it holds no JSON object'],
  ['claude', '['.repeat(100_000), 'it is nested too deeply'],
  ['codex', '[mcp_servers.', 'it is not TOML: '],
])('a broken file of %s is an error with words', async (peer, text, words) => {
  const format = peer === 'codex' ? 'toml' : 'json';
  const found = await readImportFile({peer, path: 'file', format}, text, '/work/app');
  expect(found.tag === 'failed' ? found.error : 'it was read').toContain(words);
});

test('what has no meaning here is left out, by name and with the reason', async () => {
  const text = {mcpServers: {a: 3, b: {type: 'ws', url: 'wss://x'}, c: {command: 'ok'}, d: {}}};
  expect(await read('claude', text)).toEqual({
    servers: [{name: 'c', entry: {command: 'ok'}, notes: []}],
    leftOut: [
      'a: it is not an object',
      'b: "type" is invalid',
      'd: it needs "command" (a program) or "url" (an address)',
    ],
  });
});

test('whatever a file holds, it is read or refused; what is read is a server, and no value turns up in a note', async () => {
  const secret = fc.string({minLength: 12, maxLength: 20, unit: fc.constantFrom('q', 'w', '7')});
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.dictionary(fc.string(), secret),
  );
  const key = fc.constantFrom(
    'type',
    'command',
    'args',
    'env',
    'cwd',
    'url',
    'httpUrl',
    'headers',
    'timeout',
    'trust',
    'oauth',
    'enabled',
    'envFile',
    'environment',
    'includeTools',
    'scopes',
    'env_vars',
    'bearer_token_env_var',
    '__proto__',
    'constructor',
  );
  const entry = fc.dictionary(key, value);
  const name = fc.string();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...importSources),
      fc.dictionary(name, entry),
      secret,
      async (peer, servers, hidden) => {
        const all = {
          ...servers,
          mine: {
            command: 'x',
            env: {A: hidden},
            environment: {A: hidden},
            headers: {B: hidden},
            http_headers: {B: hidden},
          },
        };
        const text = JSON.stringify({mcpServers: all, servers: all, mcp: all});
        const found = await readImportFile({peer, path: 'file', format: 'json'}, text, '/work/app');
        if (found.tag === 'failed') return;
        for (const server of found.value.servers) {
          expect(parseServer(server.entry).tag).toBe('ok');
          expect(isJsonObject(server.entry)).toBe(true);
          expect(server.notes.join(' ')).not.toContain(hidden);
        }
        expect(found.value.leftOut.join(' ')).not.toContain(hidden);
      },
    ),
    {numRuns: randomInputs(300)},
  );
});

test('whatever stands in a text, reading it never throws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...importSources),
      fc.constantFrom('json', 'toml'),
      fc.string(),
      async (peer, format, text) => {
        await readImportFile({peer, path: 'file', format}, text, '/work/app');
      },
    ),
    {numRuns: randomInputs(500)},
  );
});

test('the files lie where the products keep them, unless a variable says otherwise', () => {
  const places = {home: '/h', directory: '/p', platform: 'linux', env: {}} as const;
  expect(importSources.flatMap(peer => listImportFiles(peer, places).map(({path}) => path))).toEqual([
    '/h/.claude.json',
    '/h/.codex/config.toml',
    '/p/.codex/config.toml',
    '/h/.gemini/settings.json',
    '/p/.gemini/settings.json',
    '/h/.config/Code/User/mcp.json',
    '/h/.copilot/mcp-config.json',
    '/p/.vscode/mcp.json',
    '/h/.config/opencode/opencode.json',
    '/h/.config/opencode/opencode.jsonc',
    '/p/opencode.json',
    '/p/opencode.jsonc',
    '/p/.opencode/opencode.json',
    '/p/.opencode/opencode.jsonc',
    '/h/.cursor/mcp.json',
    '/p/.cursor/mcp.json',
  ]);
  const env = {CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g'};
  expect(listImportFiles('claude', {...places, env})[0]?.path).toBe('/c/.claude.json');
  expect(listImportFiles('codex', {...places, env})[0]?.path).toBe('/x/config.toml');
  expect(listImportFiles('vscode', {...places, env})[0]?.path).toBe('/g/Code/User/mcp.json');
});

test.each([
  ['api-key', 'API_KEY'],
  ['2fa', 'VALUE_2FA'],
  ['', 'VALUE'],
  ['ä', 'VALUE'],
])('%j gives the variable %s', (name, variable) => expect(variableName(name)).toBe(variable));
