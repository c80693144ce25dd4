import { Agent as SocketAgent } from 'node:https'
import { EnvHttpProxyAgent, fetch, Pool, type RequestInit, type Response } from 'undici'

const CONNECT_MS = 10_000

/** No proxy can reach what runs on this machine. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]'

/** The proxies and exceptions that the environment names, as curl reads them. Empty if there are none. */
export function readProxies(environment: Readonly<Record<string, string | undefined>> = process.env) {
  const read = (name: string) => (environment[name.toLowerCase()] ?? environment[name] ?? '').trim()
  const httpProxy = read('HTTP_PROXY')
  return {
    httpProxy,
    httpsProxy: read('HTTPS_PROXY') || httpProxy,
    noProxy: [read('NO_PROXY'), LOOPBACK].filter(Boolean).join(','),
  }
}

/**
 * Connections to Slack or the service, through the proxy that the environment names, or direct ones. Always tunnels, so a request is sent
 * only when the connection to the other side stands. HTTP/1.1, like Node's own `fetch`: this version of undici would use HTTP/2.
 */
export function createAgent(options: EnvHttpProxyAgent.Options = {}): EnvHttpProxyAgent {
  const connectTimeout = options.connectTimeout ?? CONNECT_MS
  return new EnvHttpProxyAgent({
    ...{ allowH2: false, ...options, ...readProxies(), proxyTunnel: true, connectTimeout },
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
