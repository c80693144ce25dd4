import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describeFileFault } from '@signalman/durable'
import { readProxies, watchTunnels } from '@signalman/runtime'
import { advice, type DoctorFinding, fault, ok } from './finding.ts'

/** Records which addresses are really reached through a proxy, from now until it's disposed. */
export function watchProxies(environment: Readonly<Record<string, string | undefined>>) {
  const reached = new Map<string, string>()
  const tunnels = watchTunnels(({ proxy, address }) => void reached.set(address, proxy))
  return {
    describe(): DoctorFinding[] {
      const { httpsProxy } = readProxies(environment)
      if (reached.size > 0) {
        const addresses = [...reached.keys()].toSorted().join(', ')
        const proxies = [...new Set(reached.values())].join(', ')
        // What works is named by its part only, and which way is worth knowing.
        return [ok(`proxy (for ${addresses})`, `Reached through ${proxies}: ${addresses}.`)]
      }
      if (httpsProxy === '') return []
      return [
        advice(
          'proxy',
          'HTTPS_PROXY or HTTP_PROXY is set, but nothing was reached through it.',
          'Correct its address or its password, or name what is reached without it in NO_PROXY.',
        ),
      ]
    },
    [Symbol.dispose]: () => tunnels[Symbol.dispose](),
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
