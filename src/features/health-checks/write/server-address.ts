import { lookup } from 'node:dns/promises'
import { setTimeout } from 'node:timers/promises'
import type { Settings } from '../rules/fields.ts'
import { parseHost } from '../rules/matching.ts'
import { findShownAddress, type Row } from '../rules/row.ts'
import { sameValue } from '../rules/settings.ts'

const MAX_WAIT_MS = 2000

/** Whether the domain of the target resolves to its server address now. False if DNS doesn't answer in time. */
export async function followsDns({ target = '', httpServerAddress }: Settings): Promise<boolean> {
  const host = parseHost(target)
  if (host === '' || httpServerAddress === undefined) return false
  const ended = new AbortController()
  const found = await Promise.race([
    lookup(host, { all: true }).catch(() => []),
    setTimeout(MAX_WAIT_MS, [], { signal: ended.signal }),
  ])
  ended.abort()
  return found.some(({ address }) =>
    sameValue('httpServerAddress', { httpServerAddress: address }, { httpServerAddress }),
  )
}

/**
 * The server address that an edit sends although it doesn't set one: the shown one, unless it comes from DNS. The service doesn't say
 * whether an address was set or resolved, or whether an update without it removes it.
 */
export async function findKeptAddress(row: Row, now: Settings): Promise<string | undefined> {
  const shown = findShownAddress(row, now)
  return shown !== undefined && !(await followsDns(now)) ? shown : undefined
}
