import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { flagSpecs } from '../../../../src/bot/typed/fields.ts'
import {
  BULK_ACTIONS,
  CHANGE_FIELDS,
  FILTER_FIELDS,
} from '../../../../src/features/health-checks/bulk/parse.ts'
import { SERVICE_FILTERS } from '../../../../src/features/health-checks/parse.ts'
import { startWorld, type World } from '../../../world.ts'

const CHECKS = [
  { name: 'web', alerts: [['ann@example.com']] },
  { name: 'down', alerts: [['bob@xn--bcher-kva.example']] },
  { name: 'shop' },
  { name: 'page', target: 'https://a.example.com/x' },
]

let world: World
beforeAll(async () => {
  world = await startWorld({ checks: CHECKS })
})
afterEach(async () => {
  const { member } = world.slack
  if ((await member.views()).length > 0) await member.close({ all: true })
})
afterAll(() => world[Symbol.asyncDispose]())

it.each([
  'edit web* --frequency 30 --set-protocol HTTP --set-target a.example.com --customer 1 --no-subsidiaries',
  'recipients ann@example.com --replace-with bob@example.com --customer 1',
  'clone web* --suffix " (staging)" --set-customer 2',
])('keeps a bulk change the same if its modal is submitted unchanged: %s', async (line) => {
  const { member } = world.slack
  const preview = await member.command('/hc', line, { until: 'Nothing has changed yet.' })
  await member.click(preview.message, 'Edit this change', { until: 'Bulk change' })
  const again = await member.submit({}, { until: 'Nothing has changed yet.' })
  const findApplyLine = (shown: unknown) =>
    /\/hc bulk-apply [^,}]*--seen [\w-]+/.exec(JSON.stringify(shown))?.[0]
  expect(findApplyLine(preview.message?.blocks)).toBeDefined()
  expect(findApplyLine(again.view?.view.blocks)).toBe(findApplyLine(preview.message?.blocks))
})

it.each(BULK_ACTIONS)('uses no flag as both a filter and a change: %s', (action) => {
  const filterFlags = new Set(Object.keys({ ...flagSpecs(SERVICE_FILTERS), ...flagSpecs(FILTER_FIELDS) }))
  expect(Object.keys(flagSpecs(CHANGE_FIELDS[action])).filter((flag) => filterFlags.has(flag))).toEqual([])
})

it('finds a check by UUID, and shows its name instead', async () => {
  const { member } = world.slack
  const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('shop')
  expect((await member.command('/hc', `edit ${uuid} --frequency 30`)).text).toContain('every 60 s')
  const preview = await member.command('/hc', `clone ${uuid}`)
  for (const words of ['shop (copy)', 'Filter: name shop.']) expect(preview.text).toContain(words)
  expect(preview.text).not.toContain(uuid)
  const begun = await member.click(preview.message, 'Copy 1', { until: 'Copied' })
  expect(begun.text).not.toContain(uuid)
})

it('reads a word like “down” as the name of the check to change', async () => {
  const { member } = world.slack
  expect((await member.command('/hc', 'edit down')).view?.view).toMatchObject({ type: 'modal' })
  expect((await member.command('/hc', 'edit down --frequency 30')).text).toContain(
    'Set 1 “down” health check',
  )
})

it('finds an address in either spelling of an internationalized domain', async () => {
  const { text } = await world.slack.member.command('/hc', 'recipients bob@bücher.example')
  expect(text).toContain('gets emails about 1 health check')
})

it('rejects URLs as TCP targets', async () => {
  const { text } = await world.slack.member.command('/hc', 'edit page --set-protocol TCP')
  expect(text).toContain('page: TCP needs an IP address or a domain')
})

it('shows the customer that the copies are for', async () => {
  const { text } = await world.slack.member.command('/hc', 'clone web* --set-customer 7')
  expect(text).toContain('for customer 7')
  expect(text).toContain('web (copy), customer 7')
})

it.each(['list', 'edit', 'delete', 'clone', 'export'])(
  'rejects a name next to --name instead of ignoring one of them: %s',
  async (verb) => {
    const { text } = await world.slack.member.command('/hc', `${verb} web --name down`)
    expect(text).toContain(`/hc ${verb} takes either “web” or --name, not both.`)
    expect(await world.service.requests('DELETE')).toEqual([])
  },
)

it('reads the listing sorted by UUID', async () => {
  const { member } = world.slack
  await world.service.clearRequests()
  await member.command('/hc', 'delete web*', { until: 'Nothing has changed yet.' })
  const listRequests = (await world.service.requests('GET')).filter(({ path }) => path.includes('limit='))
  expect(listRequests.length).toBeGreaterThan(0)
  for (const { path } of listRequests) expect(path).toContain('sort=uuid')
})
