import { Agent as SocketAgent } from 'node:https'
import { EnvHttpProxyAgent, fetch, Pool, type RequestInit, type Response } from 'undici'

const CONNECT_MS = 10_000

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

/**
 * Connections to Slack or the service, through the proxy that the environment names, or direct ones. Always tunnels, so a request is sent
 * only when the connection to the other side stands. HTTP/1.1, like Node's own `fetch`: this version of undici would use HTTP/2.
 */
export function createAgent(options: EnvHttpProxyAgent.Options = {}): EnvHttpProxyAgent {
  const { httpProxy, httpsProxy, noProxy } = readProxies()
  const connectTimeout = options.connectTimeout ?? CONNECT_MS
  return new EnvHttpProxyAgent({
    ...{ allowH2: false, ...options, httpProxy, httpsProxy, noProxy, proxyTunnel: true, connectTimeout },
    // undici would wait five minutes for the proxy's answer, and heeds a request's signal only once connected.
    clientFactory: (origin, more) => new Pool(origin, { ...more, headersTimeout: connectTimeout }),
  })
}

/** The same for WebSockets over TLS. */
export function createSocketAgent(): SocketAgent {
  const { httpsProxy, noProxy } = readProxies()
  return new SocketAgent({ proxyEnv: { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy } })
}

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
