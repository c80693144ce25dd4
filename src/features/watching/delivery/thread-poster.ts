import type { Poster, PostPlace } from '../../../bot/posts/poster.ts'
import { channelIn, threadIn } from '../rules/watch.ts'

/** Writes to places, which may be threads: there everything is a reply, also what would be a thread of its own elsewhere. */
export function threadPoster(poster: Poster): Poster {
  const at = (place: PostPlace): PostPlace => ({ ...place, channelId: channelIn(place.channelId) })
  return {
    ...poster,
    post(place, message, options) {
      const root = threadIn(place.channelId)
      return root === undefined
        ? poster.post(place, message, options)
        : poster.reply(at(place), root, message, options)
    },
    reply: (place, ts, message, options) =>
      poster.reply(at(place), threadIn(place.channelId) ?? ts, message, options),
    find: (place, sent) =>
      poster.find(at(place), { ...sent, threadTs: threadIn(place.channelId) ?? sent.threadTs }),
    edit: (place, ts, message, options) => poster.edit(at(place), ts, message, options),
  }
}
