import {deed, program, type ProgramRow} from '../program-table.ts';
import {
  deletesContainers,
  deletesData,
  deletesInCloud,
  deletesSomeContainers,
  startsAgent,
  talks,
  talksToDaemon,
  unknown,
  usesService,
} from './deeds.ts';

const ofSsh = {
  options: '-i=text -l=text -p=text -P=text -c=text -J=text',
  runs: '-S -o -D -I ProxyCommand= LocalCommand=',
  writes: '-E',
  loads: '-F -b',
} as const;

const ofSocat = {
  runs: 'exec:* system:* shell:*',
  writes: '-lf -r -R',
} as const;

const ofKubectl = {
  options: '-c=text -f=text -k=text -l=text -n=text -o=text -p=text -s=text -v=text',
  runs: `--kubeconfig --post-renderer* --enable-exec* --enable-alpha-plugins* --enable-helm* --helm-command
    --exec-command --exec-arg --load-restrictor`,
  writes: '--cache-dir --output-dir --profile-output --output-directory -d --destination',
  loads: '--registry-config --repository-config --repository-cache --keyring',
} as const;

const ofDocker = {
  runs: '-H --host --context --connection --url',
  writes: '--iidfile --metadata-file',
  loads: '--config --tlscacert --tlscert --tlskey --cidfile',
} as const;

const ofDockerBuild = {
  runs: '*dest=/* *dest=..* *dest=~*',
  writes: '-o --output',
  loads: '-f --file --build-context --secret --ssh',
} as const;

const ofDockerCompose = {
  loads: '-f --file --project-directory --env-file',
} as const;

const ofMysql = {
  options: '-D=text -e=text -h=text -p=text -P=text -S=text -u=text',
  runs: '--pager* --plugin-dir* --init-command* --default-auth*',
  writes: '--tee* -r --result-file -T --tab',
  loads: '--defaults-file* --defaults-extra-file*',
} as const;

const ofSqlite = {
  runs: '-unsigned -unsafe*',
  loads: '-init -f',
} as const;

const ofAnsible = {
  options: '-e=text -f=text -l=text -t=text -u=text -T=text',
  runs: `-a --args -m --module-name -i --inventory* --vault-password-file --vault-id --become-password-file
    --connection-password-file -c --connection --*-common-args* --*-extra-args* --become-method -C -U`,
  loads: '-M --module-path --playbook-dir',
} as const;

const ofGh = {
  options: '-R=text -b=text -t=text -B=text -H=text -F=text -f=text -q=text -L=text -a=text -l=text',
  runs: '-u --upload-pack* --shell core.* !* --config',
} as const;

const ofTerraform = {
  runs: '-plugin-dir* -from-module* --tf-path',
  writes: '-out -state -state-out -backup',
  loads: '-chdir* --chdir* --working-dir* --terragrunt-config --config',
} as const;

