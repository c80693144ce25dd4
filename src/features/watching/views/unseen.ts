import type { Line } from '@signalman/slack'
import { checkName, describeGaps } from '../../../bot/views/check-facts.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import type { ObservedTime } from '../../../domain/outages/observe.ts'
import type { PollFailure, Unseen } from '../../../domain/outages/outage.ts'
import type { ListedIncident } from '../rules/card.ts'
import type { Incident } from '../rules/incident.ts'

export const UNREACHABLE_REASONS: Readonly<Record<PollFailure, string>> = {
  unreachable: 'The service doesn’t answer.',
  failing: 'The service answers with an error (HTTP 5xx).',
  refused: 'The service refuses the request (HTTP 4xx). The token may lack a permission.',
  'rate-limited': 'The service is limiting requests (HTTP 429).',
  unreadable: 'The service’s answer can’t be read.',
  unauthorized: 'The service rejects the token. An admin can replace it.',
  'not-connected': 'No token is stored. An admin can add one.',
  late: 'Signalman didn’t check the service in time. Its log says why.',
}

export const formatBlindTitle = (environment: Environment): string =>
  `⚫ I can’t see the health checks${environmentSuffix(environment)}`

/** How a check was when it was last seen. Nobody knows how it is. */
export function formatLastSeen(
  environment: Environment,
  { check, isDown }: Pick<ListedIncident, 'check' | 'isDown'>,
): string {
  return `⚫ ${checkName(check)}${environmentSuffix(environment)} was ${isDown ? 'down' : 'up'} when I last saw it`
}

/** Why a check can't be seen, and since when it was down. A card says elsewhere how often, if that was more than once. */
export const lastSeenLines = (
  { failure }: Unseen,
  { isDown, falls, isBaseline, fell }: Pick<ListedIncident, 'isDown' | 'falls' | 'isBaseline' | 'fell'>,
): Line[] => [
  UNREACHABLE_REASONS[failure],
  ...(isDown && falls === 1
    ? [[isBaseline || fell.unseenSince ? 'Already down at ' : 'Went down ', fell.at]]
    : []),
]

/** `is`, or `was` if the checks can't be seen. */
export function describeTense(count: number, unseen: Unseen | undefined): string {
  if (unseen) return count === 1 ? 'was' : 'were'
  return count === 1 ? 'is' : 'are'
}

/** When a check went down, as far as that was observed. */
export const formatFall = (
  { fell, falls, isBaseline }: Pick<Incident, 'fell' | 'falls' | 'isBaseline'>,
  word: 'since' | 'from',
) => formatChanged(fell, isBaseline && falls === 1 ? `${word} at least` : word)

/** When its state changed, or when that was noticed after a gap between polls, and gaps since then. */
export const formatChanged = (
  { at, unseenSince, gaps }: ObservedTime,
  word: string,
): readonly (string | Date)[] => [
  ...(unseenSince ? ['noticed ', at, ', not observed since ', unseenSince] : [`${word} `, at]),
  ...describeGaps(gaps),
]
