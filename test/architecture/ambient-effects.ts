import {Visitor, type ESTree} from 'rolldown/utils';
import type {SourceFile} from './source-file.ts';

/**
 * Where a file reaches into the world by itself instead of through a port: process, console, clock, chance, home directory,
 * network. As written in the file (`process.env`, `Date.now`), in order, each once.
 */
export function ambientEffects({program}: SourceFile): readonly string[] {
  const found = new Set<string>();
  const mention = (node: ESTree.Node | null | undefined): void => {
    if (node?.type === 'Identifier' && wholeObjects.has(node.name)) found.add(node.name);
  };
  new Visitor({
    MemberExpression: ({object, property, computed}) => {
      if (object.type !== 'Identifier') return;
      const member = !computed && property.type === 'Identifier' ? property.name : '…';
      if (wholeObjects.has(object.name)) found.add(`${object.name}.${member}`);
      else if (members.has(`${object.name}.${member}`)) found.add(`${object.name}.${member}`);
    },
    CallExpression: ({callee, arguments: given}) => {
      if (callee.type === 'Identifier' && calls.has(callee.name)) found.add(`${callee.name}()`);
      given.forEach(mention);
    },
    NewExpression: ({callee, arguments: given}) => {
      if (callee.type === 'Identifier' && callee.name === 'Date' && given.length === 0) found.add('new Date()');
      given.forEach(mention);
    },
    VariableDeclarator: ({init}) => {
      mention(init);
    },
  }).visit(program);
  return [...found];
}

const wholeObjects: ReadonlySet<string> = new Set(['process', 'console', 'globalThis']);
const members: ReadonlySet<string> = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'crypto.randomUUID',
  'crypto.getRandomValues',
]);
const calls: ReadonlySet<string> = new Set(['fetch', 'homedir']);
