import {deed, program, type ProgramRow} from '../program-table.ts';
import {
  changesMachine,
  controlsServices,
  reachesPrograms,
  showsEnvironment,
  talks,
  unknownOnMachine,
  usesDesktop,
  usesKeys,
} from './deeds.ts';

const ofVi = {
  options: '-p=text -t=text -T=text -w=text -W=text',
  runs: '-c --cmd -S -s -u -U -i -l --startuptime +*',
} as const;

const ofEmacs = {
  runs: '-f -l -x --eval --execute --funcall --load --script --insert',
} as const;

const ofSshAdd = {
  options: '-E=text -t=text -H=text -h=text',
  runs: '-D -s -P',
} as const;

const ofGpg = {
  runs: `-engine -provider* --gpgconf --agent-program --dirmngr-program --pinentry-program --photo-viewer --exec-path
    --load-extension`,
  writes: '-o --output -out -keyout --status-file --logger-file',
  loads: '--homedir --options -config --trustdb-name --keyring',
} as const;

/** Programs that show what the machine is and does, and that steer it. */
export const system: readonly ProgramRow[] = [
  program('uname', {
    options: '-a -s -n -r -v -m -p -i -o --all --kernel-name --machine',
    is: 'data',
    yes: 'uname -a ¦ uname -sm',
    no: 'uname x',
  }),
  program('arch', {
    options: '--all -p -s -a',
    wraps: {},
    yes: 'nproc ¦ whoami ¦ uptime ¦ lscpu',
    no: 'whoami > a ¦ nproc --x ¦ w me',
  }),
  program('nproc, whoami, logname, tty, uptime, sw_vers, groups, users, who, w, lscpu, lsmod', {
    options: '--all -p -s -a',
    is: 'data',
    yes: 'nproc ¦ whoami ¦ uptime ¦ lscpu',
    no: 'whoami > a ¦ nproc --x ¦ w me',
  }),
  program('id', {
    options: '-u -g -G -n -r -un -gn',
    operands: 'name',
    is: 'data',
    yes: 'id ¦ id -u ¦ id -un',
    no: 'id > a ¦ id a b',
  }),
  program('hostname', {
    options: '-f -s -i -I -d --fqdn --short',
    does: [changesMachine],
    is: 'data',
    yes: 'hostname ¦ hostname -f',
    no: 'hostname evil ¦ hostname -F /etc/x',
  }),
  program('free, vmstat, lsblk', {
    options: '-h -m -g -b -k -t -f -a -l -p -o=text --human',
    is: 'data',
    yes: 'free -h ¦ lsblk -f',
    no: 'free x',
  }),
  program('getconf, locale', {
    options: '-a',
    operands: 'name*',
    yes: 'getconf PAGE_SIZE ¦ locale ¦ locale -a',
    no: 'locale ./x',
  }),
  program('pgrep, pidof', {
    options: '-f -l -a -x -n -o -u=name -c',
    operands: 'text*',
    is: 'data',
    yes: 'pgrep -fl node ¦ pidof node',
    no: 'pgrep -F /etc/x ¦ pkill node ¦ pgrep --signal 9 x',
  }),
  program('lsof', {
    options: '-n -P -i -i?=text -t -p=number -a -u=name -s -s?=text -l -w',
    is: 'data own-words',
    yes: 'lsof -nP -iTCP:3000 ¦ lsof -i ¦ lsof -ti:8080',
    no: 'lsof -D u ¦ lsof -r 1 ¦ lsof /etc/passwd ¦ lsof -k x',
  }),
  program('lsof -i', {
    options: '-n -P -t -s?=text',
    operands: 'text',
    yes: 'lsof -i :3000 ¦ lsof -i tcp:80 -n',
    no: 'lsof -i :1 -D x ¦ lsof -i :1 /etc',
  }),
  program('ss, netstat', {
    options: '-t -u -l -n -p -a -x -r -s -i -e -o -w -4 -6 --tcp --udp --listening --numeric --processes --all',
    is: 'data own-words',
    yes: 'ss -tlnp ¦ netstat -an ¦ netstat -tlnp | grep 3000',
    no: 'ss -K ¦ ss -D x ¦ ss -F x ¦ ss -E ¦ ss --kill',
  }),
  program(
    `systemctl status, systemctl is-active, systemctl is-enabled, systemctl list-units, systemctl list-unit-files`,
    {
      options: '--no-pager --all -a --user --failed --type=name -l --full -q --quiet',
      operands: 'name*',
      yes: 'systemctl status nginx ¦ systemctl list-units --failed',
      no: 'systemctl restart nginx ¦ systemctl -H x status a ¦ systemctl edit a ¦ systemctl status --host=x a',
    },
  ),
  program('unzip -l, unzip -Z, zipinfo', {
    options: '-1 -v -q',
    operands: 'path text*',
    is: 'own-words',
    yes: 'unzip -l a.zip ¦ zipinfo -1 a.zip',
    no: 'unzip a.zip ¦ unzip -l -d x a.zip ¦ unzip -lo a.zip',
  }),
  program(
    `tar tf, tar tvf, tar tzf, tar tzvf, tar tjf, tar tJf, tar -tf, tar -tvf, tar -tzf, tar -tzvf, tar -tjf, tar -tJf`,
    {
      operands: 'archive',
      yes: 'tar tf a.tar ¦ tar -tzf a.tgz ¦ tar tzvf a.tgz | head',
      no: `tar xf a.tar ¦ tar tf host:a.tar ¦ tar -tf a.tar --to-command=sh ¦ tar tf a.tar -I sh ¦
        tar -tf /etc/a.tar ¦ tar tf *`,
    },
  ),
  program('gzip -l, gunzip -l', {
    operands: 'path*',
    yes: 'gzip -l a.gz',
    no: 'gzip a ¦ gzip -l -d a.gz ¦ gunzip a.gz ¦ gzip -l /etc/a.gz',
  }),
  program('zcat, gzcat, bzcat, xzcat', {
    operands: 'path*',
    is: 'data',
    yes: 'zcat a.gz ¦ zcat a.gz | head',
    no: 'zcat /var/log/x.gz ¦ zcat -f a',
  }),
  program('less, more', {
    runs: '-k --lesskey-file --lesskey-src --lesskey-content +*',
    writes: '-o -O --log-file --LOG-FILE',
    does: [unknownOnMachine],
    is: 'shows pages',
  }),
  program('vi, vim, nvim, ex, ed', {...ofVi, does: [unknownOnMachine], is: 'code pages writes'}),
  program('view', {...ofVi, does: [unknownOnMachine], is: 'pages'}),
  program('emacs', {...ofEmacs, does: [unknownOnMachine], is: 'pages writes runs-given'}),
  program('nano, pico', {...ofEmacs, does: [unknownOnMachine], is: 'pages writes'}),
  program('emacsclient', {...ofEmacs}),
  program('ssh-keygen', {
    options: `-b=text -C=text -E=text -f=text -F=text -I=text -l=text -m=text -n=text -N=text -O=text -P=text -R=text
      -r=text -t=text -V=text -Y=text -z=text`,
    runs: '-D -s -w',
    does: [usesKeys],
    is: 'data',
  }),
  program('ssh-add', {...ofSshAdd, does: [usesKeys]}),
  program('ssh-agent', {...ofSshAdd, does: [usesKeys], wraps: {}}),
  program('gpg, gpg2', {...ofGpg, does: [usesKeys]}),
  program('openssl', {...ofGpg, does: [talks]}),
  program('tmux', {
    runs: `run run-shell if if-shell send send-keys pipep pipe-pane source source-file bind bind-key set-hook respawnp
      respawn-pane respawnw -f -S`,
    does: [reachesPrograms],
    wraps: {behind: 'new new-session neww new-window splitw split-window', rule: 'exact'},
    is: 'fed subcommands pages',
  }),
  program('mkfs, wipefs, fdisk, parted, sgdisk, mkswap', {does: [deed('destructive', 'erases a disk')]}),
  program('kill, pkill, killall', {does: [deed('destructive', 'ends processes')], is: 'data'}),
  program('shutdown, reboot, halt, poweroff, init', {does: [deed('destructive', 'stops the machine')]}),
  program('crontab', {
    does: [deed('destructive', 'changes scheduled jobs', {when: /^-\w*r/u}), controlsServices],
    is: 'input fed runs-given',
  }),
  program('systemctl', {does: [controlsServices], is: 'subcommands verbs pages'}),
  program('service', {does: [controlsServices], is: 'subcommands'}),
  program('rc-service, launchctl, loginctl, initctl, supervisorctl, atq, anacron', {does: [controlsServices]}),
  program('at, batch', {does: [controlsServices], is: 'input fed runs-given'}),
  program('mount, umount, losetup, swapon, swapoff, modprobe, insmod, rmmod, sysctl', {does: [changesMachine]}),
  program('dmesg, iptables, ip6tables, nft, ufw, ifconfig, route, tc, useradd, userdel', {does: [changesMachine]}),
  program('usermod, groupadd, adduser, deluser, passwd, chsh, visudo, hostnamectl', {does: [changesMachine]}),
  program('timedatectl, localectl, update-alternatives, ldconfig, setcap, defaults, adb', {does: [changesMachine]}),
  program('fastboot', {does: [changesMachine]}),
  program('ip', {does: [changesMachine], wraps: {behind: 'exec', operands: 1}}),
  program('setfacl, chattr', {does: [changesMachine], is: 'rights'}),
  program('renice, fuser, skill, bpftrace, wall, write, ipcrm, ipcmk, reptyr', {does: [reachesPrograms]}),
  program('gdb, lldb', {does: [reachesPrograms], is: 'code pages'}),
  program('logger', {does: [reachesPrograms], is: 'data'}),
  program('open, xdg-open, xclip, wl-copy, pbcopy, notify-send, say', {does: [usesDesktop], is: 'data'}),
  program('gio', {does: [usesDesktop], is: 'removes'}),
  program('xsel, wl-paste, pbpaste, clip, xdotool, ydotool, wmctrl, xrandr, xset, scrot', {does: [usesDesktop]}),
  program('grim, screencapture, dbus-send, gdbus, busctl, qdbus, gsettings, dconf, firefox', {does: [usesDesktop]}),
  program('chromium, google-chrome, xterm, code, afplay, aplay', {does: [usesDesktop]}),
  program('osascript', {does: [usesDesktop], is: 'code'}),
  program('gpg-connect-agent, gpgconf, keyctl, pass, gopass, secret-tool, security', {does: [usesKeys]}),
  program('kwallet-query, bw, rbw, lpass, vault, age, sops, kinit, klist', {does: [usesKeys]}),
  program('sops exec-env, sops exec-file', {is: 'runs-any'}),
  program('op, doppler, infisical, teller', {
    does: [usesKeys],
    wraps: {behind: 'run', flags: '--frozen --locked --offline'},
  }),
  program('chamber, aws-vault', {does: [usesKeys], wraps: {behind: 'exec', operands: 1}}),
  program('printenv', {does: [showsEnvironment], is: 'data own-words'}),
  program('journalctl', {does: [unknownOnMachine], is: 'data pages'}),
  program('last, lastlog, lastb, ausearch', {does: [unknownOnMachine]}),
  program('getent', {does: [unknownOnMachine], is: 'data'}),
  program('most, info, top, htop, mc', {does: [unknownOnMachine], is: 'pages'}),
  program('pager, btop, tig, lazygit, gitui, ncdu', {is: 'pages'}),
];
