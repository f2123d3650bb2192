import type {Command} from 'commander';
import {fileFlags, type InFile, type InFolder, type JsonOption} from './place-options.ts';

export interface ConfigHandlers {
  readonly configGet: (name: string, options: ConfigOptions) => Promise<void>;
  readonly configList: (options: ConfigOptions) => Promise<void>;
  readonly configExplain: (name: string, options: ConfigOptions) => Promise<void>;
  readonly configPath: (options: InFile) => Promise<void>;
  readonly configSet: (name: string, value: string, options: InFile) => Promise<void>;
  readonly configUnset: (name: string, options: InFile) => Promise<void>;
}

export interface ConfigOptions extends JsonOption, InFolder {}

/** The commands that read and change settings. */
export function addConfig(program: Command, handlers: ConfigHandlers): void {
  const config = program.command('config').description('settings: what counts, and where it comes from');
  const folder = ['--cwd <dir>', 'the folder it is about'] as const;
  const json = ['--json', 'as JSON'] as const;
  const name = ['<name>', 'such as model, permissionMode, permissions.allow or env.CI'] as const;
  const reading = (verb: string, description: string): Command =>
    config
      .command(verb)
      .description(description)
      .option(...json)
      .option(...folder);
  const writing = (verb: string, description: string): Command =>
    config
      .command(verb)
      .description(description)
      .option(...fileFlags.user)
      .option(...fileFlags.project)
      .option(...fileFlags.local)
      .option(...folder);
  reading('get', 'print the value that counts')
    .argument(...name)
    .action(handlers.configGet);
  writing('set', 'write a value into a settings file')
    .argument(...name)
    .argument('<value>', 'as text, or as JSON where the setting is a list or an object')
    .action(handlers.configSet);
  writing('unset', 'take a value out of a settings file')
    .argument(...name)
    .action(handlers.configUnset);
  reading('list', 'all that is set').action(handlers.configList);
  writing('path', 'where a settings file lies').action(handlers.configPath);
  reading('explain', 'what counts, who set it, and what it hides')
    .argument(...name)
    .action(handlers.configExplain);
}
