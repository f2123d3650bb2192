import type {HostPorts} from '../../src/app/host-services.ts';
import {noopMcp} from '../../src/actions/mcp-port.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';

/** A machine with nothing on it: no files, terminal sessions, kept sessions, settings or repository. */
export const blankHost: HostPorts = {
  terminals: {
    list: () => [],
    watch: () => () => {},
    stop: async () => {},
    keep: () => {},
    attach: id => failed(rejected(`There is no block ${id}.`)),
  },
  edits: {plan: async () => ok([]), draft: async () => ok([])},
  finder: {find: async (_, tell) => tell({paths: [], state: 'complete'})},
  images: {read: async path => failed(rejected(`${path} is no image.`))},
  sessions: {
    list: () => [],
    firstPrompts: () => new Map(),
    costs: async () => new Map(),
    blame: async () => failed(rejected('There are no files here.')),
    cacheReport: async () => [],
    lastMessages: () => [],
  },
  history: {load: () => [], add: () => {}},
  settings: {
    list: async () => [],
    rows: async () => [],
    set: async () => {
      throw new Error('There are no settings.');
    },
  },
  trust: {
    show: async () => ({state: 'nothing', text: 'Nothing to trust.'}),
    accept: async () => 'Nothing to trust.',
    untrustedFiles: async () => [],
  },
  work: {
    plans: async () => ({plans: [], dryRuns: []}),
    changePlan: async () => failed(rejected('There are no plans.')),
    bisect: async () => failed(rejected('There is no session.')),
    stack: async () => ({rows: [], hooks: 0}),
    changeStack: async () => failed(rejected('There is no stack.')),
  },
  models: {
    list: async () => failed(rejected('There is no provider.')),
    localServers: async () => [],
    useKey: async () => failed(rejected('There is no provider.')),
    useServer: async () => failed(rejected('There is no server.')),
    useWay: async () => failed(rejected('There is no provider.')),
    signIn: async () => failed(rejected('There is no provider.')),
    finishSignIn: async () => failed(rejected('There is no sign-in.')),
    useEffort: async () => failed(rejected('There is no provider.')),
  },
  mcp: noopMcp,
  untrustedServers: async () => [],
  permissionRules: async () => [],
  changeRule: async () => failed(rejected('There are no rules.')),
  addNote: async () => ok('AGENTS.md'),
  memory: {
    read: async () => ok({path: '/data/memory/p/MEMORY.md', text: '', limit: 100}),
    add: async note => ok({path: '/data/memory/p/MEMORY.md', text: `- ${note}\n`, limit: 100}),
    write: async ({text}) => ok({path: '/data/memory/p/MEMORY.md', text, limit: 100}),
  },
  exportText: async () => failed(rejected('Nothing is exported here.')),
  exportSession: async () => failed(rejected('There is nowhere to write.')),
  diagnostics: async () => 'All works.',
  branch: () => '',
};
