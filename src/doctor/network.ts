import { X509Certificate } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { describeFileFault } from '@signalman/durable'
import { readProxies } from '@signalman/runtime'
import { advice, type DoctorFinding, fault, ok } from './finding.ts'

/** What undici reports about each tunnel: the proxy, without its password, and the host and port behind it. */
interface Tunnel {
  readonly connectParams: { readonly origin: string; readonly path: string }
}
const TUNNELS = 'undici:proxy:connected'

/** Records which addresses are really reached through a proxy, from now until it's disposed. */
export function watchProxies(environment: Readonly<Record<string, string | undefined>>) {
  const reached = new Map<string, string>()
  const record = (message: unknown) => {
    // Only undici writes to this channel.
    const { origin, path } = (message as Tunnel).connectParams
    reached.set(path, origin)
  }
  subscribe(TUNNELS, record)
  return {
    describe(): DoctorFinding[] {
      const { httpsProxy } = readProxies(environment)
      const all = [...reached].map(([address, proxy]) => `${address} through ${proxy}`)
      if (all.length > 0) return [ok('proxy', `Connected to ${all.toSorted().join(', and to ')}.`)]
      if (httpsProxy === '') return []
      return [
        advice(
          'proxy',
          'HTTPS_PROXY or HTTP_PROXY is set, but nothing was reached through it.',
          'Correct its address or its password, or name what is reached without it in NO_PROXY.',
        ),
      ]
    },
    [Symbol.dispose]: () => void unsubscribe(TUNNELS, record),
  }
}

/** Node reads this variable only when it starts, and then ignores a file that it can't use. */
export function examineAuthorities(path: string | undefined): DoctorFinding[] {
  const part = 'NODE_EXTRA_CA_CERTS'
  if (!path) return []
  if (process.env.NODE_EXTRA_CA_CERTS !== path)
    return [fault(part, 'It’s in .env, where Node doesn’t read it.', 'Set it where the program is started.')]
  try {
    return new X509Certificate(readFileSync(path)) && []
  } catch (error) {
    const problem = describeFileFault(error) ?? 'has no certificate that can be read: give a PEM file'
    return [fault(part, `${path} ${problem}.`)]
  }
}
