import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { UserError } from '@signalman/runtime'
import { NOW, ONE_CHECK } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { findCheckId } from '../../../domain/find-check.ts'
import type { IsForbidden } from '../../../domain/forbidden-addresses.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { ProbedTarget } from '../rules/diagnosis.ts'
import { diagnose } from './probe.ts'
import { diagnosisView } from './views.ts'

const TIMEOUT_MS = 12_000
/** Per process. */
const MAX_CONCURRENT_PROBES = 8

export interface DiagnoseDeps {
  /** Addresses that it refuses to connect to. */
  isForbidden: IsForbidden
  /** Whether the check tests what a threat case is about. */
}

/** `/hc diagnose`: tests a check's target from this app. */
export function diagnoseCommand({ isForbidden }: DiagnoseDeps): VerbDeclaration {
  let running = 0

  return {
    line: '/hc diagnose',
    slots: [...ONE_CHECK, NOW],
    description:
      'Test a health check’s target from this app: DNS, connection, certificate, and HTTP response',
    needs: 'operator',
    redraws: true,
    also: [
      'debug',
      'probe',
      'ping',
      'test',
      'recheck',
      'run',
      'rerun',
      'run check',
      'test check',
      'check now',
    ],
    async run(context, typed) {
      const uuid = await findCheckId(context, typed, (check) => `/hc diagnose ${check}`, { reads: true })
      const check = await (await context.api()).healthChecks.get(uuid)
      const probed = toProbedTarget(check)
      if (!probed)
        throw new UserError(
          'The service didn’t return a usable target and port for this health check, so Signalman can’t test it.',
        )
      if (running >= MAX_CONCURRENT_PROBES)
        throw new UserError('Signalman is already testing several targets. Try again in a few seconds.')
      running += 1
      try {
        const diagnosis = await diagnose(probed, isForbidden, AbortSignal.timeout(TIMEOUT_MS))
        return diagnosisView(check, probed, diagnosis, context.environment, context.now)
      } finally {
        running -= 1
      }
    },
  }
}

/** Undefined for a target without a usable host and port. */
function toProbedTarget({
  target = '',
  protocol = '',
  port,
  httpServerAddress,
}: HealthCheck): ProbedTarget | undefined {
  const url = isIP(target) === 0 ? URL.parse(target) : null
  const isUrl = url !== null && /^https?:$/.test(url.protocol)
  const hostname = isUrl ? url.hostname.replace(/^\[|\]$/g, '') : target
  // Certificates and HTTP headers need the ASCII form of a name.
  const host = /^[\x21-\x7e]*$/.test(hostname) ? hostname : domainToASCII(hostname)
  if (!host || /[\s/]/.test(host) || port === undefined) return undefined
  return {
    host,
    port,
    path: isUrl ? `${url.pathname}${url.search}` : '/',
    protocol: protocol.toUpperCase(),
    serverAddress: isIP(httpServerAddress ?? '') === 0 ? undefined : httpServerAddress,
  }
}
