import { channel } from 'node:diagnostics_channel'
import type { RequestOptions } from 'node:http'
import { Agent as SocketAgent } from 'node:https'
import { isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import {
  buildConnector,
  Client,
  type Dispatcher,
  EnvHttpProxyAgent,
  fetch,
  Pool,
  type RequestInit,
  type Response,
} from 'undici'
import { createProxyError, findConnectionCode } from './connection-faults.ts'

const CONNECT_MS = 10_000
/** A proxy has less time than the whole connection, so that whoever waits for that hears who was silent. */
const PROXY_SHARE = 0.8

/** No proxy can reach what runs on this machine. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]'

/** The address of a proxy, also without its scheme, as curl takes it. Undefined if it can't be one. */
function parseProxy(typed: string): string | undefined {
  const text = typed === '' || typed.includes('://') ? typed : `http://${typed}`
  const url = URL.parse(text)
  if (text !== '' && !/^https?:$/.test(url?.protocol ?? '')) return undefined
  try {
    decodeURIComponent(`${url?.username}${url?.password}`)
    return text
  } catch {
    return undefined
  }
}

/**
 * The proxies and exceptions that the environment names: `HTTP_PROXY` is also for HTTPS. Empty if there are none. `isWrong` if one isn't an
 * address, and then nothing goes through it.
 */
export function readProxies(environment: Readonly<Record<string, string | undefined>> = process.env) {
  const read = (name: string) => (environment[name.toLowerCase()] || environment[name] || '').trim()
  const [httpProxy, httpsProxy] = [parseProxy(read('HTTP_PROXY')), parseProxy(read('HTTPS_PROXY'))]
  // A domain is also for the names below it. Node takes only `.example.com` for those, and reads no spaces between names.
  const names = `${read('NO_PROXY')},${LOOPBACK}`.split(/[\s,]+/).filter(Boolean)
  return {
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy || (httpProxy ?? ''),
    noProxy: names.flatMap((name) => (/^[.*[\d]/.test(name) ? name : [name, `.${name}`])).join(','),
    isWrong: httpProxy === undefined || httpsProxy === undefined,
  }
}

/** The other side that was reached through a proxy, which is named without its password. */
interface Tunnel {
  readonly proxy: string
  readonly address: string
}
const TUNNELS = channel('signalman:tunnel')
const tell = (proxy: string, address: string): void =>
  TUNNELS.publish({ proxy: new URL(proxy).origin, address } satisfies Tunnel)

/** Calls back for each connection that really goes through a proxy, until it's disposed. */
export function watchTunnels(onTunnel: (tunnel: Tunnel) => void): Disposable {
  // Only `tell` publishes there.
  const listener = (tunnel: unknown) => onTunnel(tunnel as Tunnel)
  TUNNELS.subscribe(listener)
  return { [Symbol.dispose]: () => void TUNNELS.unsubscribe(listener) }
}

/**
 * Connections to Slack or the service, through the proxy that the environment names, or direct ones. Always tunnels, so a request is sent
 * only when the connection to the other side stands. HTTP/1.1, like Node's own `fetch`: this version of undici would use HTTP/2.
 */
export function createAgent(options: EnvHttpProxyAgent.Options = {}): EnvHttpProxyAgent {
  const { httpProxy, httpsProxy, noProxy } = readProxies()
  const connectTimeout = options.connectTimeout ?? CONNECT_MS
  return new EnvHttpProxyAgent({
    ...{ allowH2: false, ...options, httpProxy, httpsProxy, noProxy, proxyTunnel: true, connectTimeout },
    clientFactory(origin, more) {
      // undici would wait five minutes for the proxy's answer, and heeds a request's signal only once connected.
      const pool = new Pool(origin, { ...more, headersTimeout: PROXY_SHARE * connectTimeout })
      const open = promisify(pool.connect.bind(pool))
      const connect = async (target: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
        const tunnel = await open(target).catch((error: unknown) => {
          throw createProxyError(findConnectionCode(error) ?? 'ECONNRESET')
        })
        if (tunnel.statusCode !== 200) {
          tunnel.socket.destroy()
          throw createProxyError(tunnel.statusCode)
        }
        tell(`${origin}`, target.path)
        return tunnel
      }
      return Object.assign(pool, { connect })
    },
  })
}

type Connected = Parameters<SocketAgent['createConnection']>[1]

/**
 * The same for WebSockets over TLS. Node's own tunnels read a proxy's answer without a limit, and keep twice as many listeners after each
 * part of it.
 */
class TunnelAgent extends SocketAgent {
  override createConnection(options: RequestOptions, connected: Connected): Duplex | null | undefined {
    const { port } = options
    const host = options.host ?? ''
    const origin = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
    const tunnels = createAgent({
      factory: (_, { connect }: { connect?: buildConnector.connector }) =>
        new Client(origin, {
          connect(target) {
            const open = connect ?? buildConnector({ allowH2: false, timeout: CONNECT_MS })
            open(target, (...result) => {
              // Its types don't know that there's no socket beside an error.
              connected?.(...(result as [Error | null, Duplex]))
              void tunnels.destroy()
            })
          },
        }),
    })
    // Never sent, because the connection is somebody else's.
    void tunnels.request({ origin, path: '/', method: 'GET' }).catch(() => undefined)
    return undefined
  }
}

export const createSocketAgent = (): SocketAgent => new TunnelAgent()

/** One request from the same connections, for checks. */
export async function fetchOnce(url: string, init: RequestInit = {}): Promise<Response> {
  const dispatcher = createAgent()
  try {
    return await fetch(url, { ...init, dispatcher })
  } finally {
    // Resolves once the body has been read.
    void dispatcher.close()
  }
}
