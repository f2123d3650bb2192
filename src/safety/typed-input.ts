import type {Access} from '../domain/access.ts';
import type {Reason} from '../domain/reason.ts';

/** The program that input is typed into. An approved line for an interpreter covers similar lines. A shell reads commands. */
export type TypingTarget = 'shell' | 'interpreter' | 'debugger' | 'other';

/** Returns the kind of program that reads the input of a block, judged by the block's command. */
export function typingTarget(blockCommand: string): TypingTarget {
  const command = blockCommand.trim();
  if (interpreter.test(command)) return 'interpreter';
  if (debuggers.test(command)) return 'debugger';
  return shell.test(command) ? 'shell' : 'other';
}

/** Matches an interpreter found in PATH or in a system folder only, because a workspace program may have any name. */
const interpreter =
  /^(?:\/(?:usr|opt|bin|nix)\/(?:[\w.-]+\/)*)?(?:i?python[\d.]*|bpython|node|deno|bun|irb|pry|ghci|R|julia|lua|php|iex|erl|scala|clj|sbcl|guile|racket|utop|ocaml|swipl|bc|maxima|octave|gp|sqlite3|psql|mysql|mariadb|mongosh|duckdb|redis-cli)(?:\s[^;&|<>`$()\n]*)?$/u;

/** Matches debuggers. Most of their commands can run programs, and they accept abbreviated command names. */
const debuggers = /^(?:\/(?:usr|opt|bin|nix)\/(?:[\w.-]+\/)*)?(?:gdb|lldb|pdb)(?:\s[^;&|<>`$()\n]*)?$/u;

/** Matches a shell, here, in a container or on another machine. */
const shell =
  /^(?:(?:sudo|docker|podman|kubectl|exec|env|nix-shell|doas)\s[^;&|<>\n]*\s|[\w./-]*\/)?(?:(?:ba|z|da|k|a|fi)?sh|pwsh|nu)(?:\s+-[\w-]+)*$|^(?:ssh|su|mosh)(?:\s[^;&|<>\n]*)?$|^(?:sudo|doas)\s+-[is]$/u;

/**
 * True if an earlier approval for the program in `blockCommand` also covers this line. Only whole lines of text
 * qualify: fragments of a line, and keys that edit it or recall an earlier one, have no meaning by themselves.
 */
export function isLineLikeOthers(
  {input, mode}: Extract<Access, {kind: 'terminal-input'}>,
  blockCommand: string,
): boolean {
  const target = typingTarget(blockCommand);
  // Ctrl+C and Ctrl+D only stop something.
  if (mode === 'raw') return target === 'interpreter' && ['\u0003', '\u0004'].includes(input);
  if (/\p{Cc}/u.test(input.replaceAll(/\n|^\t+/gmu, ''))) return false;
  if (target === 'debugger') return harmlessInDebugger.test(input.trim());
  return target === 'interpreter' && dangersOfLine(input).length === 0;
}

const harmlessInDebugger =
  /^(?:bt|backtrace|where|n|next|ni|nexti|s|step|si|stepi|c|cont|continue|fin|finish|up|down|f|frame|l|list|ll|b|break|tbreak|p|print|info)(?:\s(?:[ \w.:>*&-]|\[\w+\])*)?$/u;

/**
 * Returns the dangers of an interpreter line, about which weft asks even if the program was allowed for the session: it runs
 * programs, changes files, or connects to other machines. A false match only makes this stricter.
 */
export function dangersOfLine(input: string): readonly Reason[] {
  // Python reads lookalike letters of other alphabets as the plain ones.
  const line = input.normalize('NFKC');
  return dangers.flatMap(({patterns, effect}) => {
    const found = patterns.map(pattern => pattern.exec(line)?.[0]).find(text => text !== undefined);
    return found === undefined
      ? []
      : [{kind: 'command-part', part: `\`${found.trim().slice(0, 60)}\``, effect, alike: 0} as const];
  });
}

