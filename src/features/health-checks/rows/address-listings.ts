import type { EphemeralState } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { type ListedAddresses, showsOnlySetAddresses } from '../rules/server-address.ts'

export type AddressListings = ReturnType<typeof createAddressListings>

interface Scope {
  readonly workspaceId: string
  readonly now: Date
}

const RETENTION_MS = 400 * DAY_MS
const MAX_CACHED = 1000

/** Stores how each account of the service lists server addresses. */
export function createAddressListings(ephemeralState: EphemeralState) {
  /** Accounts for which the service provably lists only addresses that someone set. This never changes for an account. */
  const provenAccounts = new Set<string>()

  return {
    /** Finds out how the account lists addresses, from these rows, earlier rows, or a person's answer. */
    async read(
      { workspaceId, now }: Scope,
      account: string,
      rows: readonly HealthCheck[],
    ): Promise<ListedAddresses> {
      if (!provenAccounts.has(account) && showsOnlySetAddresses(rows)) {
        if (provenAccounts.size >= MAX_CACHED) provenAccounts.clear()
        provenAccounts.add(account)
      }
      if (provenAccounts.has(account)) return 'set-only'
      const key = noneSetKey(account)
      const isAnswered = (await ephemeralState.findByKeys(workspaceId, [key], now)).has(key)
      const isContradicted = rows.some(({ httpServerAddress }) => httpServerAddress !== undefined)
      return isAnswered && !isContradicted ? 'none-set' : 'unclear'
    },

    /** Stores the answer that no health check of the account has a server address that someone set. */
    saveNoAddressesSet: ({ workspaceId, now }: Scope, account: string): Promise<void> =>
      ephemeralState.saveByKey(
        { workspaceId, expiresAt: new Date(now.getTime() + RETENTION_MS) },
        new Map([[noneSetKey(account), true]]),
      ),
  }
}

const noneSetKey = (account: string): string => `no server address is set in ${account}`
