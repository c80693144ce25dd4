import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { targetHost } from '../../../domain/known-names.ts'
import type { Settings } from '../rules/fields.ts'
import { findShownAddress, type Row } from '../rules/row.ts'
import { sameValue } from '../rules/settings.ts'

const MAX_WAIT_MS = 2000
/** A lost question is asked once more before that. */
const QUESTIONS = { timeout: 500, tries: 2 }

/** Whether the domain of the target resolves to its server address now. Undefined if DNS doesn't answer in time. */
export async function followsDns(
  { target = '', httpServerAddress }: Settings,
  resolver = new Resolver(QUESTIONS),
): Promise<boolean | undefined> {
  const host = isIP(target) === 0 ? targetHost(target).replace(/^\[|\]$/g, '') : target
  if (host === '' || httpServerAddress === undefined) return false
  const found = isIP(host) === 0 ? await resolve(resolver, host) : [host]
  return found?.some((address) =>
    sameValue('httpServerAddress', { httpServerAddress: address }, { httpServerAddress }),
  )
}

/**
 * Not `lookup`, which holds one of libuv's few threads until DNS answers or the system gives up: after a few domains without an answer,
 * no new connection to the service or to Slack would find its address.
 */
async function resolve(resolver: Resolver, domain: string): Promise<string[] | undefined> {
  const timer = setTimeout(() => resolver.cancel(), MAX_WAIT_MS)
  const answers = await Promise.allSettled([resolver.resolve4(domain), resolver.resolve6(domain)])
  clearTimeout(timer)
  const isAnswered = answers.some(
    (answer) => answer.status === 'fulfilled' || /^(?:ENOTFOUND|ENODATA)$/.test(answer.reason.code),
  )
  if (!isAnswered) return undefined
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/**
 * The server address that an edit sends although it doesn't set one: the shown one, unless it comes from DNS. The service doesn't say
 * whether an address was set or resolved, or whether an update without it removes it.
 */
export async function findKeptAddress(row: Row, now: Settings): Promise<string | undefined> {
  const shown = findShownAddress(row, now)
  return shown !== undefined && !(await followsDns(now)) ? shown : undefined
}