/** Python modules that load without a question. Their dangerous functions are found at the call. */
const knownModules =
  'os|os\\.path|sys|shutil|pathlib|math|cmath|re|json|csv|decimal|fractions|datetime|calendar|time|collections|itertools|functools|operator|statistics|random|string|textwrap|typing|dataclasses|enum|copy|pprint|hashlib|base64|uuid|bisect|heapq|struct|unicodedata|numpy|pandas|scipy|sympy|matplotlib|subprocess|pty|socket|urllib|requests|ctypes|importlib|smtplib|paramiko|http';

const dangers: readonly {readonly patterns: readonly RegExp[]; readonly effect: string}[] = [
  {
    patterns: [
      /\bos\.(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*|fork)\b|\bsubprocess\b|\bpty\.spawn\b|\bchild_process\b|\b(?:Deno\.(?:Command|run)|Bun\.spawn\w*|process\.binding)\b|\b(?:exec|execSync|spawn|spawnSync|fork|system|shell_exec|passthru|popen|proc_open|IO\.popen|os\.execute|io\.popen|run-program|createProcess|callProcess)\s*[("'[]|\bProcess\.(?:run|spawn|start)\b|%x[({[<]|`[^`]*`/u,
      /(?:^|\n)\s*(?:!|\\!|%%?(?:bash|sh|system|sx|script)\b|\.(?:shell|system)\b|(?:shell|make|pipe)\s|\\(?:o|copy|g)\b|system\s)/u,
      // A function that is stored now and called under another name later.
      /\.(?:system|popen|spawn\w*|exec[vl]\w*|execSync|execFile\w*|fork|Popen|check_output|check_call|getoutput)\b/u,
      /\bfrom\s+(?:os|posix|nt|shutil|pty|asyncio|multiprocessing|pathlib|builtins)\s+import\b|\bimport\s+(?:os|shutil|sys|pathlib)\s+as\b/u,
      /\b(?:Sys\.command|Unix\.\w+|System\.(?:cmd|shell)|os:cmd|:os\.cmd|open_port|sys\.process|getRuntime|ProcessBuilder|clojure\.java\.shell|sh\/sh|package\.loadlib)\b/u,
      /\((?:sb-ext:|uiop:)?(?:system\*?|process\*?|open-pipe\*?|open-input-output-pipe|primitive-fork|execlp?e?|run-shell-command|launch-program)[\s)]/u,
      /\b(?:system2|unix|dos|popen2|shell|process_create|shell\.exec|extern|qx)\s*[("'{]/u,
      // A client's own commands for shells, files and scripts.
      /(?:^|\n)\s*(?:%|:!|;|(?:pager|tee|source|edit|rm|mv|cp|rmdir)\s)|(?:^|\n)\s*\w+\s*=\s*!|\\!|(?:^|[\s;])\\(?:gx?|gexec|o|out|w|write|ir?|include\w*|copy|e|edit|ef|ev|s|setenv|lo_\w+|watch|P|T|\.)(?=\s|$)/u,
      /(?:^|\n)\s*\.(?!(?:help|tables?|schema|headers?|mode|exit|quit|clear|break|databases|indexes|width|show|timer|nullvalue)\b)[a-z]+/u,
    ],
    effect: 'can run programs',
  },
  {
    patterns: [
      /\b(?:rmtree|unlink\w*|rmdir\w*|removedirs|rmSync|rm_rf|rm_r|remove|truncate\w*|FileUtils|deleteFile|file-delete|removeFile|removeDirectory\w*)\s*[(.'" ]|\b(?:os|fs|shutil|pathlib)\.(?:rename|replace|remove|rm|move)\b/u,
      /\b(?:File|Dir|FileUtils|Pathname)\.(?:delete|rename|unlink|rmdir)\b/u,
    ],
    effect: 'can delete files',
  },
  {
    patterns: [
      /\bopen\s*\([^,()]*,(?!\s*(?:mode\s*=\s*)?["']r?[bt]{0,2}["']\s*[,)]|\s*encoding\s*=\s*["'][\w-]+["']\s*\))/u,
      /\.open\s*\(\s*(?:mode\s*=\s*)?["'][^r"']/u,
      /\b(?:write_(?:text|bytes)|(?:write|append|copy|cp|symlink|link|chmod|chown|mkdir|rename)(?:File)?(?:Sync)?\s*\(|createWriteStream|file_put_contents|fopen|fwrite|writeLines|saveRDS|sink\s*\(|spit\s|makedirs|with-open-file|call-with-output-file|open-output-file|savehist|io\.(?:open|output)|(?:File|IO)\.(?:write|open|new|binwrite))/u,
      /\b(?:os\.(?:link|kill|putenv|unsetenv|chdir|environ\s*\[)|process\.(?:kill|chdir|setuid|env\.\w+\s*=[^=]))/u,
    ],
    effect: 'can change files',
  },
  {
    patterns: [
      /\b(?:drop|truncate|delete\s+from|alter|grant|revoke|update\s+\S+\s+set|insert\s+into|replace\s+into|attach\s+database|vacuum|load_extension|pg_\w*file\w*|copy\s+\S+\s+(?:from|to))\b|\b(?:flushall|flushdb|config\s+set|shutdown|dropDatabase|deleteMany|deleteOne|drop\(\))/iu,
    ],
    effect: 'changes or deletes data',
  },
  {
    patterns: [
      /\b(?:eval|compile|__import__|importlib|ctypes|cffi|Function|getattr|vm\.run\w*|loadstring|dofile|instance_eval|send)\s*[("'.]/u,
      /\b(?:globals|locals|vars|builtins|exec|execfile|runpy|setattr|delattr|instance_exec|class_eval|public_send|define_method|constantize|constructor|Reflect|globalThis|mainModule|createRequire|defadvice)\b/u,
      /__\w+__/u,
      /\\u\{?[\da-f]{2}|\\N\{/iu,
      // A computed name chooses the function.
      /\[[^\]]*\+[^\]]*\]\s*\(/u,
    ],
    effect: 'runs code that it makes up',
  },
  {
    patterns: [
      new RegExp(
        `(?:^|[;\\n:])\\s*(?:from\\s+|import\\s+(?:(?:${knownModules})(?:\\s+as\\s+\\w+)?\\s*,\\s*)*)(?!(?:${knownModules})(?![\\w.]))[\\w.]+`,
        'u',
      ),
      /\brequire\s*\(?\s*(?!["'](?:node:)?(?:util|assert|path|url|querystring|crypto|buffer|events|string_decoder|timers|fs|os|child_process)["'])["'`\w]|\brequire\s*\(\s*["'][^"']*["']\s*\+/u,
      /\bimport\s*(?:\(|["'{*]|\w+\s+from\b)/u,
      /\b(?:require_relative|load|source)\s*[("' ]/u,
    ],
    effect: 'loads more code',
  },
  {
    patterns: [
      /\b(?:urllib|requests|http\.client|socket|fetch|XMLHttpRequest|net\.connect|Net::HTTP|open-uri|curl_\w+|smtplib|paramiko)\b/u,
    ],
    effect: 'can talk to another machine',
  },
  {
    patterns: [
      /["'`](?:~|\/(?:home|root|Users|etc|proc|var|private)\b|[^"'`\n]*(?:\.ssh|\.aws|\.env|\.netrc|\.npmrc|id_[a-z\d]+|credentials|\.config|\.kube|\.gnupg)\b)/u,
      /\b(?:expanduser|homedir|Path\.home|os\.(?:environ|getenv)|process\.env|ENV\b|Sys\.getenv|System\.get_env)/u,
    ],
    effect: 'can read what is private',
  },
];
