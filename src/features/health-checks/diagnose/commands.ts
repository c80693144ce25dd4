import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { UserError } from '@signalman/runtime'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { findCheckId } from '../../../domain/find-check.ts'
import type { IsForbidden } from '../../../domain/forbidden-addresses.ts'
import type { FirstLook } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { ProbedTarget } from '../rules/diagnosis.ts'
import { diagnose } from './probe.ts'
import { diagnosisView, summarizeFirstLook } from './views.ts'

const MOST_MS = 12_000
/** The result is posted within ten seconds. */
const FIRST_LOOK_MS = 7000
/** The limit of concurrent probes in one process. */
const MOST_AT_ONCE = 8

/** `/hc diagnose`: tests a check's target from this app. */
export function diagnoseCommand(isForbidden: IsForbidden): VerbDeclaration {
  let running = 0

  return {
    typed: '/hc diagnose NAME|UUID',
    takesName: true,
    does: 'Test a health check’s target from this app: DNS, connection, certificate, and HTTP response',
    needs: 'operator',
    redraws: true,
    synonyms: { debug: 'diagnose', ping: 'diagnose' },
    async run(context, { words }) {
      const uuid = await findCheckId(context, words, (uuid) => `/hc diagnose ${quoted(uuid)}`)
      const check = await (await context.api()).healthChecks.get(uuid)
      const looked = probedTarget(check)
      if (!looked)
        throw new UserError(
          'The service didn’t return a usable target and port for this health check, so Signalman can’t test it.',
        )
      if (running >= MOST_AT_ONCE)
        throw new UserError('Signalman is already testing several targets. Try again in a few seconds.')
      running += 1
      try {
        const found = await diagnose(looked, isForbidden, AbortSignal.timeout(MOST_MS))
        return diagnosisView(check, looked, found, context.environment, context.now)
      } finally {
        running -= 1
      }
    },
  }
}

/** Probes a check that went down, once; undefined if it has no usable target or connecting is forbidden. */
export async function diagnoseFromHere(
  check: HealthCheck,
  isForbidden: IsForbidden,
  now: Date,
): Promise<FirstLook | undefined> {
  const looked = probedTarget(check)
  if (!looked) return undefined
  const found = await diagnose(looked, isForbidden, AbortSignal.timeout(FIRST_LOOK_MS))
  const { connections } = found
  if (connections.length > 0 && connections.every(({ address }) => isForbidden(address))) return undefined
  return summarizeFirstLook(check, looked, found, now)
}

/** Undefined for a target without a usable host and port. */
function probedTarget({
  target = '',
  protocol = '',
  port,
  httpServerAddress,
}: HealthCheck): ProbedTarget | undefined {
  const url = isIP(target) === 0 ? URL.parse(target) : null
  const isUrl = url !== null && /^https?:$/.test(url.protocol)
  const named = isUrl ? url.hostname.replace(/^\[|\]$/g, '') : target
  // Certificates and HTTP headers need the ASCII form of a name.
  const host = /^[\x21-\x7e]*$/.test(named) ? named : domainToASCII(named)
  if (!host || /[\s/]/.test(host) || port === undefined) return undefined
  return {
    host,
    port,
    path: isUrl ? `${url.pathname}${url.search}` : '/',
    protocol: protocol.toUpperCase(),
    serverAddress: isIP(httpServerAddress ?? '') === 0 ? undefined : httpServerAddress,
  }
}
