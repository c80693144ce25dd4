import type { ActSteps, Requester } from '../../../bot/routes/command-context.ts'
import { formatCount } from '../../../domain/wording.ts'
import type { Api } from '../../../service/service.ts'
import type { KnownAddresses } from '../rows/known-addresses.ts'
import type { UnknownAddress } from '../rules/bulk-plan.ts'
import { type AddressAnswer, getVersion, readAddress, toAnswered } from '../rules/server-address.ts'
import { countChecks } from '../views/words.ts'
import { undefinedIfGone } from './read-check.ts'
import { mapConcurrently } from './settle-each.ts'

const CONCURRENT_READS = 16
/** The audit row names this many checks. */
const MAX_AUDITED = 100

/**
 * Stores what a person said about these checks' server addresses, each for the version that the preview read. Returns a sentence
 * about checks for which that wasn't possible; undefined if there are none. Throws ApiError.
 */
export async function saveAnswers(
  { knownAddresses }: { knownAddresses: KnownAddresses },
  context: Pick<Requester, 'workspaceId' | 'environment' | 'now'> & Pick<ActSteps, 'change'>,
  api: Api,
  unknown: readonly UnknownAddress[],
  { answer, verb }: { answer: AddressAnswer; verb: string },
): Promise<string | undefined> {
  const addresses = knownAddresses.in(context)
  const answered = await mapConcurrently(
    unknown,
    async ({ uuid, modifiedAt }) => {
      const details = await api.healthChecks.get(uuid).catch(undefinedIfGone)
      if (!details || modifiedAt === undefined || getVersion(details) !== modifiedAt) return undefined
      const address = readAddress(details, { listShows: 'none' })
      const settled = address.is === 'unknown' ? toAnswered(address, answer) : undefined
      return settled && { uuid, modifiedAt, address: settled, isAnswer: true as const }
    },
    CONCURRENT_READS,
  )
  const settled = answered.filter((known) => known !== undefined)
  if (settled.length > 0)
    await context.change(
      {
        verb,
        object: `server addresses of ${countChecks(settled.length)}`,
        after: { answer, healthChecks: settled.slice(0, MAX_AUDITED).map(({ uuid }) => uuid) },
        isRepeatable: true,
      },
      () => addresses.save(settled),
    )
  const rest = unknown.length - settled.length
  if (rest === 0) return undefined
  return `Your answer couldn’t be kept for ${formatCount(rest)}, because ${rest === 1 ? 'it has' : 'they have'} changed, or the service doesn’t show an address or when ${rest === 1 ? 'it was' : 'they were'} changed. To set one, use --server-address.`
}
