import type { Stored } from '../messages.ts'
import { botOf } from '../people.ts'
import type { Fields, Outcome, Post } from '../protocol.ts'
import { actor, type Slack } from '../slack.ts'
import { type EventParts, raiseEvent } from './event.ts'

type Parts = EventParts & Pick<Slack, 'tickets'>

const ADDRESS = /<(https?:\/\/[^\s<>|]+)/g
const NAME = 'link_shared'
/** Stands for a channel while nothing is sent. */
export const COMPOSER = 'COMPOSER'

/** The addresses in a text as Slack stores it, without duplicates. */
export const addressesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(ADDRESS)].map(([, url = '']) => url.replaceAll('&amp;', '&'))),
]

/** The app's domain that an address belongs to. */
export function domainOf({ unfurlDomains }: Slack['manifest'], url: string): string | undefined {
  const host = URL.parse(url)?.hostname ?? ''
  return unfurlDomains.find((domain) => host === domain || host.endsWith(`.${domain}`))
}

const linksOf = (manifest: Slack['manifest'], urls: readonly string[]): Fields[] =>
  urls.flatMap((url) => {
    const domain = domainOf(manifest, url)
    return domain === undefined ? [] : [{ domain, url }]
  })

/**
 * Addresses of the app's domains in someone's message. Sent for every kind of conversation, whether the app is in it or not.
 * (https://docs.slack.dev/reference/events/link_shared; https://api.slack.com/changelog/2020-11-app-unfurls-everywhere; November
 * 2026)
 */
export async function announceLinks(
  slack: Parts,
  { channel: id, ts, threadTs, user, text }: Pick<Stored, 'channel' | 'ts' | 'threadTs' | 'user' | 'text'>,
): Promise<void> {
  const channel = slack.people.channel(id)
  const urls = addressesIn(text)
  const links = linksOf(slack.manifest, urls)
  if (!channel || links.length === 0) return
  const unfurl_id = slack.tickets.issueUnfurl({ channel: id, ts, user, urls })
  await raiseEvent(
    slack,
    NAME,
    user,
    {
      ...{ user, channel: id, message_ts: ts, unfurl_id, links },
      is_bot_user_member: channel.members.includes(botOf(channel.teamId).userId),
      ...(threadTs && { thread_ts: threadTs }),
      source: 'conversations_history',
    },
    channel,
  )
}

/**
 * The same while the message is still being written, except in organizations, where Slack waits until it is sent.
 * (https://api.slack.com/changelog/2021-08-changes-to-unfurls; https://docs.slack.dev/reference/events/link_shared; November
 * 2026)
 */
export async function writeLinks(slack: Slack, post: Post<'links'>): Promise<Outcome> {
  const person = actor(slack, post.user)
  const nothing: Outcome = { ok: true, deliveryId: null, seq: slack.log.seq }
  const known = slack.previews.get(person.id) ?? []
  const urls = post.urls.filter((url) => !known.some(({ from_url }) => from_url === url))
  const links = linksOf(slack.manifest, urls)
  if (links.length === 0 || slack.people.organizationOf(person)) return nothing
  const unfurl_id = slack.tickets.issueUnfurl({ channel: COMPOSER, ts: '', user: person.id, urls })
  return raiseEvent(slack, NAME, person.id, {
    ...{ user: person.id, channel: COMPOSER, message_ts: unfurl_id, unfurl_id, links },
    ...{ is_bot_user_member: true, source: 'composer' },
  })
}
