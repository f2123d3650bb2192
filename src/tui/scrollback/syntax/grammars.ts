import type {LanguageFn} from 'highlight.js';

/**
 * The grammars, with their aliases on code fences and file extensions, in lower case. Each is a separate chunk in the built program,
 * loaded when code in its language is first shown.
 */
const grammars = {
  bash: [() => import('highlight.js/lib/languages/bash'), 'sh zsh ksh fish bashrc zshrc envrc profile'],
  c: [() => import('highlight.js/lib/languages/c'), 'h'],
  clojure: [() => import('highlight.js/lib/languages/clojure'), 'clj cljs cljc edn'],
  cmake: [() => import('highlight.js/lib/languages/cmake'), ''],
  cpp: [() => import('highlight.js/lib/languages/cpp'), 'cc cxx c++ hpp hh hxx ino cu cuh'],
  csharp: [() => import('highlight.js/lib/languages/csharp'), 'cs c# csx'],
  css: [() => import('highlight.js/lib/languages/css'), ''],
  dart: [() => import('highlight.js/lib/languages/dart'), ''],
  diff: [() => import('highlight.js/lib/languages/diff'), 'patch'],
  dockerfile: [() => import('highlight.js/lib/languages/dockerfile'), 'docker containerfile'],
  dos: [() => import('highlight.js/lib/languages/dos'), 'bat cmd batch'],
  elixir: [() => import('highlight.js/lib/languages/elixir'), 'ex exs'],
  elm: [() => import('highlight.js/lib/languages/elm'), ''],
  erlang: [() => import('highlight.js/lib/languages/erlang'), 'erl hrl'],
  fsharp: [() => import('highlight.js/lib/languages/fsharp'), 'fs f# fsx fsi'],
  glsl: [() => import('highlight.js/lib/languages/glsl'), 'vert frag wgsl hlsl'],
  go: [() => import('highlight.js/lib/languages/go'), 'golang'],
  gradle: [() => import('highlight.js/lib/languages/gradle'), ''],
  graphql: [() => import('highlight.js/lib/languages/graphql'), 'gql graphqls'],
  groovy: [() => import('highlight.js/lib/languages/groovy'), ''],
  handlebars: [() => import('highlight.js/lib/languages/handlebars'), 'hbs mustache'],
  haskell: [() => import('highlight.js/lib/languages/haskell'), 'hs'],
  http: [() => import('highlight.js/lib/languages/http'), ''],
  ini: [() => import('highlight.js/lib/languages/ini'), 'toml cfg conf editorconfig gitconfig npmrc service desktop'],
  java: [() => import('highlight.js/lib/languages/java'), 'jsp'],
  javascript: [() => import('highlight.js/lib/languages/javascript'), 'js jsx mjs cjs node es6'],
  json: [() => import('highlight.js/lib/languages/json'), 'jsonc json5 jsonl ndjson webmanifest ipynb map'],
  julia: [() => import('highlight.js/lib/languages/julia'), 'jl'],
  kotlin: [() => import('highlight.js/lib/languages/kotlin'), 'kt kts'],
  latex: [() => import('highlight.js/lib/languages/latex'), 'tex sty cls'],
  less: [() => import('highlight.js/lib/languages/less'), ''],
  lisp: [() => import('highlight.js/lib/languages/lisp'), 'el cl commonlisp elisp'],
  lua: [() => import('highlight.js/lib/languages/lua'), ''],
  makefile: [() => import('highlight.js/lib/languages/makefile'), 'make mk mak gnumakefile'],
  markdown: [() => import('highlight.js/lib/languages/markdown'), 'md mdx mkd markdown'],
  matlab: [() => import('highlight.js/lib/languages/matlab'), 'octave'],
  nginx: [() => import('highlight.js/lib/languages/nginx'), ''],
  nim: [() => import('highlight.js/lib/languages/nim'), 'nims'],
  nix: [() => import('highlight.js/lib/languages/nix'), ''],
  objectivec: [() => import('highlight.js/lib/languages/objectivec'), 'm mm objc objective-c'],
  ocaml: [() => import('highlight.js/lib/languages/ocaml'), 'ml mli'],
  perl: [() => import('highlight.js/lib/languages/perl'), 'pl pm'],
  php: [() => import('highlight.js/lib/languages/php'), 'php3 php4 php5 php7 php8'],
  powershell: [() => import('highlight.js/lib/languages/powershell'), 'ps1 psm1 psd1 pwsh ps'],
  prolog: [() => import('highlight.js/lib/languages/prolog'), ''],
  properties: [() => import('highlight.js/lib/languages/properties'), ''],
  protobuf: [() => import('highlight.js/lib/languages/protobuf'), 'proto'],
  python: [() => import('highlight.js/lib/languages/python'), 'py pyi pyw py3 python3 gyp bzl bazel starlark'],
  r: [() => import('highlight.js/lib/languages/r'), 'rmd'],
  ruby: [() => import('highlight.js/lib/languages/ruby'), 'rb rake gemspec gemfile rakefile podfile'],
  rust: [() => import('highlight.js/lib/languages/rust'), 'rs'],
  scala: [() => import('highlight.js/lib/languages/scala'), 'sc sbt'],
  scheme: [() => import('highlight.js/lib/languages/scheme'), 'scm ss rkt racket'],
  scss: [() => import('highlight.js/lib/languages/scss'), ''],
  shell: [() => import('highlight.js/lib/languages/shell'), 'console shellsession shell-session terminal sh-session'],
  sql: [() => import('highlight.js/lib/languages/sql'), 'psql mysql pgsql sqlite postgres postgresql ddl'],
  swift: [() => import('highlight.js/lib/languages/swift'), ''],
  tcl: [() => import('highlight.js/lib/languages/tcl'), ''],
  typescript: [() => import('highlight.js/lib/languages/typescript'), 'ts tsx mts cts'],
  verilog: [() => import('highlight.js/lib/languages/verilog'), 'v sv svh systemverilog'],
  vim: [() => import('highlight.js/lib/languages/vim'), 'vimrc viml vimscript'],
  wasm: [() => import('highlight.js/lib/languages/wasm'), 'wat wast webassembly'],
  x86asm: [() => import('highlight.js/lib/languages/x86asm'), 'asm s nasm assembly'],
  xml: [
    () => import('highlight.js/lib/languages/xml'),
    'html htm xhtml svg vue svelte astro plist rss atom xsd xsl xslt wsdl csproj fsproj vbproj props targets',
  ],
  yaml: [() => import('highlight.js/lib/languages/yaml'), 'yml'],
} satisfies Record<string, readonly [load: () => Promise<{readonly default: LanguageFn}>, names: string]>;

