import {program, type ProgramRow} from '../program-table.ts';

/** Programs that show what the machine is and does. Those that show the environment, with its keys, are not among them. */
export const system: readonly ProgramRow[] = [
  program('uname', {
    flags: '-a -s -n -r -v -m -p -i -o --all --kernel-name --machine',
    match: ['uname -a', 'uname -sm'],
    notMatch: ['uname x'],
  }),
  program('arch, nproc, whoami, logname, tty, uptime, sw_vers, groups, users, who, w, lscpu, lsmod', {
    flags: '--all -p -s -a',
    match: ['nproc', 'whoami', 'uptime', 'lscpu'],
    notMatch: ['whoami > a', 'nproc --x', 'w me'],
  }),
  program('id', {
    flags: '-u -g -G -n -r -un -gn',
    operands: ['name', 'none'],
    match: ['id', 'id -u', 'id -un'],
    notMatch: ['id > a', 'id a b'],
  }),
  program('hostname', {
    flags: '-f -s -i -I -d --fqdn --short',
    match: ['hostname', 'hostname -f'],
    notMatch: ['hostname evil', 'hostname -F /etc/x'],
  }),
  program('free, vmstat, lsblk', {
    flags: '-h -m -g -b -k -t -f -a -l -p -o=text --human',
    match: ['free -h', 'lsblk -f'],
    notMatch: ['free x'],
  }),
  program('getconf, locale', {
    flags: '-a',
    operands: ['name'],
    match: ['getconf PAGE_SIZE', 'locale', 'locale -a'],
    notMatch: ['locale ./x'],
  }),
  program('pgrep, pidof', {
    flags: '-f -l -a -x -n -o -u=name -c',
    operands: ['text'],
    match: ['pgrep -fl node', 'pidof node'],
    notMatch: ['pgrep -F /etc/x', 'pkill node', 'pgrep --signal 9 x'],
  }),
  program('lsof', {
    flags: '-n -P -i -i?=text -t -p=number -a -u=name -s -s?=text -l -w',
    match: ['lsof -nP -iTCP:3000', 'lsof -i', 'lsof -ti:8080'],
    notMatch: ['lsof -D u', 'lsof -r 1', 'lsof /etc/passwd', 'lsof -k x'],
  }),
  program('lsof -i', {
    flags: '-n -P -t -s?=text',
    operands: ['text', 'none'],
    match: ['lsof -i :3000', 'lsof -i tcp:80 -n'],
    notMatch: ['lsof -i :1 -D x', 'lsof -i :1 /etc'],
  }),
  program('ss, netstat', {
    flags: '-t -u -l -n -p -a -x -r -s -i -e -o -w -4 -6 --tcp --udp --listening --numeric --processes --all',
    match: ['ss -tlnp', 'netstat -an', 'netstat -tlnp | grep 3000'],
    notMatch: ['ss -K', 'ss -D x', 'ss -F x', 'ss -E', 'ss --kill'],
  }),
  program(
    'systemctl status, systemctl is-active, systemctl is-enabled, systemctl list-units, systemctl list-unit-files',
    {
      flags: '--no-pager --all -a --user --failed --type=name -l --full -q --quiet',
      operands: ['name'],
      match: ['systemctl status nginx', 'systemctl list-units --failed'],
      notMatch: [
        'systemctl restart nginx',
        'systemctl -H x status a',
        'systemctl edit a',
        'systemctl status --host=x a',
      ],
    },
  ),
  program('unzip -l, unzip -Z, zipinfo', {
    flags: '-1 -v -q',
    operands: ['path', 'text'],
    match: ['unzip -l a.zip', 'zipinfo -1 a.zip'],
    notMatch: ['unzip a.zip', 'unzip -l -d x a.zip', 'unzip -lo a.zip'],
  }),
  program(
    'tar tf, tar tvf, tar tzf, tar tzvf, tar tjf, tar tJf, tar -tf, tar -tvf, tar -tzf, tar -tzvf, tar -tjf, tar -tJf',
    {
      operands: ['archive', 'none'],
      match: ['tar tf a.tar', 'tar -tzf a.tgz', 'tar tzvf a.tgz | head'],
      notMatch: [
        'tar xf a.tar',
        'tar tf host:a.tar',
        'tar -tf a.tar --to-command=sh',
        'tar tf a.tar -I sh',
        'tar -tf /etc/a.tar',
        'tar tf *',
      ],
    },
  ),
  program('gzip -l, gunzip -l', {
    operands: ['path'],
    match: ['gzip -l a.gz'],
    notMatch: ['gzip a', 'gzip -l -d a.gz', 'gunzip a.gz', 'gzip -l /etc/a.gz'],
  }),
  program('zcat, gzcat, bzcat, xzcat', {
    operands: ['path'],
    match: ['zcat a.gz', 'zcat a.gz | head'],
    notMatch: ['zcat /var/log/x.gz', 'zcat -f a'],
  }),
];
