import { COMPOSER, findUrls } from '../changes/links.ts'
import type { AppLink } from '../delivery/app-link.ts'
import { sendMessageChange } from '../delivery/events.ts'
import { messageFields } from '../payloads/message.ts'
import type { Fields } from '../protocol/json.ts'
import { isFields, isTrue, objectsIn, parseEmbeddedJson } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import { createAppAccess, findAppDomain } from '../state/app-access.ts'
import type { Caller } from '../state/installs.ts'
import { APP_ID, appBotIn } from '../state/people.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { checkMessage } from '../validation/message.ts'
import { values } from './arguments.ts'
import { findEntityErrors } from './entity.ts'
import { ApiError, type Args, type Method, optional, type RunMethod } from './method.ts'

const MAX_PREVIEWS = 20

/** The URLs to unfurl and the message that contains them. For a draft, `message` is undefined. */
interface UnfurlTarget {
  message: StoredMessage | undefined
  user: string
  urls: readonly string[]
}

/** Reads two arguments that are both required. */
function readPair(args: Args, firstName: string, secondName: string): [string, string] {
  const values = [firstName, secondName].map((name) => {
    const value = optional(args, name)
    if (value === undefined) throw new ApiError(`missing_${name}`)
    return value
  })
  return [values[0] ?? '', values[1] ?? '']
}

function findMessageTarget(
  { people, messages }: World,
  id: string,
  ts: string,
  { canReach }: Caller,
): UnfurlTarget {
  const channel = people.channel(id)
  if (!channel || !canReach(channel.teamId)) throw new ApiError('cannot_find_channel')
  const message = messages.find(id, ts)
  if (!message || message.ephemeral) throw new ApiError('cannot_find_message')
  return { message, user: message.user, urls: findUrls(message.text) }
}

function findTarget(world: World, args: Args, caller: Caller): UnfurlTarget {
  const isById = optional(args, 'unfurl_id') !== undefined || optional(args, 'source') !== undefined
  const [source, id] = isById ? readPair(args, 'source', 'unfurl_id') : readPair(args, 'channel', 'ts')
  if (!isById && source !== COMPOSER) return findMessageTarget(world, source, id, caller)
  if (isById && source !== 'composer' && source !== 'conversations_history')
    throw new ApiError('invalid_source')
  const unfurl = world.tickets.findUnfurl(id)
  if (!unfurl) throw new ApiError(isById ? 'invalid_unfurl_id' : 'cannot_find_message')
  if (isById && (source === 'composer') !== (unfurl.channel === COMPOSER))
    throw new ApiError('invalid_source')
  if (unfurl.channel !== COMPOSER) return findMessageTarget(world, unfurl.channel, unfurl.ts, caller)
  return { message: undefined, user: unfurl.user, urls: unfurl.urls }
}

/** Throws ApiError unless the URL is in the message and on one of the app's domains. */
function checkUrl({ manifest }: World, { urls }: UnfurlTarget, url: string): void {
  if (!urls.includes(url))
    throw new ApiError('cannot_unfurl_message', [`The message doesn't contain ${url}.`])
  if (findAppDomain(manifest, url) === undefined)
    throw new ApiError('cannot_unfurl_url', [
      `${url} isn't on any domain of the manifest's features.unfurl_domains.`,
    ])
}

function buildAttachments(
  world: World,
  target: UnfurlTarget,
  unfurls: Fields,
  botId: string,
  caller: Caller,
): Fields[] {
  const options = { levels: world.levels, access: createAppAccess(world, caller) }
  return Object.entries(unfurls).map(([url, unfurl]) => {
    checkUrl(world, target, url)
    if (!isFields(unfurl)) throw new ApiError('invalid_unfurls_format')
    const checked = checkMessage({ text: 'x', attachments: [unfurl] }, options)
    if ('error' in checked) throw new ApiError('cannot_parse_attachment', checked.notes)
    const appFields = {
      from_url: url,
      app_unfurl_url: url,
      is_app_unfurl: true,
      app_id: APP_ID,
      bot_id: botId,
    }
    return { ...checked.attachments[0], ...appFields }
  })
}

function readEntities(world: World, target: UnfurlTarget, metadata: Fields): Fields[] {
  const entities = objectsIn(metadata.entities)
  const errors = entities.flatMap((entity) => findEntityErrors(world.manifest, entity))
  if (entities.length === 0 || errors.length > 0) throw new ApiError('invalid_metadata_format', errors)
  for (const { app_unfurl_url, url } of entities) checkUrl(world, target, String(app_unfurl_url ?? url))
  return entities
}

/** Returns the existing and new unfurls. A new unfurl replaces the existing one for the same URL. */
function withUnfurls(existing: readonly Fields[] = [], unfurls: readonly Fields[]): Fields[] {
  const urls = unfurls.map(({ from_url }) => from_url)
  return [...existing.filter(({ from_url }) => !urls.includes(from_url)), ...unfurls]
}

/** Adds unfurls and work objects to a person's message, and sends the app an event. */
function attachUnfurls(
  world: World,
  link: AppLink,
  message: StoredMessage,
  attachments: Fields[],
  entities: Fields[],
): void {
  const previousFields = messageFields(world, message)
  const combined = withUnfurls(message.attachments, attachments)
  world.messages.change(message, {
    attachments: combined.map((attachment, index) => ({ ...attachment, id: index + 1 })),
    ...(entities.length > 0 && { metadata: { ...message.metadata, entities } }),
  })
  void sendMessageChange(world, link, message, previousFields)
}

/**
 * Posts an ephemeral message that asks the person who shared the URL to log in to the app. Slack's message also has two buttons, which
 * aren't documented.
 */
function askToLogIn({ messages }: World, { message, user }: UnfurlTarget, args: Args, bot: string): void {
  if (!message) return
  const text = optional(args, 'user_auth_message') ?? optional(args, 'user_auth_url') ?? ''
  messages.post({ channel: message.channel, user: bot, app: true, text, readerId: user })
}

/** https://docs.slack.dev/reference/methods/chat.unfurl (November 2026). */
const unfurlLinks: RunMethod = ({ world, link, args, caller }) => {
  const target = findTarget(world, args, caller)
  const wantsLogin = isTrue(args.user_auth_required)
  const unfurls = parseEmbeddedJson(args.unfurls) ?? (wantsLogin ? {} : undefined)
  const metadata = parseEmbeddedJson(args.metadata)
  if (unfurls === undefined && metadata === undefined) throw new ApiError('missing_unfurls')
  if (unfurls !== undefined && !isFields(unfurls)) throw new ApiError('invalid_unfurls_format')
  const person = world.people.find(target.user)
  const { userId, botId } = appBotIn(person ? activeTeamId(person) : '')
  const attachments = buildAttachments(world, target, unfurls ?? {}, botId, caller)
  const entities = isFields(metadata) ? readEntities(world, target, metadata) : []
  if (wantsLogin) askToLogIn(world, target, args, userId)
  if (target.message) attachUnfurls(world, link, target.message, attachments, entities)
  else {
    const previews = withUnfurls(world.previews.get(target.user), attachments).slice(-MAX_PREVIEWS)
    world.previews.set(target.user, previews)
    world.log.append({ type: 'previews', previews }, [target.user])
  }
  return {}
}

export const unfurlMethods: Record<string, Method> = {
  'chat.unfurl': {
    args: {
      channel: 'id',
      ...values('ts source unfurl_id unfurls metadata user_auth_required user_auth_message user_auth_url'),
    },
    run: unfurlLinks,
  },
}
