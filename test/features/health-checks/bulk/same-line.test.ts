import { expect, it } from 'vitest'
import { flagSpecs } from '../../../../src/bot/typed/fields.ts'
import { BULK_ACTIONS, CHANGES, MEANT } from '../../../../src/features/health-checks/bulk/parse.ts'
import { WHICH } from '../../../../src/features/health-checks/parse.ts'
import { startWorld } from '../../../world.ts'

const CHECKS = [
  { name: 'web', alerts: [['ann@example.com']] },
  { name: 'down', alerts: [['bob@xn--bcher-kva.example']] },
]

it.each([
  'edit web* --frequency 30 --set-protocol HTTP --set-target a.example.com --customer 1 --no-subsidiaries',
  'recipients ann@example.com --replace-with bob@example.com --customer 1',
  'clone web* --suffix " (staging)" --set-customer 2',
])('asks for the same with its window sent as it was opened: %s', async (line) => {
  await using world = await startWorld({ checks: CHECKS })
  const { member } = world.slack
  const preview = await member.command('/hc', line, { until: 'Nothing has changed yet.' })
  await member.click(preview.message, 'Edit this change', { until: 'Many health checks' })
  const again = await member.submit({}, { until: 'Nothing has changed yet.' })
  const lineOf = (shown: unknown) => /\/hc bulk-apply [^,}]*--seen [\w-]+/.exec(JSON.stringify(shown))?.[0]
  expect(lineOf(preview.message?.blocks)).toBeDefined()
  expect(lineOf(again.view?.view.blocks)).toBe(lineOf(preview.message?.blocks))
})

it.each(BULK_ACTIONS)('has no flag that says both which are meant and what becomes of them: %s', (what) => {
  const meant = new Set(Object.keys({ ...flagSpecs(WHICH), ...flagSpecs(MEANT) }))
  expect(Object.keys(flagSpecs(CHANGES[what])).filter((flag) => meant.has(flag))).toEqual([])
})

it('means a check by its UUID, and asks which is meant by a word for a status', async () => {
  await using world = await startWorld({ checks: CHECKS })
  const { member } = world.slack
  const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
  expect((await member.command('/hc', `edit ${uuid} --frequency 30`)).text).toContain('every 60 s')
  const preview = await member.command('/hc', `clone ${uuid}`)
  for (const words of ['web (copy)', 'Which: name web.']) expect(preview.text).toContain(words)
  expect(preview.text).not.toContain(uuid)
  const begun = await member.click(preview.message, 'Copy 1', { until: 'Copied' })
  expect(begun.text).not.toContain(uuid)
  for (const line of ['edit down', 'delete down', 'edit down --frequency 30'])
    expect((await member.command('/hc', line)).text).toContain('or the check named “down”?')
})

it('finds an address in either form of an international domain', async () => {
  await using world = await startWorld({ checks: CHECKS })
  const { text } = await world.slack.member.command('/hc', 'recipients bob@bücher.example')
  expect(text).toContain('is mailed about 1 health check')
})

it('writes TCP over no URL, and says which customer copies go to', async () => {
  await using world = await startWorld({ checks: [{ name: 'web', target: 'https://a.example.com/x' }] })
  const { member } = world.slack
  const tcp = await member.command('/hc', 'edit web* --set-protocol TCP')
  expect(tcp.text).toContain('web: TCP needs an IP address or a domain')
  const moved = await member.command('/hc', 'clone web* --set-customer 7')
  expect(moved.text).toContain('for customer 7')
  expect(moved.text).toContain('web (copy), customer 7')
})

it.each(['list', 'edit', 'delete', 'clone', 'export'])(
  'refuses a name beside --name, so that neither is passed over: %s',
  async (verb) => {
    await using world = await startWorld({ checks: CHECKS })
    const { text } = await world.slack.member.command('/hc', `${verb} web --name down`)
    expect(text).toContain('“web” and --name “down” say the same thing in two ways.')
    expect(await world.service.requests('DELETE')).toEqual([])
  },
)

it('walks the listing by UUID, whatever is asked for', async () => {
  await using world = await startWorld({ checks: CHECKS })
  const { member } = world.slack
  await member.command('/hc', 'delete web*', { until: 'Nothing has changed yet.' })
  const walks = (await world.service.requests('GET')).filter(({ path }) => path.includes('limit='))
  expect(walks.length).toBeGreaterThan(0)
  for (const { path } of walks) expect(path).toContain('sort=uuid')
})
