import { createDatabaseTime } from '@signalman/durable'
import { scheduleDelivery, schedulePolling } from '../../src/features/watching/rows/work.ts'
import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { median } from '../parts/numbers.ts'
import { channelOf, listWorkspaces } from '../parts/slack.ts'
import { collectDelays, setDown, startWatching, until } from '../parts/watching.ts'

const MESSAGE_REASON = 'The card lists 500 outages, which are read for each message.'
const TURN_REASON = 'A decision about 5,000 outages in one channel is one turn.'

/** Measures what everybody else waits for, and what a message costs, while most of many accounts falls and comes up again. */
export async function measureStorm({ size, progress }: RunOptions): Promise<readonly Goal[]> {
  const checks = size(5000, 50)
  const workspaces = listWorkspaces(size(21, 3))
  const [first = ''] = workspaces
  await using folder = await makeFolder()
  const databaseUrl = `sqlite:${folder.file('signalman.db')}`
  const settings = { databaseUrl, workspaces: workspaces.length, checks, intervalSeconds: 3600 }
  await using app = await startWatching(settings)
  const { outside, server, rows } = app
  const time = createDatabaseTime('sqlite')
  const readPolls = async (): Promise<number> => {
    const sum = rows.selectFrom('watch_poll').select(({ fn }) => fn.sum('polls').as('polls'))
    return Number((await sum.executeTakeFirstOrThrow()).polls)
  }
  /** Polls these workspaces, and waits for it. */
  const poll = async (polled: readonly string[]): Promise<void> => {
    const expected = (await readPolls()) + polled.length
    for (const workspaceId of polled)
      await schedulePolling(rows, time, { workspaceId, environment: 'production' })
    await until(async () => (await readPolls()) >= expected)
  }

  progress(`${checks / 5} checks of a workspace fall, then those of another one`)
  const delays: number[] = []
  for (const workspace of workspaces.slice(0, 5)) {
    await setDown(outside, [workspace], checks / 5)
    await poll([workspace])
    delays.push(...(await collectDelays(outside, [workspace])))
  }

  progress(`${checks} fall in each of ${workspaces.length} workspaces`)
  await setDown(outside, workspaces, checks)
  await server.call('watchTurns')
  await poll(workspaces)
  await collectDelays(outside, workspaces)
  const longestMs = await server.call<number>('readLongestTurnMs')

  const messageMs: number[] = []
  for (let round = size(-1, 0); round < size(7, 1); round += 1) {
    progress(round < 0 ? 'each card is edited: warming up' : `each card is edited: round ${round + 1}`)
    const expected = (await outside.load.call<number>('countEdits')) + workspaces.length
    await rows
      .updateTable('watch_post')
      .set(({ eb }) => ({ version: eb('version', '+', 1) }))
      .execute()
    const before = await server.call<number>('readCpuMicros')
    for (const workspaceId of workspaces)
      await scheduleDelivery(rows, time, { workspaceId, channelId: channelOf(workspaceId) })
    await until(async () => (await outside.load.call<number>('countEdits')) >= expected)
    const micros = (await server.call<number>('readCpuMicros')) - before
    if (round >= 0) messageMs.push(micros / 1000 / workspaces.length)
  }

  progress(`${(checks * 3) / 5} of a workspace come up`)
  await setDown(outside, [first], (checks * 2) / 5)
  const countDown = async (): Promise<number> => {
    const down = rows.selectFrom('incident').where('workspace_id', '=', first).where('is_down', '=', 1)
    const { count } = await down.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()
    return Number(count)
  }
  let polls = 0
  while ((await countDown()) > (checks * 2) / 5 && polls < 20) {
    await poll([first])
    polls += 1
  }
  return [
    {
      goal: 'First card after 1,000 checks of a workspace fall together',
      atMost: 100,
      reached: median(delays),
      unit: 'ms',
    },
    {
      goal: 'Longest turn of the event loop while 5,000 checks fall in each of 21 workspaces',
      atMost: 30,
      reached: longestMs,
      unit: 'ms',
      reason: TURN_REASON,
    },
    {
      goal: 'CPU of a message while 5,000 checks are down',
      atMost: 5,
      reached: median(messageMs),
      unit: 'ms',
      reason: MESSAGE_REASON,
    },
    {
      goal: 'Polls after 3,000 checks come up together, until the last one is seen',
      atMost: 1,
      reached: polls,
    },
  ]
}