/** Clients of other machines and of services. */
export const services: readonly ProgramRow[] = [
  program('rsync', {
    options: '-f=text --filter=text --exclude=text --include=text -e=program --rsh=program',
    runs: '--rsync-path -M --remote-option',
    writes: '--log-file --write-batch',
    scripts: '-e --rsh --rsync-path',
    does: [deed('destructive', 'deletes files', {when: /^--del|^--remove-source/u}), talks],
    can: 'run programs and overwrite any file',
    is: 'data restores copies',
  }),
  program('ssh', {...ofSsh, does: [talks], wraps: {operands: 1, where: 'elsewhere', rule: 'exact'}, is: 'input'}),
  program('scp', {...ofSsh, does: [talks], can: 'send any file anywhere', is: 'copies'}),
  program('sftp', {...ofSsh, does: [talks], is: 'input'}),
  program('curl', {
    options: `-A=text -b=text -d=text -e=text -E=text -F=text -H=text -m=text -P=text -Q=text -r=text -T=text -u=text
      -U=text -w=text -x=text -X=text -y=text -Y=text -z=text -C=text -t=text -c=text -D=text -h=text -K=text -o=output --output=output
      --output-dir=into -O:named --remote-name:named`,
    operands: 'url*',
    runs: '--engine',
    writes: `*%output{* -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl
      --etag-save --hsts --alt-svc --trace-config --ssl-sessions`,
    loads: '-K --config',
    does: [talks],
    can: 'send any file anywhere',
    is: 'data',
  }),
  program('wget', {
    options: `-t=text -T=text -w=text -Q=text -U=text -l=text -A=text -R=text -D=text -I=text -X=text -i=text -B=text -a=text -e=text
      -o=text -P=text -O=output --output-document=output`,
    runs: '--use-askpass -e --execute --config',
    writes: `-o --output-file -a --append-output --save-cookies -P --directory-prefix --warc-file
      --warc-tempdir --rejected-log --hsts-file --certs-dir`,
    does: [talks],
    can: 'send any file anywhere',
    is: 'data abbreviates',
  }),
  program('aria2c', {
    options: '-j=text -k=text -m=text -s=text -t=text -T=text -U=text -x=text -Z=text',
    runs: '--on-download-* --on-bt-*',
    writes: '-d --dir -o --out -l --log --save-session --save-cookies',
    loads: '--conf-path -i --input-file',
    does: [talks],
  }),
  program('socat', {...ofSocat, does: [talks]}),
  program('filan', {...ofSocat}),
  program('nc, ncat, netcat', {
    options: `-g=text -G=text -i=text -I=text -m=text -O=text -p=text -q=text -s=text -T=text -V=text -w=text -W=text
      -x=text -X=text`,
    runs: '-e -c --exec --sh-exec --lua-exec',
    writes: '-o --output --hex-dump',
    does: [talks],
  }),
  program('kubectl', {
    ...ofKubectl,
    does: [usesService],
    can: 'change and run anything in the cluster',
    is: 'input service subcommands verbs',
  }),
  program('helm, oc', {...ofKubectl, does: [usesService], is: 'input service subcommands verbs'}),
  program('kubectl exec, kubectl run, kubectl debug, oc exec, oc run, oc debug, oc rsh', {is: 'runs-any'}),
  program('crictl exec, ctr run, lxc exec, incus exec, machinectl shell, multipass exec, vagrant ssh', {
    is: 'runs-any',
  }),
  program('k3s', {...ofKubectl}),
  program('docker, podman, nerdctl', {
    ...ofDocker,
    does: [talksToDaemon],
    can: 'run any program with your files',
    is: 'input subcommands verbs',
  }),
  program('docker run, docker exec, docker compose run, docker compose exec, docker container run', {is: 'runs-any'}),
  program('podman run, podman exec, podman compose run, podman compose exec, podman container run', {is: 'runs-any'}),
  program('nerdctl run, nerdctl exec, nerdctl compose run, nerdctl compose exec, buildah run', {is: 'runs-any'}),
  program('docker container exec, podman container exec, docker-compose run, docker-compose exec', {is: 'runs-any'}),
  program('toolbox run, distrobox enter, apptainer exec, apptainer run, singularity exec, singularity run', {
    is: 'runs-any',
  }),
  program('buildah', {...ofDocker}),
  program('docker image', {...ofDockerBuild, does: [deletesSomeContainers]}),
  program('docker build, podman build, docker buildx, docker save, docker export, docker cp', {...ofDockerBuild}),
  program('docker-compose', {...ofDockerCompose, does: [talksToDaemon], is: 'subcommands'}),
  program('docker compose', {...ofDockerCompose}),
  program('mysql', {...ofMysql, does: [deletesData, usesService], is: 'code database pages abbreviates'}),
  program('mariadb', {...ofMysql, does: [deletesData, usesService], is: 'database abbreviates'}),
  program('mysqldump', {...ofMysql, does: [usesService], is: 'abbreviates'}),
  program('mariadb-dump', {...ofMysql, is: 'abbreviates'}),
  program('psql', {
    options: '-c=text -d=text -h=text -p=text -U=text -v=text -F=text -R=text -T=text -P=text',
    writes: '-o --output -L --log-file',
    loads: '-f --file',
    does: [deletesData, usesService],
    is: 'code database pages',
  }),
  program('sqlite3', {...ofSqlite, does: [deletesData, unknown], is: 'code database'}),
  program('duckdb', {...ofSqlite, does: [deletesData], is: 'database'}),
  program('ansible', {...ofAnsible, does: [usesService], is: 'abbreviates runs-given'}),
  program('ansible-playbook', {...ofAnsible, does: [usesService], is: 'abbreviates'}),
  program('ansible-inventory, ansible-console, ansible-pull', {...ofAnsible, is: 'abbreviates'}),
  program('aws, gcloud, az', {
    runs: '--profile --endpoint-url --flags-file --configuration --no-verify-ssl',
    loads: '--cli-input-* --ca-bundle --config',
    does: [deletesInCloud, usesService],
    is: 'service subcommands verbs',
  }),
  program('gh', {
    ...ofGh,
    runs: `${ofGh.runs} --git-command --editor`,
    does: [usesService],
    is: 'data service subcommands verbs text',
  }),
  program('glab', {...ofGh, does: [usesService], is: 'service subcommands verbs text'}),
  program('gh codespace ssh, gh extension exec, gh extension install, gh alias set, gh alias import', {is: 'runs-any'}),
  program('gh config set, glab alias set, glab config set, gcloud compute ssh, az vm run-command', {is: 'runs-any'}),
  program('aws ssm start-session, aws ssm send-command, heroku run, railway run, fly ssh, flyctl ssh', {
    is: 'runs-any',
  }),
  program('consul exec, consul lock, consul watch, etcdctl lock, etcdctl watch', {is: 'runs-any'}),
  program('terraform, tofu', {...ofTerraform, does: [usesService], is: 'service subcommands verbs'}),
  program('terragrunt', {...ofTerraform}),
  program('docker rm, docker rmi', {does: [deletesSomeContainers, deletesContainers]}),
  program('docker volume, docker system, docker container, docker network', {does: [deletesSomeContainers]}),
  program('docker system prune, docker compose down', {does: [deletesContainers]}),
  program('kubectl delete, kubectl drain', {does: [deed('destructive', 'deletes from the cluster')]}),
  program('kubectl replace, helm uninstall, helm delete', {does: [deed('destructive', 'deletes from the cluster')]}),
  program('terraform destroy, terraform apply, tofu destroy, pulumi destroy, cdk destroy', {
    does: [deed('destructive', 'changes or destroys infrastructure')],
  }),
  program('heroku, fly, flyctl', {does: [deletesInCloud, usesService], is: 'service'}),
  program('vercel', {does: [deletesInCloud, usesService]}),
  program('gh repo delete, gh issue delete', {does: [deed('destructive', 'deletes in the cloud')]}),
  program('gh release delete, gh gist delete, gh run delete', {does: [deed('destructive', 'deletes in the cloud')]}),
  program('gh cache delete, gh label delete', {does: [deed('destructive', 'deletes in the cloud')]}),
  program('gh secret delete, gh variable delete', {does: [deed('destructive', 'deletes in the cloud')]}),
  program('gh codespace delete, gh project delete', {does: [deed('destructive', 'deletes in the cloud')]}),
  program('gh ssh-key delete', {does: [deed('destructive', 'deletes in the cloud')]}),
  program('gh api', {does: [deed('destructive', 'deletes in the cloud', {when: /^(?:-X|--method=)?DELETE$/iu})]}),
  program('dropdb, dropuser', {does: [deed('destructive', 'deletes data', {when: /^(?!--version)/u})]}),
  program('redis-cli', {
    does: [
      deed('destructive', 'deletes data', {
        when: /^(?:flush\w*|del|unlink|getdel|getset|set|rename|expire\w*|ltrim|\w*pop\w*|hdel|srem|zrem\w*|xdel|xtrim|restore|migrate|shutdown|eval\w*|script|debug|config)$/iu,
      }),
      usesService,
    ],
    is: 'data',
  }),
  program('mongosh', {does: [deletesData, usesService]}),
  program('http, https, httpie, xh, websocat, whois, traceroute, mtr, nmap, rclone', {does: [talks]}),
  program('telnet, ftp, lftp', {does: [talks], is: 'input'}),
  program('ping, dig, nslookup, host', {does: [talks], is: 'data'}),
  program('podman-compose, minikube, vagrant, multipass, lxc, incus, virsh', {does: [talksToDaemon]}),
  program('pg_dump, pg_restore, createdb, mongo, netlify, wrangler, firebase, serverless', {does: [usesService]}),
  program('sam, cdk, supabase, railway, ngrok, cloudflared, tailscale, nmcli', {does: [usesService]}),
  program('pulumi', {does: [usesService], is: 'service subcommands'}),
  program('mail, sendmail, mutt', {does: [deed('external', 'sends mail')]}),
  program('weft', {does: [startsAgent], is: 'text'}),
  program('claude, codex, gemini, opencode, aider, goose, cursor-agent, copilot', {does: [startsAgent]}),
  program('doctl', {is: 'service'}),
];
