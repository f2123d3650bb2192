const always = new Set(
  'less more most man info pager top htop btop vi vim nvim view nano pico emacs ed watch tig lazygit gitui ncdu mc screen tmux journalctl systemctl psql mysql bat gdb lldb'.split(
    ' ',
  ),
);
const gitPages = new Set(
  'log show diff blame reflog shortlog grep branch tag stash whatchanged range-diff config help'.split(' '),
);

/** Whether a command pages or takes over the terminal when it has one. */
export function pages(words: readonly string[]): boolean {
  const [program = '', ...given] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (given.some(word => /^(?:--no-pager|--version|--help|--paging=never)$/u.test(word))) return false;
  if (name !== 'git') return always.has(name);
  if (given.some(word => word === '-P')) return false;
  return given.some(word => word === '-p' || word === '--paginate' || gitPages.has(word));
}
