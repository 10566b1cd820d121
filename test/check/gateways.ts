/**
 * Gateways in front of a service: the programs nginx and HAProxy, on free ports of the loopback
 * interface.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OwnProgram, ownProgram } from '../servers/own-program.js'

/** Starts a gateway that strips `/gateway` from paths. `upstream` is the port of the service. */
type Start = (upstream: number) => Promise<OwnProgram>

/** The settings that docs/gateways.md recommends for nginx. */
const nginxRight = (upstream: number): string => `
    location /gateway/ {
      proxy_pass http://127.0.0.1:${upstream}$path_and_query;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
    }`

/** Wrong settings: nginx decodes paths, turns HEAD into GET, and compresses responses. */
const nginxWrong = (upstream: number): string => `
    gzip on;
    gzip_proxied any;
    gzip_types application/json;
    gzip_min_length 1;
    location /gateway/ {
      proxy_pass http://127.0.0.1:${upstream}/;
      proxy_cache wrong;
    }`

const nginx = (port: number, folder: string, location: string): string => `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr notice;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  proxy_cache_path ${folder}/cache keys_zone=wrong:1m;
  map $request_uri $path_and_query {
    ~^/gateway(?<rest>/.*)$ $rest;
  }
  server {
    listen 127.0.0.1:${port};${location}
  }
}
`

const haproxyRight = '  http-request replace-path ^/gateway/(.*) /\\1'

const haproxyDecoding = `${haproxyRight}
  http-request set-path %[path,url_dec]`

const haproxyCompressing = `${haproxyRight}
  compression algo gzip
  compression type application/json`

const haproxy = (port: number, upstream: number, backend: string): string => `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend gateway
  bind 127.0.0.1:${port}
  default_backend service
backend service
${backend}
  server service 127.0.0.1:${upstream}
`

/** Debian installs these programs in `/usr/sbin`, which may be missing from a user's `PATH`. */
const found = (name: string): string => [`/usr/sbin/${name}`, `/usr/bin/${name}`].find(existsSync) ?? name

async function started(
  name: 'nginx' | 'HAProxy',
  ready: string,
  args: (file: string) => readonly string[],
  text: (port: number, folder: string) => string,
): Promise<OwnProgram> {
  const program = name.toLowerCase()
  try {
    return await ownProgram({
      name,
      command: found(program),
      args(port, folder) {
        const file = join(folder, `${program}.conf`)
        writeFileSync(file, text(port, folder))
        return args(file)
      },
      log: 'stderr',
      ready,
      started: true,
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error(`${name} is not installed. Install it: apt install --no-install-recommends ${program}.`)
  }
}

const startNginx =
  (location: (upstream: number) => string): Start =>
  (upstream) =>
    started(
      'nginx',
      'getrlimit(RLIMIT_NOFILE)',
      (file) => ['-c', file],
      (port, folder) => nginx(port, folder, location(upstream)),
    )

const startHaproxy =
  (backend: string): Start =>
  (upstream) =>
    started(
      'HAProxy',
      'Loading success',
      (file) => ['-W', '-db', '-f', file],
      (port) => haproxy(port, upstream, backend),
    )

export const right: Readonly<Record<string, Start>> = {
  nginx: startNginx(nginxRight),
  HAProxy: startHaproxy(haproxyRight),
}

export const wrong: Readonly<Record<string, Start>> = {
  nginx: startNginx(nginxWrong),
  'HAProxy, decoding': startHaproxy(haproxyDecoding),
  'HAProxy, compressing': startHaproxy(haproxyCompressing),
}
