import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'

/** The addresses that a host has now. Undefined if DNS can't answer in time. */
export type ResolveHost = (host: string) => Promise<readonly string[] | undefined>

const TIMEOUT_MS = 2000
/** A change of many checks asks for the same hosts again and again. */
const KEPT_MS = 60_000
const MAX_KEPT = 10_000

export function createResolveHost(): ResolveHost {
  const known = new LRUCache<string, ReturnType<ResolveHost>>({ max: MAX_KEPT, ttl: KEPT_MS })
  return (host) => {
    const found = known.get(host) ?? resolve(host)
    known.set(host, found, { noUpdateTTL: true })
    return found
  }
}

const resolve: ResolveHost = async (host) => {
  if (isIP(host) !== 0) return [host]
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  const limit = setTimeout(() => resolver.cancel(), TIMEOUT_MS)
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    return found.length > 0 ? found : undefined
  } finally {
    clearTimeout(limit)
  }
}
