import type { AppLink } from '../delivery/app-link.ts'
import { sendEvent } from '../delivery/events.ts'
import type { Fields } from '../protocol/json.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { findActor } from '../state/actors.ts'
import { findAppDomain } from '../state/app-access.ts'
import { appBotIn } from '../state/people.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'

const LINK = /<(https?:\/\/[^\s<>|]+)/g
const LINK_EVENT = 'link_shared'
/** The `channel` that Slack sends in events about links in a draft. */
export const COMPOSER = 'COMPOSER'

/** Finds the distinct URLs in a stored message's text. */
export const findUrls = (text: string): string[] => [
  ...new Set([...text.matchAll(LINK)].map(([, url = '']) => url.replaceAll('&amp;', '&'))),
]

const findAppLinks = (manifest: World['manifest'], urls: readonly string[]): Fields[] =>
  urls.flatMap((url) => {
    const domain = findAppDomain(manifest, url)
    return domain === undefined ? [] : [{ domain, url }]
  })

/**
 * Sends `link_shared` for the URLs in a message that are on the app's unfurl domains. As in Slack, the app gets this event even if it
 * isn't in the conversation.
 * (https://docs.slack.dev/reference/events/link_shared; https://api.slack.com/changelog/2020-11-app-unfurls-everywhere; November
 * 2026)
 */
export async function sendLinkEvents(
  world: World,
  link: AppLink,
  {
    channel: id,
    ts,
    threadTs,
    user,
    text,
  }: Pick<StoredMessage, 'channel' | 'ts' | 'threadTs' | 'user' | 'text'>,
): Promise<void> {
  const channel = world.people.channel(id)
  const urls = findUrls(text)
  const links = findAppLinks(world.manifest, urls)
  if (!channel || links.length === 0) return
  const unfurl_id = world.tickets.issueUnfurl({ channel: id, ts, user, urls })
  await sendEvent(
    world,
    link,
    LINK_EVENT,
    user,
    {
      user,
      channel: id,
      message_ts: ts,
      unfurl_id,
      links,
      is_bot_user_member: channel.members.includes(appBotIn(channel.teamId).userId),
      ...(threadTs && { thread_ts: threadTs }),
      source: 'conversations_history',
    },
    channel,
  )
}

/**
 * Sends `link_shared` for URLs in a draft. In organizations, Slack sends it only after the message is posted.
 * (https://api.slack.com/changelog/2021-08-changes-to-unfurls; https://docs.slack.dev/reference/events/link_shared; November
 * 2026)
 */
export async function previewLinks(world: World, link: AppLink, post: PostBody<'links'>): Promise<Outcome> {
  const person = findActor(world, post.user)
  const nothingSent: Outcome = { ok: true, deliveryId: null, seq: world.log.seq }
  const previews = world.previews.get(person.id) ?? []
  const urls = post.urls.filter((url) => !previews.some(({ from_url }) => from_url === url))
  const links = findAppLinks(world.manifest, urls)
  if (links.length === 0 || world.people.getOrganization(person)) return nothingSent
  const unfurl_id = world.tickets.issueUnfurl({ channel: COMPOSER, ts: '', user: person.id, urls })
  return sendEvent(world, link, LINK_EVENT, person.id, {
    user: person.id,
    channel: COMPOSER,
    message_ts: unfurl_id,
    unfurl_id,
    links,
    is_bot_user_member: true,
    source: 'composer',
  })
}
