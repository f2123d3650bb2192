import {parseSync, Visitor, type ESTree} from 'rolldown/utils';

/** One source file, parsed: what the rules of this folder look at. */
export interface SourceFile {
  /** From the repository's root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** Dynamic imports whose target is not a plain string, as written: no rule can follow them. */
  readonly unreadable: readonly string[];
  readonly comments: readonly string[];
  readonly program: ESTree.Program;
  readonly exportsDefault: 'yes' | 'no';
}

export interface Import {
  /** As written. */
  readonly from: string;
  /** `types` vanishes when the program is built; `lazily` is `import()`. */
  readonly when: 'at-start' | 'lazily' | 'types';
}

/** Parses TypeScript (`.ts`, `.tsx`); throws when it does not parse, since then nothing else is true of it. */
export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text);
  const [broken] = parsed.errors;
  if (broken !== undefined) throw new Error(`${path} does not parse: ${broken.message}`);
  const {program, comments, module} = parsed;
  const {imports, unreadable} = runtimeImports(program, text);
  return {
    path,
    text,
    imports: [...staticImports(program), ...imports],
    unreadable,
    comments: comments.map(({value}) => value.trim()),
    program,
    exportsDefault: module.staticExports.some(({entries}) =>
      entries.some(({exportName}) => exportName.kind === 'Default' || exportName.name === 'default'),
    )
      ? 'yes'
      : 'no',
  };
}

function staticImports({body}: ESTree.Program): Import[] {
  return body.flatMap((statement): Import[] => {
    switch (statement.type) {
      case 'ImportDeclaration':
        return [{from: statement.source.value, when: whenOf(statement.importKind)}];
      case 'ExportNamedDeclaration':
        return statement.source === null ? [] : [{from: statement.source.value, when: whenOf(statement.exportKind)}];
      case 'ExportAllDeclaration':
        return [{from: statement.source.value, when: whenOf(statement.exportKind)}];
      default:
        return [];
    }
  });
}

/** `import {type A} from` still loads the module; only `import type` does not. */
const whenOf = (kind: string | undefined): Import['when'] => (kind === 'type' ? 'types' : 'at-start');

function runtimeImports(program: ESTree.Program, text: string): Pick<SourceFile, 'imports' | 'unreadable'> {
  const imports: Import[] = [];
  const unreadable: string[] = [];
  const add = (target: ESTree.Node | undefined, when: Import['when']): void => {
    if (target?.type === 'Literal' && typeof target.value === 'string') imports.push({from: target.value, when});
    else if (target !== undefined) unreadable.push(text.slice(target.start, target.end));
  };
  new Visitor({
    ImportExpression: ({source}) => {
      add(source, 'lazily');
    },
    TSImportType: ({source}) => {
      add(source, 'types');
    },
    CallExpression: ({callee, arguments: [target]}) => {
      if (isRequire(callee)) add(target, 'lazily');
    },
  }).visit(program);
  return {imports, unreadable};
}

/** `require(x)` and `require.resolve(x)`, however `require` was made. */
function isRequire(callee: ESTree.Node): boolean {
  if (callee.type === 'Identifier') return callee.name === 'require';
  return callee.type === 'MemberExpression' && callee.object.type === 'Identifier' && callee.object.name === 'require';
}
