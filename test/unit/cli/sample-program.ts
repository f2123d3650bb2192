import {Argument, Command, Option} from 'commander';

/** A program with everything that completion knows, and names that a shell would stumble over. */
export function sampleProgram(): Command {
  const program = new Command('weft')
    .description('sample')
    .version('1')
    .argument('[prompt...]')
    .enablePositionalOptions()
    .option('-p, --prompt <text>', 'the user\'s prompt: [any] `text` $(touch /tmp/pwned) "quoted"')
    .addOption(new Option('-o, --output <format>', 'format').choices(['text', 'json', 'stream-json']))
    .addOption(new Option('--odd <value>').choices(["it's", 'two words', '$(echo no)', 'a:b', 'back\\slash', '`x`']))
    .option('-r, --resume [id]', 'session')
    .addOption(new Option('--colour [when]').choices(['always', 'never']))
    .option('--add-dir <dir...>', 'folders')
    .option('--replay <file>', 'recording')
    .option('--no-color', 'plain')
    .addOption(new Option('--secret').hideHelp());
  const tasks = program.command('tasks').alias('t').description('task things');
  tasks.command('decode').argument('[file]').option('--json').description('it\'s: "decode"');
  tasks
    .command('watch')
    .addArgument(new Argument('<how>').choices(['once', 'twice']))
    .argument('<dir>');
  program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']));
  program
    .command('many')
    .addArgument(new Argument('<first>'))
    .addArgument(new Argument('[rest...]').choices(['red', 'blue']));
  program.command('show').argument('<session>', 'which').option('--model <model>', 'which');
  program.command('set').argument('<setting>').argument('<value>');
  program.command('hidden', {hidden: true});
  return program;
}
