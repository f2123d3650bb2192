import type {LanguageFn} from 'highlight.js';

/** The grammars. Each one is loaded when code in its language is first shown, and is a chunk of its own in the built program. */
const load = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  clojure: () => import('highlight.js/lib/languages/clojure'),
  cmake: () => import('highlight.js/lib/languages/cmake'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  dart: () => import('highlight.js/lib/languages/dart'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  dos: () => import('highlight.js/lib/languages/dos'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  elm: () => import('highlight.js/lib/languages/elm'),
  erlang: () => import('highlight.js/lib/languages/erlang'),
  fsharp: () => import('highlight.js/lib/languages/fsharp'),
  glsl: () => import('highlight.js/lib/languages/glsl'),
  go: () => import('highlight.js/lib/languages/go'),
  gradle: () => import('highlight.js/lib/languages/gradle'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  groovy: () => import('highlight.js/lib/languages/groovy'),
  handlebars: () => import('highlight.js/lib/languages/handlebars'),
  haskell: () => import('highlight.js/lib/languages/haskell'),
  http: () => import('highlight.js/lib/languages/http'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  julia: () => import('highlight.js/lib/languages/julia'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  latex: () => import('highlight.js/lib/languages/latex'),
  less: () => import('highlight.js/lib/languages/less'),
  lisp: () => import('highlight.js/lib/languages/lisp'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  matlab: () => import('highlight.js/lib/languages/matlab'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  nim: () => import('highlight.js/lib/languages/nim'),
  nix: () => import('highlight.js/lib/languages/nix'),
  objectivec: () => import('highlight.js/lib/languages/objectivec'),
  ocaml: () => import('highlight.js/lib/languages/ocaml'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  prolog: () => import('highlight.js/lib/languages/prolog'),
  properties: () => import('highlight.js/lib/languages/properties'),
  protobuf: () => import('highlight.js/lib/languages/protobuf'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  scheme: () => import('highlight.js/lib/languages/scheme'),
  scss: () => import('highlight.js/lib/languages/scss'),
  shell: () => import('highlight.js/lib/languages/shell'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  tcl: () => import('highlight.js/lib/languages/tcl'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  verilog: () => import('highlight.js/lib/languages/verilog'),
  vim: () => import('highlight.js/lib/languages/vim'),
  wasm: () => import('highlight.js/lib/languages/wasm'),
  x86asm: () => import('highlight.js/lib/languages/x86asm'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
} satisfies Record<string, () => Promise<{readonly default: LanguageFn}>>;

export type GrammarName = keyof typeof load;

export const importGrammar = async (name: GrammarName): Promise<LanguageFn> => (await load[name]()).default;

/** The grammars to which a grammar delegates parts of its text. */
export const embeddedGrammars: Readonly<Partial<Record<GrammarName, readonly GrammarName[]>>> = {
  xml: ['css', 'javascript'],
  markdown: ['xml'],
  dockerfile: ['bash'],
  shell: ['bash'],
  handlebars: ['xml'],
  http: ['json'],
};

/** Other names of languages on code fences, and file extensions, in lower case. */
const aliases: ReadonlyMap<string, GrammarName> = new Map(
  Object.entries({
    bash: 'sh zsh ksh fish bashrc zshrc envrc profile',
    c: 'h',
    clojure: 'clj cljs cljc edn',
    cpp: 'cc cxx c++ hpp hh hxx ino cu cuh',
    csharp: 'cs c# csx',
    diff: 'patch',
    dockerfile: 'docker containerfile',
    dos: 'bat cmd batch',
    elixir: 'ex exs',
    erlang: 'erl hrl',
    fsharp: 'fs f# fsx fsi',
    glsl: 'vert frag wgsl hlsl',
    go: 'golang',
    graphql: 'gql graphqls',
    handlebars: 'hbs mustache',
    haskell: 'hs',
    ini: 'toml cfg conf editorconfig gitconfig npmrc service desktop',
    java: 'jsp',
    javascript: 'js jsx mjs cjs node es6',
    json: 'jsonc json5 jsonl ndjson webmanifest ipynb map',
    julia: 'jl',
    kotlin: 'kt kts',
    latex: 'tex sty cls',
    lisp: 'el cl commonlisp elisp',
    makefile: 'make mk mak gnumakefile',
    markdown: 'md mdx mkd markdown',
    matlab: 'octave',
    nim: 'nims',
    objectivec: 'm mm objc objective-c',
    ocaml: 'ml mli',
    perl: 'pl pm',
    php: 'php3 php4 php5 php7 php8',
    powershell: 'ps1 psm1 psd1 pwsh ps',
    protobuf: 'proto',
    python: 'py pyi pyw py3 python3 gyp bzl bazel starlark',
    r: 'rmd',
    ruby: 'rb rake gemspec gemfile rakefile podfile',
    rust: 'rs',
    scala: 'sc sbt',
    scheme: 'scm ss rkt racket',
    shell: 'console shellsession shell-session terminal sh-session',
    sql: 'psql mysql pgsql sqlite postgres postgresql ddl',
    typescript: 'ts tsx mts cts',
    verilog: 'v sv svh systemverilog',
    vim: 'vimrc viml vimscript',
    wasm: 'wat wast webassembly',
    x86asm: 'asm s nasm assembly',
    xml: 'html htm xhtml svg vue svelte astro plist rss atom xsd xsl xslt wsdl csproj fsproj vbproj props targets',
    yaml: 'yml',
  } satisfies Partial<Record<GrammarName, string>>).flatMap(([name, words]) =>
    isGrammarName(name) ? words.split(' ').map(word => [word, name] as const) : [],
  ),
);

/** The grammar for the info string of a code fence (`ts`, `TypeScript`, `js {1,3}`, `language-py`); `undefined` if there is none. */
export function grammarOfFence(info: string): GrammarName | undefined {
  const [word = ''] = /[\w+#./-]+/u.exec(info.slice(0, longestInfo)) ?? [];
  return grammarNamed(word.replace(/^(?:language|lang)-/u, '').toLowerCase()) ?? grammarOfFile(word);
}

/** The grammar for a file, by its extension or its whole name. */
export function grammarOfFile(path: string): GrammarName | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot >= 0) return grammarNamed(name.slice(dot + 1)) ?? grammarNamed(name.slice(0, dot));
  return grammarNamed(name);
}

const longestInfo = 200;

const grammarNamed = (word: string): GrammarName | undefined => (isGrammarName(word) ? word : aliases.get(word));

function isGrammarName(word: string): word is GrammarName {
  return Object.hasOwn(load, word);
}
