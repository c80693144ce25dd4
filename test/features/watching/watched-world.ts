import type { Message } from '@signalman/playground'
import { expect } from 'vitest'
import { ALL_CHECKS, type NewWatch } from '../../../src/features/watching/rules/watch.ts'
import { signed } from '../../slack/signed.ts'
import { SIGNING_SECRET, startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'

/** #general, which the app is in. */
export const CHANNEL = 'general'
/** Long enough for a busy machine; nothing waits for it that works. */
export const PATIENCE_MS = 60_000

/** The world with four polls a second, and a channel that watches everything. */
export async function startWatchedWorld(options: WorldOptions = {}, settings: Partial<NewWatch> = {}) {
  const world = await startWorld({
    ...options,
    workTimes: { pollMs: 50, ...options.workTimes },
    watchEveryMs: 250,
  })
  const channelId = await channelIdOf(world)
  const watch = await world.app.store.watching.watches.add({
    workspaceId: WORKSPACE,
    channelId,
    environment: 'production',
    filter: ALL_CHECKS,
    afterBadPolls: 1,
    notify: 'once',
    reminderHours: 0,
    ownerId: 'U0MEMBER01',
    madeAt: new Date(),
    ...settings,
  })
  return { world, channelId, watch }
}

async function channelIdOf({ slack }: World): Promise<string> {
  const { channels } = await slack.member.state()
  const found = channels.find(({ name }) => name === CHANNEL)
  if (!found) throw new Error('There is no such channel.')
  return found.id
}

/** Waits for the first successful poll of the workspace. */
export async function untilPolled({ app }: World): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (!(await app.store.watching.history.polling(WORKSPACE, 'production'))?.polls) {
    if (performance.now() > until) throw new Error('There was no poll.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Waits for so many more polls, by what the service was asked: those that change nothing are written nowhere. */
export async function untilPolledAgain({ service }: Pick<World, 'service'>, polls: number): Promise<void> {
  const count = async (): Promise<number> =>
    (await service.requests('GET')).filter(({ path, status }) => status === 200 && path.includes('limit=200'))
      .length
  const before = await count()
  const until = performance.now() + PATIENCE_MS
  // One may be under way now, and the last of them is over when the next one comes.
  while ((await count()) < before + polls + 2) {
    if (performance.now() > until) throw new Error(`There were no ${polls} polls more.`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** What the app has posted in the channel, threads left out, oldest first. */
export const postsIn = async ({ slack }: World, channelId: string): Promise<Message[]> =>
  postsOf(await slack.member.state(), channelId)

const postsOf = ({ messages }: { messages: Record<string, Message[]> }, channelId: string): Message[] =>
  (messages[channelId] ?? []).filter(
    ({ app, ts, threadTs, deleted }) => app && (!threadTs || threadTs === ts) && !deleted,
  )

export async function untilPosted(
  { slack }: World,
  channelId: string,
  holds: (posts: Message[]) => boolean,
): Promise<Message[]> {
  let posts: Message[] = []
  const isSo = (seen: Parameters<typeof postsOf>[0]): boolean => {
    posts = postsOf(seen, channelId)
    return holds(posts)
  }
  await slack.member.until('the channel to read so', isSo, PATIENCE_MS).catch((cause: unknown) => {
    throw new Error(`The channel reads:\n${posts.map(({ text }) => text).join('\n')}`, { cause })
  })
  return posts
}

export const BOT = 'U9'

/** What Slack says of a channel, as the Events API sends it. */
export async function say({ app }: World, event: Record<string, string>): Promise<void> {
  const body = JSON.stringify({
    type: 'event_callback',
    event_id: `Ev${JSON.stringify(event)}`,
    team_id: WORKSPACE,
    authorizations: [{ team_id: WORKSPACE, user_id: BOT, is_bot: true, is_enterprise_install: false }],
    event,
  })
  const answer = await fetch(`${app.url}/slack/events`, {
    method: 'POST',
    ...signed(SIGNING_SECRET, body, { json: true }),
  })
  expect(answer.status).toBe(200)
}
