import { expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import { KEY_A } from '../../../databases/databases.ts'
import { startWorld } from '../../../world.ts'
import { addJob, createJobKind, createService, createSettings, listEnds } from './changes-run.ts'

const CHECKS = ['shop', 'blog'].map((name) => ({ name, alerts: [['ann@example.com'], ['bo@example.com']] }))
const TIMES = { pollMs: 50, retryMs: 50, renotifyAfterMs: 50 }

it('says how a change of one check ended where it was made, also if Slack takes no direct messages', async () => {
  await using world = await startWorld({ checks: CHECKS, workTimes: TIMES })
  const { slack, service } = world
  const { member } = slack
  const preview = await member.command('/hc', 'edit shop --frequency 30', { until: '? This would ' })
  const refused = { kind: 'error', error: 'messages_tab_disabled', times: 99 } as const
  await slack.faults({ method: 'chat.postMessage', ...refused }, { method: 'conversations.open', ...refused })
  const changed = await member.click(preview.message, 'Change 1', { until: 'Your change: ' })
  expect(changed.text).toContain('Changed 1 health check.')
  expect(changed.text).toContain('The file of what was before wasn’t sent, or Slack didn’t confirm it.')
  await member.command('/hc', 'edit blog')
  await member.submit({ 'Time between checks': '30' }, { until: 'Changed 1 health check.' })
  // Nothing is deleted that no file can bring back.
  await member.close({ all: true })
  await member.command('/hc', 'delete shop')
  const kept = await member.submit(
    { 'Type the name of the health check': 'shop' },
    { until: /no direct messages[\s\S]*Nothing was changed/ },
  )
  expect(kept.text).toContain('no direct messages')
  expect(await service.countChecks()).toBe(2)
  expect((await service.requests('PUT')).length).toBe(2)
})

it('shows a new check without a message about it, and sends the file of an edit once although Slack’s answer was lost', async () => {
  await using world = await startWorld({ checks: CHECKS, workTimes: TIMES })
  const { member } = world.slack
  await member.command('/hc', 'create new mail.example.com')
  // It's tried again, of which nobody has to read.
  const away = { method: 'GET', path: '/healthcheck', kind: 'status', status: 503, times: 3 } as const
  await world.service.faults(away)
  await member.submit({ 'Customer ID': '1' }, { until: 'Created 1 health check.' })
  expect(await member.messages('dm')).toEqual([])
  await member.close({ all: true })
  await world.slack.faults({ method: 'files.completeUploadExternal', kind: 'drop-reply', times: 1 })
  await member.command('/hc', 'edit shop')
  await member.submit({ 'Time between checks': '30' }, { until: 'Changed 1 health check.' })
  const sent = await member.messages('dm')
  expect(sent.flatMap(({ files }) => files ?? []).map(({ name }) => name)).toEqual(['before.csv'])
  // Its result was read in the window.
  expect(sent.map(({ text }) => text).join('|')).toBe('Before: Edit shop: every 60 s → every 30 s|')
})

it('sends the file of a deletion once, also if another process goes on and Slack takes no files by then', async () => {
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const names = ['web-1', 'web-2', 'web-3']
  const service = createService(names)
  const rows = names.map(
    (name, index): Row => ({
      ...{ do: 'delete', line: index + 1, name, uuid: name },
      before: { settings: createSettings(name), alerts: [] },
    }),
  )
  const dying = {
    ...service.api,
    healthChecks: {
      ...service.api.healthChecks,
      async delete(uuid: string) {
        if (uuid === 'web-2') throw new Error('The process dies.')
        await service.api.healthChecks.delete(uuid)
      },
    },
  }
  const { run, files } = await addJob(store, rows, dying as typeof service.api)
  const job = createJobKind(store)
  await expect(job.run(run)).rejects.toThrow('The process dies.')
  // Cast: all that this job uses.
  const context = { ...run.context, api: async () => service.api } as unknown as typeof run.context
  const upload = () => Promise.reject(new Error('Slack takes no files.'))
  const { message } = await job.run({ ...run, context, upload })
  expect(await listEnds(store, run.id)).toEqual(['done', 'done', 'done'])
  expect(message.text).toContain('Deleted 3 health checks.')
  expect(JSON.stringify(message.blocks)).toContain('/hc import F1')
  expect(files).toHaveLength(1)
})
