import { expect, it } from 'vitest'
import { startWorld } from '../../../world.ts'
import { waitForDm } from '../files/csv-files.ts'

const PATH = '/healthcheck/v1/healthchecks'

it('edits one check at once, beside an export and changes of many, which say so if they wait for others', async () => {
  const groups = ['a', 'b', 'c', 'd', 'e', 'f']
  const names = [...groups.flatMap((group) => [`${group}-1`, `${group}-2`]), 'shop', 'blog']
  await using world = await startWorld({
    checks: names.map((name) => ({ name })),
    workTimes: { pollMs: 250 },
  })
  const { service, slack } = world
  const uuids = await Promise.all(names.map(async (name) => (await service.checksNamed(name))[0]?.uuid))
  const hold = (method: string, path: string) => ({ method, path: `${PATH}/${path}`, kind: 'hold' as const })
  await service.faults(
    hold('GET', `${uuids[0]}/alerts`),
    ...uuids.slice(0, -2).map((uuid) => hold('PUT', String(uuid))),
  )
  await slack.member.command('/hc', 'export', { until: 'Started.' })
  const press = async (name: string, label: string, until: string) => {
    const { message } = await slack.admin.command('/hc', `edit ${name} --frequency 45`)
    return slack.admin.click(message, label, { until })
  }
  const answers: Awaited<ReturnType<typeof press>>[] = []
  for (const group of groups)
    answers.push(await press(`${group}-*`, 'Change 2', 'You’ll get the result in a DM.'))
  expect(answers[0]?.text).toContain('Started. You’ll get the result in a DM.')
  const waiting = answers.at(-1)
  expect(waiting?.text).toContain('Waits for other changes to end. You’ll get the result in a DM.')
  await press('shop', 'Change 1', 'Changed 1 health check.')
  await slack.admin.command('/hc', 'edit blog')
  await slack.admin.submit({ 'Time between checks': '45' }, { until: 'Changed 1 health check.' })
  for (const uuid of uuids.slice(-2)) expect(String((await service.check(String(uuid))).frequency)).toBe('45')
  await slack.admin.click(waiting?.message, 'Stop', { until: 'Stopped before it started.' })
  await service.faults()
  await waitForDm(world, 'Exported 14 health checks')
})

it('sends the result and the file of what was before if it’s stopped once everything is changed', async () => {
  await using world = await startWorld({
    checks: ['web-1', 'web-2'].map((name) => ({ name })),
    workTimes: { pollMs: 250, progressIntervalMs: 0 },
  })
  const { slack } = world
  const { message } = await slack.member.command('/hc', 'edit web-* --frequency 45')
  const limit = {
    method: 'files.getUploadURLExternal',
    kind: 'status',
    status: 429,
    retryAfter: 3,
  } as const
  await slack.faults({ ...limit, times: 1000 })
  await slack.member.click(message, 'Change 2', { until: 'Started.' })
  const progress = await waitForDm(world, '2 of 2 so far')
  await expect.poll(() => world.log.some((line) => line.includes('A piece of work failed'))).toBe(true)
  await slack.faults()
  await slack.member.click(progress, 'Stop', { until: 'Stopping after the current changes.' })
  await waitForDm(world, 'Changed 2 health checks.')
  const files = (await slack.member.messages('dm')).flatMap((sent) => sent.files ?? [])
  expect(files).toHaveLength(1)
})
