import {InvalidArgumentError, Option, type Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly store?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly outputFormat: 'text' | 'json';
}

/** `weft serve`. */
export function add(command: Command): void {
  command
    .addOption(
      new Option('--port <n>', 'Port to listen on; 0 for any that is free').argParser(portNumber).default(4096),
    )
    .option('--host <address>', 'Address to listen on', '127.0.0.1')
    .option('--store <where>', 'Where everything is kept: sqlite, or postgres://… (default: WEFT_STORE, else sqlite)')
    .option('--allow-host <names...>', 'Names by which requests may address the server')
    .option('--allow-origin <origins...>', 'Web origins whose pages may call the server')
    .addOption(
      new Option('--output-format <format>', 'How the address is printed').choices(['text', 'json']).default('text'),
    )
    .action(exiting(async (options: ServeOptions) => (await import('./serve/run-serve.ts')).runServe(options)));
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/u.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return Number(text);
}
