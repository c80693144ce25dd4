import type { Setting, Settings } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { CardWithOutages } from '../rules/card.ts'
import { isMutedBy, readyWatch } from '../rules/subjects.ts'
import type { MuteSubject, Watch } from '../rules/watch.ts'

const MOST_CHARACTERS = 500
const HOW = 'takes an address that begins with https://, a note, or the one and then the other'

/** What to do when it falls, as it is typed: an address, a note, or the one and then the other. Throws UserError. */
export function readRunbook(typed: string): string {
  const text = typed.replace(/\s+/g, ' ').trim()
  const [first = ''] = text.split(' ')
  if (text === '' || text.length > MOST_CHARACTERS)
    throw new UserError(`takes 1 to ${MOST_CHARACTERS} characters.`)
  if (/<[@!#]/.test(text)) throw new UserError('takes no mention: a runbook calls nobody, --escalate does.')
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(first)
  if (isAddress && !addressOf(first)) throw new UserError(`${HOW}: “${first.slice(0, 60)}” ${whyNot(first)}.`)
  return text
}

function whyNot(address: string): string {
  if (/^hxxps?:/i.test(address)) return 'is defanged, so that nobody can open it; type https://'
  if (!/^https:/i.test(address)) return 'begins otherwise'
  return URL.parse(address) ? 'holds a name or a password' : 'is no address'
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

/** What a workspace says about its runbooks: of checks by their names, whoever watches them, and which hosts are its own. */
export interface WorkspaceRunbooks {
  readonly named: readonly NamedRunbook[]
  readonly ownHosts: readonly string[]
}

/** What a card says about what to do: of what fell last on it, and of the watches that tell of that. */
export function cardRunbooks(
  { outages }: Pick<CardWithOutages, 'outages'>,
  watches: readonly Watch[],
  said: WorkspaceRunbooks,
): Runbook[] {
  const last = outages.slice(-MOST_LOOKED_THROUGH)
  const asking = watches.filter(({ runbook }) => runbook !== undefined).map(readyWatch)
  const telling = asking.filter(({ fits }) => last.some(({ check, status }) => fits(check, status)))
  return runbooksOf(
    last.map(({ check }) => check),
    telling.map(({ watch }) => watch),
    said,
  )
}

/** Of these checks, and of watches that are about them. */
export function runbooksOf(
  checks: readonly CheckFacts[],
  watches: readonly Watch[],
  { named, ownHosts }: WorkspaceRunbooks,
): Runbook[] {
  const own = named.filter(({ about }) => checks.some((check) => isMutedBy(about, check)))
  const texts = [...own.map(({ text }) => text), ...watches.flatMap(({ runbook }) => runbook ?? [])]
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

/** Of one check, or of those whose names fit a pattern. */
export interface NamedRunbook {
  readonly about: Exclude<MuteSubject, { kind: 'all' }>
  readonly text: string
}

export const MOST_RUNBOOKS = 200

export const RUNBOOKS: Setting<readonly NamedRunbook[]> = {
  key: 'watching.runbooks',
  // Only `withRunbook` writes it.
  read: (stored) => (Array.isArray(stored) ? (stored as NamedRunbook[]) : []),
}

const nameOf = ({ about }: Pick<NamedRunbook, 'about'>): string =>
  (about.kind === 'check' ? about.uuid : about.pattern).toLowerCase()

/** With this one in the place of another about the same; without a text, without it. Throws UserError at the limit. */
export function withRunbook(
  all: readonly NamedRunbook[],
  about: NamedRunbook['about'],
  text: string | undefined,
): readonly NamedRunbook[] {
  const others = all.filter((one) => nameOf(one) !== nameOf({ about }))
  if (text === undefined) return others
  if (others.length >= MOST_RUNBOOKS)
    throw new UserError(
      `This workspace has ${MOST_RUNBOOKS} runbooks of checks, which is as many as one may have: /hc runbook lists them.`,
    )
  // What says most stands first: one check before a pattern, a long pattern before a short one.
  return [...others, { about, text }].toSorted(
    (left, right) =>
      Number(right.about.kind === 'check') - Number(left.about.kind === 'check') ||
      nameOf(right).length - nameOf(left).length ||
      (nameOf(left) < nameOf(right) ? -1 : 1),
  )
}

export const workspaceRunbooks =
  (settings: Pick<Settings, 'get'>) =>
  async (workspaceId: string): Promise<WorkspaceRunbooks> => {
    const [named, ownHosts] = await Promise.all([
      settings.get(workspaceId, RUNBOOKS),
      settings.get(workspaceId, OWN_HOSTS),
    ])
    return { named, ownHosts }
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
