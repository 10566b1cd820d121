/** The configuration files of HAProxy and PgBouncer. */
import type { ClusterNode } from './node.js'

export interface ProxyPorts {
  /** The port that leads to the primary. */
  readonly primary: number
  /** The port that leads to the replicas. */
  readonly replicas: number
  /** The port that leads to the services. */
  readonly services: number
  readonly pooler: number
}

/** The content of `haproxy.cfg`. */
export function haproxySettings(
  nodes: readonly ClusterNode[],
  { primary, replicas, services }: ProxyPorts,
  servicePorts: readonly number[],
): string {
  const servers = nodes.map(
    ({ name, serverPort, restPort }) =>
      `  server ${name} 127.0.0.1:${serverPort} check port ${restPort} on-marked-down shutdown-sessions`,
  )
  return [
    'global\n  maxconn 2000',
    'defaults\n  mode tcp\n  timeout connect 1s\n  timeout client 60s\n  timeout server 60s\n  timeout check ' +
      '1s\n  default-server inter 300ms fall 2 rise 1',
    `listen primary\n  bind 127.0.0.1:${primary}\n  option httpchk OPTIONS /primary\n  http-check expect status 200`,
    ...servers,
    `listen replicas\n  bind 127.0.0.1:${replicas}\n  option httpchk OPTIONS /replica\n  http-check expect status 200`,
    ...servers,
    'listen services\n  mode http\n  option redispatch\n  retries 3\n  retry-on conn-failure\n  bind ' +
      `127.0.0.1:${services}\n  option httpchk GET /live`,
    ...servicePorts.map((port) => `  server s${port} 127.0.0.1:${port} check`),
    '',
  ].join('\n')
}

/** The content of `pgbouncer.ini`, for transaction mode. */
export const pgbouncerSettings = ({ primary, replicas, pooler }: ProxyPorts): string =>
  [
    '[databases]',
    `ha = host=127.0.0.1 port=${primary} dbname=ha user=postgres`,
    `ha_replicas = host=127.0.0.1 port=${replicas} dbname=ha user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${pooler}`,
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 30',
    'max_client_conn = 500',
    'server_login_retry = 1',
    'server_connect_timeout = 2',
    'server_check_delay = 0',
    'server_lifetime = 60',
    'query_wait_timeout = 5',
    'unix_socket_dir =',
    '',
  ].join('\n')
