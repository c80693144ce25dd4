import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { channelOf, listWorkspaces } from '../parts/slack.ts'
import { setDown, startWatching, until } from '../parts/watching.ts'

/** Measures how soon a workspace that watches in many channels is told there, by a process that has just started, within Slack's rate limits. */
export async function measureManyChannels({ size }: RunOptions): Promise<readonly Goal[]> {
  const [workspace = ''] = listWorkspaces(1)
  const channels = Array.from({ length: size(150, 60) }, (_, nth) => channelOf(workspace, nth))
  await using folder = await makeFolder()
  const databaseUrl = `sqlite:${folder.file('signalman.db')}`
  const watched = { workspaces: 1, checks: 20, channels: channels.length }
  await using app = await startWatching({ databaseUrl, ...watched, intervalSeconds: 5 })
  await setDown(app.outside, [workspace], 5)
  let posted: ReadonlyMap<string, number> = new Map()
  await until(async () => {
    posted = await app.outside.load.call('firstPosts')
    return channels.every((id) => posted.has(id))
  })
  const fell = await app.outside.service.call<ReadonlyMap<string, number>>('firstAnswers')
  return [
    {
      goal: 'Outages told in 150 channels by a process that has just started, within Slack’s rate limits',
      atMost: 20,
      reached: (Math.max(...posted.values()) - Math.max(...fell.values())) / 1000,
      unit: 's',
    },
  ]
}
