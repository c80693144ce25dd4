import type { EphemeralState } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { type AddressListing, showsOnlySetAddresses } from '../rules/server-address.ts'

export type AddressListings = ReturnType<typeof createAddressListings>

interface Where {
  readonly workspaceId: string
  readonly now: Date
}

const KEPT_MS = 400 * DAY_MS
const MAX_CACHED = 1000

/** Stores how each account of the service lists server addresses. */
export function createAddressListings(ephemeralState: EphemeralState) {
  /** Proved accounts, cached because a proof stays valid. */
  const proven = new Set<string>()

  return {
    /** From these rows, an earlier proof, or a person's answer. */
    async read(
      { workspaceId, now }: Where,
      account: string,
      rows: readonly HealthCheck[],
    ): Promise<AddressListing> {
      if (!proven.has(account) && showsOnlySetAddresses(rows)) {
        if (proven.size >= MAX_CACHED) proven.clear()
        proven.add(account)
      }
      if (proven.has(account)) return 'given-only'
      const key = noneGivenKey(account)
      const isSaid = (await ephemeralState.findUnder(workspaceId, [key], now)).has(key)
      const isContradicted = rows.some(({ httpServerAddress }) => httpServerAddress !== undefined)
      return isSaid && !isContradicted ? 'none-given' : 'unclear'
    },

    /** Stores the answer that no health check of the account has a server address that someone set. */
    sayNoneGiven: ({ workspaceId, now }: Where, account: string): Promise<void> =>
      ephemeralState.saveUnder(
        { workspaceId, expiresAt: new Date(now.getTime() + KEPT_MS) },
        new Map([[noneGivenKey(account), true]]),
      ),
  }
}

const noneGivenKey = (account: string): string => `no server address is given in ${account}`
