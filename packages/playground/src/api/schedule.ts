import { createId } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { APP_ID } from '../state/people.ts'
import type { ScheduledMessage } from '../state/schedule.ts'
import type { World } from '../state/world.ts'
import { PAGE, values } from './arguments.ts'
import { findWritableChannel, MESSAGE, readBroadcast, readContent, readThreadTs } from './chat.ts'
import { ApiError, type Method, optional, paginate, type RunMethod, required } from './method.ts'

/** How far ahead a message can be scheduled (https://docs.slack.dev/reference/methods/chat.scheduleMessage, November 2026). */
const MAX_DAYS_AHEAD = 120
const WINDOW_SECONDS = 5 * 60
const MAX_PER_WINDOW = 30

/** Whether 30 messages are already scheduled in a channel, in some five minutes that also contain `postAt`. */
function isWindowFull({ schedule }: World, channelId: string, postAt: number): boolean {
  const times = schedule
    .list()
    .filter(({ draft }) => draft.channel === channelId)
    .map((scheduled) => scheduled.postAt)
  const startsOfWindows = [...times, postAt].filter(
    (start) => start <= postAt && postAt < start + WINDOW_SECONDS,
  )
  return startsOfWindows.some(
    (start) =>
      times.filter((time) => time >= start && time < start + WINDOW_SECONDS).length >= MAX_PER_WINDOW,
  )
}

const schedule: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller)
  const postAt = Number(required(args, 'post_at'))
  if (!Number.isInteger(postAt)) throw new ApiError('invalid_time')
  const nowSeconds = world.now().getTime() / 1000
  if (postAt <= nowSeconds) throw new ApiError('time_in_past')
  if (postAt > nowSeconds + MAX_DAYS_AHEAD * 86_400) throw new ApiError('time_too_far')
  if (isWindowFull(world, channel.id, postAt))
    throw new ApiError('restricted_too_many', [
      `At most ${MAX_PER_WINDOW} messages can be scheduled in a channel within 5 minutes.`,
    ])
  const content = readContent(world, args, caller)
  const threadTs = readThreadTs(world, channel, args)
  const scheduled: ScheduledMessage = {
    id: createId('Q'),
    postAt,
    createdAt: Math.floor(nowSeconds),
    draft: {
      ...content,
      channel: channel.id,
      user: caller.bot(channel.teamId).userId,
      app: true,
      threadTs,
      ...readBroadcast(args, threadTs),
    },
  }
  world.schedule.add(scheduled)
  const message: Fields = {
    type: 'delayed_message',
    text: content.text,
    blocks: content.blocks,
    user: scheduled.draft.user,
    team: channel.teamId,
    bot_id: caller.bot(channel.teamId).botId,
    app_id: APP_ID,
    bot_profile: world.people.botProfile(channel.teamId),
    ...(content.metadata && { metadata: content.metadata }),
  }
  return { channel: channel.id, scheduled_message_id: scheduled.id, post_at: postAt, message }
}

const list: RunMethod = ({ world, args, caller }) => {
  const channelId = optional(args, 'channel')
  if (channelId !== undefined && !world.people.channel(channelId)) throw new ApiError('invalid_channel')
  const pending = world.schedule
    .list()
    .filter(({ draft }) => channelId === undefined || draft.channel === channelId)
    .filter(({ postAt }) => postAt >= Number(args.oldest ?? 0) && postAt <= Number(args.latest ?? Infinity))
    .filter(({ draft }) => caller.canReach(world.people.channel(draft.channel)?.teamId ?? ''))
  const { page, response_metadata } = paginate(pending, args)
  return {
    scheduled_messages: page.map(
      ({ id, postAt, createdAt, draft }): Fields => ({
        id,
        channel_id: draft.channel,
        post_at: postAt,
        date_created: createdAt,
        text: draft.text,
      }),
    ),
    response_metadata,
  }
}

/** How long before it's due a message can no longer be deleted (https://docs.slack.dev/reference/methods/chat.deleteScheduledMessage, November 2026). */
const LOCKED_SECONDS = 60

const remove: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller)
  const id = required(args, 'scheduled_message_id')
  const dueSeconds = world.now().getTime() / 1000 + LOCKED_SECONDS
  const isLocked = world.schedule
    .list()
    .some((scheduled) => scheduled.id === id && scheduled.postAt < dueSeconds)
  if (isLocked || !world.schedule.remove(id, channel.id)) throw new ApiError('invalid_scheduled_message_id')
  return {}
}

export const scheduleMethods: Record<string, Method> = {
  'chat.scheduleMessage': {
    args: { channel: 'destination', ...values('post_at thread_ts reply_broadcast'), ...MESSAGE },
    run: schedule,
  },
  'chat.scheduledMessages.list': { args: { channel: 'id', ...values('oldest latest'), ...PAGE }, run: list },
  'chat.deleteScheduledMessage': { args: { channel: 'id', ...values('scheduled_message_id') }, run: remove },
}
