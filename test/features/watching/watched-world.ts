import type { Message } from '@signalman/playground'
import { newId } from '@signalman/runtime'
import { vi } from 'vitest'
import type { NewWatch } from '../../../src/features/watching/rules/watch.ts'
import { changeWatching } from '../../decide.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { ALL_CHECKS } from './all-checks.ts'

export { untilPolledAgain } from './polled-again.ts'

/** A channel that the app is in. Its ID is C0GENERAL1. */
export const CHANNEL = 'general'

/** Starts a world that polls five times a second by default, and has a channel that watches everything. */
export async function startWatchedWorld(options: WorldOptions = {}, settings: Partial<NewWatch> = {}) {
  const world = await startWorld({
    ...options,
    workTimes: { pollMs: 100, ...options.workTimes },
    watchEveryMs: options.watchEveryMs ?? 200,
  })
  const channelId = 'C0GENERAL1'
  const watch = await changeWatching(world.app.store, WORKSPACE, ({ watches }) =>
    watches.add({
      id: newId(),
      workspaceId: WORKSPACE,
      channelId,
      environment: 'production',
      filter: ALL_CHECKS,
      afterBadPolls: 1,
      ownerId: 'U0MEMBER01',
      ...settings,
    }),
  )
  return { world, channelId, watch }
}

/** Waits for the first poll, also in a hook, where `expect.poll` can't be used. The limit is long enough for a busy machine. */
export async function untilPolled({ app: { store } }: World): Promise<void> {
  const scope = { workspaceId: WORKSPACE, environment: 'production' } as const
  await vi.waitUntil(async () => ((await store.watching.history.findPoll(scope))?.polls ?? 0) > 0, 240_000)
}

/** The app's messages in the channel, oldest first, without thread replies. */
const readPosts = async ({ slack }: World, channelId: string): Promise<Message[]> =>
  filterPosts(await slack.member.state(), channelId)

const filterPosts = ({ messages }: { messages: Record<string, Message[]> }, channelId: string): Message[] =>
  (messages[channelId] ?? []).filter(({ app, ts, threadTs }) => app && (!threadTs || threadTs === ts))

export async function untilPosted(
  { slack }: World,
  channelId: string,
  isExpected: (posts: Message[]) => boolean,
): Promise<Message[]> {
  let posts: Message[] = []
  const hasPosts = (state: Parameters<typeof filterPosts>[0]): boolean => {
    posts = filterPosts(state, channelId)
    return isExpected(posts)
  }
  await slack.member.until('the expected messages', hasPosts).catch((cause: unknown) => {
    throw new Error(`The channel reads:\n${posts.map(({ text }) => text).join('\n')}`, { cause })
  })
  return posts
}

/** The app's messages in the channel that everyone sees, without thread replies. */
export const listTexts = async (world: World, channelId: string): Promise<string[]> =>
  (await readPosts(world, channelId)).filter(({ ephemeral }) => !ephemeral).map(({ text }) => text)

/** Waits until the app says this to everyone in the channel, and returns the newest message with it. */
export async function untilText(world: World, channelId: string, part: string): Promise<Message | undefined> {
  const says = ({ text, ephemeral }: Message) => !ephemeral && text.includes(part)
  return (await untilPosted(world, channelId, (posts) => posts.some(says))).findLast(says)
}

export async function setStatus(
  { service }: World,
  name: string,
  status: 'HEALTHY' | 'UNHEALTHY',
): Promise<void> {
  const [check] = await service.checksNamed(name)
  await service.setStatus(check?.uuid ?? '', status)
}

export const bringDown = (world: World, name: string): Promise<void> => setStatus(world, name, 'UNHEALTHY')
