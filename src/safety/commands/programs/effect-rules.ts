import {effectRule} from '../program-table.ts';

/** Files that choose the version of a tool that runs, and may name their own tool. */
export const versionFiles = '.tool-versions mise.toml .mise.toml';

export const deletesFiles = effectRule('destructive', 'deletes files');
export const overwritesFiles = effectRule('destructive', 'overwrites files', {
  reach: 'puts-files',
  otherwise: 'creates files',
});
export const movesBranch = effectRule('destructive', 'deletes or moves a branch or tag', {
  when: /^(?:-\w*[dDfM]|--delete|--force)/u,
});
export const rewritesHistory = effectRule('destructive', 'rewrites or deletes history');
export const deletesFoundFiles = effectRule('destructive', 'deletes the files that it finds', {when: /^-delete$/u});
export const editsInPlace = effectRule('destructive', 'changes files in place', {
  when: /^(?:-\w*i|--in-place)/u,
  reach: 'changes-files',
});
export const deletesSomeContainers = effectRule('destructive', 'deletes containers, images or volumes', {
  when: /^(?:rm|rmi|prune|-f)$/u,
});
export const deletesContainers = effectRule('destructive', 'deletes containers, images or volumes');
export const deletesInCloud = effectRule('destructive', 'deletes in the cloud', {
  when: /^(?:rm|rb|delete|destroy|terminate\S*|delete-\S+)$/u,
});
export const deletesData = effectRule('destructive', 'deletes data', {
  when: /\b(?:drop|truncate|delete|update|alter)\b/iu,
});
export const overwritesWhenUnpacking = effectRule('destructive', 'can overwrite files', {
  when: /^(?:-?\w*x\w*|-o|--extract|-\w*o\w*)$/u,
});
export const fetchesFromMachine = effectRule('external', 'talks to another machine');
export const talksToMachine = effectRule('external', 'talks to another machine');
export const downloadsScripts = effectRule('external', 'downloads packages and runs their scripts', {
  when: /^(?:i|install|ci|add|update|upgrade|up|dlx|exec|x|create|init|audit|outdated|view|info|search|login|link|rebuild)$/u,
});
export const publishesPackage = effectRule('external', 'publishes a package', {
  when: /^(?:publish|upload|push|release)$/u,
});
export const runsPackage = effectRule('external', 'downloads and runs a package');
export const changesPackages = effectRule('external', 'installs or removes packages');
export const talksToDaemon = effectRule('external', 'talks to a registry or a daemon');
export const usesService = effectRule('external', 'talks to a service');
export const startsAgent = effectRule('external', 'starts an agent');
export const reachesByTask = effectRule('unknown', 'runs code from this project', {
  when: /^(?:start|dev|serve|preview|watch|(?:un)?install|deploy|publish|release|push|upload)(?:[-:.].*)?$/u,
  reach: 'network',
});
export const runsScript = effectRule('unknown', 'runs code from this project', {
  when: /^(?:run|run-script|test|t|start|stop|restart|build|dev|lint)$/u,
});
export const runsTask = effectRule('unknown', 'runs code from this project');
export const buildsProject = effectRule('unknown', 'runs code from this project', {
  when: /^(?:run|build|test|t|b|c|bench|check|generate|vet|clippy|fmt|doc|nextest|compile|format)$/u,
});
export const runsText = effectRule('unknown', 'runs code');
export const runsAsOtherUser = effectRule('unknown', 'runs as another user', {reach: 'machine'});
export const runsElsewhere = effectRule('unknown', 'runs a program elsewhere on this machine', {reach: 'machine'});
export const controlsServices = effectRule('unknown', 'controls services or scheduled jobs', {reach: 'machine'});
export const changesMachine = effectRule('unknown', 'changes settings of this machine', {reach: 'machine'});
export const reachesPrograms = effectRule('unknown', 'reaches other programs', {reach: 'machine'});
export const usesDesktop = effectRule('unknown', 'uses your screen, clipboard or desktop', {reach: 'machine'});
export const usesUserKeys = effectRule('unknown', 'uses your keys', {reach: 'secrets'});
export const showsEnvironment = effectRule('unknown', 'may show keys and run programs', {reach: 'secrets'});
export const unknownOnMachine = effectRule('unknown', '', {reach: 'machine'});
export const changesShell = effectRule('unknown', 'changes how the shell works');
export const changesShellState = effectRule('unknown', 'changes how the shell works', {reach: 'shell'});
export const changesFiles = effectRule('local-change', 'changes files');
export const changesRepository = effectRule('local-change', 'changes the repository', {reach: 'repository'});
export const unknownInRepository = effectRule('unknown', '', {reach: 'repository'});
export const unknownEffect = effectRule('unknown', '');
export const formatsFiles = effectRule('local-change', 'can change files', {
  when: /^(?:-w|-i|--write|--fix|format|fmt)$/u,
});
export const packsFiles = effectRule('local-change', 'changes files');