export type GrammarName = keyof typeof grammars;

export const importGrammar = async (name: GrammarName): Promise<LanguageFn> => (await grammars[name][0]()).default;

export const embeddedGrammars: Readonly<Partial<Record<GrammarName, readonly GrammarName[]>>> = {
  xml: ['css', 'javascript'],
  markdown: ['xml'],
  dockerfile: ['bash'],
  shell: ['bash'],
  handlebars: ['xml'],
  http: ['json'],
};

const aliases: ReadonlyMap<string, GrammarName> = new Map(
  Object.entries(grammars).flatMap(([name, [, names]]) =>
    isGrammarName(name) && names !== '' ? names.split(' ').map(word => [word, name] as const) : [],
  ),
);

/** Returns the grammar for a code fence's info string (`ts`, `TypeScript`, `js {1,3}`, `language-py`), or `undefined`. */
export function grammarOfFence(info: string): GrammarName | undefined {
  const [word = ''] = /[\w+#./-]+/u.exec(info.slice(0, maxInfoLength)) ?? [];
  return grammarNamed(word.replace(/^(?:language|lang)-/u, '').toLowerCase()) ?? grammarOfFile(word);
}

export function grammarOfFile(path: string): GrammarName | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot >= 0) return grammarNamed(name.slice(dot + 1)) ?? grammarNamed(name.slice(0, dot));
  return grammarNamed(name);
}

const maxInfoLength = 200;

const grammarNamed = (word: string): GrammarName | undefined => (isGrammarName(word) ? word : aliases.get(word));

function isGrammarName(word: string): word is GrammarName {
  return Object.hasOwn(grammars, word);
}
