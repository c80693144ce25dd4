import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../sandbox-control.ts'
import { startWorld, type World } from '../../../world.ts'

/** One more than are looked at together. */
const MANY = 21

/** Sets the frequency of all checks while the service answers so about the details of the first ones. */
async function changeAll(world: World, broken: number, fault: Pick<Fault, 'kind' | 'status' | 'body'>) {
  const { member } = world.slack
  const checks = await world.service.checksNamed('*')
  const preview = await member.command('/hc', 'edit web-* --frequency 30')
  const details = checks.slice(0, broken).map(({ uuid }) => `/healthcheck/v1/healthchecks/${uuid}`)
  await world.service.faults(...details.map((path) => ({ method: 'GET', path, ...fault })))
  await member.click(preview.message, `Change ${checks.length}`, { until: 'Started.' })
}

async function told({ slack: { member } }: World, says: string): Promise<string> {
  await member.until(says, ({ messages }) => JSON.stringify(messages).includes(says))
  return (await member.messages('dm')).findLast((one) => one.text.includes(says))?.text ?? ''
}

const checksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `web-${String(index).padStart(2, '0')}` }))

describe('a check that cannot be looked at', () => {
  it('keeps no other from being changed, and is changed once it can be', async () => {
    await using world = await startWorld({
      checks: checksOf(MANY + 5),
      serviceLimits: { retry: { attempts: 1 } },
    })
    await changeAll(world, MANY, { kind: 'status', status: 500 })
    await expect.poll(async () => (await world.service.requests('PUT')).length).toBe(5)
    await world.service.faults()
    expect(await told(world, 'Asked for:')).toContain(`${MANY + 5} health checks are now checked every`)
  })

  it('is refused where its details cannot be read', async () => {
    await using world = await startWorld({ checks: checksOf(3) })
    await changeAll(world, 1, { kind: 'body', body: { data: { name: 'no uuid' } } })
    const text = await told(world, 'Asked for:')
    expect(text).toContain('2 of 3 done, 1 refused by the service.')
    expect(text).toContain('web-00: Refused. The service answered something that could not be understood.')
  })
})
