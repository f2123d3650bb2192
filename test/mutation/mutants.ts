import {parse} from '@babel/parser';
import * as z from 'zod';

/** One change to a source: the text from `start` to `end` becomes `text`. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly line: number;
}

const node = z.looseObject({type: z.string(), start: z.number(), end: z.number()});
type Node = z.infer<typeof node>;

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
};

/** Of Stryker's mutators: operators, conditions, literals of truth, negations, statements that call or throw, and what is returned. */
export function mutantsOf(source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  const add = ({start, end}: Pick<Node, 'start' | 'end'>, text: string): void => {
    found.push({start, end, text, line: source.slice(0, start).split('\n').length});
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    const parsed = node.safeParse(value);
    if (!parsed.success || /^TS(?!As|Satisfies|NonNull)/u.test(parsed.data.type)) return;
    mutate(parsed.data);
    for (const child of Object.values(parsed.data)) if (typeof child === 'object') visit(child);
  };
  const mutate = (at: Node): void => {
    const part = (name: string): Node | undefined => node.safeParse(at[name]).data;
    const operator = z.string().safeParse(at['operator']).data ?? '';
    const [left, right, test, argument] = [part('left'), part('right'), part('test'), part('argument')];
    const other = operators[operator];
    if (left !== undefined && right !== undefined && other !== undefined) {
      const offset = source.slice(left.end, right.start).indexOf(operator) + left.end;
      // Text is joined with `+`, too: to subtract it is no fault that anybody makes.
      const joinsText = operator === '+' && /['"`]/u.test(source.slice(at.start, at.end));
      if (!joinsText) add({start: offset, end: offset + operator.length}, other);
    }
    switch (at.type) {
      case 'IfStatement':
      case 'ConditionalExpression':
        if (test !== undefined) for (const text of ['true', 'false']) add(test, text);
        break;
      case 'WhileStatement':
        if (test !== undefined) add(test, 'false');
        break;
      case 'BooleanLiteral':
        add(at, source.slice(at.start, at.end) === 'true' ? 'false' : 'true');
        break;
      case 'UnaryExpression':
        if (operator === '!' && argument !== undefined) add(at, source.slice(argument.start, argument.end));
        break;
      case 'UpdateExpression':
        if (other !== undefined) add(at, source.slice(at.start, at.end).replace(operator, other));
        break;
      case 'ExpressionStatement':
      case 'ThrowStatement':
        add(at, ';');
        break;
      default:
    }
  };
  visit(parse(source, {sourceType: 'module', plugins: ['typescript', 'jsx']}).program);
  return found;
}
