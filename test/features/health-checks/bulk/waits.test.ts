import { expect, it } from 'vitest'
import { startWorld } from '../../../world.ts'
import { waitForDm } from '../files/csv-files.ts'

const PATH = '/healthcheck/v1/healthchecks'

it('doesn’t wait for an export, and says so if it waits for other changes', async () => {
  const names = ['web-1', 'web-2', 'web-3', 'web-4', 'web-5', 'web-6', 'shop']
  await using world = await startWorld({
    checks: names.map((name) => ({ name })),
    workTimes: { pollMs: 250 },
  })
  const { service, slack } = world
  const uuids = await Promise.all(names.map(async (name) => (await service.checksNamed(name))[0]?.uuid))
  const hold = (method: string, path: string) => ({ method, path: `${PATH}/${path}`, kind: 'hold' as const })
  await service.faults(
    hold('GET', `${uuids[0]}/alerts`),
    ...uuids.slice(0, 6).map((uuid) => hold('PUT', String(uuid))),
  )
  await slack.member.command('/hc', 'export', { until: 'Started.' })
  const press = async (name: string, until: string) => {
    const { message } = await slack.admin.command('/hc', `edit ${name} --frequency 45`)
    return slack.admin.click(message, 'Change 1', { until })
  }
  await press('shop', 'Started.')
  const readFrequency = async () => String((await service.check(String(uuids[6]))).frequency)
  await expect.poll(readFrequency).toBe('45')
  const answers: string[] = []
  let waiting: Awaited<ReturnType<typeof press>> | undefined
  for (const name of names.slice(0, 6)) {
    const answer = await press(name, 'You’ll get the result in a DM.')
    answers.push(answer.text)
    if (answer.text.startsWith('Waits')) waiting ??= answer
  }
  expect(answers.slice(0, 2)).toEqual(Array(2).fill('Started. You’ll get the result in a DM.'))
  expect(waiting?.text).toContain('Waits for other changes to end. You’ll get the result in a DM.')
  await slack.admin.click(waiting?.message, 'Stop', { until: 'Stopped before it started.' })
  await service.faults()
  await waitForDm(world, 'Exported 7 health checks')
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
