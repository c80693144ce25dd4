import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describeFileFault } from '@signalman/durable'
import { advice, type DoctorFinding, fault } from './finding.ts'

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']

/** Checks the variables of Node and of other programs that decide over connections. */
export function examineNetwork(environment: Readonly<Record<string, string | undefined>>): DoctorFinding[] {
  const proxies = PROXIES.filter((name) => environment[name])
  return [
    ...examineAuthorities(environment.NODE_EXTRA_CA_CERTS),
    ...(proxies.length === 0
      ? []
      : [
          advice(
            'proxy',
            `${proxies.join(', ')} is set, but Signalman connects directly.`,
            'If that fails, let this machine reach Slack and the service without a proxy.',
          ),
        ]),
  ]
}

/** Node reads this variable only when it starts, and then ignores a file that it can't use. */
function examineAuthorities(path: string | undefined): DoctorFinding[] {
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
