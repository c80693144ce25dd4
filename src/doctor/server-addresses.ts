import type { Environment } from '../domain/environment.ts'
import { SERVER_ADDRESS_VARIABLES, type ServerAddresses } from '../domain/server-addresses.ts'
import type { HealthCheck } from '../service/health-checks.ts'
import { advice, type DoctorFinding, ok } from './finding.ts'

const HOW_TO_FIND_OUT =
  'To find out, set a server address on one HTTP or HTTPS health check, leave it empty on another, and run this again.'

/**
 * Compares the setting with a page of the list of health checks, so that an operator can find out what to set. Only an operator
 * knows which addresses someone set, so this never decides, and the app never reads it.
 */
export function examineServerAddresses(
  owner: string,
  environment: Environment,
  setting: ServerAddresses,
  rows: readonly Pick<HealthCheck, 'protocol' | 'httpServerAddress'>[],
): DoctorFinding {
  const part = `server addresses ${environment} (${owner})`
  const name = SERVER_ADDRESS_VARIABLES[environment]
  const web = rows.filter(({ protocol }) => /^https?$/i.test(protocol ?? ''))
  const shown = web.filter(({ httpServerAddress }) => httpServerAddress !== undefined).length
  const counts =
    web.length === 0
      ? 'There’s no HTTP or HTTPS health check to look at.'
      : `The list shows an address for ${shown} of ${web.length} HTTP and HTTPS health checks.`
  if (setting === 'given') {
    if (web.length > 1 && shown === web.length)
      return advice(
        part,
        `${counts} ${name} is given, so Signalman keeps each of them.`,
        `Unless someone set every one of them, set ${name}=all.`,
      )
    if (web.length > 1 && shown === 0)
      return advice(
        part,
        `${counts} ${name} is given, so Signalman takes it that nobody set one.`,
        `If someone did, set ${name}=none.`,
      )
    return ok(part, `${counts} Signalman takes it that someone set these, and no others (${name}=given).`)
  }
  if (shown > 0 && shown < web.length)
    return advice(
      part,
      `${counts} ${name} is ${setting}, so Signalman asks before it could change one.`,
      `If these are exactly the ones that someone set, set ${name}=given. ${HOW_TO_FIND_OUT}`,
    )
  return ok(
    part,
    `${counts} ${name} is ${setting}, so Signalman asks before it could change an address. ${HOW_TO_FIND_OUT} If the list then shows exactly the address that you set, set ${name}=given.`,
  )
}
