import { expect } from 'vitest'
import { defang } from '../../../../src/features/threats/rules/defang.ts'
import { WORKSPACE, type World, type WorldOptions } from '../../../world.ts'
import { ID, startWorldWithThreat, type ThreatWorld } from '../world.ts'

export const NAME = `Takedown exa[.]mple [${ID.replaceAll('-', '')}]`
export const QUESTION = 'can’t be reached. Is it down?'

/** Starts a world with a threat event, in which the checks of cases are read ten times a second. */
export const startQuickWorld = (
  change?: Parameters<typeof startWorldWithThreat>[0],
  options: WorldOptions = {},
): Promise<ThreatWorld> =>
  startWorldWithThreat(change, {
    workTimes: { pollMs: 50 },
    watchEveryMs: 100,
    ...options,
  })

export const findCase = ({ app }: Pick<World, 'app'>) =>
  app.store.threatCases.find({ workspaceId: WORKSPACE, environment: 'production', eventId: ID })

/** Waits for a direct message to the member with these words, and returns it. */
export async function waitForDirectMessage({ slack }: World, expectedText: string) {
  const find = async () => (await slack.member.messages('dm')).find(({ text }) => text.includes(expectedText))
  await expect.poll(find).toBeDefined()
  return find()
}

const readingTime = async (world: World) => (await findCase(world))?.lastReadAt?.getTime() ?? 0

/** Waits until the case's check was read this often. */
export async function waitForReadings(world: World, count: number) {
  for (let index = 0; index < count; index += 1) {
    const before = await readingTime(world)
    await expect.poll(() => readingTime(world), { timeout: 20_000 }).toBeGreaterThan(before)
  }
}

/** Takes the case, and starts to watch the page until it's down. Returns the UUID of the health check. */
export async function startWatch(world: ThreatWorld, where: { channel?: string } = {}): Promise<string> {
  const { member } = world.slack
  await member.command('/threat', `take ${ID}`, { ...where, until: 'This case is yours now.' })
  const { text } = await member.command('/threat', `watch ${ID}`, { until: 'Watching until it’s down.' })
  expect(text).toContain(`The health check ${NAME} was created. It connects to ${defang(world.page.url)}`)
  const [check, ...others] = await world.service.checksNamed(NAME)
  expect(others).toEqual([])
  await waitForReadings(world, 1)
  return check?.uuid ?? ''
}
