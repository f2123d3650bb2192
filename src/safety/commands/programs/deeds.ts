import {deed} from '../program-table.ts';

/** Files that choose the version of a tool that runs, and may name a tool of their own. */
export const versionFiles = '.tool-versions mise.toml .mise.toml';

export const deletes = deed('destructive', 'deletes files');
export const overwrites = deed('destructive', 'overwrites files', {reach: 'puts-files', otherwise: 'creates files'});
export const movesBranch = deed('destructive', 'deletes or moves a branch or tag', {
  when: /^(?:-\w*[dDfM]|--delete|--force)/u,
});
export const rewritesHistory = deed('destructive', 'rewrites or deletes history');
export const deletesFound = deed('destructive', 'deletes what it finds', {when: /^-delete$/u});
export const editsInPlace = deed('destructive', 'changes files in place', {
  when: /^(?:-\w*i|--in-place)/u,
  reach: 'changes-files',
});
export const deletesSomeContainers = deed('destructive', 'deletes containers, images or volumes', {
  when: /^(?:rm|rmi|prune|-f)$/u,
});
export const deletesContainers = deed('destructive', 'deletes containers, images or volumes');
export const deletesInCloud = deed('destructive', 'deletes in the cloud', {
  when: /^(?:rm|rb|delete|destroy|terminate\S*|delete-\S+)$/u,
});
export const deletesData = deed('destructive', 'deletes data', {when: /\b(?:drop|truncate|delete|update|alter)\b/iu});
export const overwritesWhenUnpacking = deed('destructive', 'can overwrite files', {
  when: /^(?:-?\w*x\w*|-o|--extract|-\w*o\w*)$/u,
});
export const fetches = deed('external', 'talks to another machine');
export const talks = deed('external', 'talks to another machine');
export const downloadsScripts = deed('external', 'downloads packages and runs their scripts', {
  when: /^(?:i|install|ci|add|update|upgrade|up|dlx|exec|x|create|init|audit|outdated|view|info|search|login|link|rebuild)$/u,
});
export const publishes = deed('external', 'publishes a package', {when: /^(?:publish|upload|push|release)$/u});
export const runsPackage = deed('external', 'downloads and runs a package');
export const installs = deed('external', 'installs or removes packages');
export const talksToDaemon = deed('external', 'talks to a registry or a daemon');
export const usesService = deed('external', 'talks to a service');
export const startsAgent = deed('external', 'starts an agent');
export const reachesByTask = deed('unknown', 'runs code from this project', {
  when: /^(?:start|dev|serve|preview|watch|(?:un)?install|deploy|publish|release|push|upload)(?:[-:.].*)?$/u,
  reach: 'network',
});
export const runsScript = deed('unknown', 'runs code from this project', {
  when: /^(?:run|run-script|test|t|start|stop|restart|build|dev|lint)$/u,
});
export const runsTask = deed('unknown', 'runs code from this project');
export const buildsProject = deed('unknown', 'runs code from this project', {
  when: /^(?:run|build|test|t|b|c|bench|check|generate|vet|clippy|fmt|doc|nextest|compile|format)$/u,
});
export const runsText = deed('unknown', 'runs code');
export const asOtherUser = deed('unknown', 'runs as another user', {reach: 'machine'});
export const runsElsewhere = deed('unknown', 'runs a program elsewhere on this machine', {reach: 'machine'});
export const controlsServices = deed('unknown', 'controls services or scheduled jobs', {reach: 'machine'});
export const changesMachine = deed('unknown', 'changes settings of this machine', {reach: 'machine'});
export const reachesPrograms = deed('unknown', 'reaches other programs', {reach: 'machine'});
export const usesDesktop = deed('unknown', 'uses your screen, clipboard or desktop', {reach: 'machine'});
export const usesKeys = deed('unknown', 'uses keys of yours', {reach: 'secrets'});
export const showsEnvironment = deed('unknown', 'may show keys and run programs', {reach: 'secrets'});
export const unknownOnMachine = deed('unknown', '', {reach: 'machine'});
export const changesShell = deed('unknown', 'changes how the shell works');
export const steersShell = deed('unknown', 'changes how the shell works', {reach: 'shell'});
export const changesFiles = deed('local-change', 'changes files');
export const changesRepository = deed('local-change', 'changes the repository', {reach: 'repository'});
export const inRepository = deed('unknown', '', {reach: 'repository'});
export const unknown = deed('unknown', '');
export const formats = deed('local-change', 'can change files', {when: /^(?:-w|-i|--write|--fix|format|fmt)$/u});
export const packs = deed('local-change', 'changes files');
