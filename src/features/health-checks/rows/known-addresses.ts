import type { EphemeralState } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type { ServerAddresses } from '../../../domain/server-addresses.ts'
import type { KnownAddress } from '../rules/server-address.ts'

interface Scope {
  readonly workspaceId: string
  readonly environment: Environment
  readonly now: Date
}

const RETENTION_MS = 400 * DAY_MS

export type KnownAddresses = ReturnType<typeof createKnownAddresses>

/** What is known about server addresses in one environment of one workspace. */
export interface AddressSource {
  /** Which addresses the service's list shows, as the operator has set. */
  readonly listShows: ServerAddresses
  /** The known addresses by UUID in lower case. Each is valid only for one version of its check. */
  find(uuids: readonly string[]): Promise<ReadonlyMap<string, KnownAddress>>
  /** Stores the addresses of these checks, replacing what was known. */
  save(addresses: readonly (KnownAddress & { readonly uuid: string })[]): Promise<void>
  /**
   * Stores addresses that were just written. Doesn't reject: if the database is away, the write still counts, and Signalman asks
   * about these addresses again.
   */
  saveWritten(addresses: readonly (KnownAddress & { readonly uuid: string })[]): Promise<void>
}

/**
 * Stores the server addresses that Signalman wrote or that people answered, each for one version of one check. If the list shows
 * which addresses are set, nothing is stored.
 */
export function createKnownAddresses(
  ephemeralState: EphemeralState,
  serverAddresses: Readonly<Record<Environment, ServerAddresses>>,
) {
  return {
    in({ workspaceId, environment, now }: Scope): AddressSource {
      const listShows = serverAddresses[environment]
      const keyOf = (uuid: string): string => `server address of ${environment} ${uuid.toLowerCase()}`
      const source: AddressSource = {
        listShows,
        async find(uuids) {
          if (listShows === 'given' || uuids.length === 0) return new Map()
          const uuidsByKey = new Map(uuids.map((uuid) => [keyOf(uuid), uuid.toLowerCase()]))
          const found = await ephemeralState.findByKeys(workspaceId, [...uuidsByKey.keys()], now)
          // Cast, because only `save` writes these.
          return new Map([...found].map(([key, known]) => [uuidsByKey.get(key) ?? '', known as KnownAddress]))
        },
        async save(addresses) {
          if (listShows === 'given' || addresses.length === 0) return
          const byKey = new Map(addresses.map(({ uuid, ...known }) => [keyOf(uuid), known]))
          await ephemeralState.saveByKey(
            { workspaceId, expiresAt: new Date(now.getTime() + RETENTION_MS) },
            byKey,
          )
        },
        saveWritten: (addresses) => source.save(addresses).catch(() => undefined),
      }
      return source
    },
  }
}
