import { createId } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import type { Channel } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import { emojiName, isEmojiName } from '../state/reactions.ts'
import type { World } from '../state/world.ts'
import { values } from './arguments.ts'
import { findVisibleChannel } from './conversations.ts'
import { ApiError, type Args, type Method, optional, type RunMethod, required } from './method.ts'

// Bookmarks, the links at the top of a channel: https://docs.slack.dev/reference/methods/bookmarks.add (November 2026).

const MAX_BOOKMARKS = 100

const findChannel = (world: World, args: Args, caller: Caller): Channel =>
  findVisibleChannel(world, { channel: required(args, 'channel_id') }, caller)

/** Reads the bookmark fields that the call sets. Throws ApiError if one is invalid. */
function readFields(args: Args): Fields {
  const [title, link, emoji] = ['title', 'link', 'emoji'].map((name) => optional(args, name))
  if (link !== undefined && !/^https?:\/\//.test(link)) throw new ApiError('invalid_link')
  if (emoji !== undefined && !isEmojiName(emojiName(emoji))) throw new ApiError('invalid_emoji')
  return { ...(title && { title }), ...(link && { link }), ...(emoji && { emoji: `:${emojiName(emoji)}:` }) }
}

function save(world: World, channel: Channel, bookmarks: Fields[]): void {
  world.people.changeChannel(channel, { bookmarks })
  world.log.append({ type: 'channel', channel: { ...channel } }, channel.members)
}

const nowInSeconds = ({ now }: World): number => Math.floor(now().getTime() / 1000)

/** Who last changed a bookmark. */
const editorFields = ({ teamId }: Channel, { bot }: Caller): Fields => ({
  last_updated_by_team_id: teamId,
  last_updated_by_user_id: bot(teamId).userId,
})

const add: RunMethod = ({ world, args, caller }) => {
  const channel = findChannel(world, args, caller)
  const title = required(args, 'title')
  if (required(args, 'type') !== 'link') throw new ApiError('invalid_bookmark_type')
  if (optional(args, 'link') === undefined) throw new ApiError('invalid_link')
  const all = channel.bookmarks ?? []
  if (all.length >= MAX_BOOKMARKS) throw new ApiError('too_many_bookmarks')
  const bookmark: Fields = {
    id: createId('Bk'),
    channel_id: channel.id,
    type: 'link',
    emoji: '',
    ...readFields(args),
    title,
    entity_id: null,
    shortcut_id: null,
    app_id: null,
    icon_url: '',
    rank: 'U',
    date_created: nowInSeconds(world),
    date_updated: 0,
    ...editorFields(channel, caller),
  }
  save(world, channel, [...all, bookmark])
  return { bookmark }
}

/** Finds a bookmark. Returns its channel, all bookmarks of that channel, and the bookmark's index among them. */
function findBookmark(world: World, args: Args, caller: Caller): [Channel, Fields[], number] {
  const channel = findChannel(world, args, caller)
  const all = channel.bookmarks ?? []
  const id = required(args, 'bookmark_id')
  const index = all.findIndex((bookmark) => bookmark.id === id)
  if (index < 0) throw new ApiError('not_found')
  return [channel, all, index]
}

const edit: RunMethod = ({ world, args, caller }) => {
  const [channel, all, index] = findBookmark(world, args, caller)
  const bookmark: Fields = {
    ...all[index],
    ...readFields(args),
    date_updated: nowInSeconds(world),
    ...editorFields(channel, caller),
  }
  save(world, channel, all.with(index, bookmark))
  return { bookmark }
}

const remove: RunMethod = ({ world, args, caller }) => {
  const [channel, all, index] = findBookmark(world, args, caller)
  save(world, channel, all.toSpliced(index, 1))
  return {}
}

const list: RunMethod = ({ world, args, caller }) => ({
  bookmarks: findChannel(world, args, caller).bookmarks ?? [],
})

export const bookmarkMethods: Record<string, Method> = {
  'bookmarks.add': { args: { channel_id: 'id', ...values('title type link emoji') }, run: add },
  'bookmarks.edit': { args: { channel_id: 'id', ...values('bookmark_id title link emoji') }, run: edit },
  'bookmarks.remove': { args: { channel_id: 'id', ...values('bookmark_id') }, run: remove },
  'bookmarks.list': { args: { channel_id: 'id' }, run: list },
}
