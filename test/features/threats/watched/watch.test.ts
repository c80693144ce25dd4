import { describe, expect, it } from 'vitest'
import { defang } from '../../../../src/features/threats/rules/defang.ts'
import type { World } from '../../../world.ts'
import { ID, readAuditLines } from '../world.ts'
import { findCase, NAME, QUESTION, startQuickWorld, startWatch, waitForDirectMessage } from './watch-world.ts'

/** Changes the check directly in the service, not through Signalman. */
const editCheck = ({ service }: World, uuid: string, target: string) =>
  service.change(uuid, { name: NAME, protocol: 'HTTP', target, port: 80, customer_id: 1100 })

/** Lets the watch wait for the service, so that a press sees a change first. */
async function holdReading({ service }: World, uuid: string): Promise<void> {
  await service.faults({
    method: 'GET',
    path: `/healthcheck/v1/healthchecks/${uuid}`,
    kind: 'hold',
    times: 1,
  })
  await expect.poll(() => service.requests('GET')).toContainEqual(expect.objectContaining({ fault: 'hold' }))
}

describe('a watch for a threat page going down', { timeout: 90_000 }, () => {
  it('asks whether the page is down, and keeps the case open until someone confirms it', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    expect(await world.service.check(uuid)).toMatchObject({ protocol: 'HTTP', target: world.page.url })
    await world.service.setStatus(uuid, 'UNHEALTHY')
    const question = await waitForDirectMessage(world, QUESTION)
    expect(question?.text).toContain(
      'The page may be hidden from the health check. Check from another network before you answer.',
    )
    expect((await findCase(world))?.state).toBe('taken')
    const answered = await member.click(question, 'Still up', { until: 'Recorded as still up.' })
    expect(answered.text).toContain('Signalman asks again once the health check has reached the page')
    expect(await findCase(world)).toMatchObject({ state: 'taken', checkUuid: uuid })
    const { text } = await member.click(question, 'It’s down', { until: 'The case is closed.' })
    expect(text).toContain('Signalman reads the health check for seven more days')
    expect(await findCase(world)).toMatchObject({ state: 'down', checkUuid: uuid, askKind: undefined })
    const auditText = (await readAuditLines(world)).join('\n')
    expect(auditText).toContain(`/threat up: threat event ${ID}: done`)
    expect(auditText).toContain(`/threat down: threat event ${ID}: done`)
  })

  it('reports that its check now tests another page, and stops without closing the case', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    await world.service.setStatus(uuid, 'UNHEALTHY')
    const question = await waitForDirectMessage(world, QUESTION)
    await holdReading(world, uuid)
    await editCheck(world, uuid, 'http://other.example/')
    const { text, message } = await member.click(question, 'It’s down', {
      until: 'Look at the page yourself',
    })
    expect(text).toContain(
      `was edited and connects to HTTP hxxp://other[.]example/, port 80 instead of ${defang(world.page.url)}`,
    )
    await world.service.faults()
    const { state, checkUuid } = (await findCase(world)) ?? {}
    expect({ state, checkUuid }).toEqual({ state: 'taken', checkUuid: undefined })
    // Someone who has looked at the page can still record it as down.
    await member.click(message, 'It’s down', { until: 'The case is closed.' })
  })

  it('doesn’t ask whether the page is down if the check was edited to test another page', async () => {
    await using world = await startQuickWorld()
    const uuid = await startWatch(world)
    await editCheck(world, uuid, 'http://other.example/')
    await world.service.setStatus(uuid, 'UNHEALTHY')
    await waitForDirectMessage(world, 'was edited and connects to')
    expect(JSON.stringify(await world.slack.member.messages('dm'))).not.toContain(QUESTION)
  })

  it('creates only one check for repeated requests, and keeps the check after it stops', async () => {
    await using world = await startQuickWorld()
    const { member, admin } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    const startedOrBusy = /Watching until it’s down|Watching this is already being started/
    await Promise.all([
      member.command('/threat', `watch ${ID}`, { until: startedOrBusy }),
      admin.command('/threat', `watch ${ID}`, { until: startedOrBusy }),
    ])
    await admin.command('/threat', `watch ${ID}`, { until: 'Watching until it’s down' })
    await admin.command('/threat', `watch ${ID}`, { until: 'already existed' })
    expect(await world.service.checksNamed(NAME)).toHaveLength(1)
    const stopped = await member.command('/threat', `unwatch ${ID}`, { until: 'Stopped watching' })
    expect(stopped.text).toContain(`Signalman didn’t delete the health check ${NAME}.`)
    await member.command('/threat', `unwatch ${ID}`, { until: 'Nobody is watching this threat event.' })
    const [check] = await world.service.checksNamed(NAME)
    await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
    const again = await member.command('/threat', `watch ${ID}`, { until: 'already existed' })
    expect(again.text).toContain('The page can’t be reached right now. Is it down?')
    expect(await world.service.checksNamed(NAME)).toHaveLength(1)
    await member.click(again.message, 'It’s down', { until: 'The case is closed.' })
  })

  it('offers to watch again if its check was deleted, which Signalman hasn’t read yet', async () => {
    await using world = await startQuickWorld(undefined, { watchEveryMs: 600_000 })
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    await member.command('/threat', `watch ${ID}`, { until: 'Watching until it’s down.' })
    await expect.poll(async () => (await findCase(world))?.lastReadAt).toBeDefined()
    const [check] = await world.service.checksNamed(NAME)
    await world.service.remove(check?.uuid ?? '')
    const again = await member.command('/threat', `watch ${ID}`, { until: 'was deleted. No longer watched.' })
    expect((await findCase(world))?.checkUuid).toBeUndefined()
    const { text } = await member.click(again.message, 'Watch again', { until: 'Watching until it’s down.' })
    expect(text).toContain(`The health check ${NAME} was created.`)
  })

  it('says that its check is for another customer than the one that was typed', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    await startWatch(world)
    const { text } = await member.command('/threat', `watch ${ID} --customer 7`, {
      until: 'Nothing was changed',
    })
    expect(text).toContain('with a health check for customer 1100, not 7.')
    await member.command('/threat', `watch ${ID} --customer 1100`, { until: 'already existed' })
  })

  it('offers to reopen a closed case whose check was deleted', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    await member.command('/threat', `down ${ID}`, { until: 'Recorded as down' })
    await world.service.remove(uuid)
    const question = await waitForDirectMessage(world, 'was deleted. No longer watched')
    expect(JSON.stringify(question?.blocks)).not.toContain('Watch again')
    await member.click(question, 'Reopen', { until: 'The case is open again and yours.' })
  })

  it('doesn’t reuse a check with the same name but a different target', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    await member.command('/threat', `unwatch ${ID}`, { until: 'Stopped watching' })
    await editCheck(world, uuid, 'http://other.example/')
    const { text } = await member.command('/threat', `watch ${ID}`, {
      until: 'connects to a different target',
    })
    expect(text).toContain('Delete or rename it, then watch again.')
  })

  it('needs an open case', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    await member.command('/threat', `watch ${ID}`, { until: 'Nobody has taken this threat event yet.' })
    await member.command('/threat', `false-positive ${ID}`, { until: 'The case is closed.' })
    await member.command('/threat', `watch ${ID}`, { until: 'This case is closed.' })
    expect(await world.service.checksNamed(NAME)).toEqual([])
  })

  it('needs a customer for its health check', async () => {
    await using world = await startQuickWorld((event) => {
      Object.assign(event, { customer_id: undefined })
    })
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    await member.command('/threat', `watch ${ID}`, {
      until: 'doesn’t say which customer the health check is for',
    })
    await member.command('/threat', `watch ${ID} --customer 1100`, { until: 'Watching until it’s down' })
  })

  it('asks whoever has the case now, and moves the question if someone else takes it over', async () => {
    await using world = await startQuickWorld()
    const { member, admin } = world.slack
    const uuid = await startWatch(world)
    await world.service.setStatus(uuid, 'UNHEALTHY')
    const question = await waitForDirectMessage(world, QUESTION)
    const taken = await admin.command('/threat', `take ${ID}`, { until: 'take it over' })
    await admin.click(taken.message, 'Take over', { until: 'You took this case over' })
    const findAsked = async () => (await admin.messages('dm')).find(({ text }) => text.includes(QUESTION))
    await expect.poll(findAsked).toBeDefined()
    const messages = await member.messages('dm')
    expect(messages.find(({ ts }) => ts === question?.ts)?.text).toContain('Signalman asks someone else')
    await admin.click(await findAsked(), 'It’s down', { until: 'The case is closed.' })
    await expect.poll(findAsked).toBeUndefined()
    expect(await findCase(world)).toMatchObject({ state: 'down', asked: undefined })
  })

  it('asks if the page of a closed case is back, and ends with a false positive', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    await world.service.setStatus(uuid, 'UNHEALTHY')
    const question = await waitForDirectMessage(world, QUESTION)
    await member.click(question, 'It’s down', { until: 'The case is closed.' })
    await world.service.setStatus(uuid, 'HEALTHY')
    const back = await waitForDirectMessage(world, 'although its page was recorded as down. Is it back?')
    await member.click(back, 'Reopen', { until: 'The case is open again and yours.' })
    expect(await findCase(world)).toMatchObject({ state: 'taken', checkUuid: uuid, watchUntil: undefined })
    const { text } = await member.command('/threat', `false-positive ${ID}`, { until: 'The case is closed.' })
    expect(text).toContain(`No longer watched. Signalman didn’t delete the health check ${NAME}.`)
    const { checkUuid, watched, askKind } = (await findCase(world)) ?? {}
    expect({ checkUuid, watched, askKind }).toEqual({
      checkUuid: undefined,
      watched: undefined,
      askKind: undefined,
    })
  })
})
