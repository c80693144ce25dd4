import type { EphemeralState } from '@signalman/durable'
import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { ApiError } from '../../service/errors.ts'
import { type Api, accountFromToken } from '../../service/service.ts'

interface Scope {
  readonly workspaceId: string
  readonly now: Date
}

/** How many health checks of an account are kept to recognize it by. */
const MAX_KEPT = 20
const RETENTION_MS = 400 * DAY_MS

interface KeptListing {
  readonly uuids: readonly string[]
  /** ISO text. */
  readonly at: string
}

const listingKey = (account: string): string => `checks of account ${account}`
const sameKey = (account: string, other: string): string => `account ${account} is ${other}`

/** Calls that a token may not make, or things that aren't there, prove nothing. Rethrows other errors. */
function provesNothing(error: unknown): false {
  if (error instanceof ApiError && (error.kind === 'forbidden' || error.kind === 'not-found')) return false
  throw error
}

export type AccountProof = ReturnType<typeof createAccountProof>

/**
 * Recognizes an account of the service by what exists there, because a token says nothing about its account. Keeps the UUIDs of up to
 * twenty health checks of each account's last listing, for 400 days.
 */
export function createAccountProof(ephemeralState: EphemeralState) {
  const save = ({ workspaceId, now }: Scope, key: string, body: unknown): Promise<void> =>
    ephemeralState.saveByKey(
      { workspaceId, expiresAt: new Date(now.getTime() + RETENTION_MS) },
      new Map([[key, body]]),
    )
  const find = async ({ workspaceId, now }: Scope, key: string): Promise<unknown> =>
    (await ephemeralState.findByKeys(workspaceId, [key], now)).get(key)
  // Cast, because only `keepListing` writes these.
  const findListing = async (scope: Scope, account: string) =>
    (await find(scope, listingKey(account))) as KeptListing | undefined

  async function listsToken(api: Api, account: string): Promise<boolean> {
    const { tokens } = await api.tokens.list()
    return tokens.some(({ token }) => accountFromToken(token) === account)
  }

  async function hasKeptCheck(scope: Scope, api: Api, account: string): Promise<boolean> {
    for (const uuid of (await findListing(scope, account))?.uuids ?? [])
      if (
        await api.healthChecks
          .get(uuid)
          .then(() => true)
          .catch(provesNothing)
      )
        return true
    return false
  }

  return {
    /**
     * Keeps the checks that the account lists now, at most once an hour unless some of the kept ones are about to be deleted. Doesn't
     * reject, because it only saves an admin a question later.
     */
    async keepListing(scope: Scope, api: Api, deleted: ReadonlySet<string> = new Set()): Promise<void> {
      try {
        const kept = await findListing(scope, api.account)
        const isRecent = kept !== undefined && scope.now.getTime() - Date.parse(kept.at) < HOUR_MS
        if (isRecent && !kept.uuids.some((uuid) => deleted.has(uuid))) return
        const { results } = await api.healthChecks.list({ sort: 'uuid', limit: 500 })
        const uuids = results.map(({ uuid }) => uuid)
        const remaining = uuids.filter((uuid) => !deleted.has(uuid))
        const listing: KeptListing = { uuids: remaining.slice(0, MAX_KEPT), at: scope.now.toISOString() }
        await save(scope, listingKey(api.account), listing)
      } catch {
        // The kept listing stays.
      }
    },

    /**
     * Whether the connected account is certainly `account`: it's the same connection, an admin has said so, it lists the token that was
     * used then, or one of the kept checks exists there. If none of this is so, nobody knows. Throws ApiError.
     */
    async isProven(scope: Scope, api: Api, account: string): Promise<boolean> {
      if (api.account === account) return true
      if ((await find(scope, sameKey(account, api.account))) !== undefined) return true
      return (
        (await listsToken(api, account).catch(provesNothing)) || (await hasKeptCheck(scope, api, account))
      )
    },

    /** Stores an admin's answer that both are the same account. */
    confirm: (scope: Scope, account: string, connected: string): Promise<void> =>
      save(scope, sameKey(account, connected), true),
  }
}
