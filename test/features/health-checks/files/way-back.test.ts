import type { Answer } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { createSandboxControl, type SandboxControl } from '../../../sandbox-control.ts'
import { startWorld, type World } from '../../../world.ts'
import { applyPreview, downloadFile, importFile, waitForDm } from './csv-files.ts'

const PREVIEWED = /[:?] (?:This would|nothing|that can’t)/
/** Addresses that people can't type, but that the service may have. */
const ODD = ['.ann@example.com', 'ann@example.com', 'a..b@example.com', 'ops@mail.123']

const ENVIRONMENTS = ['production', 'ote'] as const

const controlOf = ({ sandbox, service }: World, environment: string): SandboxControl =>
  environment === 'ote' ? createSandboxControl({ ...sandbox, productionUrl: sandbox.oteUrl }) : service

async function readAll(service: SandboxControl) {
  const found = await service.checksNamed('way-*')
  const checks = found.map(async ({ uuid, name }) => {
    // What the service sets itself.
    const {
      uuid: _,
      created_at,
      created_by,
      modified_at,
      modified_by,
      status,
      ...check
    } = await service.check(uuid)
    const lists = (await service.alerts(uuid)).map(({ recipients }) => recipients)
    return [name, check, lists.map(String).toSorted()] as const
  })
  return (await Promise.all(checks)).toSorted(([left], [right]) => left.localeCompare(right))
}

/** What is changed: the line, what is pressed, and what says that it's done. */
const CHANGES: Record<
  string,
  (world: World, flag: string, uuid: string) => Promise<Answer['message'] | unknown>
> = {
  async 'one edit'(world, flag) {
    const line = `edit way-1 --frequency 90 --target new.example.com${flag}`
    return applyPreview(world, await world.slack.member.command('/hc', line), 'Change 1')
  },
  async 'recipients of one'(world, flag) {
    const line = `recipients ops2@example.com way-1 --add${flag}`
    return applyPreview(world, await world.slack.member.command('/hc', line), 'Change 1')
  },
  async 'an alert window'({ slack: { member } }, flag, uuid) {
    await member.command('/hc', `alert-remove ${uuid} 1${flag}`)
    return (await member.submit({}, { until: 'Changed 1 health check.' })).view
  },
  async 'one deletion'(world, flag) {
    const { member } = world.slack
    await member.command('/hc', `delete way-1${flag}`)
    const name = { 'Type the name of the health check': 'way-1' }
    return (await member.submit(name, { until: 'Deleted 1 health check' })).view
  },
  async 'many edits'(world, flag) {
    const { member } = world.slack
    const { message } = await member.command('/hc', `edit way-* --frequency 90 --verify-ssl no${flag}`)
    await member.click(message, 'Change 2', { until: 'Started.' })
    return waitForDm(world, 'Changed 2')
  },
  async 'many deletions'(world, flag) {
    const { member } = world.slack
    const { message } = await member.command('/hc', `delete way-*${flag}`)
    await member.click(message, 'Delete 2', { until: 'Started.' })
    return waitForDm(world, 'Deleted 2')
  },
}

it.each(
  ENVIRONMENTS.flatMap((environment) => Object.keys(CHANGES).map((what) => [what, environment] as const)),
)(
  'puts everything back with one press after %s in %s, and nothing in the other environment',
  async (what, environment) => {
    await using world = await startWorld()
    const { member } = world.slack
    const service = controlOf(world, environment)
    const other = controlOf(world, environment === 'ote' ? 'production' : 'ote')
    for (const each of [service, other])
      for (const name of ['way-1', 'way-2'])
        await each.addCheck({
          name,
          target: '127.0.0.1',
          http_server_address: '127.0.0.1',
          alerts: [ODD, ['bo@example.com']],
        })
    const [{ uuid = '' } = {}] = await service.checksNamed('way-1')
    const [before, otherBefore] = [await readAll(service), await readAll(other)]
    const flag = environment === 'ote' ? ' --env ote' : ''
    const done = await CHANGES[what]?.(world, flag, uuid)
    expect(await readAll(service)).not.toEqual(before)
    const file = await downloadFile(world)
    expect(file.name).toBe(environment === 'ote' ? 'before-ote.csv' : 'before.csv')
    // Cast: all that is pressed here is a message or a window.
    const preview = await member.click(done as Answer['message'], 'Go back…', { until: PREVIEWED })
    expect(preview.text).toContain(`Go back to ${file.name}`)
    const [label = ''] = /(?:Create|Change) \d/.exec(preview.text) ?? []
    await member.click(preview.message ?? preview.view, label, { until: /Started\.|Your change: / })
    await expect.poll(() => readAll(service)).toEqual(before)
    expect(await readAll(other)).toEqual(otherBefore)
  },
)

it('doesn’t import what was before in OTE into production, and leads to OTE', async () => {
  await using world = await startWorld()
  const rows = [',web,,60', '7e57ed00-0000-4000-8000-000000000001,web,ote,60']
  const file = ['uuid,health_check,environment,frequency', ...rows].join('\n')
  const refused = await importFile(world, file, /is about OTE/)
  expect(refused.text).toContain('but this import is for production.')
  const there = await world.slack.member.click(refused.view ?? refused.message, 'Import into OTE', {
    until: PREVIEWED,
  })
  expect(there.text).toContain('(OTE)')
})

it('imports a file by its ID only if the app sent it, or the person uploaded it', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }] })
  const { member, admin } = world.slack
  const share = async (person: typeof member) => {
    const { id } = await person.upload('checks.csv', 'name,frequency\nweb,30\n', 'text/csv')
    await person.say('Look at this', { channel: 'dm', files: [id] })
    return id
  }
  const own = await member.command('/hc', `import ${await share(member)}`, { until: PREVIEWED })
  expect(own.text).toContain('This would change 1.')
  const other = await member.command('/hc', `import ${await share(admin)}`, { until: 'Someone else' })
  expect(other.text).toContain('Someone else uploaded this file. Upload it yourself.')
})
