import type { Setting } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CardWithOutages } from '../rules/card.ts'
import { readyWatch } from '../rules/subjects.ts'
import type { Watch } from '../rules/watch.ts'

const MOST_CHARACTERS = 500
const HOW = 'takes an address that begins with https://, a note, or the one and then the other.'

/** What to do when it falls, as it is typed: an address, a note, or the one and then the other. Throws UserError. */
export function readRunbook(typed: string): string {
  const text = typed.replace(/\s+/g, ' ').trim()
  const [first = ''] = text.split(' ')
  if (text === '' || text.length > MOST_CHARACTERS)
    throw new UserError(`takes 1 to ${MOST_CHARACTERS} characters.`)
  if (/<[@!#]/.test(text)) throw new UserError('takes no mention: a runbook calls nobody, --escalate does.')
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(first)
  if (isAddress && !addressOf(first)) throw new UserError(HOW)
  return text
}

/** What may be a link: https, and nothing that passes for another host. */
function addressOf(text: string): URL | undefined {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && !url.username && !url.password ? url : undefined
}

export interface Runbook {
  readonly link?: { readonly url: string; readonly isOwn: boolean } | undefined
  readonly note?: string | undefined
}

/** A link to a host that is none of the workspace's own may lead anywhere, so it cannot be pressed. */
export function runbookOf(text: string, ownHosts: readonly string[]): Runbook {
  const [first = '', ...rest] = text.split(' ')
  const url = addressOf(first)
  const note = (url ? rest.join(' ') : text) || undefined
  return {
    ...(url && { link: { url: url.href, isOwn: isWithin(url.hostname, ownHosts) } }),
    ...(note !== undefined && { note }),
  }
}

const isWithin = (host: string, own: readonly string[]): boolean =>
  own.some((one) => host === one || host.endsWith(`.${one}`))

/** Nothing that a person presses: `hxxps://wiki[.]example[.]com/shop`. */
export const defangedLink = (url: string): string => url.replace(/^https/i, 'hxxps').replaceAll('.', '[.]')

export const runbookWords = (text: string): string => {
  const { link, note } = runbookOf(text, [])
  return [...(link ? [defangedLink(link.url)] : []), ...(note ? [note] : [])].join(' ')
}

/** More than these say nothing to anybody who is in a hurry. */
const MOST_ON_A_CARD = 3

/** What a card says about what to do: of the watches that tell of what fell last on it. */
export function runbooksOf(
  { outages }: Pick<CardWithOutages, 'outages'>,
  watches: readonly Watch[],
  ownHosts: readonly string[],
): Runbook[] {
  const last = outages.slice(-MOST_LOOKED_THROUGH)
  const texts = watches
    .filter(({ runbook }) => runbook !== undefined)
    .map(readyWatch)
    .filter(({ fits }) => last.some(({ check, status }) => fits(check, status)))
    .flatMap(({ watch }) => watch.runbook ?? [])
  return [...new Set(texts)].slice(0, MOST_ON_A_CARD).map((text) => runbookOf(text, ownHosts))
}

const MOST_LOOKED_THROUGH = 20

const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/
const MOST_HOSTS = 20

/** The hosts of a workspace's own pages: links of runbooks to them, and to hosts below them, can be pressed. */
export const OWN_HOSTS: Setting<readonly string[]> = {
  key: 'watching.own-hosts',
  read: (stored) =>
    Array.isArray(stored) ? stored.filter((one) => typeof one === 'string' && HOST.test(one)) : [],
}

/** Throws UserError. */
export function readHosts(words: readonly string[]): string[] {
  if (words.length === 1 && /^none$/i.test(words[0] ?? '')) return []
  const hosts = words.flatMap((word) => word.split(',')).filter(Boolean)
  const read = hosts.map((host) => {
    const name = host.toLowerCase()
    // Of one label everything that ends with it would be trusted.
    if (HOST.test(name) && name.includes('.')) return name
    throw new UserError(`“${host.slice(0, 60)}” is no host. One looks like wiki.example.com.`)
  })
  if (read.length > MOST_HOSTS) throw new UserError(`A workspace names ${MOST_HOSTS} hosts at most.`)
  return [...new Set(read)]
}
